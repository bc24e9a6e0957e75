"""One machine, any number of rows: batches of Arrow, read again for each pass, become bins."""

import os
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from glob import glob
from pathlib import Path
from typing import Any, Generic, TypeVar, cast

import numpy as np

from thresher.forest.classifier import ImbalancedForestClassifier
from thresher.frames import category_mask
from thresher.progress import progress_bar
from thresher.scale.coded import CodedBlock
from thresher.scale.engine import row_bytes
from thresher.scale.fitting import Fit, TableBlocks
from thresher.scale.reading import TableBlock
from thresher.scale.shelf import Shelf
from thresher.tree.classifier import ImbalancedTreeClassifier
from thresher.validation import thread_count

Block = TypeVar("Block")
Result = TypeVar("Result")

BATCH_ROWS = 1 << 17
ROWS_IN_FLIGHT = 1 << 23
"""Rows that pyarrow was seen to hold while it reads ahead."""
FIRST_BYTES = 400_000_000
"""Memory of the interpreter, pyarrow and the sketches."""

NEEDED = "Reading Parquet needs pyarrow: pip install 'thresher[parquet]'."


def fit_parquet(
    path: Any,
    target: str,
    *,
    max_bins: int = 255,
    sample_weight: str | None = None,
    ignore: Iterable[str] = (),
    memory: int | None = None,
    folder: str | Path | None = None,
    verbose: bool = False,
    **tree_parameters: Any,
) -> ImbalancedTreeClassifier:
    """Fit a tree to a table that need not fit into memory.

    The tree is the one that `ImbalancedTreeClassifier(max_bins=...)` grows with all rows in memory,
    byte for byte.

    Parameters
    ----------
    path : path, pattern, list of paths, pyarrow dataset, or object with `__arrow_c_stream__`
        Parquet files, a folder of them, or any table of Arrow batches. Each is read three times,
        the first time its target and category columns only; a stream that can be read once is
        copied to a temporary file.
    target : str
        Column with the two classes.
    max_bins : int, default=255
        Most bins of a column.
    sample_weight : str, default=None
        Column with the weights of the rows.
    ignore : names
        Columns to leave out.
    memory : int, default=None
        Bytes for binned rows and counts; half of the machine's memory by default. Where the rows
        need more, they are kept in a temporary file and counted level by level.
    folder : path, default=None
        Where temporary files go; the system's own folder by default.
    verbose : bool, default=False
        Say beforehand how much memory is needed, and show progress on a terminal.
    **tree_parameters
        Those of `ImbalancedTreeClassifier`, but `pruning_fraction`.

    Returns
    -------
    model : ImbalancedTreeClassifier

    Examples
    --------
    >>> import pyarrow as pa
    >>> table = pa.table({"speed": [1.0, 2.0, 3.0, 4.0] * 3, "scrap": [0, 0, 0, 1] * 3})
    >>> fit_parquet(table, target="scrap").predict(table.select(["speed"])[:4]).tolist()
    [0, 0, 0, 1]
    """
    model = ImbalancedTreeClassifier(max_bins=max_bins, **tree_parameters)
    setting = Setting(target, sample_weight, tuple(ignore), memory, folder, verbose)
    with setting.opened(path, model) as (fit, table):
        fit.tree(model, table)
    return model


def fit_parquet_forest(
    path: Any,
    target: str,
    *,
    max_bins: int = 255,
    sample_weight: str | None = None,
    ignore: Iterable[str] = (),
    memory: int | None = None,
    folder: str | Path | None = None,
    verbose: bool = False,
    **forest_parameters: Any,
) -> ImbalancedForestClassifier:
    """Fit a forest to a table whose values need not fit into memory; its bins, a byte each, must.

    Parameters are those of `fit_parquet`, and `forest_parameters` those of
    `ImbalancedForestClassifier`. The forest does not depend on the order of rows: trees draw from
    rows that are sorted by a hash of their content.

    Examples
    --------
    >>> import pyarrow as pa
    >>> table = pa.table({"speed": [1.0, 2.0, 3.0, 4.0] * 9, "scrap": [0, 0, 0, 1] * 9})
    >>> forest = fit_parquet_forest(table, "scrap", n_estimators=20, random_state=0)
    >>> forest.predict(table.select(["speed"])[:4]).tolist()
    [0, 0, 0, 1]
    """
    model = ImbalancedForestClassifier(max_bins=max_bins, **forest_parameters)
    setting = Setting(target, sample_weight, tuple(ignore), memory, folder, verbose)
    with setting.opened(path, model) as (fit, table):
        fit.forest(model, table)
    return model


@dataclass(frozen=True)
class Setting:
    """What does not depend on the model."""

    target: str
    weight: str | None
    ignore: tuple[str, ...]
    memory: int | None
    folder: str | Path | None
    verbose: bool

    @contextmanager
    def opened(self, path: Any, model: Any) -> Iterator[tuple[Fit, TableBlocks]]:
        """Open a source; temporary files go away at the end, whatever happens."""
        memory = _half_of_memory() if self.memory is None else self.memory
        with ExitStack() as stack:
            source = open_source(path, self.folder, stack)
            categories = model.categorical_features
            roles = Roles.of(source, self.target, self.weight, self.ignore, categories)
            n_rows = source.n_rows()
            if self.verbose:
                print(roles.need(n_rows, memory), file=sys.stderr)  # noqa: T201
            monitor = Monitor(n_rows, self.verbose)
            machine = Machine(memory, self.folder, thread_count(model.n_jobs), stack, monitor)
            yield Fit(memory, monitor.say), roles.blocks(source, machine)


# --------------------------------------------------------------------------------------- the engine


@dataclass(frozen=True)
class Machine:
    """Memory and threads of one machine, and what must be closed at the end."""

    memory: int
    folder: str | Path | None
    n_threads: int
    stack: ExitStack
    monitor: "Monitor"


class LocalBlocks(Generic[Block]):
    """Blocks that an iteration gives, as often as it is asked for."""

    def __init__(self, blocks: Callable[[], Iterable[Block]], machine: Machine) -> None:
        self._blocks, self._machine = blocks, machine

    def map(self, function: Callable[[Block], CodedBlock]) -> "LocalBlocks[CodedBlock]":
        """Return the coded blocks, kept on a shelf."""
        machine = self._machine
        shelf = Shelf(machine.memory // 4, machine.folder)
        machine.stack.callback(shelf.close)
        for block in self._results(function):
            shelf.add(block)
        blocks = shelf.blocks()
        return LocalBlocks(lambda: blocks, machine)

    def fold(
        self, function: Callable[[Block], Result], merge: Callable[[Result, Result], Result]
    ) -> Result:
        """Return the merged results."""
        results = self._results(function)
        merged: Any = next(results, None)
        for result in results:
            merged = merge(merged, result)
        return cast(Result, merged)

    def _results(self, function: Callable[[Block], Result]) -> Iterator[Result]:
        """Yield the results in order; a few blocks are worked on at a time."""
        with ThreadPoolExecutor(self._machine.n_threads) as pool:
            waiting: deque[Future[Result]] = deque()
            with self._machine.monitor.passing() as passed:
                for block in self._blocks():
                    waiting.append(pool.submit(function, block))
                    passed(len(block[1]))  # type: ignore[index]
                    if len(waiting) > self._machine.n_threads:
                        yield waiting.popleft().result()
            for future in waiting:
                yield future.result()


class Monitor:
    """Tells how far a pass over the rows has got."""

    def __init__(self, n_rows: int, verbose: bool) -> None:
        self._n_rows, self._verbose, self._text = n_rows, verbose, ""

    def say(self, text: str) -> None:
        """Name what comes next."""
        self._text = text

    @contextmanager
    def passing(self) -> Iterator[Callable[[int], None]]:
        """Give a function that takes the number of rows of each block that goes by."""
        seen = 0
        with progress_bar(self._text, self._n_rows, shown=self._verbose) as done:

            def passed(rows: int) -> None:
                nonlocal seen
                seen += rows
                done(seen)

            yield passed


# --------------------------------------------------------------------------------------- the source


class Source:
    """A table as batches of Arrow.

    Parameters
    ----------
    table : a dataset of pyarrow, or an object with `__arrow_c_stream__` that can be read again.
    """

    def __init__(self, table: Any) -> None:
        import pyarrow as pa

        self._table = table
        self._is_dataset = not hasattr(table, "__arrow_c_stream__")
        self.schema = (
            table.schema if self._is_dataset else pa.RecordBatchReader.from_stream(table).schema
        )

    def n_rows(self) -> int:
        """Return the number of rows."""
        if self._is_dataset:
            return int(self._table.count_rows())
        return sum(batch.num_rows for batch in self.batches([]))

    def batches(self, columns: list[str]) -> Iterator[Any]:
        """Yield some columns of all rows, batch by batch."""
        import pyarrow as pa

        if self._is_dataset:
            # Few batches ahead: pyarrow's defaults keep gigabytes in flight.
            yield from self._table.to_batches(
                columns=columns, batch_size=BATCH_ROWS, batch_readahead=4, fragment_readahead=2
            )
            return
        for batch in pa.RecordBatchReader.from_stream(self._table):
            for begin in range(0, batch.num_rows, BATCH_ROWS):
                yield batch.slice(begin, BATCH_ROWS).select(columns)


def open_source(path: Any, folder: str | Path | None, stack: ExitStack) -> Source:
    """Return the source behind what a user gave."""
    try:
        import pyarrow as pa
        from pyarrow import dataset
    except ImportError:
        raise ImportError(NEEDED) from None
    if isinstance(path, pa.RecordBatchReader):
        path = _spooled(path, folder, stack)
    if hasattr(path, "__arrow_c_stream__") or isinstance(path, dataset.Dataset):
        return Source(path)
    files = [str(path)] if isinstance(path, str | os.PathLike) else [str(file) for file in path]
    found = [name for file in files for name in (sorted(glob(file)) if "*" in file else [file])]
    missing = [file for file in found if not Path(file).exists()]
    if missing or not found:
        raise FileNotFoundError(f"There is no file {(missing or files)[0]!r} to read.")
    try:
        whole = dataset.dataset(found if len(found) > 1 else found[0], format="parquet")
    except pa.ArrowInvalid as error:
        reason = str(error).partition("\n")[0].rstrip(".")
        raise ValueError(f"{found[0]!r} cannot be read as Parquet: {reason}.") from None
    return Source(whole)


def _spooled(reader: Any, folder: str | Path | None, stack: ExitStack) -> Any:
    """Copy a stream that can be read once to a file that can be read again."""
    from tempfile import TemporaryDirectory

    from pyarrow import dataset, parquet

    place = Path(stack.enter_context(TemporaryDirectory(prefix="thresher-", dir=folder)))
    with parquet.ParquetWriter(place / "rows.parquet", reader.schema) as writer:
        for batch in reader:
            writer.write_batch(batch)
    return dataset.dataset(place, format="parquet")


@dataclass(frozen=True)
class Roles:
    """What the columns of a source are for."""

    names: tuple[str, ...]
    is_category: tuple[bool, ...]
    target: str
    weight: str | None

    @classmethod
    def of(
        cls,
        source: Source,
        target: str,
        weight: str | None,
        ignore: tuple[str, ...],
        categorical_features: Any,
    ) -> "Roles":
        """Deal the columns; one clear sentence for a name that is not there."""
        known = source.schema.names
        for name in (target, *([weight] if weight else []), *ignore):
            if name not in known:
                raise ValueError(f"The table has no column {name!r}; its columns are {known}.")
        names = [name for name in known if name not in {target, weight, *ignore}]
        if not names:
            raise ValueError("The table has no column to learn from.")
        empty = source.schema.empty_table().select(names)
        return cls(tuple(names), category_mask(empty, categorical_features), target, weight)

    @property
    def others(self) -> list[str]:
        """Target and weights."""
        return [self.target, *([self.weight] if self.weight else [])]

    @property
    def categories(self) -> list[str]:
        """Names of the category columns."""
        pairs = zip(self.names, self.is_category, strict=True)
        return [name for name, is_category in pairs if is_category]

    def blocks(self, source: Source, machine: Machine) -> TableBlocks:
        """Return the table in blocks."""

        def of(columns: list[str]) -> LocalBlocks[TableBlock]:
            wanted = [*columns, *self.others]
            return LocalBlocks(
                lambda: (self._block(batch, columns) for batch in source.batches(wanted)), machine
            )

        return TableBlocks(
            of(self.categories),
            of(list(self.names)),
            self.names,
            self.is_category,
            self.weight is not None,
        )

    def _block(self, batch: Any, columns: list[str]) -> TableBlock:
        import pyarrow as pa

        X = pa.Table.from_batches([batch.select(columns)]) if columns else None
        weights = None if self.weight is None else _numbers(batch.column(self.weight), self.weight)
        return TableBlock(X, _labels(batch.column(self.target), self.target), weights)

    def need(self, n_rows: int, memory: int) -> str:
        """Return a sentence on the memory that is needed."""
        width = len(self.names)
        coded = n_rows * row_bytes(width, weighted=self.weight is not None)
        reading = FIRST_BYTES + min(n_rows, ROWS_IN_FLIGHT) * width * 8
        size = f"{n_rows:,} rows x {width} columns are {coded / 1e9:.2f} GB of bins"
        if 4 * coded <= memory:
            growing = coded + n_rows * (width + 20)
            return f"{size}: about {(reading + growing) / 1e9:.1f} GB of memory at most"
        return f"{size}, in a temporary file: about {(reading + memory) / 1e9:.1f} GB of memory"


def _labels(values: Any, name: str) -> Any:
    """Return a target as NumPy's; texts through their dictionary, which is quick."""
    import pyarrow as pa

    if values.null_count:
        raise ValueError(f"The target {name!r} has missing values; leave these rows out.")
    if pa.types.is_dictionary(values.type):
        return np.asarray(values.dictionary.to_pylist())[values.indices.to_numpy()]
    if pa.types.is_string(values.type) or pa.types.is_large_string(values.type):
        return _labels(values.dictionary_encode(), name) if len(values) else np.empty(0, "U1")
    return values.to_numpy(zero_copy_only=False)


def _numbers(values: Any, name: str) -> Any:
    if values.null_count:
        raise ValueError(f"The weights {name!r} have missing values; fill them or leave them out.")
    return values.to_numpy(zero_copy_only=False).astype(np.float64)


def _half_of_memory() -> int:
    """Return half of this machine's memory in bytes, 4 GB where it does not tell."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
    except (AttributeError, ValueError, OSError):
        return 4 << 30
