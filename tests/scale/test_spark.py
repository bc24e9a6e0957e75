"""Spark in this process: columns, vectors and arrays."""

import numpy as np
import pytest

from tests.scale.spark_sessions import expected_warning, spark_frame
from tests.scale.tables import TARGET, check_forest, check_tree, random_table, same_model
from thresher import ImbalancedTreeClassifier
from thresher.column import has_others
from thresher.scale import fit

pytestmark = expected_warning

FEW_BYTES = 20_000  # so that the nodes near the root are counted on the executors


def test_a_tree_and_a_forest(session):
    table = random_table(seed=2, n_rows=1500, many_levels=True)
    rows = spark_frame(session, table, 3, by=("supplier",))
    how = {"class_weight": "balanced", "max_depth": 3}
    tree = check_tree(table, rows, weighted=True, memory=FEW_BYTES, **how)
    assert has_others(tree.columns_.levels[2])
    check_forest(table, rows, weighted=True)


def test_what_is_no_table_of_numbers_and_texts(session):
    from pyspark.sql import functions as sql

    table = random_table(seed=1, n_rows=50)
    frame = session.createDataFrame(table.frame)
    for rows, words in [
        (frame.withColumn("tied", sql.array("tied")), "'tied' is of type array<double>; make it"),
        (frame.withColumn("tied", sql.current_date()), "Column 'tied' is of type date; make it"),
        (session, "Of Spark fit takes a DataFrame, got SparkSession"),
    ]:
        with pytest.raises(TypeError, match=words) as caught:
            fit(ImbalancedTreeClassifier(), rows, TARGET)
        assert "\n" not in str(caught.value)
    odd = frame.withColumnRenamed(TARGET, "a`b.c")
    with pytest.raises(ValueError, match="has no column 'state'; its columns are"):
        fit(ImbalancedTreeClassifier(), odd, TARGET)
    tree = fit(ImbalancedTreeClassifier(max_depth=2), odd, "a`b.c", ignore=["count"])
    assert same_model(tree, table.fitted(max_depth=2))


def check_arrays(session, kind):
    """Check a column of vectors, or of arrays of doubles or floats."""
    from pyspark.ml.functions import array_to_vector
    from pyspark.sql import functions as sql

    table, names = random_table(seed=5), ["tied", "holed", "single", "whole"]
    element = "float" if kind == "float" else "double"
    numbers = [sql.col(name).cast(element) for name in names]
    if kind == "vector":  # which has no NULL
        numbers = [sql.coalesce(number, sql.lit(float("nan"))) for number in numbers]
    arrays, shorter = sql.array(*numbers), sql.array(*numbers[:2])
    if kind == "vector":
        arrays, shorter = array_to_vector(arrays), array_to_vector(shorter)
    label = (sql.col(TARGET) == "scrap").cast("int").alias("label")
    given = session.createDataFrame(table.frame)
    frame = given.select(arrays.alias("features"), label)

    X = table.frame[names].to_numpy(np.float32 if kind == "float" else np.float64)
    y = (table.frame[TARGET] == "scrap").astype(int).to_numpy()
    local = ImbalancedTreeClassifier(max_bins=255, categorical_features=[0]).fit(X, y)
    tree = ImbalancedTreeClassifier(categorical_features=[0])
    assert same_model(fit(tree, frame.repartition(3), "label", memory=FEW_BYTES), local)
    with pytest.raises(ValueError, match="Every row must have 4 features"):
        fit(tree, frame.union(given.select(shorter.alias("features"), label)), "label")


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["vector", "double", "float"])
def test_vectors_and_arrays(session, kind):
    check_arrays(session, kind)
