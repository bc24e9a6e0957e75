"""An e-process on a rate: evidence that it is above a limit, valid at every look.

A bet on the odds ratio r pays r^hits / (1 + (r - 1) limit)^rows for a batch: the likelihood ratio
of the rate with r times the odds of the limit, against the limit. While the rate is at most the
limit its expectation is at most 1, whatever batches came before, so that money put on bets is not
expected to grow. It is put on all ratios and all first batches at once:

    e_t = sum over s <= t of prior(s) * mean over r of the product of pays from s to t, + prior(> t)

By Ville's inequality e_t ever reaches 1 / level with a probability of at most level. A change
after a stable time has bets that begin with it; half of the money is on the first batch, for a
rate that was never that of the reference.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from thresher.threshold.counts import Vector

RATIOS = 10.0 ** (np.array([1, 2, 4, 6, 8, 10, 12, 14, 16, 20]) / 20.0)
"""Odds ratios that are bet on, 1.12 to 10."""
HORIZON = 365.0
"""First batches up to about this one have much the same share of the money; later ones less."""


class Start(NamedTuple):
    """The bet that earned most: its first batch (from 0) and its odds ratio."""

    place: int
    ratio: float


def log_e_values(hits: ArrayLike, rows: ArrayLike, limit: ArrayLike) -> Vector:
    """Return the logarithm of the e-value after each batch.

    Parameters
    ----------
    hits, rows : array-like of shape (..., batches)
        Rows of each batch, and those among them whose rate is in question. A batch without rows
        changes no bet.
    limit : float or array-like of shape (...)
        The largest rate under the null hypothesis.

    Examples
    --------
    >>> np.exp(log_e_values([1, 2, 9, 7], [100, 100, 100, 100], 0.02)).round(1)
    array([ 0.6,  0.6,  2.7, 50.9])
    """
    k, n = np.asarray(hits, dtype=np.float64), np.asarray(rows, dtype=np.float64)
    first = _log_prior(n.shape[-1])
    earned = np.full(np.broadcast_shapes(k.shape, n.shape), -np.inf)
    for ratio in RATIOS:
        total = _log_pay(k, n, limit, ratio)
        before = _shifted(total)
        earned = np.logaddexp(earned, total + np.logaddexp.accumulate(first - before, axis=-1))
    found: Vector = np.logaddexp(earned - np.log(len(RATIOS)), _log_left(n.shape[-1]))
    return found


def strongest_start(hits: ArrayLike, rows: ArrayLike, limit: float) -> Start:
    """Return the bet with the largest part of the last e-value: about when the rate rose.

    >>> strongest_start([1, 2, 9, 12], [100, 100, 100, 100], 0.02).place
    2
    """
    k, n = np.asarray(hits, dtype=np.float64), np.asarray(rows, dtype=np.float64)
    first = _log_prior(n.shape[-1])
    totals = np.array([_log_pay(k, n, limit, ratio) for ratio in RATIOS])
    parts = first - _shifted(totals) + totals[:, -1:]
    ratio, place = np.unravel_index(int(np.argmax(parts)), parts.shape)
    return Start(int(place), float(RATIOS[ratio]))


def _log_pay(hits: Vector, rows: Vector, limit: ArrayLike, ratio: float) -> Vector:
    """Return the logarithm of what a bet has paid from the first batch to each."""
    against = np.log1p((ratio - 1.0) * np.asarray(limit, dtype=np.float64))[..., np.newaxis]
    total: Vector = np.cumsum(hits * np.log(ratio) - rows * against, axis=-1)
    return total


def _shifted(total: Vector) -> Vector:
    """Return the totals before each batch."""
    return np.concatenate([np.zeros((*total.shape[:-1], 1)), total[..., :-1]], axis=-1)


def _log_prior(batches: int) -> Vector:
    """Return the logarithm of the money on bets that begin with each batch."""
    place = np.arange(1.0, batches + 1.0)
    money = 0.5 * HORIZON / ((HORIZON + place - 1.0) * (HORIZON + place))
    money[:1] += 0.5
    found: Vector = np.log(money)
    return found


def _log_left(batches: int) -> Vector:
    """Return the logarithm of the money on bets that begin after each batch."""
    left: Vector = np.log(0.5 * HORIZON / (HORIZON + np.arange(1.0, batches + 1.0)))
    return left
