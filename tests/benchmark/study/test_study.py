"""Studies: beside a loop written by hand, resumed, with methods that fail."""

import io
import os
import sqlite3
import sys
from contextlib import closing

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, balanced_accuracy_score, f1_score
from sklearn.model_selection import StratifiedKFold

from tests.benchmark.study import own_methods
from tests.benchmark.study.own_methods import LoggedTree, Plain, make_table
from thresher.benchmark import (
    METHODS,
    METRICS,
    StudyInterrupted,
    StudyWarning,
    load_study,
    run_study,
)
from thresher.benchmark.study.dataset import Folds
from thresher.benchmark.study.plan import make_plan
from thresher.benchmark.study.progress import Clock
from thresher.datasets import load_dataset

TABLES = {"a": make_table(0), "b": make_table(1, n_rows=90)}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "results.sqlite"


def compare(methods, store=None, tables=TABLES, folds=3, **parameters):
    return run_study(tables, methods, folds=folds, store=store, **parameters)


# ------------------------------------------------------------------------------------- figures


def test_a_study_finds_what_a_loop_by_hand_finds():
    names, folds, repeats, seed = ["LinR+CS", "LinR+OS", "CDT", "ARDT"], 5, 2, 4
    X, y = load_dataset("Yeast-me1")
    result = run_study(
        ["Yeast-me1"], names, folds=folds, repeats=repeats, random_state=seed, store=None
    )
    for name in names:
        f1, bcr, precision, truth, decisions = [], [], [], [], []
        for repeat in range(repeats):
            splits = StratifiedKFold(folds, shuffle=True, random_state=seed + repeat).split(X, y)
            for train, test in splits:
                model = METHODS[name](random_state=seed + repeat).fit(X[train], y[train])
                said = model.predict(X[test])
                f1.append(f1_score(y[test], said, zero_division=0))
                bcr.append(balanced_accuracy_score(y[test], said))
                precision.append(
                    average_precision_score(y[test], model.predict_proba(X[test])[:, 1])
                )
                truth.extend(y[test])
                decisions.extend(said)
        assert result.table("f1").of("Yeast-me1", name) == pytest.approx(np.mean(f1))
        assert result.table("bcr").of("Yeast-me1", name) == pytest.approx(np.mean(bcr))
        found = result.table("average_precision").of("Yeast-me1", name)
        assert found == pytest.approx(np.mean(precision))
        pooled = result.pooled_f1().of("Yeast-me1", name)
        assert pooled == pytest.approx(f1_score(truth, decisions))


def test_a_fold_without_positives_counts_zero():
    X, y = make_table(5, n_rows=60, share=0.05)
    assert y.sum() == 3
    perfect = {"perfect": Plain(5.0)}
    X[:, 0] = 10.0 * y
    result = compare(perfect, tables={"few": (X, y)}, folds=4, empty_folds="keep")
    values = {name: table.values.item() for name, table in _tables(result).items()}
    assert values["f1"] == 0.75
    assert values["pooled_f1"] == values["accuracy"] == 1.0


def _tables(result):
    return {name: result.table(name) for name in (*METRICS, "pooled_f1")}


def test_average_precision_of_a_fold_without_positives_does_not_count():
    X, y = make_table(5, n_rows=60, share=0.05)
    X[:, 0] = 10.0 * y
    result = compare(["ARDT"], tables={"few": (X, y)}, folds=4, empty_folds="keep")
    found = [run.measures.average_precision for run in result.runs]
    assert found.count(None) == 1
    assert result.table("average_precision").values.item() == 1.0


# ---------------------------------------------------------------------------- stored and resumed


@pytest.fixture
def log(tmp_path, monkeypatch):
    file = tmp_path / "log.txt"
    monkeypatch.setenv("LOG", str(file))
    return lambda: len(file.read_text().splitlines()) if file.exists() else 0


TREES = {f"depth {depth}": LoggedTree(max_depth=depth) for depth in (1, 2)}


def test_nothing_is_done_twice(path, log):
    first = compare(TREES, path)
    assert log() == 12
    assert compare(TREES, path) == first
    assert log() == 12


def test_a_larger_study_adds_to_a_smaller_one(path, log):
    compare(TREES, path)
    larger = compare({**TREES, "depth 3": LoggedTree(max_depth=3)}, path, repeats=2)
    assert larger.is_complete
    assert log() == 3 * 12
    compare(TREES, path, tables={"a": TABLES["a"]})
    assert log() == 3 * 12
    compare(TREES, path, random_state=1, repeats=1)
    assert log() == 3 * 12, "the second repeat of seed 0 is the first of seed 1"


def test_methods_of_one_content_are_executed_once_and_both_shown(path, log):
    result = compare({"one": LoggedTree(), "two": LoggedTree()}, path)
    assert log() == 6
    first, second = result.table("f1").values.T
    np.testing.assert_array_equal(first, second)
    assert not np.isnan(first).any()


def test_loading_gives_the_latest_study(path):
    first = compare(["LinR"], path)
    second = compare(["ARDT", "LinR"], path, metrics=("f1", "bcr"))
    loaded = load_study(path)
    assert loaded.runs == second.runs
    assert loaded.settings == second.settings
    assert loaded.settings["folds"] == 3
    compare(["LinR"], path)
    assert load_study(path).runs == first.runs


def test_a_path_may_have_any_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("a b?c#d%20.sqlite", "{path}.db", "é"):
        result = compare(["LinR"], name)
        assert load_study(name) == result
        assert (tmp_path / name).is_file()


class Wandering(Plain):
    def fit(self, X, y):
        os.chdir("/")
        return super().fit(X, y)


def test_a_method_that_changes_the_folder_does_not_move_the_store(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert compare({"wandering": Wandering()}, "results.sqlite").is_complete
    assert [file.name for file in tmp_path.iterdir()] == ["results.sqlite"]


# ----------------------------------------------------------------------- failures, interruptions


def test_a_method_that_raises_does_not_stop_the_others(path):
    methods = {"raising": own_methods.Raising(), "own": Plain()}
    sentence = (
        r"6 of 12 runs have no outcome, first fold 0 of 'raising' on 'a' \(failed: ValueError: no "
        r"rows of this kind, please\); see result.failures"
    )
    with pytest.warns(StudyWarning, match=sentence) as caught:
        result = compare(methods, path)
    assert caught[0].filename == __file__
    assert {(run.method, run.status) for run in result.failures} == {("raising", "failed")}
    assert np.isnan(result.table("f1").values).tolist() == [[True, False]] * 2
    assert load_study(path) == result


class Counted(Plain):
    fits = 0

    def fit(self, X, y):
        Counted.fits += 1
        if Counted.fits <= 6:
            raise ValueError("not yet")
        return super().fit(X, y)


def test_failures_are_tried_again_if_asked_for(path, monkeypatch):
    monkeypatch.setattr(Counted, "fits", 0)
    for expected in (6, 6):
        with pytest.warns(StudyWarning):
            compare({"counted": Counted()}, path)
        assert Counted.fits == expected
    assert compare({"counted": Counted()}, path, retry_failed=True).is_complete
    assert Counted.fits == 12


def test_without_a_package_the_runs_of_its_methods_fail_and_come_back_with_it(path, monkeypatch):
    with monkeypatch.context() as without:
        without.setitem(sys.modules, "lightgbm", None)
        with pytest.warns(
            StudyWarning, match=r"needs lightgbm: pip install 'thresher\[benchmark\]'"
        ):
            result = compare(["LightGBM", "LinR"], path)
    assert {run.method for run in result.failures} == {"LightGBM"}
    pytest.importorskip("lightgbm")
    assert compare(["LightGBM", "LinR"], path).is_complete


class InterruptedAt(Plain):
    """As if somebody pressed Ctrl-C during the fit of some fold."""

    fits = 0

    def fit(self, X, y):
        InterruptedAt.fits += 1
        if InterruptedAt.fits == 4:
            raise KeyboardInterrupt
        return super().fit(X, y)


@pytest.mark.parametrize("in_memory", [False, True])
def test_an_interrupt_hands_over_what_was_done(path, monkeypatch, in_memory):
    monkeypatch.setattr(InterruptedAt, "fits", 0)
    with pytest.raises(StudyInterrupted, match="Interrupted after 3 of 6 runs;") as caught:
        compare({"own": InterruptedAt()}, None if in_memory else path)
    result = caught.value.result
    statuses = ["done"] * 3 + ["interrupted"] + ["pending"] * 2
    assert [run.status for run in result.runs] == statuses
    assert isinstance(caught.value, KeyboardInterrupt)
    if not in_memory:
        assert load_study(path) == result
        assert compare({"own": InterruptedAt()}, path).is_complete
        assert InterruptedAt.fits == 4 + 3


def test_a_store_that_fails_hands_over_what_was_done(path):
    def fill_the_disk(progress):
        if progress.done == 4:
            with closing(sqlite3.connect(path)) as connection:
                connection.execute("DROP TABLE runs")

    with pytest.raises(ValueError, match=r"results.sqlite' failed: no such table: runs") as caught:
        compare({"own": Plain()}, path, progress=fill_the_disk)
    assert [run.status for run in caught.value.result.runs].count("done") == 4


# -------------------------------------------------------------------------------------- progress


def test_progress_is_told_after_each_run(path):
    seen = []
    compare(["LinR", "ARDT"], path, progress=seen.append)
    assert [step.done for step in seen] == list(range(1, 13))
    assert {step.total for step in seen} == {12}
    assert {step.status for step in seen} == {"done"}
    assert seen[0].run[:4] == ("a", "LinR", 0, 0)
    assert seen[-1].seconds_left == 0
    assert all(step.seconds_left > 0 for step in seen[:-1])
    more = []
    compare(["LinR", "ARDT", "CDT"], path, progress=more.append)
    assert [step.done for step in more] == list(range(13, 19))


def test_time_left_follows_the_size_of_the_tables(monkeypatch):
    tables = {"small": make_table(0, n_rows=60), "large": make_table(1, n_rows=600)}
    plan = make_plan(tables, {"own": Plain()}, Folds(3, 1, 0))
    now = iter(range(100, 200))
    monkeypatch.setattr("thresher.benchmark.study.progress.time.monotonic", lambda: next(now))
    clock = Clock(plan)
    clock.skip(plan.runs[0])
    left = [clock.advance(run, "done").seconds_left for run in plan.runs[1:]]
    # A run of the large table is 10 times the work: 30 are left after 2 s for 2 small ones.
    assert left == pytest.approx([1 * 31, 2 * 30 / 2, 3 * 20 / 12, 4 * 10 / 22, 0])


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize(("progress", "is_shown"), [(None, True), (True, True), (False, False)])
def test_a_bar_on_a_terminal(monkeypatch, progress, is_shown):
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setenv("TERM", "xterm")
    compare(["LinR", "ARDT"], progress=progress)
    assert ("of 12 runs" in sys.stderr.getvalue()) == is_shown


def test_no_bar_elsewhere(capfd):
    compare(["LinR"])
    assert capfd.readouterr() == ("", "")


def test_an_error_of_the_callback_is_its_own(path):
    def fail(progress):
        raise LookupError("no such window")

    with pytest.raises(LookupError, match="no such window"):
        compare(["LinR"], path, progress=fail)
    assert [run.status for run in load_study(path).runs].count("done") == 1


# ------------------------------------------------------------------------------------ bad input


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"metrics": ["f1", "bcrr"]}, "metrics='bcrr' is unknown.*did you mean 'bcr'"),
        ({"timeout": "1"}, "timeout must be a number"),
        ({"folds": 2.5}, "folds must be an integer"),
        ({"random_state": None}, "random_state must be an integer"),
    ],
)
def test_bad_parameters_are_refused_before_anything_is_made(path, parameters, sentence):
    with pytest.raises((TypeError, ValueError), match=sentence):
        compare(["LinR"], path, **parameters)
    assert not path.exists()
