"""Blocks of rows on Dask: bins stay on the workers, counts or trees come back."""

from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial, reduce
from itertools import compress
from typing import Any, ClassVar, Generic, TypeVar

import dask
import dask.dataframe as dd
from dask.system import CPU_COUNT
from distributed import KilledWorker, get_client, wait
from distributed.comm import CommClosedError

from thresher.matrix import category_mask
from thresher.scale.engine import CodedBlock, by_content, concatenated
from thresher.scale.passes import Roles, TableBlock, TableBlocks

Block = TypeVar("Block")
Item = TypeVar("Item")
Result = TypeVar("Result")

MERGED_AT_ONCE = 4
TASKS_A_THREAD = 2
"""Tasks that the trees of a forest are dealt to: a lost one, or a slow worker, costs less."""


def default_memory() -> int:
    """Return the bytes that counts and fetched rows may take, here and in each worker."""
    return 1 << 30


def open_table(
    table: Any, roles: Roles, _memory: int, _n_threads: int, _stack: ExitStack
) -> TableBlocks:
    """Return a dask DataFrame in blocks."""
    if not isinstance(table, dd.DataFrame):
        raise TypeError(f"Of Dask's collections fit takes a DataFrame, got {type(table).__name__}.")
    features, cluster = roles.features(table.columns), Cluster.current()
    mask = category_mask(table._meta[features], roles.categorical_features)

    def of(columns: list[Any]) -> DaskBlocks[TableBlock]:
        parts = table[[*columns, *roles.others]].to_delayed()
        return DaskBlocks(cluster, parts, partial(read_partition, columns, roles))

    are_names = all(isinstance(name, str) for name in features)
    names = tuple(features) if are_names else None
    narrow = of(list(compress(features, mask)))
    return TableBlocks(narrow, of(features), names, mask, roles.weight is not None)


def read_partition(
    columns: list[Any], roles: Roles, function: Callable[[TableBlock], Result], part: Any
) -> Result:
    """Apply a function to some columns of a partition with its target and weights."""
    weights = None if roles.weight is None else part[roles.weight]
    return function(TableBlock(part[columns] if columns else None, part[roles.target], weights))


@dataclass(frozen=True)
class Cluster:
    """Where tasks run: the cluster of a client, or without one Dask's scheduler in this process."""

    client: Any

    @classmethod
    def current(cls) -> "Cluster":
        """Return the cluster of the current client, or of none."""
        try:
            client = get_client()
        except ValueError:
            return cls(None)
        if client.asynchronous:
            raise ValueError("The client is asynchronous; make one with asynchronous=False.")
        if client.status != "running":
            raise ConnectionError("The client is not connected to a Dask cluster; make a new one.")
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

        def where() -> tuple[dict[str, Any], dict[str, int]]:
            with self.client.as_current():
                wait(self.client.futures_of(kept))
            return self.client.who_has(kept), self.client.nthreads()

        holders, n_threads = self._run(where)
        held: dict[str, list[Any]] = {}
        for value in kept:  # one that was lost just now belongs to nobody
            held.setdefault(next(iter(holders.get(value.key, ())), ""), []).append(value)
        return [group for worker in held for group in dealt(held[worker], n_threads.get(worker, 1))]

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
        if self.client is None:
            return self._run(results[0].compute)
        return self._run(lambda: self.client.compute(results[0]).result())

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


def dealt(values: list[Any], n_groups: int) -> list[list[Any]]:
    """Deal values to groups of about the same size, none of them empty.

    >>> dealt([1, 2, 3, 4, 5], 2)
    [[1, 3, 5], [2, 4]]
    """
    n_groups = min(n_groups, len(values))
    return [values[start::n_groups] for start in range(n_groups)]


@dataclass(frozen=True)
class DaskBlocks(Generic[Block]):
    """Blocks of rows as Dask's delayed values.

    Attributes
    ----------
    cluster : where they are.
    parts : what blocks are made of.
    read : calls a function with the block of a part; None where parts are coded blocks.
    """

    spills: ClassVar[bool] = False

    cluster: Cluster
    parts: Sequence[Any]
    read: Callable[..., Any] | None = None

    def map(self, function: Callable[[Block], CodedBlock]) -> "DaskBlocks[CodedBlock]":
        """Return the coded blocks that a function makes of these, joined to one a thread."""
        groups = self.cluster.groups(self.cluster.keep(self._apply(function)))
        joined = self.cluster.keep([dask.delayed(concatenated)(group) for group in groups])
        return DaskBlocks(self.cluster, joined)

    def fold(
        self, function: Callable[[Block], Result], merge: Callable[[Result, Result], Result]
    ) -> Result:
        """Return the results of a function for all blocks, merged as a tree."""
        merged: Result = self.cluster.merged(self._apply(function), merge)
        return merged

    def joined(self) -> "DaskJoined":
        """Return all rows of blocks that are coded as one, in the order of their content."""
        (whole,) = self.cluster.keep([dask.delayed(by_content)(list(self.parts))])
        return DaskJoined(self.cluster, whole)

    def _apply(self, function: Callable[[Block], Any]) -> list[Any]:
        """Return the delayed results of a function, one for each block."""
        read = function if self.read is None else partial(self.read, function)
        task = dask.delayed(read, traverse=False)
        return [task(part) for part in self.parts]


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
