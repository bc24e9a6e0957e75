"""Studies that are killed, interrupted, or share a store: nothing is lost, nothing done twice."""

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold

from tests.benchmark.study.process_table import are_gone, needs_proc
from tests.benchmark.study.study_process import METHODS_COMPARED, TABLES, TREES, done_runs
from thresher.benchmark import METRICS, StudyInterrupted, load_study, run_study
from thresher.benchmark.study.store import Store

SCRIPT = Path(__file__).with_name("study_process.py")
TIMES = {"fit_time", "predict_time"}

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs signals and forks")


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.setenv("LOG", str(tmp_path / "log.txt"))
    return tmp_path


def start(*arguments):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.Popen(
        [sys.executable, SCRIPT, *map(str, arguments)],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def compare(store, repeats=1, n_jobs=None):
    return run_study(TABLES, METHODS_COMPARED, repeats=repeats, store=store, n_jobs=n_jobs)


def rows_of_folds(repeats):
    """Return by their sum the fold that training rows belong to."""
    sums = {}
    for name, (X, y) in TABLES.items():
        for repeat in range(repeats):
            folds = StratifiedKFold(10, shuffle=True, random_state=repeat)
            for fold, (train, _) in enumerate(folds.split(X, y)):
                sums[repr(float(X[train][:, 0].sum()))] = (name, repeat, fold)
    return sums


def executed(place, repeats=1):
    """Return the runs of logged trees in the order in which they were begun."""
    folds = rows_of_folds(repeats)
    found = []
    for line in (place / "log.txt").read_text().splitlines():
        _, depth, _, rows = line.split()
        dataset, repeat, fold = folds[rows]
        found.append((dataset, f"depth {depth}", repeat, fold))
    return found


def assert_same_tables(first, second):
    for metric in (name for name in (*METRICS, "pooled_f1") if name not in TIMES):
        assert first.table(metric)[:2] == second.table(metric)[:2]
        np.testing.assert_array_equal(first.table(metric).values, second.table(metric).values)


def check_kills(place, kills, repeats):
    """Kill a study again and again; then finish it and compare it with one that was left alone."""
    store, runs = place / "killed.sqlite", len(TABLES) * len(METHODS_COMPARED) * 10 * repeats
    process = start("killed", store, kills, repeats)
    out, err = process.communicate(timeout=600)
    assert process.returncode == 0, err
    reports = [json.loads(line) for line in out.splitlines()]
    assert [report["killed"] for report in reports] == [True] * kills
    assert 0 < len(reports[-1]["done"]) < runs

    resumed = compare(store, repeats)
    assert resumed.is_complete
    assert len(done_runs(store)) == len(set(done_runs(store))) == runs
    log = executed(place, repeats)
    for report in reports:
        done = {tuple(run) for run in report["done"]}
        assert not done & set(log[report["log"] :])
    logged = runs * len(TREES) // len(METHODS_COMPARED)
    assert len(set(log)) == logged
    # A kill costs at most the one run that it hit.
    assert len(log) <= logged + kills

    assert_same_tables(resumed, compare(place / "whole.sqlite", repeats))
    # Neither logs nor signs of life of the killed processes stay behind.
    files = sorted(path.name for path in place.iterdir())
    assert files == ["killed.sqlite", "log.txt", "whole.sqlite"]


def test_fifteen_kills_at_random_moments(place):
    check_kills(place, kills=15, repeats=3)


@pytest.mark.slow
def test_two_hundred_kills_at_random_moments(place):
    check_kills(place, kills=200, repeats=30)


# ------------------------------------------------------------------------------ Ctrl-C, workers


def lines_of(place):
    log = place / "log.txt"
    return log.read_text().splitlines() if log.exists() else []


def processes(place):
    """Return the processes that have noted a fit."""
    return {int(line.split()[0]) for line in lines_of(place)}


def wait_for_log(place, process, lines, workers=1):
    """Wait until so many lines have been logged, by so many processes."""
    deadline = time.monotonic() + 60
    while len(lines_of(place)) < lines or len(processes(place)) < workers:
        assert process.poll() is None, process.communicate()[1]
        assert time.monotonic() < deadline
        time.sleep(0.002)


@needs_proc
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_ctrl_c_keeps_what_was_done(place, n_jobs):
    store = place / "results.sqlite"
    process = start("run", store, f"n_jobs={n_jobs}", "repeats=4")
    wait_for_log(place, process, lines=20, workers=n_jobs)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 1
    assert err.splitlines()[-1].startswith("Interrupted after ")
    assert err.rstrip().endswith(
        f"of 600 runs; '{store}' keeps them, and the same call goes on from there."
    )
    stopped = load_study(store)
    statuses = Counter(run.status for run in stopped.runs)
    assert set(statuses) == {"done", "interrupted", "pending"}
    assert 1 <= statuses["interrupted"] <= n_jobs
    assert {run.error for run in stopped.failures} == {"Stopped by Ctrl-C."}
    assert f"{statuses['done']} done" in out
    assert are_gone(processes(place))

    begun = len(executed(place, repeats=4))
    assert compare(store, repeats=4).is_complete
    again = executed(place, repeats=4)[begun:]
    assert not {run[:4] for run in stopped.runs if run.status == "done"} & set(again)


def test_ctrl_c_before_an_outcome_is_recorded_loses_nothing(place, monkeypatch):
    record, calls = Store.record, []

    def interrupted_once(store, key, outcome):
        calls.append(key)
        if len(calls) == 7:
            raise KeyboardInterrupt
        record(store, key, outcome)

    monkeypatch.setattr(Store, "record", interrupted_once)
    with pytest.raises(StudyInterrupted, match="after 7 of 150 runs") as caught:
        compare(place / "results.sqlite")
    stored = Counter(run.status for run in load_study(place / "results.sqlite").runs)
    assert stored == Counter(run.status for run in caught.value.result.runs)
    assert stored["done"] == 7


@needs_proc
def test_workers_of_a_killed_study_end_with_it(place):
    store = place / "results.sqlite"
    process = start("run", store, "n_jobs=2", "repeats=4")
    wait_for_log(place, process, lines=20, workers=2)
    process.kill()
    process.communicate()
    assert are_gone(processes(place))

    killed, begun = load_study(store), len(executed(place, repeats=4))
    assert {run.error for run in killed.failures} == {"Its process was killed."}
    assert compare(store, repeats=4).is_complete
    again = executed(place, repeats=4)[begun:]
    assert not {run[:4] for run in killed.runs if run.status == "done"} & set(again)
    assert begun + len(again) <= 360 + 2


@pytest.mark.slow
def test_kills_of_studies_with_workers(place):
    store = place / "results.sqlite"
    for number in range(1, 11):
        process = start("run", store, "n_jobs=2", "repeats=5")
        wait_for_log(place, process, lines=20 * number)
        process.kill()
        process.communicate()
    resumed = compare(store, repeats=5)
    assert_same_tables(resumed, compare(None, repeats=5))
    assert len(executed(place, repeats=5)) <= 2 * 450 + 2 * 10


def test_two_processes_share_a_store_and_do_each_run_once(place):
    store = place / "results.sqlite"
    both = [start("run", store, "repeats=3") for _ in range(2)]
    for process in both:
        out, err = process.communicate(timeout=120)
        assert process.returncode == 0, err
        assert "450 runs: 450 done" in out
    counts = Counter(executed(place, repeats=3))
    assert len(counts) == 270
    assert set(counts.values()) == {1}
    assert processes(place) == {process.pid for process in both}
    assert_same_tables(load_study(store), compare(None, repeats=3))
