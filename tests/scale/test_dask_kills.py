"""Worker processes killed with SIGKILL at any stage: the fit ends with the same tree."""

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
from tests.scale.deadly import Deadly, always, below_the_root, several_nodes
from tests.scale.tables import TARGET, WEIGHT, random_table, same_model
from thresher.scale import DaskTreeClassifier, fitting
from thresher.scale.table_passes import Binning
from thresher.seam import engine

TABLE = random_table(seed=1, n_rows=15_000)


@pytest.fixture
def client():
    with running(2) as client:
        yield client


def fit(client):
    lazy = collection(TABLE.parts(5, seed=1))
    return DaskTreeClassifier(client, memory=LITTLE).fit(lazy, TARGET, WEIGHT)


def prepare(monkeypatch, stage, marks):
    """Make the kernel of a stage deadly."""
    if stage == "binning":

        def binning(*args):
            return Deadly(Binning(*args), marks, always)

        monkeypatch.setattr(fitting, "Binning", binning)
        return
    place, name, condition = {
        "survey": (fitting, "survey_block", always),
        "sketch": (fitting, "summarize_block", always),
        "merging sketches": (fitting, "merge_summaries", always),
        "histogram": (engine, "count_block", below_the_root),
        "reduce": (engine, "add_counts", several_nodes),
        "fetching": (engine, "take_block", always),
        "merging rows": (engine, "join_parts", always),
    }[stage]
    monkeypatch.setattr(place, name, Deadly(getattr(place, name), marks, condition))


def check_deaths(client, marks):
    """Processes of workers have died."""
    dead = {int(mark.read_text(encoding="utf-8")) for mark in marks}
    assert len(dead) == len(marks)
    assert not dead & {os.getpid(), *client.run(os.getpid).values()}


@pytest.mark.parametrize(
    "stage",
    [
        "binning",
        "histogram",
        "reduce",
        *(
            pytest.param(stage, marks=pytest.mark.slow)
            for stage in ("survey", "sketch", "merging sketches", "fetching", "merging rows")
        ),
    ],
)
def test_killed_worker(client, monkeypatch, tmp_path, stage):
    marks = [tmp_path / "death"]
    prepare(monkeypatch, stage, marks)
    assert same_model(fit(client), TABLE.fitted(weighted=True))
    check_deaths(client, marks)


def test_only_worker_killed(monkeypatch, tmp_path):
    marks = [tmp_path / "first", tmp_path / "second"]
    prepare(monkeypatch, "histogram", marks)
    with running(1) as client:
        assert same_model(fit(client), TABLE.fitted(weighted=True))
        check_deaths(client, marks)


@pytest.mark.slow
@pytest.mark.parametrize("stage", ["binning", "histogram", "reduce"])
def test_two_killed_workers(client, monkeypatch, tmp_path, stage):
    marks = [tmp_path / "first", tmp_path / "second"]
    prepare(monkeypatch, stage, marks)
    assert same_model(fit(client), TABLE.fitted(weighted=True))
    check_deaths(client, marks)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_kill_at_a_random_moment(client, seed):
    begin = time.monotonic()
    fit(client)
    moment = (time.monotonic() - begin) * random.Random(seed).random()
    victim = min(client.run(os.getpid).values())
    killer = threading.Timer(moment, os.kill, (victim, signal.SIGKILL))
    killer.start()
    assert same_model(fit(client), TABLE.fitted(weighted=True))
    killer.join()


def test_task_that_kills_every_worker_is_told_in_one_sentence(monkeypatch, tmp_path):
    prepare(monkeypatch, "histogram", [tmp_path / str(number) for number in range(9)])
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 0}),
        running(1) as client,
        pytest.raises(RuntimeError, match="Dask workers died again and again on the same task"),
    ):
        fit(client)


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
    try:
        wait_for(address)
        with Client(scheduler_file=str(address), timeout=2, set_as_default=False) as client:
            client.wait_for_workers(1, timeout=60)
            monkeypatch.setattr(engine.Driver, "splits", killing(processes[0]))
            with pytest.raises(ConnectionError, match="The Dask cluster was lost during fit"):
                fit(client)
            with pytest.raises(ConnectionError, match="client is not connected"):
                fit(client)
    finally:
        for process in processes:
            process.kill()
            process.wait()


def wait_for(path):
    deadline = time.monotonic() + 60
    while not path.exists() and time.monotonic() < deadline:
        time.sleep(0.1)


def killing(process):
    splits = engine.Driver.splits

    def killing_splits(self, tree, nodes):
        if len(tree.feature) > 1:
            process.kill()
            process.wait()
        return splits(self, tree, nodes)

    return killing_splits
