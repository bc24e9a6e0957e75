"""Votes for training rows by the trees that did not see them."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

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

    @property
    def probability(self) -> NDArray[np.float64]:
        """Mean vote; NaN where every tree saw the row."""
        with np.errstate(invalid="ignore"):
            mean: NDArray[np.float64] = self.total * VOTE_UNIT / self.n_votes
        return mean

    def plus(self, more: "OutOfBag") -> "OutOfBag":
        """Return the votes of these trees and of more."""
        return OutOfBag(self.total + more.total, self.n_votes + more.n_votes)
