"""All measures along the threshold, as columns."""

from thresher.threshold.counts import Vector
from thresher.threshold.rules import Costs
from thresher.threshold.search import Cuts


def curve_columns(cuts: Cuts, costs: Costs) -> dict[str, Vector]:
    """Return one entry for each different set of decisions, from all positive to none.

    Examples
    --------
    >>> from thresher.threshold.search import ScoredRows
    >>> columns = curve_columns(ScoredRows.of([0.2, 0.6], [0, 1]).cuts(), Costs())
    >>> columns["threshold"], columns["f1"].round(3)
    (array([0.1, 0.4, 0.8]), array([0.667, 1.   , 0.   ]))
    """
    counts = cuts.counts
    return {
        "threshold": cuts.thresholds,
        "tp": counts.tp,
        "fp": counts.fp,
        "tn": counts.tn,
        "fn": counts.fn,
        "precision": counts.precision,
        "recall": counts.recall,
        "f1": counts.fbeta(),
        "bcr": counts.bcr,
        "gmean": counts.gmean,
        "mcc": counts.mcc,
        "expected_cost": costs.per_row(counts),
        "alerts_per_1000": counts.alerts_per_1000,
    }
