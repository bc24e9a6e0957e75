"""Worker processes: timeouts, crashes, methods that come from anywhere."""

import os
import queue
import subprocess
import threading

import pytest
from sklearn.tree import DecisionTreeClassifier

from tests.benchmark.study import own_methods
from tests.benchmark.study.own_methods import Plain, make_table
from tests.benchmark.study.process_table import are_gone, needs_proc
from thresher.benchmark import METHODS, StudyError, StudyWarning, run_study
from thresher.benchmark.study.workers import Worker

TABLES = {"a": make_table(0), "b": make_table(1, n_rows=90)}


def compare(methods, tables=TABLES, **parameters):
    return run_study(tables, methods, folds=2, store=None, **parameters)


@pytest.fixture
def log(tmp_path, monkeypatch):
    file = tmp_path / "log.txt"
    monkeypatch.setenv("LOG", str(file))
    return lambda: [int(line) for line in file.read_text().split()]


def without_times(result):
    return [
        run._replace(measures=run.measures and run.measures._replace(fit_time=0, predict_time=0))
        for run in result.runs
    ]


def test_workers_find_what_one_process_finds():
    methods = {
        "ARDT": METHODS["ARDT"],
        "LinR+OS": METHODS["LinR+OS"],
        "own": Plain(),
        "function": lambda random_state: DecisionTreeClassifier(random_state=random_state),
    }
    alone = compare(methods, repeats=2)
    assert alone.is_complete
    assert without_times(compare(methods, repeats=2, n_jobs=2)) == without_times(alone)


@needs_proc
def test_a_timeout_stops_the_work_and_not_the_study(log):
    with pytest.warns(StudyWarning, match=r"2 of 6 runs have no outcome, first fold 0 of 'slow'"):
        result = compare(
            {"first": Plain(), "slow": own_methods.Sleeping(), "last": Plain(0.5)},
            {"a": TABLES["a"]},
            timeout=0.5,
        )
    assert [run.status for run in result.runs] == ["done"] * 2 + ["timeout"] * 2 + ["done"] * 2
    assert {run.error for run in result.failures} == {"Stopped after 0.5 s, the timeout of a run."}
    assert len(log()) == 4
    assert are_gone(log())


def test_a_start_of_a_worker_does_not_count_as_time_of_a_run():
    assert compare({"own": Plain()}, timeout=0.3).is_complete


def test_a_crash_is_an_outcome():
    with pytest.warns(StudyWarning, match="2 of 4 runs"):
        result = compare(
            {"crash": own_methods.Crashing(), "own": Plain()}, {"a": TABLES["a"]}, n_jobs=2
        )
    assert {run.method for run in result.failures} == {"crash"}
    assert {run.error for run in result.failures} == {
        "The worker process died with exit code 7: a crash, or out of memory."
    }


def test_what_a_method_prints_and_reads_does_not_disturb(capfd):
    result = compare({"talking": own_methods.Talking()}, timeout=60)
    assert result.is_complete
    assert {run.warnings for run in result.runs} == {"RuntimeWarning: not quite converged"}
    out, err = capfd.readouterr()
    assert out == ""
    assert err.count("hello") == 4


def test_local_classes_travel_by_value():
    class Local(Plain):
        def predict(self, X):
            return (X[:, 0] > offset).astype(int)

    offset = 0.25
    alone = compare({"local": Local()})
    assert without_times(compare({"local": Local()}, timeout=60)) == without_times(alone)


def test_what_cannot_travel_is_said_in_one_sentence():
    def make(random_state):
        assert lock
        return Plain()

    lock = threading.Lock()
    with pytest.raises(StudyError, match="Method 'locked' cannot be sent to a worker") as caught:
        compare({"own": Plain(), "locked": make}, timeout=60)
    assert "n_jobs=1 and timeout=None" in str(caught.value)
    assert {run.status for run in caught.value.result.runs} <= {"done", "pending", "interrupted"}


class OnlyHere(Plain):
    """Can be unpickled in the process that made it, and nowhere else."""

    def __init__(self, home=None):
        super().__init__()
        self.home = home or os.getpid()

    def __setstate__(self, state):
        if state["home"] != os.getpid():
            raise RuntimeError("not at home")
        self.__dict__.update(state)


def test_what_cannot_be_read_in_a_worker_fails():
    with pytest.warns(StudyWarning):
        result = compare({"homely": OnlyHere(), "own": Plain()}, timeout=60)
    assert {run.method for run in result.failures} == {"homely"}
    assert {run.error for run in result.failures} == {
        "Not readable in a worker process: RuntimeError: not at home"
    }


def test_a_worker_that_does_not_start_is_said_in_one_sentence(monkeypatch, capfd):
    monkeypatch.setattr(
        "thresher.benchmark.study.workers.START", "raise SystemExit('no such module')"
    )
    with pytest.raises(StudyError, match=r"worker process could not start \(exit code 1\)"):
        compare({"own": Plain()}, timeout=60)
    assert "no such module" in capfd.readouterr().err


@pytest.mark.parametrize("timeout", [0, -1.0])
def test_a_timeout_is_above_zero(timeout):
    with pytest.raises(ValueError, match="timeout must be above 0"):
        compare({"own": Plain()}, timeout=timeout)


def test_a_group_of_dead_processes_that_refuses_a_signal_is_dead(monkeypatch):
    def refuse(group, number):
        raise PermissionError

    worker = Worker(queue.Queue())
    code = worker.kill()
    monkeypatch.setattr(os, "killpg", refuse)  # as macOS does
    assert worker.kill() == code


def test_ctrl_c_does_not_reach_the_workers_of_windows(monkeypatch):
    given = {}

    def start(command, **options):
        given.update(options)
        raise StudyError

    monkeypatch.setattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 512, raising=False)
    monkeypatch.setattr(subprocess, "Popen", start)
    with pytest.raises(StudyError):
        Worker(queue.Queue())
    assert given["creationflags"] == 512
