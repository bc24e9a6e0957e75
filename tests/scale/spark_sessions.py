"""Real Spark sessions for tests: in this process, behind a Connect server, with executors."""

import os
import shutil
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import pytest

import thresher
from tests.requirements import require

PACKAGES = str(Path(thresher.__file__).absolute().parents[1])

# Little memory, and little time spent on compiling what runs for seconds.
SMALL = {
    "spark.driver.memory": "1g",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.executor.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.sql.shuffle.partitions": "2",
    "spark.executorEnv.PYTHONPATH": PACKAGES,
}
LOOPBACK = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
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
def local_session(master="local[2]"):
    """Yield a session whose executors are this process, or others on this machine."""
    need_spark()
    from pyspark.sql import SparkSession

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.Builder().master(master).config(map={**LOOPBACK, **SMALL})
    session = builder.getOrCreate()
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
        **LOOPBACK,
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


def spark_frame(session, table, n_partitions, *, by=()):
    """Return a table in partitions, of as many tasks; NULL and NaN stand for missing numbers."""
    from pyspark.sql import functions as sql

    session.conf.set("spark.sql.leafNodeDefaultParallelism", str(n_partitions))
    frame = session.createDataFrame(table.frame)  # all are NULL
    is_nan = sql.col("holed").isNull() & (sql.col("whole") % 2 == 0)
    holed = sql.when(is_nan, float("nan")).otherwise(sql.col("holed"))
    return frame.withColumn("holed", holed).repartition(n_partitions, *by)
