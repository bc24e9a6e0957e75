"""Spark through a Connect server, a process of its own: the same tree as in memory."""

import pytest

from tests.scale.spark_sessions import (
    assert_local_answers,
    assert_same_forest_on_spark,
    assert_same_tree,
    check_arrays,
    classifier,
    connected_session,
    expected_warning,
)
from tests.scale.tables import random_table

pytestmark = [expected_warning, pytest.mark.slow]

FEW_BYTES = 20_000  # so that the nodes near the root are counted on the executors


@pytest.fixture(scope="module")
def connected(tmp_path_factory):
    with connected_session(tmp_path_factory.mktemp("connect") / "server.log") as connected:
        yield connected


@pytest.fixture
def session(connected):
    return connected[0]


@pytest.mark.parametrize(
    ("n_partitions", "by", "parameters"),
    [
        (1, (), {}),
        (3, ("supplier",), {"weighted": True, "class_weight": "balanced"}),
        (16, (), {"weighted": True, "max_leaf_nodes": 9}),
    ],
)
def test_same_tree_through_connect(session, n_partitions, by, parameters):
    from pyspark.sql.connect.session import SparkSession

    assert isinstance(session, SparkSession)
    table = random_table(seed=n_partitions).shuffled(seed=2)
    for memory in (FEW_BYTES, 2**28):
        assert_same_tree(session, table, n_partitions, by=by, memory=memory, **parameters)


@pytest.mark.parametrize(("n_partitions", "weighted"), [(1, False), (3, True), (16, False)])
def test_same_forest_through_connect(session, n_partitions, weighted):
    table = random_table(seed=n_partitions).shuffled(seed=2)
    model, frame = assert_same_forest_on_spark(session, table, n_partitions, weighted=weighted)
    assert_local_answers(model, table, frame)


def test_vectors_through_connect(session):
    check_arrays(session, "vector")


def test_large_results_come_in_pieces(session, monkeypatch):
    import thresher.scale.arrow_blocks as module

    monkeypatch.setattr(module, "PIECE_BYTES", 1000)
    assert_same_tree(session, random_table(seed=4), 3, memory=2**28)


def test_lost_server_is_one_sentence(connected):
    """The last test of this module: it kills the server."""
    from pyspark.sql.connect.client.retries import DefaultPolicy

    session, server = connected
    session.client.set_retry_policies([DefaultPolicy(max_retries=2)])  # else minutes
    table = random_table(seed=1, n_rows=200)
    frame = session.createDataFrame(table.frame)
    server.kill()
    server.wait(timeout=60)
    with pytest.raises(ConnectionError, match="The Spark session is lost") as caught:
        classifier(table).fit(frame)
    assert "\n" not in str(caught.value)
