"""Whether unseen rows are ranked better than by chance, fold by fold."""

from collections.abc import Sequence

import numpy as np
from scipy.special import ndtr

from thresher.threshold.score_counts import ScoreCounts


def ranking_p(folds: Sequence[ScoreCounts]) -> float:
    """Return the one-sided p-value of the rank-sum test, its statistics added over folds.

    Folds are scored by different models, so ranks are compared inside a fold alone; ties count
    half.

    >>> scores = ScoreCounts.of([0.1, 0.2, 0.3, 0.4, 0.5, 0.6], [0, 0, 0, 0, 1, 1])
    >>> round(ranking_p([scores]), 3)
    0.032
    """
    excess, variance = 0.0, 0.0
    for fold in folds:
        over, spread = _rank_sum(fold)
        excess, variance = excess + over, variance + spread
    return 1.0 if variance <= 0.0 else float(ndtr(-excess / np.sqrt(variance)))


def _rank_sum(fold: ScoreCounts) -> tuple[float, float]:
    """Return the Mann-Whitney statistic less its mean, and its variance, corrected for ties."""
    negative, positive = fold.negative, fold.positive
    n, m = float(negative.sum()), float(positive.sum())
    below = np.concatenate([[0.0], np.cumsum(negative)[:-1]])
    statistic = float((positive * (below + 0.5 * negative)).sum())
    ties, total = negative + positive, n + m
    if total < 2:
        return 0.0, 0.0
    by_ties = float((ties**3 - ties).sum()) / (total * (total - 1.0))
    return statistic - 0.5 * n * m, n * m / 12.0 * (total + 1.0 - by_ties)
