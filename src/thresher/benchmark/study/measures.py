"""What is measured of one run, and the metrics that are made of it."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from sklearn.metrics import average_precision_score

from thresher.threshold.counts import Counts, Vector


class Measures(NamedTuple):
    """What is measured of one fitted model on the rows held out.

    Attributes
    ----------
    tn, fp, fn, tp : rows by truth and decision.
    average_precision : of the probabilities, or else of the decision function; None without both,
        and where no row is positive.
    brier : mean squared error of the probability; None without probabilities.
    fit_time, predict_time : seconds of CPU.
    leaves : of the tree, or of all trees together; None for other models.
    """

    tn: int
    fp: int
    fn: int
    tp: int
    average_precision: float | None
    brier: float | None
    fit_time: float
    predict_time: float
    leaves: int | None


Formula: TypeAlias = Callable[[Sequence[Measures]], Vector]
"""From the measures of some runs to one number each, NaN where there is none."""


class Metric(NamedTuple):
    """A number for each run: its heading, its formula, and which end of it is the better one."""

    heading: str
    formula: Formula
    higher_is_better: bool = True


def _of_counts(formula: Callable[[Counts], Vector]) -> Formula:
    return lambda runs: formula(counts_of(runs))


def _measured(name: str) -> Formula:
    return lambda runs: np.array([getattr(run, name) for run in runs], dtype=np.float64)


METRICS: Mapping[str, Metric] = MappingProxyType(
    {
        "f1": Metric("F1", _of_counts(Counts.fbeta)),
        "accuracy": Metric(
            "ACC", _of_counts(lambda counts: (counts.tn + counts.tp) / counts.total)
        ),
        "bcr": Metric("BCR", _of_counts(lambda counts: counts.bcr)),
        "gmean": Metric("G-mean", _of_counts(lambda counts: counts.gmean)),
        "mcc": Metric("MCC", _of_counts(lambda counts: counts.mcc)),
        "average_precision": Metric("AP", _measured("average_precision")),
        "brier": Metric("Brier", _measured("brier"), higher_is_better=False),
        "fit_time": Metric("fit time [s]", _measured("fit_time"), higher_is_better=False),
        "predict_time": Metric("predict time [s]", _measured("predict_time"), False),
        "leaves": Metric("leaves", _measured("leaves"), higher_is_better=False),
    }
)
"""The metrics of a run by name; those made of counts are 0 where they are undefined."""


def counts_of(runs: Sequence[Measures]) -> Counts:
    """Return the four counts of some runs.

    >>> run = Measures(90, 2, 4, 6, None, None, 0.1, 0.01, None)
    >>> METRICS["f1"].formula([run, run])
    array([0.66666667, 0.66666667])
    """
    table = np.array([run[:4] for run in runs], dtype=np.float64).reshape(-1, 4)
    return Counts(*table.T)


def pooled_f1(runs: Sequence[Measures]) -> float:
    """Return the F1 of the counts of all runs together.

    >>> run = Measures(90, 2, 4, 6, None, None, 0.1, 0.01, None)
    >>> empty = Measures(100, 1, 0, 0, None, None, 0.1, 0.01, None)
    >>> round(pooled_f1([run, empty]), 4), METRICS["f1"].formula([run, empty]).round(4).tolist()
    (0.6316, [0.6667, 0.0])
    """
    counts = counts_of(runs)
    return float(Counts(*(part.sum(keepdims=True) for part in counts)).fbeta()[0])


# ------------------------------------------------------------------------- measuring one model


def count_decisions(is_positive: Any, decisions: Any) -> tuple[int, int, int, int]:
    """Return (tn, fp, fn, tp) of a truth and of decisions, both 0 or 1.

    >>> count_decisions(np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]))
    (1, 1, 1, 1)
    """
    counts = Counts.of(np.asarray(decisions) == 1, np.asarray(is_positive) == 1)
    tn, fp, fn, tp = (int(count[0]) for count in counts)
    return tn, fp, fn, tp


def rank_quality(is_positive: Any, model: Any, X: Any) -> tuple[float | None, float | None]:
    """Return average precision and Brier score, None for what the model does not give."""
    if hasattr(model, "predict_proba"):
        scores = _column_of_positives(model.predict_proba(X), model)
        brier = float(np.mean((scores - is_positive) ** 2))
    elif hasattr(model, "decision_function"):
        scores, brier = np.asarray(model.decision_function(X), dtype=np.float64), None
    else:
        return None, None
    if not np.any(is_positive):
        return None, brier
    return float(average_precision_score(is_positive, scores)), brier


def _column_of_positives(probabilities: Any, model: Any) -> Vector:
    classes = np.asarray(getattr(model, "classes_", (0, 1)))
    column = int(np.flatnonzero(classes == 1)[0])
    scores: Vector = np.asarray(probabilities, dtype=np.float64)[:, column]
    return scores


def count_leaves(model: Any) -> int | None:
    """Return the leaves of a tree, or of all trees of an ensemble; None for other models.

    Pipelines and estimators around another are looked into.

    >>> from thresher import ImbalancedTreeClassifier
    >>> count_leaves(ImbalancedTreeClassifier().fit([[1.0], [2.0], [3.0], [4.0]], [0, 0, 1, 1]))
    2
    """
    if hasattr(model, "get_n_leaves"):
        return int(model.get_n_leaves())
    if hasattr(model, "steps"):
        return count_leaves(model.steps[-1][1])
    if hasattr(model, "estimators_"):
        return _sum_of_leaves(model.estimators_)
    return count_leaves(model.estimator_) if hasattr(model, "estimator_") else None


def _sum_of_leaves(models: Any) -> int | None:
    flat = models.ravel().tolist() if isinstance(models, np.ndarray) else list(models)
    parts = [count_leaves(model) for model in flat]
    known = [part for part in parts if part is not None]
    return sum(known) if known and len(known) == len(parts) else None
