"""Blocks of rows on Spark: bins stay on the executors, counts or trees come back.

Nothing but the DataFrame API is used, so that all of it works through Spark Connect. A value, such
as a block of bins or a count, is a row of pickled bytes.
"""

import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import reduce
from itertools import chain, compress
from math import isqrt
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark.ml.functions import vector_to_array
from pyspark.sql import Column, DataFrame, SparkSession, types
from pyspark.sql import functions as sql

from thresher.matrix import category_mask
from thresher.scale.engine import CodedBlock, by_content
from thresher.scale.passes import Roles, TableBlock, TableBlocks

Block = TypeVar("Block")
Item = TypeVar("Item")
Result = TypeVar("Result")
Batches = Iterator[pa.RecordBatch]

MERGED_AT_ONCE = 4
PIECE_BYTES = 1 << 24  # Spark Connect refuses a row above 128 MB
RUN_BYTES = 1 << 27
"""Size of the rows that are read at once, as Arrow keeps them."""
ROW = "data binary, is_last boolean"


def default_memory() -> int:
    """Return the bytes that the driver may take; four results of this size may come to it."""
    return 1 << 28  # a quarter of spark.driver.maxResultSize


def open_table(
    frame: Any, roles: Roles, _memory: int, _n_threads: int, stack: ExitStack
) -> TableBlocks:
    """Return a DataFrame as blocks in few partitions; `stack` releases what executors keep."""
    if not isinstance(frame, DataFrame):
        raise TypeError(f"Of Spark fit takes a DataFrame, got {type(frame).__name__}.")
    stack.enter_context(clear_errors(frame.sparkSession))
    features = roles.features(frame.columns)
    others = [_quoted(roles.target)]
    if roles.weight is not None:
        others.append(_quoted(roles.weight).cast("double"))
    # As SQL: by the method the setting spark.sql.leafNodeDefaultParallelism would not count.
    tasks = frame.sparkSession.sql("SELECT spark_partition_id() FROM range(65536)")
    n_tasks = tasks.distinct().count()

    def blocks(columns: list[Column], read: "TableReader") -> ArrowBlocks[TableBlock]:
        named = [column.alias(str(index)) for index, column in enumerate(others + columns)]
        return ArrowBlocks(frame.coalesce(n_tasks).select(*named), read, n_tasks, stack)

    weighted, arrays = roles.weight is not None, _arrays(frame, features)
    if arrays is not None:
        first = frame.where(arrays.isNotNull()).select(sql.size(arrays)).first()
        width = first[0] if first else 0
        mask = category_mask(np.empty((0, width)), roles.categorical_features)
        places = tuple(compress(range(width), mask))
        narrow = blocks([arrays] * any(mask), TableReader(weighted, None, width, places))
        wide = blocks([arrays], TableReader(weighted, None, width, tuple(range(width))))
        return TableBlocks(narrow, wide, None, mask, weighted)
    columns = [_number_or_text(frame, name) for name in features]
    kinds = [
        pa.string() if isinstance(frame.schema[name].dataType, types.StringType) else pa.float64()
        for name in features
    ]
    empty = pa.schema(list(zip(features, kinds, strict=True))).empty_table()
    mask = category_mask(empty, roles.categorical_features)
    categories = tuple(compress(features, mask))
    narrow = blocks(list(compress(columns, mask)), TableReader(weighted, categories))
    wide = blocks(columns, TableReader(weighted, tuple(features)))
    return TableBlocks(narrow, wide, tuple(features), mask, weighted)


# --------------------------------------------------------------------------------------- columns


def _quoted(name: str) -> Column:
    """Return a column by its name, whatever characters it has."""
    quoted = name.replace("`", "``")
    return sql.col(f"`{quoted}`")


def _number_or_text(frame: DataFrame, name: str) -> Column:
    column, kind = _quoted(name), frame.schema[name].dataType
    if isinstance(kind, types.StringType | types.FloatType):
        return column
    if isinstance(kind, types.NumericType | types.BooleanType):
        return column.cast("double")
    raise TypeError(
        f"Column {name!r} is of type {kind.simpleString()}; make it a number or text. A column of "
        "vectors must be the only one to learn from."
    )


def _arrays(frame: DataFrame, features: list[str]) -> Column | None:
    """Return the only column as arrays of numbers, None where it holds none."""
    column, kind = _quoted(features[0]), frame.schema[features[0]].dataType
    if len(features) > 1:
        return None
    if kind.typeName() == "vectorudt":
        return vector_to_array(column)
    if isinstance(kind, types.ArrayType) and isinstance(kind.elementType, types.NumericType):
        is_float = isinstance(kind.elementType, types.FloatType)
        return column if is_float else column.cast("array<double>")
    return None


@dataclass(frozen=True)
class TableReader:
    """Makes blocks of batches, whose columns are the label, the weight and the features.

    Attributes
    ----------
    weighted : whether there is a weight.
    names : of the features; None where a single column holds arrays of them.
    width : length of these arrays.
    places : of the features that are wanted in them.
    """

    weighted: bool
    names: tuple[str, ...] | None
    width: int = 0
    places: tuple[int, ...] = ()

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[TableBlock]:
        """Yield the rows of some batches at a time as a block."""
        run: list[pa.RecordBatch] = []
        for batch in batches:
            run.append(batch)
            if sum(part.nbytes for part in run) >= RUN_BYTES:
                yield self._block(run)
                run = []
        if any(part.num_rows for part in run):
            yield self._block(run)

    def _block(self, batches: list[pa.RecordBatch]) -> TableBlock:
        y, *columns = pa.Table.from_batches(batches).columns
        weights = columns.pop(0) if self.weighted else None
        X: Any = None
        if columns and self.names is not None:
            X = pa.table(columns, names=list(self.names))
        elif columns:
            X = as_matrix(columns[0].combine_chunks(), self.width)[:, list(self.places)]
        return TableBlock(X, y, weights)


def as_matrix(arrays: pa.Array, width: int) -> NDArray[Any]:
    """Return arrays of features, one a row, as a matrix.

    >>> as_matrix(pa.array([[1.0, 2.0], [3.0, None]]), width=2)
    array([[ 1.,  2.], [ 3., nan]])
    """
    if any(length != width for length in arrays.value_lengths().to_pylist()):
        raise ValueError(f"Every row must have {width} features, as the first one; some have not.")
    numbers: NDArray[Any] = arrays.flatten().to_numpy(zero_copy_only=False)
    return numbers.reshape(-1, width)


# ----------------------------------------------------------------------------------------- blocks


@dataclass(frozen=True)
class ArrowBlocks(Generic[Block]):
    """Blocks in the partitions of a DataFrame.

    Attributes
    ----------
    frame : the DataFrame.
    read : makes blocks of the Arrow batches of a partition.
    n_partitions : most partitions that the frame has.
    stack : releases what is kept.
    """

    spills: ClassVar[bool] = False

    frame: Any
    read: Callable[[Batches], Iterator[Block]]
    n_partitions: int
    stack: ExitStack

    def map(self, function: Callable[[Block], CodedBlock]) -> "ArrowBlocks[CodedBlock]":
        """Return the blocks that a function makes of these; Spark makes lost ones again."""
        read = self.read

        def make(batches: Batches) -> Batches:
            return (row for block in read(batches) for row in written(function(block)))

        made = self.frame.mapInArrow(make, ROW).persist()
        self.stack.callback(made.unpersist)
        return ArrowBlocks(made, values, self.n_partitions, self.stack)

    def fold(
        self, function: Callable[[Block], Result], merge: Callable[[Result, Result], Result]
    ) -> Result:
        """Return the results of all blocks, merged in each partition, then in ever fewer."""
        left, frame, read, make = self.n_partitions, self.frame, self.read, function
        while left > MERGED_AT_ONCE:
            left = isqrt(left - 1) + 1
            frame = _folded(frame, read, make, merge).repartition(left)
            read, make = values, _same
        results = _folded(frame, read, make, merge, PIECE_BYTES).toArrow()
        merged: Any = next(reduced(merge, values(iter(results.to_batches()))), None)
        if isinstance(merged, Exception):
            raise merged
        return merged  # type: ignore[no-any-return]

    def joined(self) -> "ArrowJoined":
        """Return all rows of blocks that `map` has made as one, in the order of their content."""
        self.frame.count()  # now: a broadcast must not wait for bins (spark.sql.broadcastTimeout)
        return ArrowJoined(self)


@dataclass(frozen=True)
class ArrowJoined:
    """All rows as one block, which every task makes of all blocks: they are broadcast to it."""

    blocks: ArrowBlocks[Any]
    here: None = None

    @property
    def n_tasks(self) -> int:
        """How many tasks the work is best divided into."""
        return self.blocks.n_partitions

    def fold(
        self,
        function: Callable[[CodedBlock, Item], Result],
        items: Sequence[Item],
        merge: Callable[[Result, Result], Result],
    ) -> Result:
        """Return the results of a function of the block and each item, merged as a tree."""
        frame = self.blocks.frame
        indices = frame.sparkSession.range(0, len(items), 1, len(items))
        beside = indices.crossJoin(frame.hint("broadcast"))

        def read(batches: Batches) -> Iterator[tuple[CodedBlock, Item]]:
            """Yield the item of a partition with all rows beside it."""
            first = next(batches)
            item = items[first["id"][0].as_py()]
            yield by_content(list(values(chain([first], batches)))), item

        def call(rows_and_item: tuple[CodedBlock, Item]) -> Result:
            return function(*rows_and_item)

        return ArrowBlocks(beside, read, len(items), self.blocks.stack).fold(call, merge)


def _folded(frame: Any, read: Any, function: Any, merge: Any, piece: int | None = None) -> Any:
    """Return the merged results of each partition."""

    def make(batches: Batches) -> Batches:
        try:
            for merged in reduced(merge, (function(block) for block in read(batches))):
                yield from written(merged, piece)
        except (TypeError, ValueError) as refusal:  # of rows, which would only be tried again
            yield from written(refusal)

    return frame.mapInArrow(make, ROW)


def _same(value: Any) -> Any:
    return value


def reduced(merge: Callable[[Any, Any], Any], results: Iterator[Any]) -> Iterator[Any]:
    """Yield all results as one, or an error among them; nothing where there are none.

    >>> list(reduced(max, iter([3, 5, 4]))), list(reduced(max, iter([])))
    ([5], [])
    """

    def merged(one: Any, other: Any) -> Any:
        errors = [result for result in (one, other) if isinstance(result, Exception)]
        return errors[0] if errors else merge(one, other)

    for first in results:
        yield reduce(merged, results, first)


def written(value: Any, piece: int | None = None) -> Batches:
    """Yield a value as one row, or as rows of at most so many bytes.

    >>> len(list(written("few", piece=8))) > 1, list(values(written("few", piece=8)))
    (True, ['few'])
    """
    data = pickle.dumps(value, protocol=5)
    starts = range(0, len(data), piece or len(data))
    for start in starts:
        row = {"data": [data[start : start + starts.step]], "is_last": [start == starts[-1]]}
        yield pa.RecordBatch.from_pydict(row)


def values(batches: Iterable[pa.RecordBatch]) -> Iterator[Any]:
    """Yield the values that were written."""
    parts: list[pa.Buffer] = []
    for batch in batches:
        for part, is_last in zip(batch["data"], batch["is_last"].to_pylist(), strict=True):
            parts.append(part.as_buffer())
            if is_last:
                yield pickle.loads(parts[0] if len(parts) == 1 else b"".join(parts))
                parts = []


# ---------------------------------------------------------------------------------------- errors


@contextmanager
def clear_errors(session: SparkSession) -> Iterator[None]:
    """Say in one sentence that a session is lost, or what its executors lack."""
    try:
        yield
    except (TypeError, ValueError):
        raise
    except Exception as error:
        if "No module named 'thresher'" in str(error):
            raise RuntimeError(
                "Spark's executors cannot import thresher; install it there too."
            ) from error
        # Spark Connect has tried again for minutes before it says so.
        if "UNAVAILABLE" in str(error) or not _answers(session):
            raise ConnectionError(
                "The Spark session is lost: it does not answer; start another and fit again."
            ) from error
        raise


def _answers(session: SparkSession) -> bool:
    try:
        return session.range(1).count() == 1
    except Exception:
        return False
