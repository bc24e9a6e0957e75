"""Cuts with few digits: any number between two neighbouring values of a column decides alike."""

from typing import Any

from numpy.typing import NDArray

MOST_DIGITS = 17
"""That many tell any two floats apart."""


def short_cut(cut: float, values: NDArray[Any]) -> float:
    """Return the number of fewest digits that cuts values, none of them NaN, as a cut does.

    >>> import numpy as np
    >>> short_cut(61.4938271, np.array([60.0, 61.3, 61.7, 64.0]))
    61.5
    """
    below, above = values[values <= cut], values[values > cut]
    if not len(below) or not len(above):
        return cut
    low, high = float(below.max()), float(above.min())
    middle = low + 0.5 * (high - low)
    for n_digits in range(1, MOST_DIGITS + 1):
        found = float(f"{middle:.{n_digits}g}")
        if low <= found < high:
            return found
    return cut
