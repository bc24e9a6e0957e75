"""Threads, forks and signals: a fit shares the machine, and threads do not change the tree."""

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from unittest import mock

import joblib
import numpy as np
import pytest
from joblib.externals.loky import get_reusable_executor

from tests.processor_time import end_of
from thresher import ImbalancedTreeClassifier, _core
from thresher.validation import thread_count

SANITIZER = os.environ.get("LD_PRELOAD", "")
PATIENCE = 20 if "san.so" in SANITIZER else 1  # sanitizers slow a fit down
N_ROWS = 20_000  # enough for threads to be used


def noise(n_rows=N_ROWS, n_columns=6, share=0.2, seed=0):
    random = np.random.default_rng(seed)
    X = random.random((n_rows, n_columns), dtype=np.float32)
    return X, (random.random(n_rows) < share).astype(int)


def mixed_table():
    """Columns with ties, missing values and levels, in which there is something to find."""
    X, y = noise()
    random = np.random.default_rng(1)
    X[:, 0] += 0.2 * y
    X[:, 1] = np.round(50 * X[:, 1] + 3 * y)
    X[:, 2] = np.floor(12 * X[:, 2])
    X[random.random(N_ROWS) < 0.1 + 0.1 * y, 3] = np.nan
    return X, y, np.round(random.random(N_ROWS) + 0.5, 3)


X, Y, WEIGHTS = mixed_table()


def digest(rows=slice(None), weighted=False, **parameters):
    model = ImbalancedTreeClassifier(
        pruning=None, categorical_features=[2], random_state=5, pos_label=1, **parameters
    )
    return model.fit(X[rows], Y[rows], WEIGHTS[rows] if weighted else None).tree_.digest()


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"criterion": "gini", "min_samples_leaf": 1},
        {"criterion": "gain_ratio"},
        {"criterion": "renyi", "alpha": 3.0},
        {"max_bins": 255},
        {"weighted": True, "class_weight": "balanced"},
        {"max_leaf_nodes": 100},
        {"max_features": 2, "max_bins": 16},
    ],
    ids=str,
)
def test_neither_threads_nor_row_order_change_the_tree(parameters):
    order = np.random.default_rng(2).permutation(N_ROWS)
    expected = digest(n_jobs=1, **parameters)
    assert [digest(n_jobs=n_jobs, **parameters) for n_jobs in (2, 4)] == [expected] * 2
    assert [digest(order, n_jobs=n_jobs, **parameters) for n_jobs in (1, 4)] == [expected] * 2


def test_fits_side_by_side_do_not_disturb_each_other():
    expected, results = digest(), []
    threads = [threading.Thread(target=lambda: results.append(digest(n_jobs=2))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [expected] * 4


def test_other_python_threads_go_on_during_a_fit():
    table, y = noise(60_000)
    fit = threading.Thread(target=ImbalancedTreeClassifier(pruning=None).fit, args=(table, y))
    ticks = [time.perf_counter()]
    fit.start()
    while fit.is_alive():
        time.sleep(0.001)
        ticks.append(time.perf_counter())
    # A fit that kept the interpreter to itself would show as one gap of nearly its whole length.
    assert max(np.diff(ticks)) < (ticks[-1] - ticks[0]) / 2


# --- Processes ------------------------------------------------------------------------------------


def send_digest(connection, n_jobs):
    connection.send(digest(n_jobs=n_jobs))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
@pytest.mark.skipif("libtsan" in SANITIZER, reason="TSan allows no threads after a fork")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_fit_after_fork():
    expected = digest(n_jobs=2)  # threads have been there before the fork
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(target=send_digest, args=(sender, 2))
    child.start()
    sender.close()  # so that a child that dies is noticed at once
    try:
        assert receiver.poll(60), "the fit in the child hangs"
        assert receiver.recv() == expected
        child.join(60)
        assert child.exitcode == 0
    finally:
        child.kill()
    assert digest(n_jobs=2) == expected


LONG_FIT = """
import numpy as np
from thresher import ImbalancedTreeClassifier

random = np.random.default_rng(0)
X = random.random(({n_rows}, 30), dtype=np.float32)
y = random.random({n_rows}) < 0.5
model = ImbalancedTreeClassifier(min_samples_leaf=1, pruning=None, n_jobs={n_jobs})
print("start", flush=True)
model.fit(X, y)
print("finished", flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="SIGINT cannot be sent to a process there")
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_ctrl_c_stops_a_long_fit(n_jobs):
    code = LONG_FIT.format(n_rows=1_000_000 // PATIENCE, n_jobs=n_jobs)
    command = [sys.executable, "-c", code]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, text=True, **pipes) as child:
        try:
            assert child.stdout.readline() == "start\n"
            time.sleep(1.0)
            child.send_signal(signal.SIGINT)
            rest, errors = end_of(child, 2 * PATIENCE * n_jobs)
        finally:
            child.kill()
    assert rest == "", "the fit was over before the signal came"
    assert child.returncode in (1, -signal.SIGINT)
    assert errors.rstrip().endswith("KeyboardInterrupt")


# --- joblib ---------------------------------------------------------------------------------------


def threads_here(n_jobs):
    """Return the number of threads that a fit takes in this worker, and what joblib allows."""
    return thread_count(n_jobs), joblib.effective_n_jobs(n_jobs)


def threads_one_level_down(n_jobs):
    return joblib.Parallel(n_jobs=2)(joblib.delayed(threads_here)(n_jobs) for _ in range(2))


@pytest.fixture
def fresh_processes():
    """Start processes of joblib anew: those left by a test of minutes ago may end as work comes."""
    get_reusable_executor().shutdown(wait=True)


@pytest.mark.usefixtures("fresh_processes")
def test_processes_of_joblib_share_the_cores():
    run = joblib.Parallel(n_jobs=2, backend="loky")
    threads = [used for used, _ in run(joblib.delayed(threads_here)(-1) for _ in range(2))]
    assert sum(threads) <= max(2, joblib.cpu_count())


@pytest.mark.usefixtures("fresh_processes")
@pytest.mark.parametrize("backend", ["loky", "threading"])
@pytest.mark.parametrize("n_jobs", [-1, 2])
def test_workers_of_joblib_use_no_more_threads_than_joblib_allows(backend, n_jobs):
    run = joblib.Parallel(n_jobs=2, backend=backend)
    for used, allowed in run(joblib.delayed(threads_here)(n_jobs) for _ in range(2)):
        assert used <= allowed
    nested = run(joblib.delayed(threads_one_level_down)(n_jobs) for _ in range(2))
    assert [used for pairs in nested for used, _ in pairs] == [1] * 4


@pytest.mark.parametrize("n_jobs", [None, 1, 2, 3, -1])
def test_a_fit_takes_as_many_threads_as_asked_for(n_jobs, monkeypatch):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    table, y = noise(100)
    with mock.patch.object(_core, "grow", wraps=_core.grow) as grow:
        ImbalancedTreeClassifier(n_jobs=n_jobs).fit(table, y)
    expected = 1 if n_jobs is None else joblib.effective_n_jobs(n_jobs)
    assert grow.call_args.args[-1] == expected
