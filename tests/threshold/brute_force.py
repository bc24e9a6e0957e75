"""The threshold of every rule, found slowly: each cut by itself, in exact fractions."""

from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple


class Cut(NamedTuple):
    """An interval [low, high) of thresholds and the counts of its decisions."""

    low: float
    high: float
    tn: Fraction
    fp: Fraction
    fn: Fraction
    tp: Fraction


def ratio(part, whole):
    return Fraction(part) / whole if whole else Fraction(0)


def precision(cut):
    return ratio(cut.tp, cut.tp + cut.fp)


def recall(cut):
    return ratio(cut.tp, cut.tp + cut.fn)


def specificity(cut):
    return ratio(cut.tn, cut.tn + cut.fp)


def fbeta(beta):
    square = Fraction(beta) ** 2

    def score(cut):
        p, r = precision(cut), recall(cut)
        return ratio((1 + square) * p * r, square * p + r)

    return score


def bcr(cut):
    return (recall(cut) + specificity(cut)) / 2


def squared_gmean(cut):
    return recall(cut) * specificity(cut)


def signed_squared_mcc(cut):
    tn, fp, fn, tp = cut[2:]
    covariance = tp * tn - fp * fn
    return ratio(covariance * abs(covariance), (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))


def per_1000(cut):
    return 1000 * (cut.tp + cut.fp) / sum(cut[2:])


def all_cuts(scores, is_positive, weights=None):
    """Return the cuts of probabilities, in the order of their thresholds."""
    rows = [
        (float(score), bool(positive), Fraction(float(weight)))
        for score, positive, weight in zip(
            scores, is_positive, [1] * len(scores) if weights is None else weights, strict=True
        )
        if weight > 0
    ]
    distinct = sorted({score for score, _, _ in rows})
    edges = [0.0 if distinct[0] > 0 else -1.0, *distinct, 1.0]
    return [
        Cut(low, high, *counts_at(rows, low if low in distinct else distinct[0] - 1))
        for low, high in pairwise(edges)
    ]


def counts_at(rows, threshold):
    """Return (tn, fp, fn, tp) where positive means: above the threshold."""
    counts = {(truth, alert): Fraction(0) for truth in (False, True) for alert in (False, True)}
    for score, positive, weight in rows:
        counts[positive, score > threshold] += weight
    return [counts[key] for key in ((False, False), (False, True), (True, False), (True, True))]


def best_interval(cuts, objective, allowed=lambda cut: True):
    """Return the ends of the best interval: equal neighbours joined, the fewest alerts."""
    values = [objective(cut) if allowed(cut) else None for cut in cuts]
    best = max(value for value in values if value is not None)
    last = max(index for index, value in enumerate(values) if value == best)
    first = last
    while first > 0 and values[first - 1] == best:
        first -= 1
    return cuts[first].low, cuts[last].high
