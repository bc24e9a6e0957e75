"""Tables of a cluster as lakes: rows stay there, and come by a partition at a time to be counted.

What their libraries are called is all that is known of them here; `thresher.scale` fits.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from thresher import scale
from thresher.errors import ParameterError, TableError
from thresher.forest.classifier import ImbalancedForestClassifier
from thresher.plant.lake.by_time import later_from, refuse_without_time
from thresher.plant.lake.lake import Cut
from thresher.plant.lake.rows import Reader
from thresher.plant.lake.schema import plain_schema


def library_of(table: Any) -> str | None:
    """Return the library of a cluster's table, "dask" or "pyspark"; None for other tables."""
    root = type(table).__module__.partition(".")[0].removesuffix("_expr")
    return root if root in ("dask", "pyspark") and hasattr(table, "columns") else None


@dataclass(frozen=True)
class FrameLake(ABC):
    """A data frame whose rows are on a cluster.

    Attributes
    ----------
    frame : the data frame.
    time : column with the time of a row, None where partitions come in its order.
    """

    frame: Any
    time: str | None = None

    @property
    @abstractmethod
    def schema(self) -> Any:
        """Names and types of the columns, in terms of Arrow."""

    @property
    @abstractmethod
    def n_rows(self) -> int:
        """All rows."""

    @abstractmethod
    def batches(self, columns: Sequence[str]) -> Iterator[Any]:
        """Yield some columns of all rows, batch by batch."""

    @abstractmethod
    def cut(self, share: float) -> Cut:
        """Return about the last `share` of the rows apart."""

    @abstractmethod
    def fitted(self, estimator: Any, reader: Reader) -> Any:
        """Return an estimator that the cluster has fitted."""

    def _cut_at(self, share: float) -> Cut:
        at, which = later_from(self, str(self.time), share)
        column = self.frame[self.time]
        early, late = (self.frame[rows] for rows in (column < at.as_py(), column >= at.as_py()))
        cut = Cut(replace(self, frame=early), replace(self, frame=late), which)
        refuse_without_time(str(self.time), self.n_rows - cut.early.n_rows - cut.late.n_rows)
        return cut


def class_for(library: str, estimator: Any) -> Any:
    """Return the class of `thresher.scale` that fits an estimator on a cluster."""
    kind = "Forest" if isinstance(estimator, ImbalancedForestClassifier) else "Tree"
    name = f"{library}{kind}Classifier"
    if name not in scale.__all__:
        raise TableError(f"{library} tables have no {kind.lower()}s yet; take model='tree'.")
    return getattr(scale, name)


class DaskLake(FrameLake):
    """A dask DataFrame; its partitions come in the order of time, unless a column tells it."""

    @cached_property
    def schema(self) -> Any:
        """Names and types of the columns, in terms of Arrow, by the first partition with rows."""
        import pyarrow as pa

        place = int(np.argmax(np.array(self._lengths) > 0))
        first = pa.Table.from_pandas(self.frame.partitions[place].compute(), preserve_index=False)
        return plain_schema(first.schema)

    @cached_property
    def _lengths(self) -> list[int]:
        return [int(length) for length in self.frame.map_partitions(len).compute()]

    @property
    def n_rows(self) -> int:
        """All rows."""
        return sum(self._lengths)

    def batches(self, columns: Sequence[str]) -> Iterator[Any]:
        """Yield some columns of all rows, a partition at a time."""
        import pyarrow as pa

        kinds = pa.schema([self.schema.field(name) for name in columns])
        for place, length in enumerate(self._lengths):
            if length:
                part = self.frame.partitions[place][list(columns)].compute()
                table = pa.Table.from_pandas(part, preserve_index=False).cast(kinds)
                yield from table.combine_chunks().to_batches()

    def cut(self, share: float) -> Cut:
        """Return about the last `share` of the rows apart: whole partitions, or by time."""
        if self.time is not None:
            return self._cut_at(share)
        lengths = self._lengths
        if sum(length > 0 for length in lengths) < 2:
            raise TableError(
                "The dask table needs rows in three partitions or more, of which the last judge; "
                "repartition it, or name a column with time=."
            )
        shares = np.cumsum(lengths[:0:-1]) / sum(lengths)
        count = int(np.argmin(np.abs(shares - share).round(9))) + 1
        early, late = (
            replace(self, frame=self.frame.partitions[rows])
            for rows in (slice(0, -count), slice(-count, None))
        )
        which = f"the last {count} of {len(lengths)} partitions"
        return Cut(early, late, which)

    def fitted(self, estimator: Any, reader: Reader) -> Any:
        """Return an estimator that the cluster has fitted."""
        remote = class_for("Dask", estimator)(**estimator.get_params(deep=False))
        columns = [*reader.names, reader.target]
        return remote.fit(self.frame[columns], reader.target).to_local()


class SparkLake(FrameLake):
    """A Spark DataFrame, whose rows are in order by a column of times alone."""

    @cached_property
    def schema(self) -> Any:
        """Names and types of the columns, in terms of Arrow."""
        return plain_schema(self.frame.limit(0).toArrow().schema)

    @cached_property
    def n_rows(self) -> int:
        """All rows."""
        return int(self.frame.count())

    def batches(self, columns: Sequence[str]) -> Iterator[Any]:
        """Yield some columns of all rows, a partition at a time."""
        import pyarrow as pa

        quoted = [f"`{name.replace('`', '``')}`" for name in columns]
        packed = self.frame.select(*quoted).mapInArrow(packed_batches, "data binary")
        # Of one partition a column may be marked as never null.
        kinds = pa.schema([self.schema.field(name) for name in columns])
        for row in packed.toLocalIterator():
            for batch in pa.ipc.open_stream(bytes(row["data"])):
                yield pa.RecordBatch.from_arrays(batch.columns, schema=kinds)

    def cut(self, share: float) -> Cut:
        """Return about the last `share` of the rows apart."""
        if self.time is None:
            raise ParameterError("Rows of Spark have no order: name a column with time=.")
        return self._cut_at(share)

    def fitted(self, estimator: Any, reader: Reader) -> Any:
        """Return an estimator that the cluster has fitted."""
        columns = {"featuresCol": list(reader.names), "labelCol": reader.target}
        remote = class_for("Spark", estimator)(**columns, **estimator.get_params(deep=False))
        return remote.fit(self.frame).to_local()


def packed_batches(batches: Iterator[Any]) -> Iterator[Any]:
    """Yield each batch as one row of bytes, so that Spark hands on few rows."""
    import pyarrow as pa

    for batch in batches:
        if batch.num_rows:
            sink = pa.BufferOutputStream()
            with pa.ipc.new_stream(sink, batch.schema) as writer:
                writer.write_batch(batch)
            yield pa.RecordBatch.from_pydict({"data": [sink.getvalue().to_pybytes()]})


def frame_lake(table: Any, target: str, time: str | None) -> FrameLake:
    """Return a table of a cluster as a lake."""
    names = list(table.columns)
    for name in (target, *([] if time is None else [time])):
        if name not in names:
            raise TableError(f"The table has no column {name!r}.")
    kind = DaskLake if library_of(table) == "dask" else SparkLake
    return kind(table, time)
