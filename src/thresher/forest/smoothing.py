"""Leaf values: shares of positives, drawn towards what is known without the rows of the leaf."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.validation import check_choice, check_number

SMOOTHINGS = ("laplace", "m_estimate")


def check_smoothing(smoothing: Any, m: Any) -> None:
    """Raise unless the parameters of smoothing make sense."""
    if smoothing is not None:
        check_choice("smoothing", smoothing, SMOOTHINGS)
    check_number("smoothing_m", m, low=0.0, above=True)


def added_rows(smoothing: str | None, m: float, prior: float) -> tuple[float, float]:
    """Return what smoothing adds to the rows of a leaf: (positives, rows of both classes).

    >>> added_rows("m_estimate", m=2.0, prior=0.1)
    (0.2, 2.0)
    """
    if smoothing == "laplace":
        return 1.0, 2.0
    return (m * prior, m) if smoothing == "m_estimate" else (0.0, 0.0)


def smoothed(
    counts: NDArray[Any], smoothing: str | None, m: float, prior: float
) -> NDArray[np.float64]:
    """Return the probability of the positive class from weights of (negative, positive).

    "laplace" adds one row of each class: (k + 1) / (n + 2); "m_estimate" adds m rows of the
    mix of all: (k + m * prior) / (n + m).

    Examples
    --------
    >>> smoothed(np.array([[2.0, 2.0]]), "laplace", m=2.0, prior=0.1).tolist()
    [0.5]
    >>> smoothed(np.array([[0.0, 2.0]]), "m_estimate", m=2.0, prior=0.1).tolist()
    [0.55]
    """
    negative, positive = counts[:, 0], counts[:, 1]
    of_positive, of_both = added_rows(smoothing, m, prior)
    result: NDArray[np.float64] = (positive + of_positive) / (negative + positive + of_both)
    return result
