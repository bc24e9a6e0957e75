"""Statistics of counts and bounded values: intervals, bounds that hold, tests, stability."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import bdtr, betaincinv, gammaln, ndtri
from scipy.stats import hypergeom

Vector = NDArray[np.float64]

ROUNDING = 1e-12
"""A probability that exceeds its limit by rounding alone, relatively, does not exceed it."""
MOST_AT_STAKE = 0.75
"""Part of the wealth that a bet on a mean may lose."""
BISECTIONS = 40


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


def clopper_pearson(
    hits: ArrayLike, n: ArrayLike, confidence: float = 0.95
) -> tuple[Vector, Vector]:
    """Return both ends of the exact interval of rates (Clopper and Pearson); 0 and 1 of no rows.

    Each end alone holds with a confidence of (1 + confidence) / 2, whatever the rate.

    >>> low, high = clopper_pearson([8], [10])
    >>> low.round(3), high.round(3)
    (array([0.444]), array([0.975]))
    """
    k, count = np.asarray(hits, dtype=np.float64), np.asarray(n, dtype=np.float64)
    tail = 0.5 * (1.0 - confidence)
    low = betaincinv(np.maximum(k, 1.0), np.maximum(count - k + 1.0, 1.0), tail)
    high = betaincinv(k + 1.0, np.maximum(count - k, 1.0), 1.0 - tail)
    return np.where(k > 0, low, 0.0), np.where(k < count, high, 1.0)


def difference_interval(
    hits: ArrayLike, n: ArrayLike, other_hits: ArrayLike, other_n: ArrayLike
) -> tuple[Vector, Vector]:
    """Return both ends of Newcombe's 95 % interval of a rate minus another; NaN without rows.

    >>> low, high = difference_interval([56], [70], [48], [80])
    >>> low.round(4), high.round(4)
    (array([0.0524]), array([0.3339]))
    """
    (low, high), (other_low, other_high) = wilson(hits, n), wilson(other_hits, other_n)
    with np.errstate(invalid="ignore", divide="ignore"):
        rate = np.asarray(hits, dtype=np.float64) / np.asarray(n, dtype=np.float64)
        other = np.asarray(other_hits, dtype=np.float64) / np.asarray(other_n, dtype=np.float64)
    difference = rate - other
    return (
        difference - np.hypot(rate - low, other_high - other),
        difference + np.hypot(high - rate, other - other_low),
    )


def most_events(n: int, share: float, risk: float) -> int:
    """Return the largest a for which a or fewer events of n have at most the probability `risk`.

    Each is an event with the probability `share`. It is -1 where even none is more likely.

    >>> most_events(100, 0.1, risk=0.1), most_events(21, 0.1, risk=0.1)
    (5, -1)
    """
    limit = risk * (1.0 + ROUNDING)
    low, high = -1, n  # events with at most the risk, and with more; all n are certain
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if bdtr(middle, n, share) <= limit else (low, middle)
    return low


def rows_for_one_event(share: float, risk: float) -> int:
    """Return how many rows have no event of the probability `share` with at most `risk`.

    >>> rows_for_one_event(0.1, risk=0.1), rows_for_one_event(0.05, risk=0.1)
    (22, 45)
    """
    return max(1, int(np.ceil(np.log(risk) / np.log1p(-share) * (1.0 - ROUNDING))))


def mean_bound(values: ArrayLike, confidence: float, seed: int = 0) -> float:
    """Return an upper bound of the mean behind independent values from 0 to 1, by betting.

    For every mean m a player bets on each value being below m, a part of the wealth that the values
    before it tell (Waudby-Smith and Ramdas, 2024). Were m the mean, the wealth would reach
    1 / (1 - confidence) with a probability of at most 1 - confidence; the bound is the least m
    for which it does. The values are taken in an order that is drawn by `seed`, whatever the order
    in which they come.

    >>> values = np.repeat([0.0, 1.0], [980, 20])
    >>> round(mean_bound(values, 0.9), 3), round(mean_bound(values, 0.99), 3)
    (0.033, 0.04)
    """
    x = np.random.default_rng(seed).permutation(np.sort(np.asarray(values, dtype=np.float64)))
    if not len(x):
        return 1.0
    goal = -np.log(1.0 - confidence)
    bets = _bets(x, goal)
    low, high = float(x.mean()), 1.0
    for _ in range(BISECTIONS):
        middle = 0.5 * (low + high)
        # Wealth must stay above 0 even if the next value is 1.
        bet = np.minimum(bets, MOST_AT_STAKE / max(1.0 - middle, ROUNDING))
        is_reached = np.log1p(bet * (middle - x)).sum() >= goal
        low, high = (low, middle) if is_reached else (middle, high)
    return high


def _bets(x: Vector, goal: float) -> Vector:
    """Return the bet on each value: sqrt(2 goal / (n variance)), as the values before it tell."""
    before = np.arange(1.0, len(x) + 1.0)  # one value more: 1/2, with a variance of 1/4
    mean = (0.5 + np.cumsum(x)) / (before + 1.0)
    variance = (0.25 + np.cumsum((x - mean) ** 2)) / (before + 1.0)
    known = np.concatenate([[0.25], variance[:-1]])
    return np.asarray(np.sqrt(2.0 * goal / (len(x) * known)))


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


def tail_bound(hits: ArrayLike, draws: ArrayLike, good: ArrayLike, total: ArrayLike) -> Vector:
    """Return bounds of the probability of so many hits or more, drawn without replacement.

    `draws` of `total` rows are drawn, of which `good` are good. A bound is never below the
    probability and close above it where that is small; it takes no longer for large tables.

    >>> tail_bound([2, 40], [2, 100], [4, 100], [8, 1000])
    array([2.14285714e-01, 6.94546025e-18])
    >>> hypergeom.sf([1, 39], [8, 1000], [4, 100], [2, 100])
    array([2.14285714e-01, 6.94017542e-18])
    """
    x, n, k, whole = (np.asarray(value, dtype=np.float64) for value in (hits, draws, good, total))
    with np.errstate(all="ignore"):
        first = np.exp(_log_ways(k, x) + _log_ways(whole - k, n - x) - _log_ways(whole, n))
        # Probabilities fall at least as fast as a geometric series with this ratio.
        ratio = (k - x) * (n - x) / ((x + 1.0) * (whole - k - n + x + 1.0))
        bound = np.where(ratio < 1.0, np.minimum(first / (1.0 - ratio), 1.0), 1.0)
    bound = np.where(x <= np.maximum(0.0, n + k - whole), 1.0, bound)
    return np.where(x > np.minimum(n, k), 0.0, bound)


def _log_ways(n: Vector, k: Vector) -> Vector:
    ways: Vector = gammaln(n + 1.0) - gammaln(k + 1.0) - gammaln(n - k + 1.0)
    return ways


def stability_index(new: ArrayLike, known: ArrayLike) -> float:
    """Return the population stability index of two lists of counts in the same cells.

    Half a row is added to each cell, since the index of an empty one is infinite.

    >>> round(stability_index([50, 50], [50, 50]), 3), round(stability_index([80, 20], [50, 50]), 3)
    (0.0, 0.406)
    """
    (a, b) = (np.asarray(counts, dtype=np.float64) + 0.5 for counts in (new, known))
    a, b = a / a.sum(), b / b.sum()
    return float(((a - b) * np.log(a / b)).sum())


def stability_by_chance(new: ArrayLike, known: ArrayLike) -> float:
    """Return about the stability index that rows of the same kind have on average.

    >>> round(stability_by_chance([80, 20], [50, 50]), 3)
    0.02
    """
    a, b = np.asarray(new, dtype=np.float64), np.asarray(known, dtype=np.float64)
    cells = int(((a + b) > 0).sum())
    return (cells - 1) * float(1.0 / max(a.sum(), 1.0) + 1.0 / max(b.sum(), 1.0))
