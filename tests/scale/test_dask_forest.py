"""Forests grown on a real Dask cluster are those of one machine, however rows are dealt out."""

import pickle

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pytest
from sklearn.base import clone

from tests.scale.dask_cluster import collection, logged, nothing_left, running
from tests.scale.tables import TARGET, WEIGHT, assert_same_forest, random_table
from thresher import ImbalancedForestClassifier
from thresher.scale import DaskForestClassifier
from thresher.scale.partition import to_send

FEW = {"n_estimators": 11, "random_state": 0, "n_bootstrap": 10}
PARAMETERS = [
    {"importance": "permutation", "class_weight": "balanced", "smoothing": "m_estimate"},
    {"min_samples_leaf": "auto", "bootstrap": "balanced", "correct_prior": True},
    {"bootstrap": False, "rule": "prior", "max_leaf_nodes": 9, "max_bins": 16},
]


@pytest.fixture(scope="module")
def two_workers():
    with running(2) as client:
        yield client


@pytest.fixture(
    scope="module",
    params=[2, pytest.param(1, marks=pytest.mark.slow), pytest.param(3, marks=pytest.mark.slow)],
    ids="{} workers".format,
)
def client(request):
    if request.param == 2:
        yield request.getfixturevalue("two_workers")
        return
    with running(request.param) as client:
        yield client


def check(client, table, *, n_parts=3, weighted=False, **parameters):
    """Compare with the forest of one machine: shuffled rows, one part empty."""
    parameters = {**FEW, **parameters}
    parts = collection(table.shuffled(seed=n_parts).parts(n_parts, seed=1))
    model = DaskForestClassifier(client, **parameters)
    columns = parts if weighted else parts.drop(columns=WEIGHT)
    fitted = model.fit(columns, TARGET, WEIGHT if weighted else None)
    assert_same_forest(fitted, table.forest(weighted=weighted, **parameters))
    return fitted


@pytest.mark.parametrize("n_parts", [1, 3, 16])
def test_any_number_of_workers_and_partitions(client, n_parts):
    model = check(client, random_table(seed=1), n_parts=n_parts, weighted=True)
    assert np.diff(model.forest_.begin).min() > 20


@pytest.mark.parametrize("weighted", [False, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.parametrize("parameters", PARAMETERS)
def test_any_parameters(two_workers, parameters, weighted):
    table = random_table(seed=2, n_rows=900, many_levels=True)
    check(two_workers, table, weighted=weighted, **parameters)


def test_fewer_trees_than_tasks_and_no_client():
    check(None, random_table(seed=3, n_rows=600), n_parts=4, n_estimators=1, rule=None)


def test_trees_grow_on_all_workers_and_bins_are_joined_once(two_workers):
    with logged(two_workers) as log:
        check(two_workers, random_table(seed=4), n_parts=4)
    assert len(log.workers_of("by_content")) == 1
    assert len(log.workers_of("grow_batch")) == 4
    assert len(set(log.workers_of("grow_batch"))) == 2
    assert len(log.workers_of("read_partition")) == 3 * 4
    assert nothing_left(two_workers)


@pytest.fixture(scope="module")
def fitted(two_workers):
    table = random_table(seed=5, n_rows=1500)
    frame = collection(table.parts(4, seed=5))
    return table, frame, DaskForestClassifier(two_workers, **FEW).fit(frame, TARGET, WEIGHT)


def test_lazy_answers_are_the_local_ones(fitted, two_workers):
    table, frame, model = fitted
    local = table.forest(weighted=True, **FEW)
    with two_workers.as_current():
        labels, probability = (
            method(frame[table.features]) for method in (model.predict, model.predict_proba)
        )
        found, shares = dask.compute(labels, probability)
    assert isinstance(labels, dd.Series)
    assert isinstance(probability, dd.DataFrame)
    assert found.tolist() == local.predict(table.X).tolist()
    assert (shares.to_numpy() == local.predict_proba(table.X)).all()
    assert shares.columns.tolist() == probability.columns.tolist() == ["good", "scrap"]
    assert model.predict(table.X).tolist() == found.tolist()


def test_arrays(two_workers):
    random = np.random.default_rng(6)
    X = random.normal(size=(900, 4))
    y = (X[:, 0] + X[:, 1] > 1.5).astype(int)
    lazy = da.from_array(X, chunks=(300, 2))
    model = DaskForestClassifier(two_workers, **FEW).fit(lazy, da.from_array(y, chunks=300))
    assert (model.predict(lazy).compute() == model.to_local().predict(X)).all()


def test_what_is_sent_to_answer_leaves_the_training_rows_behind(fitted):
    table, _, model = fitted
    sent = pickle.loads(pickle.dumps(to_send(model.to_local())))
    assert not len(sent.forest_state_.votes.total)
    assert not len(sent.threshold_state_.scores)
    np.testing.assert_array_equal(sent.predict_proba(table.X), model.predict_proba(table.X))
    assert model.forest_state_.n_rows > 0


def test_local_twin(fitted):
    table, _, model = fitted
    local = model.to_local()
    assert type(local) is ImbalancedForestClassifier
    assert local.get_params() == table.forest(weighted=True, **FEW).get_params()
    assert_same_forest(local, model)
    assert_same_forest(pickle.loads(pickle.dumps(model)), model)


def test_parameters_are_those_of_the_forest(two_workers):
    model = DaskForestClassifier(two_workers, n_estimators=5, class_weight={"scrap": 2.0})
    own = ImbalancedForestClassifier(5, max_bins=255, class_weight={"scrap": 2.0}).get_params()
    assert model.get_params() == {**own, "client": two_workers, "memory": 2**30}
    twin = clone(model)
    assert twin.client is two_workers
    assert twin.get_params() == model.get_params()
    with pytest.raises(TypeError, match="max_deep"):
        DaskForestClassifier(max_deep=3)


@pytest.mark.parametrize(
    ("parameters", "what"),
    [
        ({"memory": 1000}, "A forest needs all binned rows in each process, .* raise memory"),
        ({"warm_start": True}, "warm_start=True adds trees in memory only"),
        ({"max_bins": None}, "max_bins is needed"),
        ({"rule": "prior", "bootstrap": "all"}, "bootstrap='all' is unknown"),
    ],
)
def test_what_cannot_be_is_one_sentence(parameters, what):
    frame = collection(random_table(seed=0, n_rows=300).parts(3, seed=0))
    with pytest.raises(ValueError, match=what) as caught:
        DaskForestClassifier(**parameters).fit(frame, TARGET)
    assert "\n" not in str(caught.value)
