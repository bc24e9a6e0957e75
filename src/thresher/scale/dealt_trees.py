"""Trees of a forest dealt to the machines of a cluster, each of which gets all bins."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from thresher.forest.out_of_bag import OutOfBag
from thresher.forest.recipe import Recipe
from thresher.forest.structure import Forest
from thresher.forest.training_rows import BinnedRows, Progress
from thresher.seam.coded import CodedBlock
from thresher.seam.engine import Joined


class Bins(NamedTuple):
    """What bins mean: digits of fixed-point weights, and where the bins of each column end."""

    digits: int | None
    edges: list[NDArray[np.float64]]


class Grown(NamedTuple):
    """Trees by the number of the first one, and the votes of all of them."""

    forests: dict[int, Forest]
    votes: OutOfBag


def grow_batch(rows: CodedBlock, trees: range, recipe: Recipe, bins: Bins) -> Grown:
    """Grow some trees, and let them vote for the rows that they did not see."""
    forest, votes = BinnedRows(*rows, *bins).grow(recipe, trees)
    return Grown({trees.start: forest}, votes)


def merge_grown(one: Grown, other: Grown) -> Grown:
    """Return the trees of both."""
    return Grown({**one.forests, **other.forests}, one.votes.plus(other.votes))


def vote_batch(
    rows: CodedBlock, batch: tuple[int, Forest], recipe: Recipe, bins: Bins, permuted: int
) -> OutOfBag:
    """Let some trees vote, the first of which has a number."""
    first, forest = batch
    training = BinnedRows(*rows, *bins)
    return training.vote(recipe, forest, first_tree=first, permuted=permuted)


def add_votes(one: OutOfBag, other: OutOfBag) -> OutOfBag:
    """Return the votes of both."""
    return one.plus(other)


@dataclass(frozen=True)
class DealtTrees:
    """What a forest does with training rows that are elsewhere.

    Attributes
    ----------
    rows : all rows.
    bins : what their bins mean.
    """

    rows: Joined
    bins: Bins

    def grow(
        self, recipe: Recipe, trees: range, *, progress: Progress = None, n_threads: int = 1
    ) -> tuple[Forest, OutOfBag]:
        """Grow trees; a task has one thread, and tells nothing before its end."""
        function = partial(grow_batch, recipe=recipe, bins=self.bins)
        grown = self.rows.fold(function, list(dealt(trees, self.rows.n_tasks)), merge_grown)
        in_order = [grown.forests[first] for first in sorted(grown.forests)]
        return Forest.together(in_order), grown.votes

    def vote(
        self, recipe: Recipe, forest: Forest, *, permuted: int = -1, n_threads: int = 1
    ) -> OutOfBag:
        """Let trees vote for the rows that they did not see."""
        batches = [
            (trees.start, forest.part(trees))
            for trees in dealt(range(len(forest)), self.rows.n_tasks)
        ]
        function = partial(vote_batch, recipe=recipe, bins=self.bins, permuted=permuted)
        return self.rows.fold(function, batches, add_votes)


def dealt(trees: range, n_batches: int) -> Iterator[range]:
    """Yield neighbouring trees in batches of about the same size, none of them empty.

    >>> list(dealt(range(3, 10), 3))
    [range(3, 5), range(5, 7), range(7, 10)]
    """
    n_batches = min(n_batches, len(trees))
    for place in range(n_batches):
        yield trees[place * len(trees) // n_batches : (place + 1) * len(trees) // n_batches]
