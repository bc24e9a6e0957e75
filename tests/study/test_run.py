"""Studies against a loop written out; killed, timed out, failing; what they refuse."""

import json
import os
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import (
    accuracy_score,
    average_precision_score,
    balanced_accuracy_score,
    brier_score_loss,
    f1_score,
    matthews_corrcoef,
    precision_score,
    recall_score,
)
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from thresher.datasets import load_dataset
from thresher.errors import NotWrittenError
from thresher.study import (
    METHODS,
    PAPER_METHODS,
    StudyError,
    StudyWarning,
    load_study,
    run_study,
)

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(120, 3))
Y = (X[:, 0] + 0.3 * RANDOM.normal(size=120) > 1.0).astype(int)
TREES = {f"depth {depth}": DecisionTreeClassifier(max_depth=depth) for depth in (1, 2, 3)}
SKLEARN = {
    "f1": lambda truth, decided: f1_score(truth, decided, zero_division=0),
    "precision": lambda truth, decided: precision_score(truth, decided, zero_division=0),
    "recall": recall_score,
    "accuracy": accuracy_score,
    "bcr": balanced_accuracy_score,
    "mcc": matthews_corrcoef,
}


class Method(ClassifierMixin, BaseEstimator):
    """Does something instead of fitting; decides nothing."""

    def __init__(self, act="nothing"):
        self.act = act

    def fit(self, X, y):
        if self.act == "fail":
            raise ValueError("it broke")
        if self.act == "die":
            os._exit(7)
        if self.act == "sleep":
            time.sleep(60)
        self.classes_ = np.array([0, 1])
        return self

    def predict(self, X):
        return np.zeros(len(X) - (self.act == "shorten"), dtype=int)


def without_times(study):
    return [
        {key: value for key, value in vars(run).items() if not key.endswith("_time")}
        for run in study.runs
    ]


def test_the_paper_s_methods_are_those_of_a_loop_over_the_folds():
    names = ["Yeast-me1", "Ecoli-om"]
    study = run_study(names, PAPER_METHODS, folds=10, random_state=3)
    assert study.failures == []
    for name in names:
        X, y = load_dataset(name)
        folds = list(StratifiedKFold(10, shuffle=True, random_state=3).split(X, y))
        for method in PAPER_METHODS:
            expected = {metric: [] for metric in SKLEARN}
            for train, test in folds:
                model = METHODS[method](random_state=3).fit(X[train], y[train])
                for metric, score in SKLEARN.items():
                    expected[metric].append(score(y[test], model.predict(X[test])))
            for metric, scores in expected.items():
                np.testing.assert_allclose(study.by_fold(metric, name, method), scores, atol=1e-12)
                assert study.scores(metric).of(name, method) == pytest.approx(np.mean(scores))


def test_repeats_scores_of_probabilities_and_leaves_are_those_of_a_loop():
    methods = {"forest": RandomForestClassifier(5), "depth 2": TREES["depth 2"]}
    study = run_study({"a": (X, Y)}, methods, folds=3, repeats=2, random_state=5)
    runs = iter(study.runs)
    for seed in (5, 6):
        folds = list(StratifiedKFold(3, shuffle=True, random_state=seed).split(X, Y))
        for method in methods.values():
            for train, test in folds:
                model = type(method)(**{**method.get_params(), "random_state": seed})
                scores = model.fit(X[train], Y[train]).predict_proba(X[test])[:, 1]
                run = next(runs)
                assert run.average_precision == average_precision_score(Y[test], scores)
                assert run.brier == pytest.approx(brier_score_loss(Y[test], scores), abs=1e-15)
                trees = getattr(model, "estimators_", [model])
                assert run.leaves == sum(tree.get_n_leaves() for tree in trees)


def test_worker_processes_and_frames_change_nothing():
    line = make_pipeline(StandardScaler(), LogisticRegression())
    methods = {**TREES, "forest": RandomForestClassifier(5), "line": line, "ARDT": METHODS["ARDT"]}
    here = run_study({"a": (X, Y), "b": (-X, Y)}, methods, folds=3)
    frame = pd.DataFrame(X, columns=["u", "v", "w"])
    labels = np.where(Y, "scrap", "good")
    there = run_study({"a": (frame, labels), "b": (-X, Y)}, methods, folds=3, n_jobs=2)
    for run, other in zip(without_times(here), without_times(there), strict=True):
        assert (run.pop("key") == other.pop("key")) == (run["dataset"] == "b")  # a frame is another
        assert run.pop("brier") == pytest.approx(other.pop("brier"), abs=1e-15)
        assert run == other


def test_methods_that_fail_do_not_stop_the_others():
    methods = {"fail": Method("fail"), "shorten": Method("shorten"), "depth 1": TREES["depth 1"]}
    with pytest.warns(StudyWarning, match="4 of 6 runs have no outcome, first fold 0 of 'fail'"):
        study = run_study({"a": (X, Y)}, methods, folds=2)
    found = {run.method: (run.status, run.error) for run in study.runs}
    assert found["depth 1"] == ("done", None)
    assert found["fail"] == ("failed", "ValueError: it broke")
    assert "predict must return 0 or 1 for each of the 60 rows" in found["shorten"][1]
    scores = study.scores("f1")
    assert np.isnan(scores.of("a", "fail"))
    assert scores.of("a", "depth 1") > 0


@pytest.mark.parametrize(
    ("act", "options", "status", "expected"),
    [
        ("die", {"n_jobs": 2}, "failed", "died with exit code 7"),
        ("sleep", {"timeout": 2}, "timeout", "Stopped after 2 s, the timeout of a run."),
    ],
)
def test_a_run_that_dies_or_hangs_costs_only_itself(act, options, status, expected):
    tables, methods = {"a": (X, Y)}, {act: Method(act), "depth 1": TREES["depth 1"]}
    with pytest.warns(StudyWarning, match="2 of 4 runs have no outcome"):
        study = run_study(tables, methods, folds=2, **options)
    assert [run.status for run in study.runs] == [status, status, "done", "done"]
    assert all(expected in run.error for run in study.failures)


# -------------------------------------------------------------------------------- the file of runs

SCRIPT = """
import sys
from tests.study.test_run import TREES, Slow, X, Y
from thresher.study import run_study

if __name__ == "__main__":
    methods = {**TREES, "slow": Slow(max_depth=1)}
    run_study({"a": (X, Y)}, methods, repeats=2, path=sys.argv[1], n_jobs=int(sys.argv[2]))
"""


class Slow(DecisionTreeClassifier):
    """Leaves time for a kill."""

    def fit(self, X, y):
        time.sleep(0.05)
        return super().fit(X, y)


@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGKILL")
@pytest.mark.parametrize("n_jobs", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_a_study_that_was_killed_goes_on_and_repeats_nothing(tmp_path, n_jobs):
    script, path = tmp_path / "script.py", tmp_path / "runs.jsonl"
    script.write_text(SCRIPT)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen([sys.executable, script, path, str(n_jobs)], env=environment) as process:
        deadline = time.monotonic() + 60
        while lines_of(path) < 33 and time.monotonic() < deadline:
            time.sleep(0.02)
        process.kill()
    before = path.read_bytes()
    assert 33 <= before.count(b"\n") < 80
    with path.open("ab") as file:
        file.write(b'{"dataset": "a", "meth')  # a line that a kill cut off
    methods = {**TREES, "slow": Slow(max_depth=1)}
    study = run_study({"a": (X, Y)}, methods, repeats=2, path=path, resume=True)
    assert path.read_bytes().startswith(before)
    assert lines_of(path) == 80
    alone = run_study({"a": (X, Y)}, methods, repeats=2)
    assert without_times(study) == without_times(alone)


def lines_of(path):
    return path.read_bytes().count(b"\n") if path.exists() else 0


def test_what_changed_or_failed_is_run_again_and_nothing_else(tmp_path):
    path = tmp_path / "runs.jsonl"
    with pytest.warns(StudyWarning):
        run_study({"a": (X, Y)}, {**TREES, "x": Method("fail")}, folds=2, path=path)
    assert lines_of(path) == 8
    changed = {**TREES, "depth 3": DecisionTreeClassifier(max_depth=4), "x": Method()}
    study = run_study({"a": (X, Y)}, changed, folds=2, path=path, resume=True)
    assert lines_of(path) == 12
    assert without_times(study) == without_times(run_study({"a": (X, Y)}, changed, folds=2))
    run_study({"a": (X + 1.0, Y)}, changed, folds=2, path=path, resume=True)
    assert lines_of(path) == 20
    run_study({"a": (X, Y)}, changed, folds=2, path=path, resume=True)
    assert lines_of(path) == 20
    assert len(load_study(path).runs) == 8


def test_files_that_are_refused_stay_as_they_are(tmp_path):
    path = tmp_path / "runs.jsonl"
    run_study({"a": (X, Y)}, TREES, folds=2, path=path)
    with pytest.raises(StudyError, match="resume=True goes on with them"):
        run_study({"a": (X, Y)}, TREES, folds=2, path=path)
    for line in (b"no JSON\n", b"[1]\n", b'{"dataset": "a", "other": 1}\n', b"\xff\xfe\n"):
        path.write_bytes(line)
        with pytest.raises(StudyError, match="Line 1 of"):
            run_study({"a": (X, Y)}, TREES, folds=2, path=path, resume=True)
        with pytest.raises(StudyError, match="Line 1 of"):
            load_study(path)
        assert path.read_bytes() == line
    with pytest.raises(StudyError, match="There is no file"):
        load_study(tmp_path / "absent.jsonl")
    path.write_bytes(b'{"dat')
    assert load_study(path).runs == ()
    with pytest.raises(NotWrittenError, match="cannot be used"):
        run_study({"a": (X, Y)}, TREES, folds=2, path=tmp_path / "absent" / "runs.jsonl")


def test_each_line_is_a_run(tmp_path):
    path = tmp_path / "runs.jsonl"
    study = run_study({"a": (X, Y)}, TREES, folds=2, path=path)
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert lines == [vars(run) for run in study.runs]
    assert load_study(path) == study


# ---------------------------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("data", "methods", "options", "expected"),
    [
        ([], ["CDT"], {}, "data is empty"),
        ({"a": (X, Y)}, [], {}, "methods is empty"),
        ({"a": (X, Y)}, ["CDT", "CDT"], {}, "methods names 'CDT' twice"),
        (["Ecoli-om", "Ecoli-om"], ["CDT"], {}, "data names a data set twice"),
        ({"a": (X, Y)}, ["CDTT"], {}, "did you mean 'CDT'"),
        ({"a": X}, ["CDT"], {}, "Data set 'a' must be a pair"),
        ({"a": (X, Y[:-1])}, ["CDT"], {}, "Data set 'a' cannot be used"),
        ({"a": (X, X[:, 0])}, ["CDT"], {}, "Data set 'a' cannot be used"),
        ({"a": (X, Y)}, {"mine": 3}, {}, "Method 'mine' must be an estimator"),
        ({"a": (X, Y)}, ["CDT"], {"folds": 1}, "folds"),
        ({"a": (X, Y)}, ["CDT"], {"folds": 50}, "empty_folds='keep'"),
        ({"a": (X, np.arange(120) == 0)}, ["CDT"], {}, "too few for 10 folds"),
        ({"a": (X, Y)}, ["CDT"], {"timeout": 0}, "timeout"),
        ({"a": (X, Y)}, ["CDT"], {"empty_folds": "drop"}, "empty_folds"),
        ({"a": (X, Y)}, ["CDT"], {"resume": True}, "name it with path="),
    ],
)
def test_what_cannot_be_studied(data, methods, options, expected):
    with pytest.raises(ValueError, match=expected):
        run_study(data, methods, **options)


def test_folds_without_positives_count_as_zero_where_they_are_kept():
    rare = np.zeros(120, dtype=int)
    rare[np.argsort(X[:, 0])[-3:]] = 1
    study = run_study({"a": (X, rare)}, ["CDT"], folds=5, empty_folds="keep")
    f1 = study.by_fold("f1", "a", "CDT")
    assert [run.tp + run.fn for run in study.runs].count(0) == 2
    assert (f1[[run.tp + run.fn == 0 for run in study.runs]] == 0).all()
    assert [run.average_precision is None for run in study.runs].count(True) == 2
