"""Real Spark sessions for tests: in this process, behind a Connect server, with executors."""

import os
import shutil
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

import thresher
from tests.requirements import require
from tests.scale.tables import TARGET, WEIGHT, assert_same_forest, random_table, same_model
from thresher import ImbalancedTreeClassifier

PACKAGES = str(Path(thresher.__file__).absolute().parents[1])

# Little memory, and little time spent on compiling what runs for seconds.
SMALL = {
    "spark.driver.memory": "1g",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.executor.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.sql.shuffle.partitions": "2",
    "spark.executorEnv.PYTHONPATH": PACKAGES,
}
REMOTE = ("SPARK_CONNECT_MODE_ENABLED", "SPARK_REMOTE")

expected_warning = pytest.mark.filterwarnings(
    "ignore:PySpark does not yet fully support pandas:FutureWarning"
)


def need_spark():
    """Skip the test where Spark cannot run."""
    require(find_spec("pyspark"), "PySpark is not installed (pip install 'pyspark[connect]')")
    home = os.environ.get("JAVA_HOME")
    java = Path(home, "bin", "java").exists() if home else shutil.which("java")
    require(java, "Java is not installed (Debian: apt-get install default-jre-headless)")
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")  # executors too listen on loopback alone


@contextmanager
def local_session(options=None):
    """Yield a session whose executor is this process and two threads of Java."""
    need_spark()
    from thresher.scale.spark import local_session as start

    session = start(2, {**SMALL, **(options or {})})
    try:
        yield session
    finally:
        session.stop()


@contextmanager
def connected_session(log):
    """Yield a session behind a Connect server, a process of its own, on loopback."""
    need_spark()
    import pyspark
    from pyspark.sql import SparkSession

    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    options = {
        **SMALL,
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.connect.grpc.binding.address": "127.0.0.1",
        "spark.connect.grpc.binding.port": str(port),
    }
    home = Path(pyspark.__file__).parent
    command = [str(home / "bin" / "spark-submit"), "--master", "local[2]"]
    for name, value in options.items():
        command += ["--conf", f"{name}={value}"]
    command += ["--class", "org.apache.spark.sql.connect.service.SparkConnectServer", "--name", "t"]
    own = {"SPARK_HOME": str(home), "PYSPARK_PYTHON": sys.executable, "PYTHONPATH": PACKAGES}
    with log.open("w") as output:
        # In a folder of its own: the server makes one for artifacts where it starts.
        server = subprocess.Popen(
            command,
            cwd=log.parent,
            env={**os.environ, **own},
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    session = None
    try:
        await_port(port, server, log)
        session = SparkSession.Builder().remote(f"sc://127.0.0.1:{port}").getOrCreate()
        yield session, server
    finally:
        if session is not None and server.poll() is None:
            session.stop()
        for name in REMOTE:  # else every later session of this process would be a remote one
            os.environ.pop(name, None)
        server.terminate()
        server.wait(timeout=60)


def await_port(port, server, log, seconds=120):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline and server.poll() is None:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.2)
    pytest.fail(f"The Connect server did not start:\n{log.read_text()[-2000:]}")


def classifier(table, *, kind="Tree", weighted=False, **parameters):
    from thresher.scale import spark

    weight = WEIGHT if weighted else None
    return getattr(spark, f"Spark{kind}Classifier")(
        featuresCol=table.features, labelCol=TARGET, weightCol=weight, **parameters
    )


def spark_frame(session, table):
    """Return a table whose missing numbers are NULL in some rows and NaN in others."""
    from pyspark.sql import functions as sql

    frame = session.createDataFrame(table.frame)  # all are NULL
    is_nan = sql.col("holed").isNull() & (sql.col("whole") % 2 == 0)
    return frame.withColumn("holed", sql.when(is_nan, float("nan")).otherwise(sql.col("holed")))


def assert_same_tree(session, table, n_partitions, *, by=(), weighted=False, memory, **parameters):
    """Check that Spark grows the tree that is grown in memory."""
    dealt = spark_frame(session, table).repartition(n_partitions, *by)
    spark = classifier(
        table, weighted=weighted, memory=memory, partitions=n_partitions, **parameters
    )
    assert same_model(spark.fit(dealt).to_local(), table.fitted(weighted=weighted, **parameters))


def assert_same_forest_on_spark(session, table, n_partitions, *, by=(), weighted, **parameters):
    """Check that Spark grows the forest of one machine; return it with the DataFrame."""
    parameters = {"n_estimators": 7, "random_state": 0, "n_bootstrap": 5, **parameters}
    dealt = spark_frame(session, table).repartition(n_partitions, *by)
    spark = classifier(
        table, kind="Forest", weighted=weighted, partitions=n_partitions, **parameters
    )
    model = spark.fit(dealt)
    assert_same_forest(model.to_local(), table.forest(weighted=weighted, **parameters))
    return model, dealt


def assert_local_answers(model, table, frame):
    """Check that a model says of a DataFrame what it says of the same rows here."""
    rows, local = model.transform(frame).collect(), model.to_local()
    given = type(table.frame)([[row[name] for name in table.features] for row in rows])
    given.columns = table.features
    probability = [row["probability"].toArray().tolist() for row in rows]
    assert probability == local.predict_proba(given).tolist()
    assert [row["prediction"] for row in rows] == local.predict(given).tolist()
    return rows


def record_rounds(monkeypatch):
    """Return a list that gets the text of every pass over the blocks."""
    import thresher.scale.spark as module
    from thresher.scale.fitting import Fit

    rounds = []
    monkeypatch.setattr(module, "Fit", partial(Fit, watch=rounds.append))
    return rounds


def check_arrays(session, kind):
    """Check fit and transform of a column of vectors, or of arrays of doubles or floats."""
    from pyspark.ml.functions import array_to_vector
    from pyspark.sql import functions as sql

    from thresher.scale import SparkTreeClassifier

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
    spark = SparkTreeClassifier(memory=20_000, categorical_features=[0])
    model = spark.fit(frame.repartition(3))
    assert same_model(model.to_local(), local)
    rows = model.transform(frame).collect()
    assert [row["prediction"] for row in rows] == local.predict(X).tolist()
    assert [row["probability"][1] for row in rows] == local.predict_proba(X)[:, 1].tolist()
    with pytest.raises(ValueError, match="Every row must have 4 features"):
        spark.fit(frame.union(given.select(shorter.alias("features"), label)))
