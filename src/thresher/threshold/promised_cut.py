"""Cuts that keep a promise: binomial laws of order statistics, on counts along the threshold.

Every function takes rows that the model has not seen, each counted once, and returns the number of
the cut. None of them needs a grid of thresholds, or anything of the scores but their order.
"""

import numpy as np
from numpy.typing import NDArray

from thresher.errors import RuleNotMetError
from thresher.statistics import clopper_pearson, most_events, rows_for_one_event
from thresher.threshold.counts import Vector
from thresher.threshold.search import Cuts

MOST_NUMBERS = 12
"""Numbers of alerts that a promise of precision tries; they share its risk."""


def recall_cut(cuts: Cuts, floor: float, confidence: float) -> int:
    """Return the last cut, of the fewest alerts, whose recall is promised to be `floor` or more.

    k is the largest number with P(Bin(positives, 1 - floor) <= k - 1) <= 1 - confidence. The cut
    ends at the k-th smallest score of a positive, which is an alert, and so are its ties.

    Examples
    --------
    >>> from thresher.threshold.search import ScoredRows
    >>> cuts = ScoredRows.of([0.1, 0.2, *[0.6] * 30], [0, 1, *[1] * 30]).cuts()
    >>> recall_cut(cuts, 0.9, 0.9), cuts.thresholds[recall_cut(cuts, 0.9, 0.9)].round(2)
    (1, np.float64(0.15))
    """
    positives, risk = int(cuts.counts.fn[-1]), 1.0 - confidence
    missed = most_events(positives, 1.0 - floor, risk)
    if missed < 0:
        needed = rows_for_one_event(1.0 - floor, risk)
        raise RuleNotMetError(
            f"To promise a recall of {floor:g} with confidence {confidence:g}, {needed} positives "
            f"are needed that chose nothing, but there are {positives}; take more rows, or a lower "
            "floor or confidence."
        )
    return int(np.flatnonzero(cuts.counts.fn <= missed)[-1])


def budget_cut(cuts: Cuts, share: float, confidence: float) -> int:
    """Return the first cut, of the most alerts, that is promised to alert on `share` at most.

    Labels play no part. The rows above it are at most a with P(Bin(rows, share) <= a) <=
    1 - confidence.
    """
    alerts, risk = alerts_along(cuts), 1.0 - confidence
    rows = int(alerts[0])
    most = rows if share >= 1.0 else most_events(rows, share, risk)
    promise = f"To promise at most {1000 * share:g} alerts per 1000 rows with confidence"
    if most < 0:
        needed = rows_for_one_event(share, risk)
        raise RuleNotMetError(
            f"{promise} {confidence:g}, {needed} rows are needed that chose nothing, but there "
            f"are {rows}; take more rows (X_unlabelled), a larger budget or a lower confidence."
        )
    if most < alerts[-2]:
        raise RuleNotMetError(
            f"{promise} {confidence:g}, at most {most} of {rows} rows may be alerts, but "
            f"{int(alerts[-2])} share the highest score; take more rows, or a larger budget."
        )
    return int(np.flatnonzero(alerts <= most)[0])


def precision_cut(cuts: Cuts, floor: float, confidence: float) -> int:
    """Return the cut of the most alerts whose precision is promised to be `floor` or more.

    The numbers of alerts that are tried follow from the number of rows alone, so that each has
    an exact bound (Clopper and Pearson), and all share the risk.
    """
    alerts = alerts_along(cuts)
    least = least_alerts(floor, confidence)
    positives = int(cuts.counts.tp[0])
    if positives < least:
        raise RuleNotMetError(
            f"To promise a precision of {floor:g} with confidence {confidence:g}, {least} "
            f"positives are needed that chose nothing, but there are {positives}; take more rows, "
            "or a lower floor or confidence."
        )
    tried = tried_cuts(alerts, least)
    bounds = precision_bounds(cuts.counts.tp[tried], alerts[tried], confidence)
    passes = np.flatnonzero(bounds >= floor)
    if not len(passes):
        best = int(np.argmax(bounds))
        raise RuleNotMetError(
            f"No number of alerts promises a precision of {floor:g} with confidence "
            f"{confidence:g}; the best bound is {bounds[best]:.3g}, at "
            f"{int(alerts[tried[best]])} alerts."
        )
    return int(tried[passes].min())


def least_alerts(floor: float, confidence: float) -> int:
    """Return how many alerts, all of them right, can promise a precision.

    >>> least_alerts(0.6, 0.9), least_alerts(0.9, 0.9)
    (10, 46)
    """
    return rows_for_one_event(1.0 - floor, (1.0 - confidence) / MOST_NUMBERS)


def tried_cuts(alerts: Vector, least: int) -> NDArray[np.intp]:
    """Return the cuts of at most 12 numbers of alerts, from the least to all, geometrically.

    A number inside a tie is rounded down to whole ties: given the first score that is no alert, the
    rows above it are then independent draws of all that lie above, so that the bound is exact.
    """
    numbers = np.geomspace(least, alerts[0], MOST_NUMBERS).round()
    places = np.searchsorted(-alerts, -numbers)
    return np.unique(places[alerts[places] > 0])


def precision_bounds(hits: Vector, alerts: Vector, confidence: float) -> Vector:
    """Return lower bounds of precision that hold together with a confidence."""
    return clopper_pearson(hits, alerts, 1.0 - 2.0 * (1.0 - confidence) / MOST_NUMBERS)[0]


def alerts_along(cuts: Cuts) -> Vector:
    """Return the number of alerts of each cut, all rows first."""
    return cuts.counts.tp + cuts.counts.fp
