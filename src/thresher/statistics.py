"""Statistics of counts: Wilson's interval, Fisher's test, Holm's adjustment."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri
from scipy.stats import hypergeom

Vector = NDArray[np.float64]


def wilson(hits: ArrayLike, n: ArrayLike, confidence: float = 0.95) -> tuple[Vector, Vector]:
    """Return both ends of Wilson's interval of rates; NaN where there are no rows.

    >>> low, high = wilson([8], [10])
    >>> low.round(3), high.round(3)
    (array([0.49]), array([0.943]))
    """
    k, count = np.asarray(hits, dtype=np.float64), np.asarray(n, dtype=np.float64)
    z2 = float(ndtri(0.5 + confidence / 2.0)) ** 2
    with np.errstate(invalid="ignore", divide="ignore"):
        middle = (k + z2 / 2.0) / (count + z2)
        half = np.sqrt(z2) / (count + z2) * np.sqrt(k * (count - k) / count + z2 / 4.0)
    # By the formula 0 of n begins at 0 and n of n ends at 1; rounding must not say otherwise.
    low = np.where(k == 0, np.where(count > 0, 0.0, np.nan), np.clip(middle - half, 0.0, 1.0))
    high = np.where(k == count, np.where(count > 0, 1.0, np.nan), np.clip(middle + half, 0.0, 1.0))
    return low, high


def fisher_p(hits: ArrayLike, n: ArrayLike, all_hits: int, all_n: int) -> Vector:
    """Return one-sided exact p-values: the rate inside is no higher than outside.

    `hits` of `n` rows are positive inside, `all_hits` of `all_n` everywhere.

    >>> fisher_p([4, 0], [4, 0], all_hits=4, all_n=8).round(4)
    array([0.0143, 1.    ])
    """
    k, count = np.asarray(hits), np.asarray(n)
    return np.asarray(hypergeom.sf(k - 1, all_n, all_hits, count), dtype=np.float64)


def holm_adjusted(p: Sequence[float] | NDArray[Any]) -> Vector:
    """Adjust p-values for their number by Holm's step-down method.

    >>> holm_adjusted([0.01, 0.04, 0.03])
    array([0.03, 0.06, 0.06])
    """
    values = np.asarray(p, dtype=np.float64)
    order = np.argsort(values)
    steps = np.maximum.accumulate(values[order] * np.arange(len(values), 0, -1))
    adjusted = np.empty_like(values)
    adjusted[order] = np.minimum(steps, 1.0)
    return adjusted
