"""Whether probabilities mean what they say: predicted against real shares, in groups of rows."""

from typing import Any

import numpy as np

from thresher.condition.statistics import wilson
from thresher.report.scores import Scored

GROUPS = 10


def calibration_data(scored: Scored) -> dict[str, Any]:
    """Return groups of about equal size by predicted probability, with Wilson's intervals.

    Examples
    --------
    >>> scored = Scored(np.arange(4), np.array([0.1, 0.1, 0.8, 0.8]), np.array([0, 0, 1, 1]), "")
    >>> [(group["predicted"], group["real"]) for group in calibration_data(scored)["groups"]]
    [(0.1, 0.0), (0.8, 1.0)]
    """
    p, truth = scored.probability, scored.is_positive.astype(np.float64)
    edges = np.unique(np.quantile(p, np.linspace(0.0, 1.0, GROUPS + 1)))
    group = (
        np.searchsorted(edges[1:-1], p, side="left") if len(edges) > 2 else np.zeros(len(p), int)
    )
    groups = [_group(p[group == code], truth[group == code]) for code in np.unique(group)]
    return {
        "groups": groups,
        "mean": float(p.mean()),
        "rate": float(truth.mean()),
        "brier": float(np.mean((p - truth) ** 2)),
        "brier_of_rate": float(truth.mean() * (1.0 - truth.mean())),
    }


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
