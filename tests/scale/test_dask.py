"""Fits on real Dask clusters: kinds of frames, and which tasks run where."""

import warnings
from pathlib import Path

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pytest

from tests.scale.dask_cluster import LITTLE, collection, logged, nothing_left, running
from tests.scale.tables import (
    TARGET,
    WEIGHT,
    check_forest,
    check_tree,
    random_table,
    roles,
    same_model,
)
from tests.table_factory import Table
from thresher import ImbalancedForestClassifier, ImbalancedTreeClassifier
from thresher.scale import dask as engine
from thresher.scale import fit, growing_tree

TREE = ImbalancedTreeClassifier()


def frame_of(table, n_parts=3):
    return collection(table.shuffled(seed=n_parts).parts(n_parts, seed=1))


@pytest.mark.slow
@pytest.mark.parametrize("n_workers", [1, 3])
@pytest.mark.parametrize("n_parts", [1, 3, 16])
def test_any_number_of_workers(n_workers, n_parts):
    table = random_table(seed=1, n_rows=15_000)
    rows = frame_of(table, n_parts)
    with running(n_workers) as client, client.as_current():
        for memory in (60_000, LITTLE):
            model = check_tree(table, rows, weighted=True, memory=memory)
        assert model.tree_.n_leaves > 10
        check_forest(table, rows, weighted=True)


def test_without_a_client():
    table = random_table(seed=12)
    check_tree(table, frame_of(table, 5), weighted=True, memory=60_000)
    with dask.config.set(scheduler="synchronous"):
        check_tree(table, frame_of(table), weighted=False, memory=60_000)
    check_forest(table, frame_of(table), weighted=True)


# ---------------------------------------------------------------------------------- kinds of frames


@pytest.mark.parametrize("dtype", ["object", "category", "string[pyarrow]"])
def test_types_of_category_columns(dtype):
    table = random_table(seed=10)
    parts = [
        part.assign(supplier=part["supplier"].astype(dtype)) for part in table.parts(6, seed=3)
    ]
    with dask.config.set({"dataframe.convert-string": False}):
        lazy = collection(parts)
        if dtype == "category":
            lazy["supplier"] = lazy["supplier"].cat.as_unknown()
        assert str(lazy.dtypes["supplier"]).startswith(dtype.split("[")[0])
        assert same_model(fit(TREE, lazy, TARGET, ignore=[WEIGHT]), table.fitted())


def test_categories_that_are_numbers():
    table = random_table(seed=11)
    frame = table.frame.drop(columns=[WEIGHT, "supplier"]).astype({"tied": "category"})
    lazy = dd.from_pandas(frame, npartitions=3)
    lazy["tied"] = lazy["tied"].cat.as_unknown()
    local = ImbalancedTreeClassifier(max_bins=255).fit(frame.drop(columns=TARGET), frame[TARGET])
    assert same_model(fit(TREE, lazy, TARGET), local)


def test_arrays_as_frames_without_names():
    frame = random_table(seed=7).X.drop(columns="supplier")
    y = (frame["tied"] * frame["whole"] > 800).to_numpy(float)
    X = np.column_stack([frame.to_numpy(np.float64), y])
    lazy = dd.from_dask_array(da.from_array(X, chunks=(900, -1)))
    given = ImbalancedTreeClassifier(categorical_features=[0])
    local = ImbalancedTreeClassifier(max_bins=255, categorical_features=[0]).fit(X[:, :-1], y)
    assert same_model(fit(given, lazy, target=4), local)
    with pytest.raises(TypeError, match="Of Dask's collections fit takes a DataFrame, got Array"):
        fit(given, da.from_array(X), target=4)


# -------------------------------------------------------------------------------------------- tasks


def test_one_task_for_each_worker_and_round(two_workers, monkeypatch):
    rounds, splits = [], growing_tree.Driver.splits

    def counted(self, tree, nodes):
        rounds.append(len(nodes))
        return splits(self, tree, nodes)

    monkeypatch.setattr(growing_tree.Driver, "splits", counted)
    table = random_table(seed=13, n_rows=15_000)
    with logged(two_workers) as log, two_workers.as_current():
        check_tree(table, frame_of(table, 16), weighted=False, memory=60_000)
    holders = log.workers_of("concatenated")
    assert len(rounds) > 3
    assert len(set(holders)) == len(holders)
    assert sorted(log.workers_of("count_block")) == sorted(len(rounds) * holders)
    assert len(log.workers_of("read_partition")) == 3 * 16
    assert nothing_left(two_workers)


def test_trees_grow_on_all_workers_and_bins_are_joined_once(two_workers):
    parts = collection(random_table(seed=4).parts(4, seed=1))
    with logged(two_workers) as log, two_workers.as_current():
        fit(ImbalancedForestClassifier(11, n_bootstrap=0), parts, **roles(weighted=False))
    assert len(log.workers_of("by_content")) == 1
    assert len(log.workers_of("grow_batch")) == 4
    assert len(set(log.workers_of("grow_batch"))) == 2
    assert len(log.workers_of("read_partition")) == 3 * 4
    assert nothing_left(two_workers)


def test_data_never_goes_through_the_client():
    assert "scatter" not in Path(engine.__file__).read_text(encoding="utf-8")


def test_large_graphs_raise_no_warning(two_workers):
    X, y = Table(rows=100_000, columns=14).pandas()
    lazy = dd.from_pandas(X.assign(t=y), npartitions=2)
    with warnings.catch_warnings(), two_workers.as_current():
        warnings.simplefilter("error")
        model = fit(ImbalancedTreeClassifier(max_depth=2), lazy, "t")
    assert model.tree_.n_leaves > 2


def test_a_forest_that_workers_cannot_hold():
    frame = collection(random_table(seed=0, n_rows=300).parts(3, seed=0))
    with pytest.raises(
        ValueError, match=r"A forest needs all binned rows in each process, .* raise"
    ):
        fit(ImbalancedForestClassifier(), frame, TARGET, memory=1000)
