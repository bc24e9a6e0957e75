"""Coded rows of one machine that memory does not hold: temporary files, and trees grown on them."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from thresher import _core
from thresher.forest.out_of_bag import OutOfBag
from thresher.forest.recipe import Recipe
from thresher.forest.structure import Forest, pack
from thresher.forest.training_rows import BinnedRows, Progress
from thresher.scale.engine import CodedBlock, by_content, concatenated
from thresher.scale.growing_tree import Driver

Result = TypeVar("Result")

ROWS_AT_ONCE = 1 << 18
"""Rows of a block that is read from a file."""
MOST_BUCKETS = 64
"""Each has up to three files open."""


class Spill(ExitStack):
    """Blocks in a temporary folder that goes away with `close`."""

    def __init__(self) -> None:
        super().__init__()
        self._folder = Path(
            # Windows keeps files that are still mapped; they go with the system's own cleaning.
            self.enter_context(TemporaryDirectory(prefix="thresher-", ignore_cleanup_errors=True))
        )
        self._files: dict[str, IO[bytes]] = {}
        self.n_rows = self._n_features = 0

    def add(self, block: CodedBlock) -> None:
        """Write a block."""
        self.n_rows += len(block.codes)
        self._n_features = block.codes.shape[1]
        for name, part in block._asdict().items():
            if part is not None:
                if name not in self._files:
                    self._files[name] = self.enter_context((self._folder / name).open("wb"))
                np.ascontiguousarray(part).tofile(self._files[name])

    def whole(self) -> CodedBlock:
        """Return the rows as views of the files."""
        for file in self._files.values():
            file.flush()

        def mapped(name: str, dtype: Any) -> NDArray[Any]:
            return np.memmap(self._folder / name, dtype=dtype, mode="r").view(np.ndarray)

        codes = mapped("codes", np.uint8).reshape(-1, self._n_features)
        weights = mapped("weights", np.int64) if "weights" in self._files else None
        return CodedBlock(codes, mapped("labels", np.uint8), weights)


def kept_blocks(blocks: Iterable[CodedBlock], limit: int, stack: ExitStack) -> list[CodedBlock]:
    """Return all rows as one block or, where they exceed a limit of bytes, in blocks of a file.

    `stack` removes the file.
    """
    kept: list[CodedBlock] = []
    spill, n_bytes = None, 0
    for block in blocks:
        if not len(block.codes):
            continue
        n_bytes += block.n_bytes
        kept.append(block)
        if n_bytes > limit:
            spill = spill or stack.enter_context(Spill())
            for each in kept:
                spill.add(each)
            kept = []
    if spill is None:
        return [concatenated(kept)]
    whole, starts = spill.whole(), range(0, spill.n_rows, ROWS_AT_ONCE)
    return [whole.where(slice(start, start + ROWS_AT_ONCE)) for start in starts]


def sorted_blocks(blocks: Iterable[CodedBlock], limit: int, stack: ExitStack) -> CodedBlock:
    """Return all rows in the order of a hash of their content.

    Where they exceed a limit of bytes they are a view of a file that `stack` removes: rows go to
    files by the upper digits of their hash; each, of about so many bytes, is sorted by itself.
    """
    blocks = list(blocks)
    n_bytes = sum(block.n_bytes for block in blocks)
    if n_bytes <= limit:
        return by_content(blocks)
    n_buckets = min(MOST_BUCKETS, n_bytes // max(1, limit) + 1)
    result = stack.enter_context(Spill())
    with ExitStack() as temporary:
        buckets = [temporary.enter_context(Spill()) for _ in range(n_buckets)]
        for block in blocks:
            targets = buckets_of(_core.hash_rows(*block), n_buckets)
            for target in np.unique(targets).tolist():
                buckets[target].add(block.where(targets == target))
        for bucket in buckets:
            if bucket.n_rows:
                result.add(by_content([bucket.whole()]))
            bucket.close()
    return result.whole()


def buckets_of(hashes: NDArray[np.uint64], n_buckets: int) -> NDArray[np.uint64]:
    """Return the bucket of each hash; a larger one has no lower bucket.

    >>> buckets_of(np.array([0, 2**63 - 1, 2**63, 2**64 - 1], dtype=np.uint64), 2).tolist()
    [0, 0, 1, 1]
    """
    half = np.uint64(32)
    buckets: NDArray[np.uint64] = (hashes >> half) * np.uint64(n_buckets) >> half
    return buckets


@dataclass(frozen=True)
class MappedRows(BinnedRows):
    """Rows as bins in a mapped file, on which a forest grows tree by tree.

    Attributes
    ----------
    memory : bytes that counts and the rows of small nodes may take at a time.
    """

    memory: int

    def grow(
        self, recipe: Recipe, trees: range, *, progress: Progress = None, n_threads: int = 1
    ) -> tuple[Forest, OutOfBag]:
        """Grow trees one by one, level by level, and let them vote."""
        rows = CodedBlock(self.codes, self.is_positive, self.weights)
        is_positive, weighted = self.is_positive.view(np.bool_), self.weights is not None
        n_features, n_positive = self.codes.shape[1], int(np.count_nonzero(is_positive))
        times, grown = np.empty(len(is_positive), np.uint32), []
        for number in trees:
            times[~is_positive], times[is_positive] = _core.draw_bag(
                recipe.bootstrap, recipe.seed, number, len(is_positive) - n_positive, n_positive
            )
            n_rows = weight = _by_class(times.astype(np.int64), is_positive)
            if self.weights is not None:
                weight = _by_class(self.weights * times, is_positive)
            options = recipe.options_of(number)
            growth = _core.BlockGrowth(options, self.edges, recipe.is_category, self.digits, weight)
            driver = Driver(
                DrawnRows(rows, times), growth, n_features, weighted, self.memory, n_threads
            )
            tree = driver.grow(weight, n_rows, recipe.growth.max_leaf_nodes)
            grown.append(pack(tree, weighted=weighted))
            if progress is not None:
                progress(len(grown))
        forest = Forest.together(grown)
        return forest, self.vote(recipe, forest, first_tree=trees.start, n_threads=n_threads)


@dataclass(frozen=True)
class DrawnRows:
    """Blocks of rows, each row as often as it was drawn."""

    rows: CodedBlock
    times: NDArray[np.uint32]

    def fold(
        self, function: Callable[[CodedBlock], Result], merge: Callable[[Result, Result], Result]
    ) -> Result:
        """Return the merged results."""
        return reduce(merge, (function(block) for block in self._blocks()))

    def _blocks(self) -> Iterator[CodedBlock]:
        for begin in range(0, len(self.times), ROWS_AT_ONCE):
            times = self.times[begin : begin + ROWS_AT_ONCE]
            yield self.rows.where(begin + np.repeat(np.arange(len(times)), times))


def _by_class(values: NDArray[np.int64], is_positive: NDArray[np.bool_]) -> tuple[int, int]:
    positive = int(values[is_positive].sum())
    return int(values.sum()) - positive, positive
