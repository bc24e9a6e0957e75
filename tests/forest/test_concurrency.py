"""Threads, forks and signals: any number of threads grows the same forest, and a fit can end."""

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from hashlib import sha256

import numpy as np
import pytest

from tests.forest.tables import mixed
from tests.processor_time import end_of, spent_by
from thresher import ImbalancedForestClassifier

SANITIZER = os.environ.get("LD_PRELOAD", "")
PATIENCE = 20 if "san.so" in SANITIZER else 1  # sanitizers slow a fit down
X, Y, WEIGHTS = mixed(3000)
N_NEW = 20_000  # enough rows for a prediction to use threads


def fitted(weighted=False, rows=slice(None), **parameters):
    settings = {"n_estimators": 40, "n_bootstrap": 10, "random_state": 7, **parameters}
    model = ImbalancedForestClassifier(**settings, categorical_features=[2], pos_label=1)
    return model.fit(X[rows], Y[rows], WEIGHTS[rows] if weighted else None)


def digest(model):
    """Return a digest of all that a fit has found, byte for byte."""
    forest, result = model.forest_, sha256()
    arrays = [getattr(forest, name) for name in forest.__dataclass_fields__]
    if hasattr(model, "oob_decision_function_"):
        arrays += [model.oob_decision_function_, np.array(model.threshold_interval_ or ())]
        arrays.append(model.curve_.to_numpy())
    for values in [*arrays, np.array(model.threshold_), model.feature_importances_]:
        if values is not None:
            result.update(f"{values.dtype}{values.shape}".encode() + values.tobytes())
    return result.hexdigest()


@pytest.mark.parametrize(
    "parameters",
    [
        {"importance": "permutation"},
        {"bootstrap": "balanced", "weighted": True, "smoothing": "laplace"},
        {"bootstrap": "plain", "criterion": "gini", "max_leaf_nodes": 20, "max_bins": 32},
        {"bootstrap": False, "rule": None, "class_weight": "balanced"},
    ],
    ids=str,
)
def test_threads_do_not_change_the_forest(parameters):
    models = [fitted(n_jobs=n_jobs, **parameters) for n_jobs in (1, 2, 4)]
    assert len({digest(model) for model in models}) == 1
    assert digest(fitted(**{**parameters, "random_state": 8})) != digest(models[0])
    rows = np.resize(X, (N_NEW, 5))
    expected = models[0].predict_proba(rows)
    for model in models[1:]:
        np.testing.assert_array_equal(model.predict_proba(rows), expected)
        np.testing.assert_array_equal(model.apply(X[:50]), models[0].apply(X[:50]))


def test_more_threads_than_trees():
    assert digest(fitted(n_estimators=3, n_jobs=4)) == digest(fitted(n_estimators=3))


def test_fits_side_by_side_do_not_disturb_each_other():
    expected, results = digest(fitted()), []
    threads = [
        threading.Thread(target=lambda: results.append(digest(fitted(n_jobs=2)))) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [expected] * 4


def test_other_python_threads_go_on_during_a_fit():
    fit = threading.Thread(target=fitted, kwargs={"n_estimators": 400, "n_bootstrap": 0})
    ticks = [time.perf_counter()]
    fit.start()
    while fit.is_alive():
        time.sleep(0.001)
        ticks.append(time.perf_counter())
    # A fit that kept the interpreter to itself would show as one gap of nearly its whole length.
    assert max(np.diff(ticks)) < (ticks[-1] - ticks[0]) / 2


# --------------------------------------------------------------------------------------- processes


def send_digest(connection, model):
    connection.send((digest(model), model.predict(X).sum(), digest(fitted(n_jobs=2))))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
@pytest.mark.skipif("libtsan" in SANITIZER, reason="TSan allows no threads after a fork")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_fork_after_a_fit_predicts_and_fits():
    model = fitted(n_jobs=2)  # threads have been there before the fork
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(target=send_digest, args=(sender, model))
    child.start()
    sender.close()  # so that a child that dies is noticed at once
    try:
        assert receiver.poll(60), "the fit in the child hangs"
        assert receiver.recv() == (digest(model), model.predict(X).sum(), digest(model))
        child.join(60)
        assert child.exitcode == 0
    finally:
        child.kill()
    assert digest(fitted(n_jobs=2)) == digest(model)


LONG_FIT = """
import numpy as np
from thresher import ImbalancedForestClassifier

random = np.random.default_rng(0)
X = random.random(({n_rows}, 30), dtype=np.float32)
y = random.random({n_rows}) < 0.4
model = ImbalancedForestClassifier(1_000_000, min_samples_leaf=1, n_jobs={n_jobs})
print("start", flush=True)
try:
    model.fit(X, y)
except KeyboardInterrupt:
    print("interrupted", flush=True)
input()
model.set_params(n_estimators=5, n_bootstrap=0).fit(X[:200], y[:200])
print(len(model.estimators_), model.predict(X[:200]).shape, flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="SIGINT cannot be sent to a process there")
@pytest.mark.parametrize(("n_jobs", "n_rows"), [(1, 300), (2, 300), (2, 100_000)])
def test_ctrl_c_stops_a_long_fit_and_another_works(n_jobs, n_rows):
    """Many small trees, then few large ones: the fit is stopped between nodes."""
    code = LONG_FIT.format(n_rows=n_rows, n_jobs=n_jobs)
    command = [sys.executable, "-c", code]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, text=True, **pipes) as child:
        try:
            assert child.stdout.readline() == "start\n"
            time.sleep(0.5 * PATIENCE)
            assert child.poll() is None
            child.send_signal(signal.SIGINT)
            spent = spent_by(child)
            assert child.stdout.readline() == "interrupted\n"
            assert spent_by(child) - spent < 10 * PATIENCE  # of hours
            # It waits for a line: communicate() does not see what readline() has read too much.
            rest, _ = child.communicate("go on\n", timeout=300)
        finally:
            child.kill()
    assert rest == "5 (200,)\n"
    assert child.returncode == 0


LONG_PERMUTATION = """
import numpy as np
from thresher import ImbalancedForestClassifier

random = np.random.default_rng(0)
X = random.random((20_000, 200), dtype=np.float32)
y = random.random(20_000) < 0.4
model = ImbalancedForestClassifier(200, max_depth=6, n_bootstrap=0, importance="permutation")
model._find_importances = lambda *rows, go_on=model._find_importances: print(
    "start", flush=True) or go_on(*rows)
model.fit(X, y)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="SIGINT cannot be sent to a process there")
def test_ctrl_c_stops_the_votes_of_permuted_columns():
    command = [sys.executable, "-c", LONG_PERMUTATION]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, text=True, **pipes) as child:
        try:
            assert child.stdout.readline() == "start\n"
            time.sleep(0.3)
            child.send_signal(signal.SIGINT)
            _, errors = end_of(child, 10 * PATIENCE)  # of more than a minute
        finally:
            child.kill()
    assert child.returncode in (1, -signal.SIGINT)
    assert errors.rstrip().endswith("KeyboardInterrupt")


MANY_JOBS = """
import threading, time
from pathlib import Path
import numpy as np
from thresher import ImbalancedForestClassifier

most = 0
ended = threading.Event()
def watch():
    global most
    while not ended.is_set():
        most = max(most, len(list(Path("/proc/self/task").iterdir())))
draw = np.random.default_rng(0)
X = draw.normal(size=(3000, 4))
y = (X[:, 0] + draw.normal(size=3000) > 2).astype(int)
threading.Thread(target=watch).start()
before = len(list(Path("/proc/self/task").iterdir()))
model = ImbalancedForestClassifier(3, n_jobs=10**9, random_state=0).fit(X, y)
model.predict(X)
ended.set()
print(most - before)
"""


@pytest.mark.skipif(not os.path.isdir("/proc/self/task"), reason="counts threads in /proc")
def test_a_billion_jobs_start_no_more_threads_than_there_is_work():
    run = subprocess.run(
        [sys.executable, "-c", MANY_JOBS], capture_output=True, text=True, timeout=120 * PATIENCE
    )
    assert run.returncode == 0, run.stderr
    assert int(run.stdout) <= 6  # three trees, 3,000 rows in blocks of 512
