"""Spark that loses an executor, or itself, in the middle of a fit."""

import os
import threading
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial

import pytest

from tests.scale.spark_sessions import expected_warning, local_session, spark_frame
from tests.scale.tables import (
    TARGET,
    WEIGHT,
    assert_same_forest,
    random_table,
    roles,
    same_model,
)
from thresher import ImbalancedForestClassifier, ImbalancedTreeClassifier
from thresher.scale import fit
from thresher.scale.fitting import fit_blocks
from thresher.scale.growing_tree import count_block
from thresher.scale.passes import Roles

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


@pytest.fixture(scope="module")
def executors():
    """A session with two executors, each a Java process of its own."""
    with local_session("local-cluster[2,1,1024]") as session:
        yield session


@contextmanager
def deadly_table(session, table, stage, mark):
    """Yield a table of which one stage kills an executor, whose death is checked."""
    from thresher.scale import spark

    # Six results are merged in three partitions before they come to the driver.
    frame = spark_frame(session, table, 6)
    with ExitStack() as stack:
        role = Roles(TARGET, None, (WEIGHT,), "from_dtype")
        blocks = spark.open_table(frame, role, FEW_BYTES, 1, stack)
        yield replace(blocks, wide=DeadlyBlocks(blocks.wide, stage, str(mark)))
    assert not os.path.exists(f"/proc/{mark.read_text()}")


@pytest.mark.parametrize("stage", ["binning", "histogram", "reduce"])
def test_killed_executor_changes_nothing(executors, tmp_path, stage):
    table, model = random_table(seed=8), ImbalancedTreeClassifier(max_bins=255, max_depth=4)
    with deadly_table(executors, table, stage, tmp_path / "killed") as given:
        fit_blocks(model, given, FEW_BYTES)
    assert same_model(model, table.fitted(max_depth=4))


@pytest.mark.parametrize("stage", ["binning", "grow_batch", "plus", "vote_batch"])
def test_killed_executor_changes_no_forest(executors, tmp_path, stage):
    table = random_table(seed=9, n_rows=1000)
    parameters = {"n_estimators": 12, "random_state": 0, "importance": "permutation"}
    model = ImbalancedForestClassifier(max_bins=255, **parameters)
    with deadly_table(executors, table, stage, tmp_path / "killed") as given:
        fit_blocks(model, given, 2**28)
    assert_same_forest(model, table.forest(**parameters))


def test_stopped_session_is_one_sentence(executors):
    """The last test of this module: it stops the session."""
    executors.stop()
    with local_session() as session:
        frame = spark_frame(session, random_table(seed=1), 1)

        def fit_again_and_again(times):
            for _ in range(times):
                role = roles(weighted=False)
                fit(ImbalancedTreeClassifier(), frame, **role, memory=FEW_BYTES)

        fit_again_and_again(times=1)
        threading.Timer(2.0, session.stop).start()
        with pytest.raises(ConnectionError, match="The Spark session is lost") as caught:
            fit_again_and_again(times=20)
    assert "\n" not in str(caught.value)
