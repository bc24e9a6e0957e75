"""Promises made of rows out of fold and out of bag: every draw is a new training."""

from typing import Any, NamedTuple

import numpy as np
from promise_scores import KINDS, draw_class, draw_rows
from promise_trials import CONFIDENCE, FLOOR
from sklearn.linear_model import LogisticRegression

from thresher import ImbalancedForestClassifier, ImbalancedTreeClassifier, ThresholdClassifier
from thresher.errors import RuleNotMetError

JUDGED = 4000
"""Rows of either class that judge each training."""


class Measured(NamedTuple):
    """What promises of one kind of model and one cell did, over trainings."""

    model: str
    share: float
    size: int
    draws: int
    made: int
    held: int
    alerts: float
    mean_recall: float


def _estimator(kind: str, seed: int) -> Any:
    promise = {
        "rule": "precision_at_recall",
        "floor": FLOOR,
        "confidence": CONFIDENCE,
        "random_state": seed,
    }
    if kind == "forest":
        return ImbalancedForestClassifier(100, min_samples_leaf=5, n_jobs=1, **promise)
    tree = ImbalancedTreeClassifier(max_leaf_nodes=64, pruning=None, random_state=seed)
    return ThresholdClassifier(LogisticRegression() if kind == KINDS[0] else tree, **promise)


def measured(kind: str, share: float, positives: int, draws: int) -> Measured:
    """Train on draws of rows, and judge each promise on rows of its own."""
    random = np.random.default_rng([8, KINDS.index(kind), positives, round(1000 * share)])
    recalls, alerts = [], []
    for seed in range(draws):
        X, y = draw_rows(round(positives / share), share, random)
        try:
            model = _estimator(kind, seed).fit(X, y)
        except RuleNotMetError:
            continue
        recall, false = (
            float(model.predict(draw_class(JUDGED, label, random)).mean())
            for label in (True, False)
        )
        recalls.append(recall)
        alerts.append(share * recall + (1.0 - share) * false)
    found = np.array(recalls)
    return Measured(
        kind,
        share,
        positives,
        draws,
        len(found),
        int((found >= FLOOR).sum()),
        1000.0 * float(np.mean(alerts)),
        float(found.mean()),
    )
