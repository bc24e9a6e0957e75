"""The search of a threshold over a million scores, beside the grid of scikit-learn."""

from typing import Any

import numpy as np
from figures import Figure, compare_calls
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import TunedThresholdClassifierCV
from tables import Shape

from thresher.threshold.rules import make_rule
from thresher.threshold.search import ScoredRows

ROWS = 1_000_000
GRID = "TunedThresholdClassifierCV, 100 thresholds"
RULES = {"f1": "f1", "bcr": "balanced_accuracy"}
"""Our name of a metric: scikit-learn's."""


class KnownScores(ClassifierMixin, BaseEstimator):
    """A fitted classifier whose probabilities are its only column."""

    classes_ = np.array([0, 1])

    def fit(self, X: Any, y: Any) -> "KnownScores":
        return self

    def predict_proba(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.column_stack([1.0 - X[:, 0], X[:, 0]])


def compare_searches(rows: int = ROWS) -> list[Figure]:
    """Return the CPU time of both for each rule, the grid's as 1; each is run once or twice."""
    shape = Shape(rows, columns=1)
    scores, y = make_scores(shape)
    figures = []
    for rule, scoring in RULES.items():
        calls = {
            f"{GRID}, {scoring}": lambda scoring=scoring: grid_threshold(scores, y, scoring),
            f"exact search, {rule}": lambda rule=rule: exact_threshold(scores, y, rule),
        }
        figures += compare_calls("threshold search", calls, shape, seconds=0)
    return figures


def make_scores(shape: Shape) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Draw calibrated probabilities of a rare class, nearly all distinct."""
    random = np.random.default_rng(shape.rows)
    # A beta distribution has its first parameter's share as mean.
    scores = random.beta(0.5, 0.5 / shape.positive_share - 0.5, shape.rows)
    return scores, (random.random(shape.rows) < scores).astype(np.int64)


def exact_threshold(scores: NDArray[np.float64], y: NDArray[np.int64], rule: str) -> float:
    return make_rule(rule).choose(ScoredRows.of(scores, y).cuts())


def grid_threshold(scores: NDArray[np.float64], y: NDArray[np.int64], scoring: str) -> float:
    tuned = TunedThresholdClassifierCV(KnownScores(), scoring=scoring, cv="prefit", refit=False)
    return float(tuned.fit(scores[:, None], y).best_threshold_)
