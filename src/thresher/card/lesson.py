"""What a card learns: what a model says of its training rows and of rows made of them.

Of training rows the model says it as if it had not seen them. Made rows, in which values come from
other rows, tell what it says where no training row is; the more training rows there are, the less
they weigh.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from thresher.column import Matrix
from thresher.tree.exchange import exchanged_rows
from thresher.tree.sample import Rows

Floats = NDArray[np.float64]
MADE_WEIGHT = 1000.0
"""K: made rows weigh K / (K + n) of all, n the number of training rows."""
MOST_MADE = 20_000


class Lesson(NamedTuple):
    """Rows with the probability of the positive class that a model gives them.

    Attributes
    ----------
    rows : the training rows.
    matrix : these, then made rows.
    probability : what the model says of each of them.
    weight : of each of them, 1 on average.
    """

    rows: Rows
    matrix: Matrix
    probability: Floats
    weight: Floats

    @classmethod
    def of(
        cls,
        model: Any,
        rows: Rows,
        unseen: Floats,
        score: Callable[[Matrix], Floats],
        seed: int,
    ) -> "Lesson":
        """Make rows and let a model speak of them.

        Parameters
        ----------
        model : fitted estimator of two classes, with `columns_`.
        rows : its training rows, as a matrix of `columns_`.
        unseen : its probability of the positive class for each of them, best as if it had not seen
            it; where this is NaN, what `score` says.
        score : the probability of the positive class for rows of such a matrix.
        seed : of the made rows.
        """
        if rows.weights is not None and not rows.weights.all():
            present = rows.weights > 0.0
            rows, unseen = rows.where(present), unseen[present]
        is_unknown = np.isnan(unseen)
        if is_unknown.any():
            unseen = unseen.copy()
            unseen[is_unknown] = score(rows.matrix[is_unknown])
        columns = model.columns_
        # Derived columns are computed anew, so that they stay true to their parts.
        given = rows.matrix[:, : len(columns)]
        random = np.random.default_rng(seed)
        made = exchanged_rows(given, random, most=MOST_MADE).rows
        made = columns.widened(made, to_learn=True)
        return cls(
            rows,
            np.concatenate([rows.matrix, made]),
            np.concatenate([unseen, score(made)]),
            _weights(rows, len(made)),
        )

    @property
    def n_rows(self) -> int:
        """Number of training rows."""
        return len(self.rows.matrix)


def _weights(rows: Rows, n_made: int) -> Floats:
    real = np.ones(len(rows.matrix)) if rows.weights is None else rows.weights
    n = len(real)
    total, share = n + n_made, MADE_WEIGHT / (MADE_WEIGHT + n)
    of_made = np.full(n_made, share * total / n_made)
    return np.concatenate([real * ((1.0 - share) * total / real.sum()), of_made])
