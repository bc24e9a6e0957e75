"""Probabilities under another share of positives, and that share from unlabelled rows.

A change of the prior alone leaves what positives and negatives look like, so that by Bayes' rule it
multiplies the odds of every row by one factor.
"""

from typing import Any

import numpy as np
from scipy.optimize import brentq

from thresher.threshold.counts import Vector
from thresher.validation import check_number

MAX_LOG_ODDS = 60.0
"""A shift of the log odds beyond which probabilities are 0 or 1 in double precision."""

EM_TOLERANCE, EM_ROUNDS = 1e-9, 10_000


def odds(rate: float) -> float:
    """Return the odds of a probability."""
    return rate / (1.0 - rate)


def check_rate(name: str, rate: Any) -> None:
    """Raise unless a share of positives lies strictly between 0 and 1."""
    check_number(name, rate, 0.0, above=True)
    if rate >= 1.0:
        raise ValueError(f"{name} must be below 1, got {rate!r}.")


def scale_odds(p: Vector, factor: float | Vector) -> Vector:
    """Multiply the odds of probabilities by a factor, or by one for each; 0 and 1 stay.

    >>> scale_odds(np.array([0.0, 0.5, 1.0]), 3.0)
    array([0.  , 0.75, 1.  ])
    """
    if isinstance(factor, float) and factor == 1.0:
        return p
    positive = factor * p
    return positive / (positive + (1.0 - p))


def shift(p: Any, old_rate: float, new_rate: float) -> Vector:
    """Bring probabilities from one share of positives to another.

    Examples
    --------
    >>> shift([0.02, 0.5], old_rate=0.02, new_rate=0.1).round(3)
    array([0.1  , 0.845])
    """
    check_rate("old_rate", old_rate)
    check_rate("new_rate", new_rate)
    return scale_odds(np.asarray(p, dtype=np.float64), odds(new_rate) / odds(old_rate))


def matching_factor(p: Vector, rate: float, weights: Vector | None = None) -> float:
    """Find the factor of the odds that makes the mean probability equal the observed rate.

    Class weights and resampling by class multiply the odds that a model learns by a constant. The
    mean of honest (out-of-fold) probabilities tells that constant, whatever way it came about.

    Examples
    --------
    >>> p = np.array([0.1, 0.3, 0.5, 0.7])
    >>> factor = matching_factor(p, rate=0.1)
    >>> float(scale_odds(p, factor).mean().round(9))
    0.1
    """

    def excess(log_factor: float) -> float:
        return float(np.average(scale_odds(p, float(np.exp(log_factor))), weights=weights)) - rate

    low, high = excess(-MAX_LOG_ODDS), excess(MAX_LOG_ODDS)
    if not low < 0.0 < high:
        raise ValueError(
            "correct_prior=True cannot bring the mean probability to the share of positives, "
            f"{rate:.6g}: {'too many' if low >= 0 else 'too few'} out-of-sample probabilities are "
            f"exactly {1 if low >= 0 else 0}; use an estimator with smoother probabilities "
            "(a forest: smoothing='laplace')."
        )
    return float(np.exp(brentq(excess, -MAX_LOG_ODDS, MAX_LOG_ODDS, xtol=1e-12)))


def estimate_rate(p: Vector, rate: float) -> float:
    """Estimate the share of positives among unlabelled rows by EM.

    Saerens, Latinne and Decaestecker (2002): shift the probabilities to the current estimate
    of the share, take their mean as the next, until it stays.

    Parameters
    ----------
    p : probabilities of the rows.
    rate : the share of positives that these probabilities stand for.

    Examples
    --------
    >>> p = np.array([0.01] * 70 + [0.97] * 30)
    >>> round(estimate_rate(p, rate=0.1), 2)
    0.33
    """
    estimate = rate
    for _ in range(EM_ROUNDS):
        last, estimate = estimate, float(np.mean(scale_odds(p, odds(estimate) / odds(rate))))
        if not 0.0 < estimate < 1.0 or abs(estimate - last) <= EM_TOLERANCE:
            break
    return estimate
