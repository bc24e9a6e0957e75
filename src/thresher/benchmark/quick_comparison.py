"""A few methods beside each other on one table, in memory: for a first look, not for a study."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import f1_score, precision_score, recall_score
from sklearn.model_selection import StratifiedKFold

from thresher.benchmark.methods import METHODS
from thresher.benchmark.own_table import fill_missing
from thresher.progress import progress_bar

MEASURES = {"f1": "F1", "precision": "precision", "recall": "recall"}
"""What is compared, by name, and its words."""


def is_installed(name: str) -> bool:
    """Whether a method has all that it needs."""
    try:
        METHODS[name]()
    except ImportError:
        return False
    return True


def compare_methods(
    names: Sequence[str], X: Any, y: Any, folds: int, seed: int
) -> list[dict[str, Any]]:
    """Cross-validate methods on a table; scores are means over the folds, as in the paper."""
    splits = list(StratifiedKFold(folds, shuffle=True, random_state=seed).split(X, y))
    rows = []
    with progress_bar("Comparing methods", len(names) * folds, shown=True) as done:
        for place, name in enumerate(names):
            scores = []
            for number, (train, test) in enumerate(splits):
                model = fill_missing(METHODS[name], random_state=seed)
                decided = model.fit(X[train], y[train]).predict(X[test])
                scores.append(_scores(y[test], decided))
                done(place * folds + number + 1)
            means = np.mean(scores, axis=0)
            rows.append({"method": name, **dict(zip(MEASURES, means.tolist(), strict=True))})
    return rows


def _scores(truth: NDArray[Any], decided: NDArray[Any]) -> list[float]:
    measures = (f1_score, precision_score, recall_score)
    return [float(measure(truth, decided, zero_division=0)) for measure in measures]
