"""How many rows are referred."""

from typing import NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from thresher.statistics import Vector, wilson
from thresher.wording import percent


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
