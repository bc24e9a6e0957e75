"""How much a forest's out-of-bag votes lose when a column's values change places."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import average_precision_score

from thresher.forest.out_of_bag import OutOfBag
from thresher.tree.sample import Rows


def average_precision(votes: OutOfBag, rows: Rows) -> float:
    """Return the average precision of the votes, over the rows that have one."""
    voted = votes.n_votes > 0
    weights = None if rows.weights is None else rows.weights[voted]
    score = average_precision_score(
        rows.is_positive[voted], votes.probability[voted], sample_weight=weights
    )
    return float(score)


def permutation_importances(
    vote: Callable[..., OutOfBag], votes: OutOfBag, rows: Rows, progress: Callable[[int], Any]
) -> NDArray[np.float64]:
    """Return the fall in average precision for each column.

    Parameters
    ----------
    vote : function of `permuted`, the column whose values change places among the rows left out
        of each tree.
    votes : the votes with every column in place.
    rows : the training rows.
    progress : told how many columns are done.
    """
    whole = average_precision(votes, rows)
    falls = np.empty(rows.matrix.shape[1])
    for column in range(len(falls)):
        falls[column] = whole - average_precision(vote(permuted=column), rows)
        progress(column + 1)
    return falls
