"""The rows that a forest is grown on, and votes for, as numbers or as bins."""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from thresher import _core
from thresher.forest.out_of_bag import OutOfBag
from thresher.forest.structure import Forest
from thresher.tree.sample import Rows
from thresher.validation import thread_count

Values = NDArray[np.float64]


class Training(Protocol):
    """What a forest does with its training rows; options are those of the core."""

    def grow(
        self, is_category: NDArray[np.uint8], options: _core.GrowOptions, **how: Any
    ) -> Forest:
        """Grow trees."""

    def vote(self, forest: Forest, values: Values, **how: Any) -> OutOfBag:
        """Let trees vote for the rows that they did not see."""


@dataclass(frozen=True)
class NumberedRows:
    """Rows as numbers."""

    rows: Rows

    def grow(
        self, is_category: NDArray[np.uint8], options: _core.GrowOptions, **how: Any
    ) -> Forest:
        """Grow trees."""
        return Forest.from_core(_core.grow_forest(*self.rows, is_category, options, **how))

    def vote(self, forest: Forest, values: Values, **how: Any) -> OutOfBag:
        """Let trees vote for the rows that they did not see."""
        return OutOfBag(*forest.voters.out_of_bag(*self.rows, values, **how))


@dataclass(frozen=True)
class BinnedRows:
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

    def grow(
        self, is_category: NDArray[np.uint8], options: _core.GrowOptions, **how: Any
    ) -> Forest:
        """Grow trees."""
        rows = (self.codes, self.is_positive, self.weights)
        grown = _core.grow_forest_on_bins(
            *rows, self.edges, is_category, self.digits, options, **how
        )
        return Forest.from_core(grown)

    def vote(self, forest: Forest, values: Values, **how: Any) -> OutOfBag:
        """Let trees vote for the rows that they did not see."""
        voters = forest.in_bins(self.edges).voters
        return OutOfBag(*voters.out_of_bag(self.codes, self.is_positive, None, values, **how))


def bag_of(forest: Any) -> str:
    """Return how the trees of an estimator draw their rows, in the words of the core."""
    return "none" if forest.bootstrap is False else str(forest.bootstrap)


def vote(forest: Any, training: Training, first_tree: int = 0, permuted: int = -1) -> OutOfBag:
    """Let the trees of an estimator vote for the training rows that they did not see."""
    return training.vote(
        forest.forest_,
        forest.node_values(),
        bootstrap=bag_of(forest),
        seed=forest.forest_state_.seed,
        first_tree=first_tree,
        permuted=permuted,
        n_threads=thread_count(forest.n_jobs),
    )
