"""Spark through a Connect server, a process of its own."""

import pytest

from tests.scale.spark_sessions import connected_session, expected_warning, spark_frame
from tests.scale.tables import TARGET, check_forest, check_tree, random_table
from tests.scale.test_spark import FEW_BYTES, check_arrays
from thresher import ImbalancedTreeClassifier
from thresher.scale import fit

pytestmark = [expected_warning, pytest.mark.slow]


@pytest.fixture(scope="module")
def connected(tmp_path_factory):
    with connected_session(tmp_path_factory.mktemp("connect") / "server.log") as connected:
        yield connected


@pytest.mark.parametrize(
    ("n_partitions", "by", "parameters"),
    [
        (1, (), {"weighted": False}),
        (3, ("supplier",), {"weighted": True, "class_weight": "balanced"}),
        (16, (), {"weighted": True, "max_leaf_nodes": 9}),
    ],
)
def test_connect(connected, monkeypatch, n_partitions, by, parameters):
    from pyspark.sql.connect.session import SparkSession

    import thresher.scale.spark as module

    session, _ = connected
    assert isinstance(session, SparkSession)
    table = random_table(seed=n_partitions)
    rows = spark_frame(session, table.shuffled(2), n_partitions, by=by)
    check_tree(table, rows, memory=FEW_BYTES, **parameters)
    monkeypatch.setattr(module, "PIECE_BYTES", 1000)  # large results come in pieces
    check_tree(table, rows, **parameters)
    check_forest(table, rows, **parameters)


def test_vectors_through_connect(connected):
    check_arrays(connected[0], "vector")


def test_lost_server_is_one_sentence(connected):
    """The last test of this module: it kills the server."""
    from pyspark.sql.connect.client.retries import DefaultPolicy

    session, server = connected
    session.client.set_retry_policies([DefaultPolicy(max_retries=2)])  # else minutes
    frame = session.createDataFrame(random_table(seed=1, n_rows=200).frame)
    server.kill()
    server.wait(timeout=60)
    with pytest.raises(ConnectionError, match="The Spark session is lost") as caught:
        fit(ImbalancedTreeClassifier(), frame, TARGET)
    assert "\n" not in str(caught.value)
