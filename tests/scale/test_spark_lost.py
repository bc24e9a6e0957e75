"""Spark that loses an executor, or itself, in the middle of a fit."""

import os
import sys
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial

import pytest

from tests.scale.spark_sessions import (
    SMALL,
    classifier,
    expected_warning,
    need_spark,
)
from tests.scale.tables import assert_same_forest, random_table, same_model
from thresher import ImbalancedForestClassifier, ImbalancedTreeClassifier
from thresher.scale.fitting import Fit
from thresher.seam.coded import count_block

pytestmark = [expected_warning, pytest.mark.slow]

FEW_BYTES = 20_000  # so that the nodes near the root are counted on the executors


def deadly(function, mark):
    """Return the function; the first call on an executor kills the executor's Java instead."""

    def call(*arguments):  # sent to executors by value: it may use nothing of this module
        import os
        import signal
        import time
        from pathlib import Path

        def parent(process):
            status = Path(f"/proc/{process}/status").read_text()
            return int(status.split("PPid:")[1].split()[0])

        process = os.getpid()
        while (
            process > 1 and b"ExecutorBackend" not in Path(f"/proc/{process}/cmdline").read_bytes()
        ):
            process = parent(process)
        if process > 1 and not os.path.exists(mark):
            Path(mark).write_text(str(process))
            os.kill(process, signal.SIGKILL)
            time.sleep(600)
        return function(*arguments)

    return call


class DeadlyBlocks:
    """Blocks of which one stage of a fit kills an executor once."""

    spills = False

    def __init__(self, blocks, stage, mark):
        self.blocks, self.stage, self.mark = blocks, stage, mark

    def map(self, function):
        if self.stage == "binning":
            function = deadly(function, self.mark)
        return DeadlyBlocks(self.blocks.map(function), self.stage, self.mark)

    def fold(self, function, merge):
        is_count = isinstance(function, partial) and function.func is count_block
        has_splits = is_count and len(function.keywords["question"].feature) > 1
        if has_splits and self.stage == "histogram":
            function = deadly(function, self.mark)
        if is_count and self.stage == "reduce":
            merge = deadly(merge, self.mark)
        return self.blocks.fold(function, merge)

    def joined(self):
        return DeadlyJoined(self.blocks.joined(), self.stage, self.mark)


class DeadlyJoined:
    """All rows as one block; one stage of a forest's growth kills an executor once."""

    here, n_tasks = None, 6

    def __init__(self, rows, stage, mark):
        self.rows, self.stage, self.mark = rows, stage, mark

    def fold(self, function, items, merge):
        if isinstance(function, partial) and function.func.__name__ == self.stage:
            function = deadly(function, self.mark)
        if merge.__name__ == self.stage:
            merge = deadly(merge, self.mark)
        return self.rows.fold(function, items, merge)


@contextmanager
def executors():
    """Yield a session with two executors, each a Java process of its own."""
    need_spark()
    from pyspark.sql import SparkSession

    from thresher.scale.spark import LOOPBACK

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.Builder().master("local-cluster[2,1,1024]")
    session = builder.config(map={**LOOPBACK, **SMALL}).getOrCreate()
    try:
        yield session
    finally:
        session.stop()


@pytest.fixture(scope="module")
def session():
    with executors() as session:
        yield session


@contextmanager
def deadly_table(session, table, stage, mark):
    """Yield a table of which one stage kills an executor, whose death is checked."""
    frame = session.createDataFrame(table.frame).repartition(6)
    # Six results are merged in three partitions before they come to the driver.
    spark = classifier(table, partitions=6)
    with ExitStack() as kept:
        blocks = spark.blocks(frame, kept)
        yield replace(blocks, wide=DeadlyBlocks(blocks.wide, stage, str(mark)))
    assert not os.path.exists(f"/proc/{mark.read_text()}")


@pytest.mark.parametrize("stage", ["binning", "histogram", "reduce"])
def test_killed_executor_changes_nothing(session, tmp_path, stage):
    table, model = random_table(seed=8), ImbalancedTreeClassifier(max_bins=255, max_depth=4)
    with deadly_table(session, table, stage, tmp_path / "killed") as given:
        Fit(FEW_BYTES).tree(model, given)
    assert same_model(model, table.fitted(max_depth=4))


@pytest.mark.parametrize("stage", ["binning", "grow_batch", "merge_grown", "vote_batch"])
def test_killed_executor_changes_no_forest(session, tmp_path, stage):
    table = random_table(seed=9, n_rows=1000)
    parameters = {"n_estimators": 12, "random_state": 0, "importance": "permutation"}
    model = ImbalancedForestClassifier(max_bins=255, **parameters)
    with deadly_table(session, table, stage, tmp_path / "killed") as given:
        Fit().forest(model, given)
    assert_same_forest(model, table.forest(**parameters))
