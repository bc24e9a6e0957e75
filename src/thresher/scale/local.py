"""One machine, any number of rows: batches of Arrow, read again for each pass, become bins."""

import os
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar, cast

from thresher.forest.classifier import ImbalancedForestClassifier
from thresher.progress import progress_bar
from thresher.scale.arrow_source import Roles, Source, open_source
from thresher.scale.block_cache import BlockCache
from thresher.scale.disk_sort import sorted_on_disk
from thresher.scale.fitting import Fit, TableBlocks
from thresher.scale.table_passes import TableBlock
from thresher.seam.coded import CodedBlock, by_content
from thresher.tree.classifier import ImbalancedTreeClassifier
from thresher.validation import thread_count

CONTAINER_LIMITS = (
    Path("/sys/fs/cgroup/memory.max"),
    Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
)
"""Where Linux tells how much memory a container may take: control groups 2, and 1."""

Block = TypeVar("Block")
Item = TypeVar("Item")
Result = TypeVar("Result")


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
        Bytes for binned rows and counts; half of the machine's memory, or of its container's, by
        default. Where the rows need more, they are kept in a temporary file and counted level by
        level.
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
    """Fit a forest to a table that need not fit into memory.

    Parameters are those of `fit_parquet`, and `forest_parameters` those of
    `ImbalancedForestClassifier`. Bins, a byte a value, that take more than a quarter of `memory`
    stay in a temporary file, on which trees grow one by one. The forest does not depend on the
    order of rows: trees draw from rows that are sorted by a hash of their content. So it has no
    `oob_decision_function_`, and `to_tree` needs rows.

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
        memory = half_of_memory() if self.memory is None else self.memory
        with ExitStack() as stack:
            source = open_source(path, self.folder, stack)
            categories = model.categorical_features
            roles = Roles.of(source, self.target, self.weight, self.ignore, categories)
            n_rows = source.n_rows() if self.verbose else 0
            if self.verbose:
                print(roles.need(n_rows, memory), file=sys.stderr)  # noqa: T201
            monitor = Monitor(n_rows, self.verbose)
            machine = Machine(memory, self.folder, thread_count(model.n_jobs), stack, monitor)
            yield Fit(memory, monitor.say), in_blocks(source, roles, machine)


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

    spills: ClassVar[bool] = True

    def __init__(self, blocks: Callable[[], Iterable[Block]], machine: Machine) -> None:
        self._blocks, self._machine = blocks, machine

    def map(self, function: Callable[[Block], CodedBlock]) -> "LocalBlocks[CodedBlock]":
        """Return the coded blocks, kept on a cache."""
        machine = self._machine
        cache = BlockCache(machine.memory // 4, machine.folder)
        machine.stack.callback(cache.close)
        for block in self._results(function):
            cache.add(block)
        blocks = cache.blocks()
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

    def joined(self) -> "Here":
        """Return all rows of blocks that are coded as one, in the order of their content."""
        machine, limit = self._machine, self._machine.memory // 4
        blocks = cast(list[CodedBlock], list(self._blocks()))
        n_bytes = sum(block.n_bytes for block in blocks)
        if n_bytes <= limit:
            return Here(by_content(blocks))
        return Here(sorted_on_disk(blocks, n_bytes, limit, machine.folder, machine.stack))

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


def in_blocks(source: Source, roles: Roles, machine: Machine) -> TableBlocks:
    """Return a source in blocks."""

    def of(columns: list[str]) -> LocalBlocks[TableBlock]:
        wanted = [*columns, *roles.others]
        return LocalBlocks(
            lambda: (roles.block(batch, columns) for batch in source.batches(wanted)), machine
        )

    narrow, wide = of(roles.categories), of(list(roles.names))
    return TableBlocks(narrow, wide, roles.names, roles.is_category, roles.weight is not None)


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


def half_of_memory() -> int:
    """Return half of the memory that there is in bytes, 4 GB where the machine does not tell."""
    try:
        whole = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return 4 << 30
    return min([whole, *_container_limits()]) // 2


def _container_limits() -> Iterator[int]:
    for file in CONTAINER_LIMITS:
        with suppress(OSError, ValueError):  # no such file, or "max": there is no limit
            yield int(file.read_text(encoding="ascii"))
