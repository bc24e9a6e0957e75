"""Tables of Dask and Spark give the model and the figures of Parquet files with the same rows."""

from importlib.util import find_spec

import pytest

from tests.plant.lake.files import line_frame, write_lake
from tests.requirements import require
from tests.scale.spark_sessions import expected_warning, local_session
from thresher.errors import ParameterError, TableError
from thresher.plant import train

SMALL = {"model": "tree", "leaves": 8, "criterion": "entropy"}


def facts(model):
    """Return what is known of a training but for how its rows are called."""
    found = model.facts.as_json()
    del found["held_out"], found["judged"]["how"]
    return found, model.conditions.to_json()


def test_partitions_of_dask_are_files_of_a_lake(tmp_path):
    require(find_spec("dask"), "Dask is not installed (pip install 'thresher[dask]')")
    import dask.dataframe as dd

    frame = line_frame(1200)
    paths = write_lake(tmp_path, frame, 4)
    table = dd.read_parquet(tmp_path)
    found = train(table, "scrap", ignore="made", **SMALL)
    expected = train(paths, "scrap", ignore="made", stream=True, **SMALL)
    assert facts(found) == facts(expected)
    assert found.judgement.how == "the last 1 of 4 partitions held out, which chose nothing"
    assert found.report().summary["verdict"]["level"] == expected.verdict.level
    with pytest.raises(TableError, match="no column 'nothing'"):
        train(table, "nothing")
    with pytest.raises(TableError, match="three partitions or more"):
        train(table.repartition(npartitions=1), "scrap")


@expected_warning
@pytest.mark.slow
def test_rows_of_spark_are_in_the_order_of_their_time(tmp_path):
    frame = line_frame(1200)
    frame["made"] = frame["made"].astype("datetime64[us]")
    paths = write_lake(tmp_path, frame, 3)
    expected = train(paths, "scrap", time="made", stream=True, **SMALL)
    with local_session() as session:
        table = session.read.parquet(*map(str, paths)).repartition(3)
        found = train(table, "scrap", time="made", **SMALL)
        with pytest.raises(ParameterError, match="Rows of Spark have no order"):
            train(table, "scrap")
    assert facts(found) == facts(expected)
