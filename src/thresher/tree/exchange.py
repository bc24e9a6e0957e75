"""Rows made of training rows by exchanging values between them."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

EXCHANGED = (0.1, 0.3)
"""Shares of the values that a made row takes from other rows, in equal parts of the made rows."""

MADE_PER_ROW = 4
MIN_MADE, MAX_MADE = 8_000, 100_000


class Exchanged(NamedTuple):
    """Made rows.

    Attributes
    ----------
    rows : with most values of one row each.
    origin : the place of that row.
    """

    rows: NDArray[Any]
    origin: NDArray[np.intp]


def exchanged_rows(
    matrix: NDArray[Any], random: np.random.Generator, most: int = MAX_MADE
) -> Exchanged:
    """Return rows, at most so many, in which some values come from other rows of the column.

    Examples
    --------
    >>> matrix = np.arange(6.0).reshape(3, 2)
    >>> made = exchanged_rows(matrix, np.random.default_rng(0))
    >>> made.rows.shape, bool((made.rows == matrix[made.origin]).mean() > 0.7)
    ((8000, 2), True)
    """
    n_rows, n_columns = matrix.shape
    count = int(np.clip(MADE_PER_ROW * n_rows, MIN_MADE, most))
    origin = random.integers(n_rows, size=count)
    made = matrix[origin]
    share = np.resize(EXCHANGED, count)
    row, column = np.nonzero(random.random((count, n_columns)) < share[:, None])
    made[row, column] = matrix[random.integers(n_rows, size=len(row)), column]
    return Exchanged(made, origin)
