"""Trees and forests over Dask collections: bins stay on the workers, counts or trees come back."""

from copy import deepcopy
from functools import partial
from itertools import compress
from typing import Any, Self

import numpy as np

from thresher.forest.classifier import ImbalancedForestClassifier
from thresher.scale.fitting import Fit, TableBlocks
from thresher.scale.partition import answer, read_partition, to_send
from thresher.scale.partitioned import PartitionedTable
from thresher.scale.remote import (
    Local,
    RemoteClassifier,
    RemoteForestClassifier,
    RemoteTreeClassifier,
    takes_parameters_of,
)
from thresher.scale.table_passes import TableBlock
from thresher.seam.coded import concatenated
from thresher.tree.classifier import ImbalancedTreeClassifier
from thresher.validation import check_integer

try:
    import dask
    import dask.array as da
    import dask.dataframe as dd

    from thresher.scale.dask_blocks import Cluster, DaskBlocks
except ImportError as error:
    raise ImportError(
        "DaskTreeClassifier and DaskForestClassifier need Dask: pip install 'thresher[dask]'."
    ) from error


def is_collection(values: Any, n_dimensions: int) -> bool:
    """Whether something is a dask DataFrame, Series or array of a number of dimensions."""
    return isinstance(values, da.Array | dd.DataFrame | dd.Series) and values.ndim == n_dimensions


def in_rows(X: Any) -> Any:
    """Return a table whose partitions hold whole rows."""
    return X.rechunk({1: -1}) if isinstance(X, da.Array) else X


class DaskClassifier(RemoteClassifier[Local]):
    """What is Dask's: a client, tables in partitions, lazy answers."""

    client: Any

    def __sklearn_clone__(self) -> Self:
        """Return an unfitted twin with the same client, which cannot be copied."""
        parameters = self.get_params(deep=False)
        client = parameters.pop("client")
        return type(self)(client=client, **deepcopy(parameters))

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "client": None}

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the model to a table on the cluster.

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
                f"{self._local.__name__} takes tables in memory."
            )
        table = PartitionedTable.of(
            in_rows(X), y, sample_weight, partial(is_collection, n_dimensions=1)
        )
        self._fit_blocks(Fit(memory=self.memory), self._blocks(table))
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
        X, model = in_rows(X), to_send(self.to_local())
        if isinstance(X, dd.DataFrame):
            meta = answer(X._meta, model, method)
            shared = dask.delayed(model, traverse=False)
            return X.map_partitions(answer, shared, method, meta=meta)
        meta = answer(np.empty((0, X.shape[1])), model, method)
        form = {"drop_axis": 1} if meta.ndim == 1 else {"chunks": (X.chunks[0], (2,))}
        return X.map_blocks(answer, model=model, method=method, meta=meta, **form)


class DaskTreeClassifier(DaskClassifier[ImbalancedTreeClassifier], RemoteTreeClassifier):  # type: ignore[misc]
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

    @takes_parameters_of(RemoteTreeClassifier, ImbalancedTreeClassifier)
    def __init__(self, client: Any = None, **parameters: Any) -> None:
        super().__init__(**parameters)
        self.client = client


class DaskForestClassifier(DaskClassifier[ImbalancedForestClassifier], RemoteForestClassifier):  # type: ignore[misc]
    """`ImbalancedForestClassifier` for dask DataFrames and dask arrays.

    The forest is the same, byte for byte, as `fit_parquet_forest` finds for the same rows, however
    these are dealt to partitions, and after lost workers. Workers make the bins, grow the trees and
    count their out-of-bag votes; each of them needs room for all bins, a byte a value.

    Parameters
    ----------
    client : distributed.Client, default=None
        The cluster to use; by default that of the current client, without one Dask's scheduler
        in this process.
    memory : int, default=2**30
        Bytes that growth may take in a worker for each of its threads; bins take a quarter of it
        at most.
    max_bins : int, default=255
        Cut at the edges of at most this many bins.
    **parameters
        The others are those of `ImbalancedForestClassifier`; `warm_start` and `derive` are refused.

    Examples
    --------
    >>> import dask.array as da
    >>> from sklearn.datasets import make_classification
    >>> from thresher.scale import DaskForestClassifier
    >>> X, y = make_classification(n_samples=500, weights=[0.95], random_state=0)
    >>> X, y = da.from_array(X, chunks=(100, -1)), da.from_array(y, chunks=100)
    >>> model = DaskForestClassifier(n_estimators=20, random_state=0).fit(X, y)
    >>> model.predict(X)[:3].compute().tolist()
    [0, 0, 0]
    """

    @takes_parameters_of(RemoteForestClassifier, ImbalancedForestClassifier)
    def __init__(self, client: Any = None, **parameters: Any) -> None:
        super().__init__(**parameters)
        self.client = client
