"""Trees over Dask collections: blocks of bins stay on the workers, counts come back."""

from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError
from copy import deepcopy
from dataclasses import dataclass
from functools import partial, reduce
from itertools import compress
from typing import Any, Generic, Self, TypeVar

import numpy as np

from thresher.scale.fitting import Fit, TableBlocks
from thresher.scale.partition import answer, read_partition
from thresher.scale.partitioned import PartitionedTable, dealt
from thresher.scale.remote import RemoteTreeClassifier, takes_parameters_of
from thresher.scale.table_passes import TableBlock
from thresher.seam.coded import concatenated
from thresher.validation import check_integer

try:
    import dask
    import dask.array as da
    import dask.dataframe as dd
    from dask.system import CPU_COUNT
    from distributed import KilledWorker, get_client, wait
    from distributed.comm import CommClosedError
except ImportError as error:
    raise ImportError("DaskTreeClassifier needs Dask: pip install 'thresher[dask]'.") from error

Block = TypeVar("Block")
Other = TypeVar("Other")
Result = TypeVar("Result")

MERGED_AT_ONCE = 4


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
        results = self._apply(function)
        while len(results) > 1:
            starts = range(0, len(results), MERGED_AT_ONCE)
            groups = [results[start : start + MERGED_AT_ONCE] for start in starts]
            results = [dask.delayed(reduce)(merge, group) for group in groups]
        merged: Result = self.cluster.result(results[0])
        return merged

    def _apply(self, function: Callable[[Block], Any]) -> list[Any]:
        """Return the delayed results of a function, one for each block."""
        read = function if self.read is None else partial(self.read, function)
        task = dask.delayed(read, traverse=False)
        return [task(first, **others) for first, others in self.parts]


def is_collection(values: Any, n_dimensions: int) -> bool:
    """Whether something is a dask DataFrame, Series or array of a number of dimensions."""
    return isinstance(values, da.Array | dd.DataFrame | dd.Series) and values.ndim == n_dimensions


def in_rows(X: Any) -> Any:
    """Return a table whose partitions hold whole rows."""
    return X.rechunk({1: -1}) if isinstance(X, da.Array) else X


class DaskTreeClassifier(RemoteTreeClassifier):
    """`ImbalancedTreeClassifier` for dask DataFrames and dask arrays.

    The tree is the same, byte for byte, as `ImbalancedTreeClassifier` with the same `max_bins`
    finds with all rows in memory, however rows are dealt to partitions, and after lost workers.

    Parameters
    ----------
    client : distributed.Client, default=None
        The cluster to use; by default that of the current client, without one Dask's scheduler
        in this process.
    memory : int, default=2**30
        Bytes that counts and fetched rows may take in this process, and in a worker, at a time.
    max_bins : int, default=255
        Cut at the edges of at most this many bins.
    **parameters
        The others are those of `ImbalancedTreeClassifier`; `pruning_fraction` is refused, since
        it needs all rows in memory.

    Examples
    --------
    >>> import dask.array as da
    >>> from sklearn.datasets import make_classification
    >>> from thresher.scale import DaskTreeClassifier
    >>> X, y = make_classification(n_samples=500, weights=[0.95], random_state=0)
    >>> X, y = da.from_array(X, chunks=(100, -1)), da.from_array(y, chunks=100)
    >>> model = DaskTreeClassifier(max_depth=3).fit(X, y)
    >>> model.predict(X)[:3].compute().tolist()
    [0, 0, 0]
    """

    @takes_parameters_of(RemoteTreeClassifier)
    def __init__(self, client: Any = None, **parameters: Any) -> None:
        super().__init__(**parameters)
        self.client = client

    def __sklearn_clone__(self) -> Self:
        """Return an unfitted twin with the same client, which cannot be copied."""
        parameters = self.get_params(deep=False)
        client = parameters.pop("client")
        return type(self)(client, **deepcopy(parameters))

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "client": None}

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:  # type: ignore[override]
        """Grow the tree and prune it.

        Parameters
        ----------
        X : dask DataFrame or dask array of shape (n_samples, n_features)
        y : dask Series, dask array, or the name of a column of X
            Two classes. A collection of its own must have the partitions of X.
        sample_weight : like y, default=None
            Weight 2 counts as the row twice, weight 0 as the row absent.

        Returns
        -------
        self
        """
        check_integer("memory", self.memory, low=1)
        if not is_collection(X, 2):
            raise TypeError(
                f"X must be a dask DataFrame or a dask array of two dimensions, got {type(X)}; "
                "ImbalancedTreeClassifier takes tables in memory."
            )
        table = PartitionedTable.of(
            in_rows(X), y, sample_weight, partial(is_collection, n_dimensions=1)
        )
        Fit(memory=self.memory).tree(self, self._blocks(table))
        return self

    def _blocks(self, table: PartitionedTable) -> TableBlocks:
        cluster, mask = Cluster.of(self.client), table.category_mask(self.categorical_features)

        def blocks(columns: list[Any]) -> DaskBlocks[TableBlock]:
            read = partial(read_partition, columns, table.named)
            return DaskBlocks(cluster, table.parts(columns), concatenated, read)

        narrow = blocks(list(compress(table.columns, mask)))
        return TableBlocks(narrow, blocks(table.columns), table.names, mask, table.weighted)

    def predict(self, X: Any) -> Any:
        """Return the class of each row, lazily: a dask Series, or a dask array for an array."""
        if not is_collection(X, 2):
            return super().predict(X)
        return self._lazily(self._known(X), "predict")

    def predict_proba(self, X: Any) -> Any:
        """Return the probability of each class, lazily: a dask DataFrame or dask array."""
        if not is_collection(X, 2):
            return super().predict_proba(X)
        return self._lazily(self._known(X), "predict_proba")

    def _lazily(self, X: Any, method: str) -> Any:
        X, model = in_rows(X), self.to_local()
        if isinstance(X, dd.DataFrame):
            meta = answer(X._meta, model, method)
            shared = dask.delayed(model, traverse=False)
            return X.map_partitions(answer, shared, method, meta=meta)
        meta = answer(np.empty((0, X.shape[1])), model, method)
        form = {"drop_axis": 1} if meta.ndim == 1 else {"chunks": (X.chunks[0], (2,))}
        return X.map_blocks(answer, model=model, method=method, meta=meta, **form)
