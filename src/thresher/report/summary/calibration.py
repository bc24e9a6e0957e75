"""Whether probabilities mean what they say: predicted against real shares, in groups of rows."""

from typing import Any

import numpy as np

from thresher.report.summary.case import CountedScores, Scored
from thresher.statistics import wilson
from thresher.threshold.counts import Vector

GROUPS = 8


def calibration_data(scored: Scored | CountedScores) -> dict[str, Any]:
    """Return groups of similar probability, with Wilson's intervals of their real share.

    Above the middle row each group holds about as many expected positives as any other: groups of
    equal size would put most positives of a rare class into one.

    Examples
    --------
    >>> scored = Scored(np.arange(4), np.array([0.1, 0.1, 0.8, 0.8]), np.array([0, 0, 1, 1]), "")
    >>> [(group["predicted"], group["real"]) for group in calibration_data(scored)["groups"]]
    [(0.1, 0.0), (0.8, 1.0)]
    """
    p, negative, positive = scored.rows_by_score
    n, rows = negative + positive, float((negative + positive).sum())
    group = np.searchsorted(group_ends(p, n), p, side="left")
    parts = [group == code for code in np.unique(group)]
    rate = float(positive.sum()) / rows
    return {
        "groups": [_group(p[part], n[part], positive[part]) for part in parts],
        "mean": float((n * p).sum()) / rows,
        "rate": rate,
        "brier": float((negative * p**2 + positive * (1.0 - p) ** 2).sum()) / rows,
        "brier_of_rate": rate * (1.0 - rate),
    }


def group_ends(p: Vector, n: Vector) -> Vector:
    """Return the largest probability of each group but the last; `n` rows have each.

    >>> group_ends(np.array([0.1, 0.4, 0.8]), np.array([4, 2, 1])).round(1)
    array([0.1, 0.4])
    """
    order = np.argsort(p, kind="stable")
    ordered, expected, rows = p[order], (n * p)[order], np.cumsum(n[order])
    reached = np.cumsum(expected) / (expected.sum() or 1.0)
    places = np.searchsorted(reached, np.arange(1, GROUPS) / GROUPS)
    # The middle row as well: below it there may be hardly any positive to expect.
    middle = np.searchsorted(rows, (rows[-1] - 1) // 2, side="right")
    places = np.append(places, middle).clip(max=len(p) - 1)
    ends = np.unique(ordered[places])
    return np.asarray(ends[ends < ordered[-1]])


def _group(p: Vector, rows: Vector, positive: Vector) -> dict[str, float]:
    hits, n = int(positive.sum()), int(rows.sum())
    low, high = wilson(hits, n)
    predicted = float(np.round((rows * p).sum() / n, 6))
    return {
        "predicted": predicted,
        "real": hits / n,
        "low": float(low),
        "high": float(high),
        "n": n,
        "hits": hits,
    }
