"""A study in a process of its own, to be interrupted, killed, or run beside another.

    python study_process.py run STORE [key=value ...]
        one study; prints its result
    python study_process.py killed STORE KILLS REPEATS
        the same study again and again, each time killed at a random moment; prints a line of JSON
        for each kill: the runs that were done by then, and the lines of the log

The environment variable LOG names the file in which every fit is noted. A kill hits a fork of this
process, so that imports are paid for once.
"""

import json
import os
import random
import signal
import sqlite3
import sys
import time
from contextlib import closing

from sklearn.tree import DecisionTreeClassifier

from tests.benchmark.study.own_methods import LoggedTree, make_table
from thresher.benchmark import METHODS, StudyError, StudyInterrupted, run_study
from thresher.benchmark.study.dataset import Folds
from thresher.benchmark.study.plan import make_plan

TABLES = {f"table {seed}": make_table(seed) for seed in range(3)}
TREES = {f"depth {depth}": LoggedTree(max_depth=depth) for depth in (1, 2, 3)}
METHODS_COMPARED = {**TREES, "LinR": METHODS["LinR"], "plain": DecisionTreeClassifier()}


def study(store, repeats=1, n_jobs=None, folds=10):
    return run_study(
        TABLES, METHODS_COMPARED, folds=folds, repeats=repeats, store=store, n_jobs=n_jobs
    )


def log_length():
    if not os.path.exists(os.environ["LOG"]):
        return 0
    with open(os.environ["LOG"], encoding="utf-8") as log:
        return len(log.readlines())


def done_runs(store):
    """Return (dataset, method, repeat, fold) of the runs that are done."""
    query = (
        "SELECT dataset, method, repeat, fold FROM members JOIN runs USING (key) "
        "WHERE status = 'done'"
    )
    with closing(sqlite3.connect(store)) as connection:
        try:
            return connection.execute(query).fetchall()
        except sqlite3.OperationalError:  # killed before there was a table
            return []


def warm_up(repeats):
    """Import what the forks need, so that they do not die of it; return the seconds of a plan."""
    log, os.environ["LOG"] = os.environ["LOG"], os.devnull
    study(None, folds=2)
    os.environ["LOG"] = log
    start = time.perf_counter()
    make_plan(TABLES, METHODS_COMPARED, Folds(10, repeats, 0))
    return time.perf_counter() - start


def kill_again_and_again(store, kills, repeats):
    draw, longest = random.Random(kills), 0.1 + 3 * warm_up(repeats)
    for _ in range(kills):
        child = os.fork()
        if child == 0:
            study(store, repeats)
            os._exit(0)
        time.sleep(draw.uniform(0, longest))
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        was_killed = os.WIFSIGNALED(status)
        report = {"killed": was_killed, "done": done_runs(store), "log": log_length()}
        print(json.dumps(report), flush=True)  # noqa: T201 - what the test reads
        if not report["done"]:  # a busy machine has not come to its first run
            longest *= 1.5


def main(mode, store, *arguments):
    if mode == "killed":
        kill_again_and_again(store, *map(int, arguments))
        return
    parameters = {key: int(value) for key, value in (text.split("=") for text in arguments)}
    try:
        print(study(store, **parameters))  # noqa: T201
    except (StudyError, StudyInterrupted) as error:
        print(error.result)  # noqa: T201
        sys.exit(str(error))


if __name__ == "__main__":
    main(*sys.argv[1:])
