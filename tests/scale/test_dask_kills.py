"""Worker processes killed with SIGKILL at any stage: the fit ends with the same model."""

import os
import random
import signal
import subprocess
import sys
import threading
import time

import dask
import pytest
from distributed import Client

from tests.scale.dask_cluster import LITTLE, collection, running
from tests.scale.deadly import Deadly, DeadlyAfter, always, below_the_root, of_type, several_nodes
from tests.scale.tables import assert_same_forest, random_table, roles, same_model
from thresher import ImbalancedForestClassifier, ImbalancedTreeClassifier
from thresher.forest.out_of_bag import OutOfBag
from thresher.scale import dask as engine
from thresher.scale import fit, forests, growing_tree, passes
from thresher.scale.forests import Grown
from thresher.scale.passes import Binning, Summary

STAGES_OF_A_TREE = {
    "histogram": (growing_tree, "count_block", Deadly, below_the_root),
    "survey": (passes, "survey_block", Deadly, always),
    "sketch": (passes, "summarize_block", Deadly, always),
    "merging sketches": (passes, "plus", Deadly, of_type(Summary)),
    "binning": (passes, "Binning", Deadly, always),
    "reduce": (growing_tree, "add_counts", Deadly, several_nodes),
    "fetching": (growing_tree, "take_block", Deadly, always),
    "merging rows": (growing_tree, "join_parts", Deadly, always),
}
STAGES_OF_A_FOREST = {
    "growth": (forests, "grow_batch", Deadly, always),
    "end of growth": (forests, "grow_batch", DeadlyAfter, always),
    "sorting": (engine, "by_content", Deadly, always),
    "merging": (forests, "plus", Deadly, of_type(Grown)),
    "voting": (forests, "vote_batch", Deadly, always),
    "end of voting": (forests, "vote_batch", DeadlyAfter, always),
    "adding votes": (forests, "plus", Deadly, of_type(OutOfBag)),
}


def one_quick(stages):
    """Return all stages, all but the first one marked as slow."""
    first, *others = stages
    return [first, *(pytest.param(stage, marks=pytest.mark.slow) for stage in others)]


@pytest.fixture
def client():
    with running(2) as client:
        yield client


TREE_TABLE, FOREST_TABLE = random_table(seed=1, n_rows=15_000), random_table(seed=1)
FOREST = ImbalancedForestClassifier(9, random_state=0, n_bootstrap=0, importance="permutation")


def fit_tree(client):
    lazy = collection(TREE_TABLE.parts(5, seed=1))
    with client.as_current():
        return fit(ImbalancedTreeClassifier(), lazy, **roles(weighted=True), memory=LITTLE)


def check_tree(client):
    assert same_model(fit_tree(client), TREE_TABLE.fitted(weighted=True))


def check_forest(client):
    lazy = collection(FOREST_TABLE.parts(5, seed=1))
    with client.as_current():
        found = fit(FOREST, lazy, **roles(weighted=True))
    assert_same_forest(found, FOREST_TABLE.forest(weighted=True, **FOREST.get_params()))


def kill_at(monkeypatch, stage, marks):
    """Make the function of a stage deadly."""
    module, name, kind, condition = {**STAGES_OF_A_TREE, **STAGES_OF_A_FOREST}[stage]
    function = getattr(module, name)
    if function is Binning:
        monkeypatch.setattr(module, name, lambda *args: kind(Binning(*args), marks, condition))
    else:
        monkeypatch.setattr(module, name, kind(function, marks, condition))


def check_deaths(client, marks):
    """Processes of workers have died."""
    dead = {int(mark.read_text(encoding="utf-8")) for mark in marks}
    assert len(dead) == len(marks)
    assert not dead & {os.getpid(), *client.run(os.getpid).values()}


@pytest.mark.parametrize("stage", one_quick(STAGES_OF_A_TREE))
def test_killed_worker_of_a_tree(client, monkeypatch, tmp_path, stage):
    marks = [tmp_path / "death"]
    kill_at(monkeypatch, stage, marks)
    check_tree(client)
    check_deaths(client, marks)


@pytest.mark.parametrize("stage", one_quick(STAGES_OF_A_FOREST))
def test_killed_worker_of_a_forest(client, monkeypatch, tmp_path, stage):
    marks = [tmp_path / "death"]
    kill_at(monkeypatch, stage, marks)
    check_forest(client)
    check_deaths(client, marks)


@pytest.mark.slow
@pytest.mark.parametrize("stage", ["binning", "histogram", "reduce", "growth", "voting"])
@pytest.mark.parametrize("n_workers", [1, 2])
def test_two_killed_workers(monkeypatch, tmp_path, stage, n_workers):
    marks = [tmp_path / "first", tmp_path / "second"]
    kill_at(monkeypatch, stage, marks)
    with running(n_workers) as client:
        (check_tree if stage in STAGES_OF_A_TREE else check_forest)(client)
        check_deaths(client, marks)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_kill_at_a_random_moment(client, seed):
    begin = time.monotonic()
    fit_tree(client)
    moment = (time.monotonic() - begin) * random.Random(seed).random()
    victim = min(client.run(os.getpid).values())
    killer = threading.Timer(moment, os.kill, (victim, signal.SIGKILL))
    killer.start()
    check_tree(client)
    killer.join()


@pytest.mark.slow
def test_task_that_kills_every_worker_is_told_in_one_sentence(monkeypatch, tmp_path):
    kill_at(monkeypatch, "histogram", [tmp_path / str(number) for number in range(9)])
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 0}),
        running(1) as client,
        pytest.raises(RuntimeError, match="Dask workers died again and again on the same task"),
    ):
        fit_tree(client)


@pytest.mark.slow
def test_lost_scheduler_is_told_in_one_sentence(monkeypatch, tmp_path):
    address = tmp_path / "scheduler.json"
    common = ["--scheduler-file", str(address), "--host", "127.0.0.1", "--no-dashboard"]
    commands = [
        ["distributed.cli.dask_scheduler", "--port", "0", *common],
        ["distributed.cli.dask_worker", "--no-nanny", "--nthreads", "1", *common],
    ]
    processes = [
        subprocess.Popen([sys.executable, "-m", *command], stderr=subprocess.DEVNULL)
        for command in commands
    ]
    splits = growing_tree.Driver.splits

    def killing(self, tree, nodes):
        if len(tree.feature) > 1:
            processes[0].kill()
            processes[0].wait()
        return splits(self, tree, nodes)

    try:
        deadline = time.monotonic() + 60
        while not address.exists() and time.monotonic() < deadline:
            time.sleep(0.1)
        with Client(scheduler_file=str(address), timeout=2, set_as_default=False) as client:
            client.wait_for_workers(1, timeout=60)
            monkeypatch.setattr(growing_tree.Driver, "splits", killing)
            with pytest.raises(ConnectionError, match="The Dask cluster was lost during fit"):
                fit_tree(client)
            with pytest.raises(ConnectionError, match="The client is not connected"):
                fit_tree(client)
    finally:
        for process in processes:
            process.kill()
            process.wait()
