"""How many rows a leaf of a forest should have, by out-of-bag votes.

Small leaves tell fine structure, large ones quieten noise; which matters more, the rows decide.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from sklearn.metrics import average_precision_score

from thresher.forest.out_of_bag import OutOfBag
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
    sizes = leaf_sizes(min(sample.totals))
    n_trees = max(1, min(int(forest.n_estimators), COST * int(forest.n_estimators) // len(sizes)))
    tried = []
    with progress_bar("Trying leaf sizes", len(sizes), shown=forest.verbose > 0) as done:
        for place, size in enumerate(sizes):
            tried.append(_grow(forest, sample, training, state.with_leaf_size(size), n_trees))
            done(place + 1)
    best = max(tried, key=lambda grown: grown.precision)
    return best, LeafSizes(tuple(sizes), tuple(grown.precision for grown in tried))


def _grow(
    forest: Any, sample: Sample, training: Training, state: ForestState, n_trees: int
) -> Grown:
    threads = thread_count(forest.n_jobs)
    grown, votes = training.grow(state.recipe(forest), range(n_trees), n_threads=threads)
    return Grown(grown, state.plus(votes), _average_precision(votes, sample))


def _average_precision(votes: OutOfBag, sample: Sample) -> float:
    """Return the average precision of the rows with votes; -1 where these are of one class."""
    rows, voted = sample.to_grow, votes.n_votes > 0
    if len(np.unique(rows.is_positive[voted])) < 2:
        return -1.0
    weights = None if rows.weights is None else rows.weights[voted]
    found = average_precision_score(
        rows.is_positive[voted], votes.probability[voted], sample_weight=weights
    )
    return float(found)
