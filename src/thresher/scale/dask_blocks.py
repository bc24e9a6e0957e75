"""Blocks of rows on the workers of a Dask cluster."""

from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError
from dataclasses import dataclass
from functools import partial, reduce
from typing import Any, ClassVar, Generic, TypeVar

import dask
from dask.system import CPU_COUNT
from distributed import KilledWorker, get_client, wait
from distributed.comm import CommClosedError

from thresher.scale.partitioned import dealt
from thresher.seam.coded import CodedBlock, by_content

Block = TypeVar("Block")
Other = TypeVar("Other")
Item = TypeVar("Item")
Result = TypeVar("Result")

MERGED_AT_ONCE = 4
TASKS_A_THREAD = 2
"""Tasks that the trees of a forest are dealt to: a lost one, or a slow worker, costs less."""


@dataclass(frozen=True)
class Cluster:
    """Where tasks run: the cluster of a client, or without one Dask's scheduler in this process."""

    client: Any

    @classmethod
    def of(cls, client: Any) -> "Cluster":
        """Return the cluster of a client, or of the current one, or of none."""
        if client is None:
            try:
                client = get_client()
            except ValueError:
                return cls(None)
        if client.asynchronous:
            raise ValueError("client is asynchronous; give fit one made with asynchronous=False.")
        if client.status != "running":
            raise ConnectionError("client is not connected to a Dask cluster; make a new one.")
        return cls(client)

    def keep(self, values: list[Any]) -> list[Any]:
        """Compute values and keep them where they are; a lost one is computed again."""
        if self.client is None:
            return list(self._run(lambda: dask.persist(*values)))
        return list(self._run(lambda: self.client.persist(values)))

    def groups(self, kept: list[Any]) -> list[list[Any]]:
        """Deal kept values to the threads of the workers that hold them."""
        if self.client is None:
            return dealt(kept, CPU_COUNT)
        holders, n_threads = self._run(lambda: self._where(kept))
        held: dict[str, list[Any]] = {}
        for value in kept:  # one that was lost just now belongs to nobody
            held.setdefault(next(iter(holders.get(value.key, ())), ""), []).append(value)
        return [group for worker in held for group in dealt(held[worker], n_threads.get(worker, 1))]

    def _where(self, kept: list[Any]) -> tuple[dict[str, Any], dict[str, int]]:
        """Return the workers that hold each value, once all are computed, and their threads."""
        with self.client.as_current():
            wait(self.client.futures_of(kept))
        return self.client.who_has(kept), self.client.nthreads()

    def n_threads(self) -> int:
        """Return how many tasks run at a time."""
        if self.client is None:
            return int(CPU_COUNT)
        threads: dict[str, int] = self._run(self.client.nthreads)
        return max(1, sum(threads.values()))

    def merged(self, results: list[Any], merge: Callable[[Any, Any], Any]) -> Any:
        """Merge delayed values as a tree, and fetch the one that is left."""
        while len(results) > 1:
            starts = range(0, len(results), MERGED_AT_ONCE)
            groups = [results[start : start + MERGED_AT_ONCE] for start in starts]
            results = [dask.delayed(reduce)(merge, group) for group in groups]
        return self.result(results[0])

    def result(self, value: Any) -> Any:
        """Compute a value and fetch it."""
        if self.client is None:
            return self._run(value.compute)
        return self._run(lambda: self.client.compute(value).result())

    @staticmethod
    def _run(action: Callable[[], Any]) -> Any:
        try:
            # A table that is in memory here travels in the graph: no reason for a warning.
            with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1 TB"}):
                return action()
        except KilledWorker as error:
            raise RuntimeError(
                "Dask workers died again and again on the same task, most likely for want of "
                "memory: make partitions smaller, lower `memory`, or give workers more of it."
            ) from error
        except (CancelledError, CommClosedError) as error:
            raise ConnectionError(
                "The Dask cluster was lost during fit; start it again, then fit again."
            ) from error


@dataclass(frozen=True)
class DaskBlocks(Generic[Block]):
    """Blocks of rows as Dask's delayed values.

    Attributes
    ----------
    cluster : where they are.
    parts : arguments from which a function makes a block.
    join : makes one block of several that `map` has made.
    read : calls a function with the block of some arguments; it is the only one by default.
    """

    spills: ClassVar[bool] = False

    cluster: Cluster
    parts: Sequence[tuple[Any, dict[str, Any]]]
    join: Callable[[Sequence[Any]], Any]
    read: Callable[..., Any] | None = None

    def map(self, function: Callable[[Block], Other]) -> "DaskBlocks[Other]":
        """Return the blocks that a function makes of these, joined to one a thread."""
        groups = self.cluster.groups(self.cluster.keep(self._apply(function)))
        joined = self.cluster.keep([dask.delayed(self.join)(group) for group in groups])
        return DaskBlocks(self.cluster, [(block, {}) for block in joined], self.join)

    def fold(
        self, function: Callable[[Block], Result], merge: Callable[[Result, Result], Result]
    ) -> Result:
        """Return the results of a function for all blocks, merged as a tree."""
        merged: Result = self.cluster.merged(self._apply(function), merge)
        return merged

    def joined(self) -> "DaskJoined":
        """Return all rows of blocks that `map` has made as one, in the order of their content."""
        blocks = [block for block, _ in self.parts]
        (whole,) = self.cluster.keep([dask.delayed(by_content)(blocks)])
        return DaskJoined(self.cluster, whole)

    def _apply(self, function: Callable[[Block], Any]) -> list[Any]:
        """Return the delayed results of a function, one for each block."""
        read = function if self.read is None else partial(self.read, function)
        task = dask.delayed(read, traverse=False)
        return [task(first, **others) for first, others in self.parts]


@dataclass(frozen=True)
class DaskJoined:
    """All rows as one delayed block; a worker gets a copy from another when it needs one."""

    cluster: Cluster
    block: Any
    here: None = None

    @property
    def n_tasks(self) -> int:
        """How many tasks the work is best divided into."""
        return TASKS_A_THREAD * self.cluster.n_threads()

    def fold(
        self,
        function: Callable[[CodedBlock, Item], Result],
        items: Sequence[Item],
        merge: Callable[[Result, Result], Result],
    ) -> Result:
        """Return the results of a function of the block and each item, merged as a tree."""
        task = dask.delayed(function, traverse=False)
        results = [task(self.block, dask.delayed(item, traverse=False)) for item in items]
        merged: Result = self.cluster.merged(results, merge)
        return merged
