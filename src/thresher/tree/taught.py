"""What a tree learns from a scorer: training rows and made ones, with the scorer's decisions."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from thresher.tree.exchange import Exchanged
from thresher.tree.sample import Rows

Scores = NDArray[np.float64]


class Taught(NamedTuple):
    """Rows that a scorer has decided about.

    Attributes
    ----------
    rows : the training rows, with their labels.
    made : rows made of them.
    above : how far the score of each row is above the scorer's threshold, first of the training
        rows, then of the made ones; the scorer alerts if and only if that is above 0.
    """

    rows: Rows
    made: Exchanged
    above: Scores

    @property
    def n_rows(self) -> int:
        """Number of training rows."""
        return len(self.rows.matrix)

    @property
    def is_alert(self) -> NDArray[np.bool_]:
        """Whether the scorer alerts on each training row."""
        found: NDArray[np.bool_] = self.above[: self.n_rows] > 0.0
        return found

    def to_grow(self, *, by_sureness: bool) -> Rows:
        """Return all rows with the decisions as their labels; training and made rows count alike.

        `by_sureness` weighs each of them by how far its score is from the threshold, too.
        """
        weights = _halves(self.rows, len(self.made.rows))
        if by_sureness:
            weights = _by_sureness(weights, self.above)
        matrix = np.concatenate([self.rows.matrix, self.made.rows])
        return Rows(matrix, (self.above > 0.0).astype(np.uint8), weights)

    def where(self, is_kept: NDArray[np.bool_]) -> "Taught":
        """Return some of the training rows, and what is made of them."""
        kept_made = is_kept[self.made.origin]
        place = np.cumsum(is_kept) - 1  # among the rows that are kept
        made = Exchanged(self.made.rows[kept_made], place[self.made.origin[kept_made]])
        return Taught(
            self.rows.where(is_kept), made, self.above[np.concatenate([is_kept, kept_made])]
        )


def _halves(rows: Rows, n_made: int) -> Scores:
    """Return weights by which the training rows and the made rows count the same; mean 1."""
    real = np.ones(len(rows.matrix)) if rows.weights is None else rows.weights
    half = 0.5 * (len(real) + n_made)
    return np.concatenate([real * (half / real.sum()), np.full(n_made, half / n_made)])


def _by_sureness(weights: Scores, above: Scores) -> Scores:
    """Return weights times how far scores are from the threshold; mean 1."""
    found = weights * np.abs(above)
    total = float(found.sum())
    return weights if total == 0.0 else found * (len(found) / total)
