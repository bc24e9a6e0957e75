"""A forest on bins, whatever engine holds them: here, or dealt to the machines of a cluster."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from thresher.forest.classifier import ImbalancedForestClassifier
from thresher.forest.out_of_bag import OutOfBag
from thresher.forest.recipe import Recipe
from thresher.forest.state import ForestState
from thresher.forest.structure import Forest
from thresher.forest.training_rows import BinnedRows, Progress, Training
from thresher.scale.disk import MappedRows
from thresher.scale.engine import CodedBlock, Joined, plus
from thresher.scale.passes import BinnedTable
from thresher.threshold.rules import Rule
from thresher.tree.sample import Rows, Sample
from thresher.validation import draw_seed, real_weights


class Truth(NamedTuple):
    """Labels and fixed-point weights of all rows, without their bins."""

    labels: NDArray[np.uint8]
    weights: NDArray[np.int64] | None

    def plus(self, _other: "Truth") -> "Truth":
        """Return one of two that are the same."""
        return self


def truth(rows: CodedBlock, _item: None) -> Truth:
    """Leave the bins behind."""
    return Truth(rows.labels, rows.weights)


def grow_forest(
    model: ImbalancedForestClassifier,
    table: BinnedTable,
    rule: Rule,
    memory: int,
    watch: Callable[[str], None],
) -> None:
    """Fit a forest; its trees share the bins, all of which whoever grows trees is sent.

    Rows are put in the order of a hash of their content, so that what a tree draws does not
    depend on where rows were.
    """
    is_large = 4 * table.n_bytes > memory
    if is_large and not table.blocks.spills:
        raise ValueError(
            f"A forest needs all binned rows in each process, {table.n_bytes / 1e9:.2f} GB, which "
            f"may be a quarter of memory={memory / 1e9:.2f} GB; raise memory, or fit a tree."
        )
    watch("sorting the rows")
    joined = table.blocks.joined()
    known = joined.fold(truth, [None], plus)
    weights = None if known.weights is None else real_weights(known.weights, table.digits or 0)
    # Nothing here reads values: one number stands for all of them.
    values = np.broadcast_to(np.zeros(1), (len(known.labels), len(table.columns)))
    rows = Rows(values, known.labels, weights)
    sample = Sample(
        table.columns, table.classes, table.positive, rows, None, table.totals, table.row_weight
    )
    sample.describe(model)
    seed = draw_seed(model.random_state)
    state = ForestState.of(sample, model.class_weight, seed=seed, is_sorted=True)
    bins = Bins(table.digits, table.edges)
    training: Training
    if joined.here is None:
        training = DealtTrees(joined, bins)
    elif is_large:
        training = MappedRows(*joined.here, *bins, memory)
    else:
        training = BinnedRows(*joined.here, *bins)
    watch("growing trees")
    model.fit_sample(sample, training, rule, state)


# ------------------------------------------------------------------------------------ on a cluster


class Bins(NamedTuple):
    """What bins mean: digits of fixed-point weights, and where the bins of each column end."""

    digits: int | None
    edges: list[NDArray[np.float64]]


class Grown(NamedTuple):
    """Trees by the number of the first one, and the votes of all of them."""

    forests: dict[int, Forest]
    votes: OutOfBag

    def plus(self, other: "Grown") -> "Grown":
        """Return the trees of both."""
        return Grown({**self.forests, **other.forests}, self.votes.plus(other.votes))


def grow_batch(rows: CodedBlock, trees: range, recipe: Recipe, bins: Bins) -> Grown:
    """Grow some trees, and let them vote for the rows that they did not see."""
    forest, votes = BinnedRows(*rows, *bins).grow(recipe, trees)
    return Grown({trees.start: forest}, votes)


def vote_batch(
    rows: CodedBlock, batch: tuple[int, Forest], recipe: Recipe, bins: Bins, permuted: int
) -> OutOfBag:
    """Let some trees vote, the first of which has a number."""
    first, forest = batch
    training = BinnedRows(*rows, *bins)
    return training.vote(recipe, forest, first_tree=first, permuted=permuted)


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
        grown = self.rows.fold(function, list(dealt(trees, self.rows.n_tasks)), plus)
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
        votes: OutOfBag = self.rows.fold(function, batches, plus)
        return votes


def dealt(trees: range, n_batches: int) -> Iterator[range]:
    """Yield neighbouring trees in batches of about the same size, none of them empty.

    >>> list(dealt(range(3, 10), 3))
    [range(3, 5), range(5, 7), range(7, 10)]
    """
    n_batches = min(n_batches, len(trees))
    for index in range(n_batches):
        yield trees[index * len(trees) // n_batches : (index + 1) * len(trees) // n_batches]
