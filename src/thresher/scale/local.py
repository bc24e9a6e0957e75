"""One machine, any number of rows: batches of Arrow, read again for each pass, become bins."""

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from functools import reduce
from glob import glob, has_magic
from itertools import compress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, ClassVar, Generic, TypeVar, cast

import numpy as np
import pyarrow as pa
from pyarrow import dataset, parquet

from thresher.matrix import category_mask
from thresher.scale.disk import kept_blocks, sorted_blocks
from thresher.scale.engine import CodedBlock
from thresher.scale.passes import Roles, TableBlock, TableBlocks

CONTAINER_LIMITS = (
    Path("/sys/fs/cgroup/memory.max"),
    Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
)
"""Where Linux tells how much memory a container may take: control groups 2, and 1."""
BATCH_ROWS = 1 << 17

Block = TypeVar("Block")
Item = TypeVar("Item")
Result = TypeVar("Result")


def default_memory() -> int:
    """Return half of the memory that there is in bytes, 4 GB where the machine does not tell."""
    try:
        whole = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return 4 << 30
    for file in CONTAINER_LIMITS:
        with suppress(OSError, ValueError):  # no such file, or "max": there is no limit
            whole = min(whole, int(file.read_text(encoding="ascii")))
    return whole // 2


def open_table(
    table: Any, roles: Roles, memory: int, n_threads: int, stack: ExitStack
) -> TableBlocks:
    """Return a table in blocks; `stack` removes temporary files."""
    if isinstance(table, pa.RecordBatchReader):
        # What can be read once is copied to a file that can be read again.
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="thresher-")))
        with parquet.ParquetWriter(folder / "rows.parquet", table.schema) as writer:
            for batch in table:
                writer.write_batch(batch)
        table = folder
    if hasattr(table, "__arrow_c_stream__"):
        schema = pa.RecordBatchReader.from_stream(table).schema
    else:
        table = table if isinstance(table, dataset.Dataset) else _dataset_of(table)
        schema = table.schema
    features = roles.features(schema.names)
    empty = schema.empty_table().select(features)
    mask = category_mask(empty, roles.categorical_features)

    def of(columns: list[str]) -> LocalBlocks[TableBlock]:
        def blocks() -> Iterator[TableBlock]:
            for batch in _batches(table, [*columns, *roles.others]):
                X = pa.Table.from_batches([batch.select(columns)]) if columns else None
                weights = None if roles.weight is None else _numbers(batch, roles.weight)
                yield TableBlock(X, _labels(batch.column(roles.target), roles.target), weights)

        return LocalBlocks(blocks, memory, n_threads, stack)

    narrow = of(list(compress(features, mask)))
    return TableBlocks(narrow, of(features), tuple(features), mask, roles.weight is not None)


def _dataset_of(paths: Any) -> Any:
    """Return the Parquet files at a path, a pattern, a folder, or several of them."""
    given = [paths] if isinstance(paths, str | os.PathLike) else paths
    files: list[str] = []
    for path in map(str, given):
        # A pattern that finds nothing is missing, and so is a path.
        is_pattern = has_magic(path) and not Path(path).exists()
        files += (sorted(glob(path)) if is_pattern else []) or [path]
    missing = [file for file in files if not Path(file).exists()]
    if missing or not files:
        raise FileNotFoundError(f"There is no file {(missing or [paths])[0]!r} to read.")
    try:
        return dataset.dataset(files if len(files) > 1 else files[0], format="parquet")
    except pa.ArrowInvalid as error:
        reason = str(error).partition("\n")[0].rstrip(".")
        raise ValueError(f"{files[0]!r} cannot be read as Parquet: {reason}.") from None


def _batches(table: Any, columns: list[str]) -> Iterator[Any]:
    """Yield some columns of all rows, batch by batch."""
    if hasattr(table, "__arrow_c_stream__"):
        for batch in pa.RecordBatchReader.from_stream(table):
            for begin in range(0, batch.num_rows, BATCH_ROWS):
                yield batch.slice(begin, BATCH_ROWS).select(columns)
        return
    # Few batches ahead: pyarrow's defaults keep gigabytes in flight.
    yield from table.to_batches(
        columns=columns, batch_size=BATCH_ROWS, batch_readahead=4, fragment_readahead=2
    )
    pa.default_memory_pool().release_unused()  # what was read ahead, before trees grow


def _labels(values: Any, name: str) -> Any:
    """Return a target as NumPy's; texts through their dictionary, which is quick."""
    if values.null_count:
        raise ValueError(f"The target {name!r} has missing values; leave these rows out.")
    if pa.types.is_dictionary(values.type):
        return np.asarray(values.dictionary.to_pylist())[values.indices.to_numpy()]
    if pa.types.is_string(values.type) or pa.types.is_large_string(values.type):
        return _labels(values.dictionary_encode(), name) if len(values) else np.empty(0, "U1")
    return values.to_numpy(zero_copy_only=False)


def _numbers(batch: Any, name: str) -> Any:
    values = batch.column(name)
    if values.null_count:
        raise ValueError(f"The weights {name!r} have missing values; fill them or leave them out.")
    return values.to_numpy(zero_copy_only=False).astype(np.float64)


@dataclass(frozen=True)
class LocalBlocks(Generic[Block]):
    """Blocks that an iteration gives, as often as it is asked for.

    Attributes
    ----------
    blocks : begins the iteration.
    memory : bytes, of which bins may take a quarter before they go to a file.
    n_threads : blocks that are worked on at a time.
    stack : removes files.
    """

    spills: ClassVar[bool] = True

    blocks: Callable[[], Iterable[Block]]
    memory: int
    n_threads: int
    stack: ExitStack

    def map(self, function: Callable[[Block], CodedBlock]) -> "LocalBlocks[CodedBlock]":
        """Return the coded blocks, in memory or in a file."""
        blocks = kept_blocks(self._results(function), self.memory // 4, self.stack)
        return replace(cast(LocalBlocks[CodedBlock], self), blocks=lambda: blocks)

    def fold(
        self, function: Callable[[Block], Result], merge: Callable[[Result, Result], Result]
    ) -> Result:
        """Return the merged results."""
        results = self._results(function)
        return reduce(merge, results, next(results, cast(Result, None)))

    def joined(self) -> "Here":
        """Return all rows of blocks that are coded as one, in the order of their content."""
        blocks = cast(Iterable[CodedBlock], self.blocks())
        return Here(sorted_blocks(blocks, self.memory // 4, self.stack))

    def _results(self, function: Callable[[Block], Result]) -> Iterator[Result]:
        """Yield the results in order; a few blocks are worked on at a time."""
        with ThreadPoolExecutor(self.n_threads) as pool:
            waiting: deque[Future[Result]] = deque()
            for block in self.blocks():
                waiting.append(pool.submit(function, block))
                if len(waiting) > self.n_threads:
                    yield waiting.popleft().result()
            for future in waiting:
                yield future.result()


@dataclass(frozen=True)
class Here:
    """All rows in this process."""

    here: CodedBlock
    n_tasks: int = 1

    def fold(
        self,
        function: Callable[[CodedBlock, Item], Result],
        items: Sequence[Item],
        merge: Callable[[Result, Result], Result],
    ) -> Result:
        """Return the merged results."""
        return reduce(merge, (function(self.here, item) for item in items))
