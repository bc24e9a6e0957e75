"""Keys: the same for the same content in any process, another for anything else."""

import functools
import os
import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from tests.benchmark.study.own_methods import Plain, make_table
from thresher import ImbalancedTreeClassifier
from thresher.benchmark import METHODS
from thresher.benchmark.study.content import data_digest, describe, digest, versions
from thresher.benchmark.study.dataset import Folds
from thresher.benchmark.study.plan import make_plan

X, Y = make_table(0)
KEYS = """
from tests.benchmark.study.own_methods import Plain, make_table
from thresher.benchmark import METHODS
from thresher.benchmark.study.dataset import Folds
from thresher.benchmark.study.plan import make_plan
names = [name for name in METHODS if name != "Forest"]
methods = {**{name: METHODS[name] for name in names}, "own": Plain()}
print(make_plan([("a", *make_table(0))], methods, Folds(3, 2, 5)).digest)
"""


def keys(datasets=(("a", X, Y),), methods=None, folds=3, repeats=1, random_state=0):
    methods = methods or {"tree": DecisionTreeClassifier()}
    plan = make_plan(datasets, methods, Folds(folds, repeats, random_state))
    return [run.key for run in plan.runs]


def test_keys_are_the_same_in_every_process():
    outcomes = set()
    for seed in ("1", "2"):
        run = subprocess.run(
            [sys.executable, "-c", KEYS],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            text=True,
            check=True,
        )
        outcomes.add(run.stdout)
    assert len(outcomes) == 1


def test_every_run_of_a_study_has_a_key_of_its_own():
    found = keys(
        [("a", X, Y), ("b", *make_table(1))],
        {"one": DecisionTreeClassifier(), "two": DecisionTreeClassifier(max_depth=1)},
        repeats=2,
    )
    assert len(set(found)) == len(found) == 2 * 2 * 3 * 2


def test_names_do_not_count():
    assert keys([("a", X, Y)]) == keys([("b", X.copy(), Y)], {"other": DecisionTreeClassifier()})


OTHER_X = X.copy()
OTHER_X[7, 1] = np.nextafter(OTHER_X[7, 1], 9)


@pytest.mark.parametrize(
    "change",
    [
        {"datasets": [("a", OTHER_X, Y)]},
        {"datasets": [("a", X.astype(np.float32), Y)]},
        {"datasets": [("a", X[:, ::-1], Y)]},
        {"datasets": [("a", X[::-1], Y)]},
        {"datasets": [("a", X, np.roll(Y, 1))]},
        {"datasets": [("a", pd.DataFrame(X), Y)]},
        {"methods": {"tree": DecisionTreeClassifier(max_depth=3)}},
        {"methods": {"tree": DecisionTreeClassifier(random_state=1)}},
        {"methods": {"tree": make_pipeline(StandardScaler(), DecisionTreeClassifier())}},
        {"methods": {"tree": ImbalancedTreeClassifier("gini")}},
        {"random_state": 1},
    ],
    ids=lambda change: str(change)[:40],
)
def test_other_content_gives_other_keys(change):
    assert not set(keys()) & set(keys(**change))


def test_another_number_of_folds_gives_other_keys():
    assert not set(keys(folds=3)) & set(keys(folds=4))


def test_more_repeats_keep_the_keys_of_the_first():
    assert set(keys(repeats=1)) < set(keys(repeats=2))


@pytest.mark.parametrize("package", [np, sklearn, sys.modules["thresher"]])
def test_another_version_gives_other_keys(package, monkeypatch):
    before = keys()
    monkeypatch.setattr(package, "__version__", "0.0.0")
    assert not set(before) & set(keys())
    assert "0.0.0" in versions().values()


def test_the_version_of_a_package_counts_for_the_methods_that_use_it(monkeypatch):
    imblearn = pytest.importorskip("imblearn")
    before = {name: describe(METHODS[name](random_state=0)) for name in ("LinR", "LinR+US")}
    monkeypatch.setattr(imblearn, "__version__", "0.0.0")
    after = {name: describe(METHODS[name](random_state=0)) for name in ("LinR", "LinR+US")}
    assert before["LinR"] == after["LinR"]
    assert before["LinR+US"] != after["LinR+US"]


def own_class(file, body, monkeypatch):
    file.write_text(
        f"from tests.benchmark.study.own_methods import Plain\nclass Own(Plain):\n    {body}\n"
    )
    spec = spec_from_file_location("own_code", file)
    module = module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "own_code", module)
    spec.loader.exec_module(module)
    return module.Own


def test_the_source_of_an_own_class_counts(tmp_path, monkeypatch):
    bodies = {"first": "depth = 1", "same": "depth = 1", "other": "depth = 2"}
    found = {
        name: describe(own_class(tmp_path / f"{name}.py", body, monkeypatch)())
        for name, body in bodies.items()
    }
    assert found["first"] == found["same"]
    assert found["first"] != found["other"]


def double(values):
    return 2 * values


@pytest.mark.parametrize(
    ("value", "other"),
    [
        (np.arange(5000), np.arange(5000) + (np.arange(5000) == 2500)),
        ({"a": 1}, {"a": 2}),
        ({0: {1, 2}}, {0: {1, 3}}),
        ([1, 2], [2, 1]),
        (double, versions),
        (functools.partial(double, 1), functools.partial(double, 2)),
        (np.random.RandomState(0), np.random.RandomState(1)),
        (np.random.default_rng(0), np.random.default_rng(1)),
        (LogisticRegression, DecisionTreeClassifier),
        (FunctionTransformer(double), FunctionTransformer(versions)),
        (Folds(3, 1, 0), Folds(3, 1, 1)),
    ],
    ids=lambda value: type(value).__name__,
)
def test_parameters_of_any_kind_are_told_apart(value, other):
    assert digest(describe(value)) != digest(describe(other))
    assert " at 0x" not in str(describe(value))


class Holder:
    """Has no repr of its own."""

    def __init__(self, value):
        self.value = value


def test_objects_without_a_repr_are_described_by_what_they_hold():
    assert describe(Holder(1)) == describe(Holder(1))
    assert describe(Holder(1)) != describe(Holder(2))


def test_data_frames_count_by_names_levels_and_values():
    table = {"size": [1.0, 2.0, 3.0], "line": ["n", "e", "n"]}
    found = {
        data_digest(frame, np.array([0, 1, 0]))
        for frame in (
            pd.DataFrame(table),
            pd.DataFrame(table).rename(columns={"size": "width"}),
            pd.DataFrame({**table, "line": ["n", "w", "n"]}),
            pl.DataFrame(table),
        )
    }
    assert len(found) == 4
    assert data_digest(pd.DataFrame(table), np.array([0, 1, 0])) in found


def test_every_level_counts_however_many_there_are():
    texts = [f"part {number:03}" for number in range(400)]
    labels = np.arange(400) % 7 == 0
    others = [*texts[:-2], "part 1000", texts[-1]], [*texts[:-2], texts[-1], texts[-2]]
    found = {data_digest(pd.DataFrame({"part": one}), labels) for one in (texts, *others)}
    assert len(found) == 3


def test_an_own_method_is_described_by_its_parameters():
    assert describe(Plain(0.5))["parameters"] == {"threshold": "0.5"}
