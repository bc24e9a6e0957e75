"""From the sum of a card to a probability: a rising logistic curve."""

from dataclasses import replace

import numpy as np
from scipy.special import expit, logit

from thresher.card.lesson import Floats, Lesson
from thresher.threshold.platt import Platt
from thresher.tree.additive import AdditiveTrees

BASE_GRID = 2.0**10
"""The base is a whole number of 1 / BASE_GRID, so that adding it to sums is exact."""
FLATTEST = 2.0**-10
MOST_LOG_ODDS = 20.0
SLOPE_DIGITS, THRESHOLD_DIGITS = 6, 12
"""Digits that are kept: logarithms of other machines differ in the last ones."""


def with_link(trees: AdditiveTrees, sums: Floats, lesson: Lesson) -> AdditiveTrees:
    """Return trees whose probability is near what a model says of rows that it has not seen.

    `sums` are those of the training rows. The curve is fitted by log loss to the model's
    probabilities, not to the labels.
    """
    n = lesson.n_rows
    unseen, weight = lesson.probability[:n], lesson.weight[:n]
    curve = Platt.fit(sums, weight * (1.0 - unseen), weight * unseen)
    slope = max(_rounded(curve.slope / curve.scale, SLOPE_DIGITS), FLATTEST)
    base = curve.intercept / slope - curve.mean
    if np.ptp(sums) == 0.0:
        base, slope = float(logit(np.clip(np.average(unseen, weights=weight), 1e-6, 1 - 1e-6))), 1.0
    return replace(trees, slope=slope, base=float(np.rint(base * BASE_GRID) / BASE_GRID))


def threshold_at(trees: AdditiveTrees, cut: float) -> float:
    """Return the probability at a cut of sums; sums and probabilities decide alike."""
    assert trees.slope is not None
    log_odds = np.clip(trees.slope * (trees.base + cut), -MOST_LOG_ODDS, MOST_LOG_ODDS)
    return _rounded(float(expit(log_odds)), THRESHOLD_DIGITS)


def _rounded(value: float, n_digits: int) -> float:
    return float(f"{value:.{n_digits}g}")


def cut_at(trees: AdditiveTrees, threshold: float, *, whole: bool) -> float:
    """Return the cut of sums at a probability; between two whole numbers where sums are whole."""
    assert trees.slope is not None
    nearest = float(expit(-MOST_LOG_ODDS)) / 2.0
    cut = float(logit(np.clip(threshold, nearest, 1.0 - nearest))) / trees.slope - trees.base
    if not whole:
        return cut
    near = np.floor(cut) + np.arange(-1.0, 2.0)
    passes = near[trees.probability(near + trees.base) <= threshold]
    return float(passes.max(initial=near[0] - 1.0)) + 0.5
