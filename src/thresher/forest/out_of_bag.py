"""Votes for training rows by the trees that did not see them."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import average_precision_score

from thresher.errors import NoVotesError
from thresher.tree.sample import Rows

VOTE_UNIT = 2.0**-40
"""Votes are summed as integers of this unit: no order of trees, hence no thread, matters."""


class OutOfBag(NamedTuple):
    """Sum and number of the votes for each training row.

    Examples
    --------
    >>> votes = OutOfBag(np.array([2**40, 0]), np.array([2, 0]))
    >>> votes.probability.tolist()
    [0.5, nan]
    """

    total: NDArray[np.int64]
    n_votes: NDArray[np.int32]

    @classmethod
    def none(cls, n_rows: int) -> "OutOfBag":
        """Return the votes of no tree."""
        return cls(np.zeros(n_rows, dtype=np.int64), np.zeros(n_rows, dtype=np.int32))

    @property
    def probability(self) -> NDArray[np.float64]:
        """Mean vote; NaN where every tree saw the row."""
        with np.errstate(invalid="ignore"):
            mean: NDArray[np.float64] = self.total * VOTE_UNIT / self.n_votes
        return mean

    def average_precision(self, rows: Rows) -> float:
        """Return the average precision over the rows that have a vote; -1 where they are alike."""
        voted = self.n_votes > 0
        truth = rows.is_positive[voted]
        if len(np.unique(truth)) < 2:
            return -1.0
        weights = None if rows.weights is None else rows.weights[voted]
        probability = self.probability[voted]
        return float(average_precision_score(truth, probability, sample_weight=weights))

    def plus(self, more: "OutOfBag") -> "OutOfBag":
        """Return the votes of these trees and of more."""
        return OutOfBag(self.total + more.total, self.n_votes + more.n_votes)


def need_votes_of_both(voted: NDArray[np.uint8], n_estimators: int) -> None:
    """Raise unless both classes are among the rows that have votes.

    >>> need_votes_of_both(np.array([0, 1], dtype=np.uint8), n_estimators=9)
    """
    if len(np.unique(voted)) < 2:
        raise NoVotesError(
            f"With n_estimators={n_estimators} not one row of both classes is left out of a tree, "
            "so that no threshold can be chosen; grow more trees, or set bootstrap=False and "
            "rule=None."
        )
