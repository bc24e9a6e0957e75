"""Whether probabilities mean what they say: predicted against real shares, in groups of rows."""

from typing import Any

import numpy as np

from thresher.report.summary.case import Scored
from thresher.statistics import wilson
from thresher.threshold.counts import Vector

GROUPS = 8


def calibration_data(scored: Scored) -> dict[str, Any]:
    """Return groups of similar probability, with Wilson's intervals of their real share.

    Above the middle row each group holds about as many expected positives as any other: groups of
    equal size would put most positives of a rare class into one.

    Examples
    --------
    >>> scored = Scored(np.arange(4), np.array([0.1, 0.1, 0.8, 0.8]), np.array([0, 0, 1, 1]), "")
    >>> [(group["predicted"], group["real"]) for group in calibration_data(scored)["groups"]]
    [(0.1, 0.0), (0.8, 1.0)]
    """
    p, truth = scored.probability, scored.is_positive.astype(np.float64)
    group = np.searchsorted(group_ends(p), p, side="left")
    groups = [_group(p[group == code], truth[group == code]) for code in np.unique(group)]
    return {
        "groups": groups,
        "mean": float(p.mean()),
        "rate": float(truth.mean()),
        "brier": float(np.mean((p - truth) ** 2)),
        "brier_of_rate": float(truth.mean() * (1.0 - truth.mean())),
    }


def group_ends(p: Vector) -> Vector:
    """Return the largest probability of each group but the last.

    >>> group_ends(np.array([0.1, 0.1, 0.1, 0.1, 0.4, 0.4, 0.8])).round(1)
    array([0.1, 0.4])
    """
    ordered = np.sort(p)
    reached = np.cumsum(ordered) / (ordered.sum() or 1.0)
    places = np.searchsorted(reached, np.arange(1, GROUPS) / GROUPS)
    # The middle row as well: below it there may be hardly any positive to expect.
    places = np.append(places, (len(p) - 1) // 2).clip(max=len(p) - 1)
    ends = np.unique(ordered[places])
    return np.asarray(ends[ends < ordered[-1]])


def _group(p: Any, truth: Any) -> dict[str, float]:
    hits, n = int(truth.sum()), len(truth)
    low, high = wilson(hits, n)
    predicted = float(np.round(p.mean(), 6))
    return {
        "predicted": predicted,
        "real": hits / n,
        "low": float(low),
        "high": float(high),
        "n": n,
        "hits": hits,
    }
