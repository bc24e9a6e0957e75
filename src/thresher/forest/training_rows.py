"""The rows that a forest is grown on, and votes for, as numbers or as bins."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from thresher import _core
from thresher.forest.out_of_bag import OutOfBag
from thresher.forest.recipe import Recipe
from thresher.forest.structure import Forest
from thresher.tree.sample import Rows
from thresher.validation import thread_count

Progress = Callable[[int], Any] | None


class Training(Protocol):
    """What a forest does with its training rows."""

    def grow(
        self, recipe: Recipe, trees: range, *, progress: Progress = None, n_threads: int = 1
    ) -> tuple[Forest, OutOfBag]:
        """Grow the trees of these numbers, and let them vote for the rows they did not see."""

    def vote(
        self, recipe: Recipe, forest: Forest, *, permuted: int = -1, n_threads: int = 1
    ) -> OutOfBag:
        """Let all trees vote; the values of a column may change places among their rows."""


class RowsHere(ABC):
    """Rows in this process."""

    def grow(
        self, recipe: Recipe, trees: range, *, progress: Progress = None, n_threads: int = 1
    ) -> tuple[Forest, OutOfBag]:
        """Grow the trees of these numbers, and let them vote for the rows they did not see."""
        grown = self._grown(
            recipe,
            bootstrap=recipe.bootstrap,
            first_tree=trees.start,
            n_trees=len(trees),
            votes=recipe.leaf_vote(),
            random_cuts=recipe.random_cuts,
            progress=progress,
            n_threads=n_threads,
        )
        return Forest.from_core(grown), OutOfBag(*grown["votes"])

    def vote(
        self,
        recipe: Recipe,
        forest: Forest,
        *,
        first_tree: int = 0,
        permuted: int = -1,
        n_threads: int = 1,
    ) -> OutOfBag:
        """Let all trees vote; `first_tree` is the number of the first one."""
        values = np.concatenate([np.zeros(first_tree), recipe.values(forest)])
        how = {
            "bootstrap": recipe.bootstrap,
            "seed": recipe.seed,
            "first_tree": first_tree,
            "permuted": permuted,
            "n_threads": n_threads,
        }
        # What a tree draws follows from its place.
        forest = Forest.single_leaves(first_tree).extended(forest) if first_tree else forest
        return OutOfBag(*self._votes(forest, values, how))

    @abstractmethod
    def _grown(self, recipe: Recipe, **how: Any) -> Mapping[str, Any]:
        """Return the arrays of the trees."""

    @abstractmethod
    def _votes(
        self, forest: Forest, values: NDArray[np.float64], how: dict[str, Any]
    ) -> tuple[Any, Any]:
        """Return the sum and the number of votes for each row."""


@dataclass(frozen=True)
class NumberedRows(RowsHere):
    """Rows as numbers."""

    rows: Rows

    def _grown(self, recipe: Recipe, **how: Any) -> Mapping[str, Any]:
        return _core.grow_forest(*self.rows, recipe.is_category, recipe.options(), **how)

    def _votes(
        self, forest: Forest, values: NDArray[np.float64], how: dict[str, Any]
    ) -> tuple[Any, Any]:
        return forest.voters.out_of_bag(*self.rows, values, **how)


@dataclass(frozen=True)
class BinnedRows(RowsHere):
    """Rows as bins.

    Attributes
    ----------
    codes : bins by row and column.
    is_positive : 1 for each positive row.
    weights : fixed-point weights above zero, None where every row weighs one.
    digits : of these weights.
    edges : where the bins of each column end.
    """

    codes: NDArray[np.uint8]
    is_positive: NDArray[np.uint8]
    weights: NDArray[np.int64] | None
    digits: int | None
    edges: list[NDArray[np.float64]]

    def _grown(self, recipe: Recipe, **how: Any) -> Mapping[str, Any]:
        rows = (self.codes, self.is_positive, self.weights)
        return _core.grow_forest_on_bins(
            *rows, self.edges, recipe.is_category, self.digits, recipe.options(), **how
        )

    def _votes(
        self, forest: Forest, values: NDArray[np.float64], how: dict[str, Any]
    ) -> tuple[Any, Any]:
        voters = forest.in_bins(self.edges).voters
        return voters.out_of_bag(self.codes, self.is_positive, None, values, **how)


def vote(forest: Any, training: Training, permuted: int = -1) -> OutOfBag:
    """Let the trees of an estimator vote for the training rows that they did not see."""
    recipe, n_threads = forest.forest_state_.recipe(forest), thread_count(forest.n_jobs)
    return training.vote(recipe, forest.forest_, permuted=permuted, n_threads=n_threads)
