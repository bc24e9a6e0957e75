"""Worker processes killed with SIGKILL while a forest grows and votes: it ends as the same one."""

import os

import pytest

from tests.scale.dask_cluster import collection, running
from tests.scale.deadly import Deadly, DeadlyAfter, always
from tests.scale.tables import TARGET, WEIGHT, assert_same_forest, random_table
from thresher.scale import DaskForestClassifier, dask_blocks, dealt_trees

TABLE = random_table(seed=1)
PARAMETERS = {"n_estimators": 9, "random_state": 0, "n_bootstrap": 0, "importance": "permutation"}


@pytest.fixture
def client():
    with running(2) as client:
        yield client


STAGES = {
    "sorting": (dask_blocks, "by_content", Deadly),
    "growth": (dealt_trees, "grow_batch", Deadly),
    "end of growth": (dealt_trees, "grow_batch", DeadlyAfter),
    "merging": (dealt_trees, "merge_grown", Deadly),
    "voting": (dealt_trees, "vote_batch", Deadly),
    "end of voting": (dealt_trees, "vote_batch", DeadlyAfter),
    "adding votes": (dealt_trees, "add_votes", Deadly),
}
QUICK = ("growth", "voting")


def check(client, monkeypatch, stage, marks):
    place, name, kind = STAGES[stage]
    monkeypatch.setattr(place, name, kind(getattr(place, name), marks, always))
    lazy = collection(TABLE.parts(5, seed=1))
    model = DaskForestClassifier(client, **PARAMETERS).fit(lazy, TARGET, WEIGHT)
    monkeypatch.undo()
    assert_same_forest(model, TABLE.forest(weighted=True, **PARAMETERS))
    dead = {int(mark.read_text(encoding="utf-8")) for mark in marks}
    assert len(dead) == len(marks)
    assert not dead & {os.getpid(), *client.run(os.getpid).values()}


@pytest.mark.parametrize(
    "stage",
    [
        *QUICK,
        *(pytest.param(stage, marks=pytest.mark.slow) for stage in STAGES if stage not in QUICK),
    ],
)
def test_killed_worker(client, monkeypatch, tmp_path, stage):
    check(client, monkeypatch, stage, [tmp_path / "death"])


@pytest.mark.slow
@pytest.mark.parametrize("stage", QUICK)
def test_two_killed_workers(client, monkeypatch, tmp_path, stage):
    check(client, monkeypatch, stage, [tmp_path / "first", tmp_path / "second"])


@pytest.mark.slow
def test_only_worker_killed(monkeypatch, tmp_path):
    with running(1) as client:
        check(client, monkeypatch, "growth", [tmp_path / "death"])
