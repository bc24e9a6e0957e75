"""Blocks in the partitions of a data frame whose engine runs functions on their Arrow batches.

A value, such as a block of bins or a count, is a row of pickled bytes.
"""

import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import reduce
from itertools import chain
from math import isqrt
from typing import Any, ClassVar, Generic, TypeVar

import pyarrow as pa

from thresher.seam.coded import CodedBlock, by_content

Block = TypeVar("Block")
Other = TypeVar("Other")
Item = TypeVar("Item")
Result = TypeVar("Result")
Batches = Iterator[pa.RecordBatch]

MERGED_AT_ONCE = 4
PIECE_BYTES = 1 << 24  # Spark Connect refuses a row above 128 MB
ROW = "data binary, is_last boolean"


@dataclass(frozen=True)
class ArrowBlocks(Generic[Block]):
    """Blocks in the partitions of a data frame.

    Attributes
    ----------
    frame : has `mapInArrow`, `repartition`, `persist`, `toArrow`, `crossJoin` and `hint`.
    read : makes blocks of the Arrow batches of a partition.
    n_partitions : most partitions that the frame has.
    kept : releases what is kept.
    """

    spills: ClassVar[bool] = False

    frame: Any
    read: Callable[[Batches], Iterator[Block]]
    n_partitions: int
    kept: ExitStack

    def map(self, function: Callable[[Block], Other]) -> "ArrowBlocks[Other]":
        """Return the blocks that a function makes of these; the engine makes lost ones again."""
        read = self.read

        def make(batches: Batches) -> Batches:
            return (row for block in read(batches) for row in written(function(block)))

        made = self.frame.mapInArrow(make, ROW).persist()
        self.kept.callback(made.unpersist)
        return ArrowBlocks(made, values, self.n_partitions, self.kept)

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
        places = frame.sparkSession.range(0, len(items), 1, len(items))
        beside = places.crossJoin(frame.hint("broadcast"))

        def read(batches: Batches) -> Iterator[tuple[CodedBlock, Item]]:
            """Yield the item of a partition with all rows beside it."""
            first = next(batches)
            item = items[first["id"][0].as_py()]
            yield by_content(list(values(chain([first], batches)))), item

        def call(rows_and_item: tuple[CodedBlock, Item]) -> Result:
            return function(*rows_and_item)

        return ArrowBlocks(beside, read, len(items), self.blocks.kept).fold(call, merge)


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
