"""How many rows a leaf of a forest should have, by out-of-bag votes.

Small leaves tell fine structure, large ones quieten noise; which matters more, the rows decide.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

from thresher.forest.state import ForestState
from thresher.forest.structure import Forest
from thresher.forest.training_rows import Training
from thresher.progress import progress_bar
from thresher.tree.sample import Sample
from thresher.validation import thread_count

COST = 2
"""Forests' worth of trees that may be grown to choose; those of the chosen size are kept."""
STEPS = (1, 2, 5)


class Grown(NamedTuple):
    """The first trees of a forest, the state that they were grown in, and what they reach."""

    forest: Forest
    state: ForestState
    precision: float


@dataclass(frozen=True)
class LeafSizes:
    """Sizes that were tried: `precision` is the average precision of their out-of-bag votes."""

    size: tuple[int, ...]
    precision: tuple[float, ...]


def leaf_sizes(rarer: float) -> list[int]:
    """Return the sizes to try: 1, 2, 5, 10, ... up to the size of the rarer class.

    >>> leaf_sizes(37)
    [1, 2, 5, 10, 20]
    """
    decades = range(len(str(int(max(rarer, 1.0)))))
    sizes = [step * 10**decade for decade in decades for step in STEPS]
    return [size for size in sizes if size <= max(rarer, 2.0)]


def grow_by_leaf_size(
    forest: Any, sample: Sample, training: Training, state: ForestState
) -> tuple[Grown, LeafSizes]:
    """Grow some trees of each size; return those of the best, the first of equals."""
    sizes = leaf_sizes(min(sample.totals) / sample.row_weight)
    n_trees = max(1, min(int(forest.n_estimators), COST * int(forest.n_estimators) // len(sizes)))
    tried, threads = [], thread_count(forest.n_jobs)
    with progress_bar("Trying leaf sizes", len(sizes), shown=forest.verbose > 0) as done:
        for place, size in enumerate(sizes):
            own = state.with_leaf_size(size)
            grown, votes = training.grow(own.recipe(forest), range(n_trees), n_threads=threads)
            precision = votes.average_precision(sample.to_grow)
            tried.append(Grown(grown, own.plus(votes), precision))
            done(place + 1)
    best = max(tried, key=lambda grown: grown.precision)
    return best, LeafSizes(tuple(sizes), tuple(grown.precision for grown in tried))
