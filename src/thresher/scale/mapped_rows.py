"""Rows in a mapped file, on which a forest grows tree by tree without a copy of all of them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import reduce
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from thresher import _core
from thresher.forest.out_of_bag import OutOfBag
from thresher.forest.packing import pack
from thresher.forest.recipe import Recipe
from thresher.forest.structure import Forest
from thresher.forest.training_rows import BinnedRows, Progress
from thresher.scale.block_cache import ROWS_AT_ONCE
from thresher.seam.coded import CodedBlock
from thresher.seam.engine import Driver, cell_bytes, row_bytes
from thresher.tree.structure import Tree

Result = TypeVar("Result")
Pair = tuple[int, int]


@dataclass(frozen=True)
class MappedRows(BinnedRows):
    """Rows as bins in a mapped file.

    Attributes
    ----------
    memory : bytes that counts and the rows of small nodes may take at a time.
    """

    memory: int

    def grow(
        self, recipe: Recipe, trees: range, *, progress: Progress = None, n_threads: int = 1
    ) -> tuple[Forest, OutOfBag]:
        """Grow trees one by one, level by level, and let them vote."""
        grown = []
        for number in trees:
            tree = self._tree(recipe, number, n_threads)
            grown.append(pack(tree, weighted=self.weights is not None))
            if progress is not None:
                progress(len(grown))
        forest = Forest.together(grown)
        return forest, self.vote(recipe, forest, first_tree=trees.start, n_threads=n_threads)

    def _tree(self, recipe: Recipe, number: int, n_threads: int) -> Tree:
        n_features, weighted = self.codes.shape[1], self.weights is not None
        rows = CodedBlock(self.codes, self.is_positive, self.weights)
        drawn = DrawnRows(rows, self._times(recipe, number))
        weight, n_rows = drawn.totals()
        seed = _core.tree_seed(recipe.seed, number)
        options = recipe.growth.core_options(n_features, recipe.class_factors, seed)
        growth = _core.BlockGrowth(options, self.edges, recipe.is_category, self.digits, weight)
        driver = Driver(
            drawn,
            growth,
            self.memory,
            cell_bytes(n_features, weighted=weighted),
            row_bytes(n_features, weighted=weighted),
            n_threads,
        )
        return driver.grow(weight, n_rows, recipe.growth.max_leaf_nodes)

    def _times(self, recipe: Recipe, number: int) -> NDArray[np.uint32]:
        """Return how often a tree draws each row."""
        is_positive = self.is_positive.view(np.bool_)
        n_positive = int(np.count_nonzero(is_positive))
        n_negative = len(is_positive) - n_positive
        times = np.empty(len(is_positive), np.uint32)
        times[~is_positive], times[is_positive] = _core.draw_bag(
            recipe.bootstrap, recipe.seed, number, n_negative, n_positive
        )
        return times


@dataclass(frozen=True)
class DrawnRows:
    """Blocks of rows, each row as often as it was drawn."""

    rows: CodedBlock
    times: NDArray[np.uint32]

    def blocks(self) -> Iterator[CodedBlock]:
        """Yield the rows in blocks."""
        for begin in range(0, len(self.times), ROWS_AT_ONCE):
            times = self.times[begin : begin + ROWS_AT_ONCE]
            yield self.rows.where(begin + np.repeat(np.arange(len(times)), times))

    def totals(self) -> tuple[Pair, Pair]:
        """Return the fixed-point weight and the number of the rows, (negative, positive)."""
        is_positive = self.rows.labels.view(np.bool_)
        rows = _by_class(self.times.astype(np.int64), is_positive)
        if self.rows.weights is None:
            return rows, rows
        return _by_class(self.rows.weights * self.times, is_positive), rows

    def fold(
        self, function: Callable[[CodedBlock], Result], merge: Callable[[Result, Result], Result]
    ) -> Result:
        """Return the merged results."""
        return reduce(merge, (function(block) for block in self.blocks()))


def _by_class(values: NDArray[np.int64], is_positive: NDArray[np.bool_]) -> Pair:
    positive = int(values[is_positive].sum())
    return int(values.sum()) - positive, positive
