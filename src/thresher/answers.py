"""The three answers to a row: alert, pass, or refer it to somebody who looks closer."""

from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thresher.statistics import Vector, wilson
from thresher.wording import percent

ALERT, PASS, REFER = "alert", "pass", "refer"
ANSWERS = (PASS, REFER, ALERT)
"""In the order of rising scores."""


def answers(score: ArrayLike, low: ArrayLike, high: float | None = None) -> NDArray[Any]:
    """Return the answer to each score: "alert" above `high`, "refer" above `low`, else "pass".

    `low` is one cut, or the cut of each row. Without `high`, or where it is not above `low`,
    nothing is referred.

    Examples
    --------
    >>> answers([0.05, 0.1, 0.3, 0.5, 0.9], low=0.1, high=0.5).tolist()
    ['pass', 'pass', 'refer', 'refer', 'alert']
    >>> answers([0.1, 0.3], low=0.1).tolist(), answers([0.1, 0.3], low=[0.0, 0.3]).tolist()
    (['pass', 'alert'], ['alert', 'pass'])
    """
    scores, lower = np.asarray(score, dtype=np.float64), np.asarray(low, dtype=np.float64)
    is_above = scores > lower
    is_alert = is_above if high is None else scores > np.maximum(lower, high)
    words: NDArray[Any] = np.array(ANSWERS, dtype=object)
    result: NDArray[Any] = words[is_above.astype(np.intp) + is_alert]
    return result


class Referred(NamedTuple):
    """The share of rows that are referred, and its 95 % interval (Wilson's).

    The rows are those that the thresholds were chosen on, by models that had not seen them. The
    interval leaves out that other rows would have chosen other thresholds.
    """

    share: float
    low: float
    high: float

    @classmethod
    def of(cls, is_referred: ArrayLike, weights: Vector | None = None) -> Self:
        """Count rows; weighted ones as so many that their share is as sure (Kish).

        >>> print(Referred.of([True] * 10 + [False] * 90))
        10.0 % of rows are referred (5.5 % to 17.4 %)
        """
        flags = np.asarray(is_referred, dtype=np.float64)
        w = np.ones(len(flags)) if weights is None else weights
        return cls.of_share(float(np.average(flags, weights=w)), w)

    @classmethod
    def of_share(cls, share: float, weights: Vector) -> Self:
        """Return a share of rows of such weights, with its interval."""
        rows = float(weights.sum() ** 2 / (weights**2).sum())
        low, high = wilson(share * rows, rows)
        return cls(share, float(low), float(high))

    def __str__(self) -> str:
        share, low, high = (percent(one).replace("\u00a0", " ") for one in self)
        return f"{share} of rows are referred ({low} to {high})"
