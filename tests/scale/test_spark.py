"""Spark in this process: the same tree as in memory, whatever its partitions."""

import gc
import subprocess
import sys

import pytest

from tests.scale.spark_sessions import (
    assert_local_answers,
    assert_same_forest_on_spark,
    assert_same_tree,
    check_arrays,
    classifier,
    expected_warning,
    local_session,
    need_spark,
    record_rounds,
    spark_frame,
)
from tests.scale.tables import TARGET, random_table, same_model
from thresher import ImbalancedForestClassifier, ImbalancedTreeClassifier
from thresher.column import has_others

pytestmark = expected_warning

FEW_BYTES = 20_000  # so that the nodes near the root are counted on the executors


@pytest.fixture(scope="module")
def session():
    with local_session() as session:
        yield session


def test_one_fit_and_its_predictions(session, monkeypatch):
    table = random_table(seed=1, n_rows=1500)
    parameters = {"class_weight": "balanced", "max_depth": 3}
    local = table.fitted(weighted=True, **parameters)
    rounds = record_rounds(monkeypatch)
    frame = spark_frame(session, table).repartition(3, "supplier")
    spark = classifier(table, weighted=True, memory=FEW_BYTES, partitions=3, **parameters)
    model = spark.fit(frame)
    assert sum("counting" in text for text in rounds) >= 2
    assert same_model(model.to_local(), local)

    rows = assert_local_answers(model, table, frame)
    holes = [row["holed"] for row in rows if row["holed"] is None or row["holed"] != row["holed"]]
    assert None in holes
    assert any(hole is not None for hole in holes)
    assert list(rows[0].asDict()) == [*table.frame.columns, "probability", "prediction"]


def test_more_levels_than_codes(session):
    table = random_table(seed=2, n_rows=1500, many_levels=True)
    local = table.fitted(max_depth=4)
    assert has_others(local.columns_.levels[2])
    frame = spark_frame(session, table).repartition(3)
    model = classifier(table, memory=FEW_BYTES, max_depth=4).fit(frame)
    assert same_model(model.to_local(), local)
    assert_local_answers(model, table, frame)


def test_a_forest_and_its_predictions(session):
    table = random_table(seed=3, n_rows=1500).shuffled(seed=1)
    model, frame = assert_same_forest_on_spark(session, table, 3, by=("supplier",), weighted=True)
    assert_local_answers(model, table, frame)


def test_columns_are_checked_before_any_row_is_read(session):
    from thresher.scale import SparkTreeClassifier

    table = random_table(seed=1, n_rows=50)
    frame = session.createDataFrame(table.frame).withColumnRenamed("state", "a`b.c")
    for features, label, what in [
        (["tied", "size"], "a`b.c", "no column 'size'"),
        (["tied"], "state", "no column 'state'; it has"),
        ("tied", "a`b.c", "featuresCol 'tied' is of type double; name a column of vectors"),
    ]:
        with pytest.raises((TypeError, ValueError), match=what):
            SparkTreeClassifier(featuresCol=features, labelCol=label).fit(frame)
    with pytest.raises(TypeError, match="fit takes a DataFrame of Spark, got DataFrame"):
        classifier(table).fit(table.frame)


@pytest.mark.parametrize(
    ("kind", "local"), [("Tree", ImbalancedTreeClassifier), ("Forest", ImbalancedForestClassifier)]
)
def test_parameters_are_those_of_pyspark_and_of_the_local_estimator(kind, local):
    need_spark()
    spark = classifier(random_table(seed=1, n_rows=50), kind=kind, max_depth=4)
    assert {param.name for param in spark.params} > {"labelCol", *local().get_params()}
    deeper = spark.copy({spark.max_depth: 7})
    assert (spark.getOrDefault("max_depth"), deeper.getOrDefault("max_depth")) == (4, 7)
    with pytest.raises(TypeError, match="max_deep"):
        classifier(random_table(seed=1, n_rows=50), kind=kind, max_deep=4)


def test_missing_pyspark_is_one_sentence():
    code = "import sys; sys.modules['pyspark'] = None; import thresher.scale.spark"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    last = run.stderr.strip().splitlines()[-1]
    assert last == (
        "ImportError: SparkTreeClassifier and SparkForestClassifier need PySpark: "
        "pip install 'thresher[spark]'."
    )


def test_missing_java_is_one_sentence():
    need_spark()
    code = "from thresher.scale.spark import local_session; local_session()"
    environ = {"JAVA_HOME": "/nowhere", "PATH": "/usr/bin:/bin"}
    run = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        env={**environ, "PYTHONPATH": ":".join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )
    last = run.stderr.strip().splitlines()[-1]
    assert last.startswith("RuntimeError: Spark cannot start Java; install Java 17 or later")


# ------------------------------------------------------------------------------------------- slow


CASES = [
    (1, (), {}),
    (3, (), {"weighted": True}),
    (3, (), {"class_weight": {"good": 1.0, "scrap": 7.0}, "criterion": "gini"}),
    (5, ("supplier",), {"max_leaf_nodes": 9, "criterion": "hellinger"}),
    (16, (), {"weighted": True, "class_weight": "balanced"}),
    (16, ("supplier",), {"max_features": 2, "random_state": 3}),
]


@pytest.mark.slow
@pytest.mark.parametrize(("n_partitions", "by", "parameters"), CASES)
def test_same_tree_for_any_partitions(session, n_partitions, by, parameters):
    table = random_table(seed=n_partitions).shuffled(seed=2)
    for memory in (FEW_BYTES, 2**28):
        assert_same_tree(session, table, n_partitions, by=by, memory=memory, **parameters)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n_partitions", "by", "parameters"),
    [
        (1, (), {"weighted": False, "bootstrap": False, "rule": None}),
        (3, ("supplier",), {"weighted": False, "importance": "permutation"}),
        (16, (), {"weighted": True, "class_weight": "balanced", "min_samples_leaf": "auto"}),
    ],
)
def test_same_forest_for_any_partitions(session, n_partitions, by, parameters):
    table = random_table(seed=n_partitions, many_levels=True).shuffled(seed=2)
    assert_same_forest_on_spark(session, table, n_partitions, by=by, **parameters)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["vector", "double", "float"])
def test_vectors_and_arrays(session, kind):
    check_arrays(session, kind)


@pytest.mark.slow
def test_bad_rows_are_one_sentence(session):
    from pyspark.sql import functions as sql

    table = random_table(seed=1, n_rows=50)
    frame = session.createDataFrame(table.frame)
    for bad, what in [
        (frame.withColumn("tied", sql.lit(float("inf"))), "infinity: column 'tied'"),
        (frame.withColumn(TARGET, sql.lit("good")), "one class only"),
        (frame.withColumn(TARGET, sql.lit(None).cast("string")), "missing label"),
        (frame.limit(0), "The table is empty"),
    ]:
        with pytest.raises(ValueError, match=what) as caught:
            classifier(table).fit(bad)
        assert "\n" not in str(caught.value)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:unclosed running multiprocessing pool:ResourceWarning")
def test_pipeline_and_search(session):
    from pyspark.ml import Pipeline
    from pyspark.ml.evaluation import BinaryClassificationEvaluator
    from pyspark.ml.feature import VectorAssembler
    from pyspark.ml.tuning import CrossValidator, ParamGridBuilder
    from pyspark.sql import functions as sql

    from thresher.scale import SparkTreeClassifier

    table = random_table(seed=6)
    frame = session.createDataFrame(table.frame).withColumn(
        "label", (sql.col(TARGET) == "scrap").cast("double")
    )
    assembler = VectorAssembler(inputCols=["tied", "single", "whole"], outputCol="features")
    tree = SparkTreeClassifier(partitions=2)
    search = CrossValidator(
        estimator=Pipeline(stages=[assembler, tree]),
        estimatorParamMaps=ParamGridBuilder().addGrid(tree.max_depth, [1, 4]).build(),
        evaluator=BinaryClassificationEvaluator(rawPredictionCol="probability"),
        numFolds=2,
        seed=0,
    )
    found = search.fit(frame)
    gc.collect()  # CrossValidator leaves a pool of threads unclosed
    X, y = table.frame[["tied", "single", "whole"]].to_numpy(), table.frame[TARGET] == "scrap"
    best = found.bestModel.stages[-1].to_local()
    local = ImbalancedTreeClassifier(max_bins=255, max_depth=best.max_depth)
    assert best.tree_.digest() == local.fit(X, y.astype(float)).tree_.digest()
    assert best.max_depth == 4
    assert max(found.avgMetrics) > 0.6
