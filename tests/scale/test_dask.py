"""Trees grown on a real Dask cluster are those grown in memory, however rows are dealt out."""

import pickle
import subprocess
import sys
import warnings
from pathlib import Path

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from tests.scale.dask_cluster import LITTLE, collection, logged, nothing_left, running
from tests.scale.tables import TARGET, WEIGHT, RandomTable, same_model
from tests.scale.tables import random_table as table_of
from thresher import ImbalancedTreeClassifier
from thresher.column import has_others
from thresher.scale import DaskTreeClassifier
from thresher.seam.engine import Driver

PARAMETERS = [
    {},
    {"criterion": "gini", "class_weight": "balanced"},
    {"criterion": "gain_ratio", "max_features": 2, "random_state": 3},
    {"criterion": "renyi", "alpha": 3.0, "max_bins": 16, "class_weight": "balanced"},
    {"criterion": "hellinger", "max_leaf_nodes": 12, "class_weight": {"scrap": 3.0}},
    {"criterion": "entropy", "max_depth": 5, "threshold": "prior", "pruning": "f1"},
]


def random_table(seed: int, n_rows: int = 15_000) -> RandomTable:
    """Enough rows for several rounds of counting."""
    return table_of(seed, n_rows)


@pytest.fixture(scope="module")
def two_workers():
    with running(2) as client:
        yield client


@pytest.fixture(scope="module", params=[2, 1, 3], ids="{} workers".format)
def client(request):
    if request.param == 2:
        yield request.getfixturevalue("two_workers")
        return
    with running(request.param) as client:
        yield client


def check(client, table, *, n_parts=3, weighted=False, memory=LITTLE, **parameters):
    """Compare with the tree of all rows in memory: shuffled rows, one part empty."""
    model = DaskTreeClassifier(client, memory=memory, **parameters)
    parts = collection(table.shuffled(seed=n_parts).parts(n_parts, seed=1))
    columns = parts if weighted else parts.drop(columns=WEIGHT)
    fitted = model.fit(columns, TARGET, WEIGHT if weighted else None)
    assert same_model(fitted, table.fitted(weighted=weighted, **parameters))
    return fitted


@pytest.mark.parametrize("n_parts", [1, 3, 16])
def test_any_number_of_workers_and_partitions(client, n_parts):
    model = check(client, random_table(seed=1), n_parts=n_parts, weighted=True)
    assert model.tree_.n_leaves > 10


@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize("parameters", PARAMETERS, ids=lambda item: item.get("criterion", ""))
def test_any_parameters(two_workers, parameters, weighted):
    check(two_workers, random_table(seed=2), weighted=weighted, **parameters)


def test_more_levels_than_codes(two_workers):
    for weighted in (False, True):
        table = table_of(seed=5, n_rows=1500, many_levels=True)
        model = check(two_workers, table, weighted=weighted, max_depth=5)
        assert has_others(model.columns_.levels[2])


@pytest.mark.parametrize("memory", [1, 2**30], ids=["node by node", "at once"])
def test_any_memory(two_workers, memory):
    check(two_workers, random_table(seed=3, n_rows=800), memory=memory, max_depth=4)


@pytest.mark.slow
@pytest.mark.parametrize("parameters", PARAMETERS, ids=lambda item: item.get("criterion", ""))
@pytest.mark.parametrize("n_parts", [1, 3, 16])
def test_whole_matrix(client, n_parts, parameters):
    for weighted in (False, True):
        for memory in (60_000, 2**30):
            table = random_table(seed=4)
            check(client, table, n_parts=n_parts, weighted=weighted, memory=memory, **parameters)


# ------------------------------------------------------------------------ kinds of collections


def test_target_and_weights_of_their_own(two_workers):
    table = random_table(seed=6)
    frame = collection(table.parts(5, seed=0))
    model = DaskTreeClassifier(two_workers, memory=LITTLE)
    model.fit(frame[table.features], frame[TARGET], frame[WEIGHT])
    assert same_model(model, table.fitted(weighted=True))


def test_arrays_with_several_blocks_of_columns(two_workers):
    table = random_table(seed=7)
    X = table.X.drop(columns="supplier").to_numpy(np.float64)
    y, weights = table.frame[TARGET].to_numpy(str), table.frame[WEIGHT].to_numpy()
    categories = [0]
    model = DaskTreeClassifier(two_workers, memory=LITTLE, categorical_features=categories)
    model.fit(
        da.from_array(X, chunks=(4000, 2)),
        da.from_array(y, chunks=4000),
        da.from_array(weights, chunks=4000),
    )
    local = ImbalancedTreeClassifier(max_bins=255, categorical_features=categories)
    assert same_model(model, local.fit(X, y, weights))


def test_array_of_unknown_length(two_workers):
    frame = random_table(seed=8).frame[["tied", "holed", "whole"]]
    lazy = dd.from_pandas(frame, npartitions=4)
    X, y = lazy.to_dask_array(), (lazy["tied"] * lazy["whole"] > 800).to_dask_array()
    assert np.isnan(X.shape[0])
    model = DaskTreeClassifier(two_workers, memory=LITTLE).fit(X, y)
    local = ImbalancedTreeClassifier(max_bins=255)
    local.fit(frame.to_numpy(), frame["tied"] * frame["whole"] > 800)
    assert same_model(model, local)
    assert (model.predict(X).compute() == local.predict(frame.to_numpy())).all()


def test_parquet(two_workers, tmp_path):
    table = random_table(seed=9)
    for number, part in enumerate(table.parts(4, seed=2)):
        part.to_parquet(tmp_path / f"{number}.parquet", index=False)
    lazy = dd.read_parquet(tmp_path).drop(columns=WEIGHT)
    model = DaskTreeClassifier(two_workers, memory=LITTLE).fit(lazy, TARGET)
    assert same_model(model, table.fitted())


def of_type(parts, dtype):
    return [part.assign(supplier=part["supplier"].astype(dtype)) for part in parts]


@pytest.mark.parametrize("dtype", ["object", "category", "string[pyarrow]"])
def test_types_of_category_columns(two_workers, dtype):
    table = random_table(seed=10)
    with dask.config.set({"dataframe.convert-string": False}):
        lazy = collection(of_type(table.parts(6, seed=3), dtype)).drop(columns=WEIGHT)
        if dtype == "category":
            lazy["supplier"] = lazy["supplier"].cat.as_unknown()
        assert str(lazy.dtypes["supplier"]).startswith(dtype.split("[")[0])
        model = DaskTreeClassifier(two_workers, memory=LITTLE).fit(lazy, TARGET)
        assert same_model(model, table.fitted())
        labels = model.predict(lazy[table.features]).compute()
        assert (labels == table.fitted().predict(table.X)).all()


def test_categories_that_are_numbers(two_workers):
    table = random_table(seed=11)
    frame = table.frame.drop(columns=[WEIGHT, "supplier"]).astype({"tied": "category"})
    lazy = dd.from_pandas(frame, npartitions=3)
    lazy["tied"] = lazy["tied"].cat.as_unknown()
    model = DaskTreeClassifier(two_workers, memory=LITTLE).fit(lazy, TARGET)
    local = ImbalancedTreeClassifier(max_bins=255).fit(frame.drop(columns=TARGET), frame[TARGET])
    assert same_model(model, local)
    labels = model.predict(lazy[["tied", "holed", "single", "whole"]]).compute()
    assert (labels == local.predict(frame.drop(columns=TARGET))).all()


def test_without_a_client():
    table = random_table(seed=12)
    check(None, table, n_parts=5, weighted=True)
    with dask.config.set(scheduler="synchronous"):
        check(None, table)


def test_the_current_client_is_the_default(two_workers):
    with two_workers.as_current(), logged(two_workers) as log:
        check(None, random_table(seed=12))
    assert log.workers_of("count_block")


# --------------------------------------------------------------------------------------- tasks


def test_one_task_for_each_worker_and_round(client, monkeypatch):
    rounds = counted_rounds(monkeypatch)
    with logged(client) as log:
        check(client, random_table(seed=13), n_parts=16, memory=60_000)
    ran = log.workers_of("count_block")
    holders = log.workers_of("concatenated")
    assert len(rounds) > 3
    assert len(set(holders)) == len(holders)
    assert sorted(ran) == sorted(len(rounds) * holders)
    assert len(log.workers_of("read_partition")) == 3 * 16


def counted_rounds(monkeypatch):
    rounds, splits = [], Driver.splits

    def counted(self, tree, nodes):
        rounds.append(len(nodes))
        return splits(self, tree, nodes)

    monkeypatch.setattr(Driver, "splits", counted)
    return rounds


def test_nothing_is_left_on_the_cluster(two_workers):
    check(two_workers, random_table(seed=14))
    assert nothing_left(two_workers)


def test_data_never_goes_through_the_client():
    folder = Path(sys.modules[DaskTreeClassifier.__module__].__file__).parent
    for name in ("dask.py", "dask_blocks.py"):
        assert "scatter" not in (folder / name).read_text(encoding="utf-8")


def test_large_graphs_raise_no_warning(two_workers):
    random = np.random.default_rng(0)
    X = pd.DataFrame(random.normal(size=(100_000, 14)), columns=list("abcdefghijklmn"))
    X["t"] = X["a"] * X["b"] > 1.5
    model = DaskTreeClassifier(two_workers, max_depth=2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.fit(dd.from_pandas(X, npartitions=2), "t")
    assert model.tree_.n_leaves > 2


# ------------------------------------------------------------------------------------------ predict


@pytest.fixture(scope="module")
def fitted():
    table = random_table(seed=15)
    frame = collection(table.parts(4, seed=5))
    return table, frame, DaskTreeClassifier(max_depth=6).fit(frame.drop(columns=WEIGHT), TARGET)


def test_lazy_answers_are_the_local_ones(fitted, two_workers):
    table, frame, model = fitted
    local = table.fitted(max_depth=6)
    with two_workers.as_current():
        labels, probability = (
            method(frame[table.features]) for method in (model.predict, model.predict_proba)
        )
        found, shares = dask.compute(labels, probability)
    assert isinstance(labels, dd.Series)
    assert isinstance(probability, dd.DataFrame)
    assert found.to_numpy().tolist() == local.predict(table.X).tolist()
    assert (shares.to_numpy() == local.predict_proba(table.X)).all()
    assert found.index.equals(table.frame.index)
    assert found.dtype == labels.dtype == labels._meta.dtype
    assert shares.columns.tolist() == probability.columns.tolist() == ["good", "scrap"]
    assert (shares.dtypes == probability.dtypes).all()


def test_lazy_answers_for_arrays():
    table = random_table(seed=16)
    X, y = table.X.drop(columns="supplier").to_numpy(np.float64), table.frame[TARGET].to_numpy(str)
    lazy = da.from_array(X, chunks=(4000, 3))
    model = DaskTreeClassifier().fit(lazy, da.from_array(y, chunks=4000))
    local = ImbalancedTreeClassifier(max_bins=255).fit(X, y)
    labels, probability = model.predict(lazy), model.predict_proba(lazy)
    assert (labels.dtype, labels.shape) == (local.predict(X).dtype, (len(X),))
    assert (probability.dtype, probability.shape) == (np.dtype(float), (len(X), 2))
    assert (labels.compute() == local.predict(X)).all()
    assert (probability.compute() == local.predict_proba(X)).all()
    assert probability[:, 1].max().compute() == local.predict_proba(X)[:, 1].max()


def test_answers_run_no_task_before_they_are_asked_for(fitted):
    table, _, model = fitted

    def fail(part):
        raise AssertionError("computed")

    meta = table.X.iloc[:0]
    lazy = collection([table.X]).map_partitions(fail, meta=meta)
    assert model.predict(lazy).npartitions == model.predict_proba(lazy).npartitions == 1


def test_columns_are_matched_by_name_before_any_task(fitted):
    table, frame, model = fitted
    mixed = frame[[WEIGHT, *reversed(table.features)]]
    with pytest.warns(UserWarning, match="ignored: 'count'") as caught:
        labels = model.predict(mixed)
    assert caught[0].filename == __file__
    assert labels.compute().tolist() == table.fitted(max_depth=6).predict(table.X).tolist()
    with pytest.raises(ValueError, match="'whole' not found"):
        model.predict(frame.drop(columns=["whole", WEIGHT, TARGET]))
    with pytest.raises(TypeError, match="names of columns if, and only if"):
        model.predict(da.zeros((3, 5)))


def test_tables_in_memory_are_answered_at_once(fitted):
    table, _, model = fitted
    local = table.fitted(max_depth=6)
    assert (model.predict(table.X) == local.predict(table.X)).all()
    assert (model.predict_proba(table.X) == local.predict_proba(table.X)).all()


# ---------------------------------------------------------------------------------------- estimator


def test_local_twin(fitted):
    table, _, model = fitted
    local = model.to_local()
    assert type(local) is ImbalancedTreeClassifier
    assert local.get_params() == table.fitted(max_depth=6).get_params()
    assert same_model(local, model)
    assert local.feature_names_in_.tolist() == table.features
    with pytest.raises(ValueError, match="not fitted"):
        DaskTreeClassifier().to_local()


def test_parameters_are_those_of_the_tree(two_workers):
    model = DaskTreeClassifier(two_workers, criterion="gini", class_weight={"scrap": 2.0})
    own = ImbalancedTreeClassifier("gini", max_bins=255, class_weight={"scrap": 2.0}).get_params()
    assert model.get_params() == {**own, "client": two_workers, "memory": 2**30}
    assert repr(DaskTreeClassifier(max_depth=3)) == "DaskTreeClassifier(max_depth=3)"
    twin = clone(model)
    assert twin.client is two_workers
    assert twin.get_params() == model.get_params()
    assert twin.class_weight is not model.class_weight
    assert twin.set_params(max_depth=2).max_depth == 2
    with pytest.raises(TypeError, match="max_deep"):
        DaskTreeClassifier(max_deep=3)


def test_pickled_without_its_client(two_workers):
    table = random_table(seed=17, n_rows=500)
    model = check(two_workers, table)
    again = pickle.loads(pickle.dumps(model))
    assert again.client is None
    assert same_model(again, model)


def test_missing_dask_is_told_in_one_sentence():
    code = "import sys; sys.modules['dask'] = None\nfrom thresher.scale import DaskTreeClassifier"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert run.returncode == 1
    assert run.stderr.splitlines()[-1] == (
        "ImportError: DaskTreeClassifier and DaskForestClassifier need Dask: "
        "pip install 'thresher[dask]'."
    )


def test_score_is_accuracy(fitted):
    table, _, model = fitted
    expected = table.fitted(max_depth=6).score(table.X, table.frame[TARGET])
    assert model.score(table.X, table.frame[TARGET]) == expected
