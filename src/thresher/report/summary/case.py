"""Probabilities of rows by models that have not seen them: what all figures rest on."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold

from thresher.threshold.classifier import ThresholdClassifier
from thresher.threshold.counts import Counts, Vector
from thresher.threshold.prior_shift import scale_odds
from thresher.threshold.search import Cuts, ScoredRows
from thresher.threshold.unseen import Problem, out_of_fold, positive_scores, splitter
from thresher.validation import Target, read_labels, read_target

Rows = NDArray[np.intp]


@dataclass(frozen=True)
class Case:
    """A fitted model, the rows to judge it on, and the splits to fit it on again.

    Attributes
    ----------
    model : fitted; it has `predict_proba` and `classes_`.
    X, labels : the table and its labels.
    target : the labels as two classes.
    splits : (train, test) positions.
    held_out : whether the model has not seen these rows.
    is_bound : whether the splits follow time or groups, so that out-of-bag votes will not do.
    """

    model: Any
    X: Any
    labels: NDArray[Any]
    target: Target
    splits: list[tuple[Rows, Rows]]
    held_out: bool
    is_bound: bool
    n_jobs: int | None = None

    @property
    def is_positive(self) -> NDArray[np.bool_]:
        """Whether each row is of the positive class."""
        return self.target.is_positive.astype(np.bool_)

    @property
    def threshold(self) -> float:
        """The model's threshold, 0.5 where it has none of its own."""
        return float(getattr(self.model, "threshold_", 0.5))

    @property
    def problem(self) -> Problem:
        """The estimator to fit again, without what a fold does not need."""
        inner = self.model.estimator if self._is_wrapped else self.model
        estimator = clone(inner)
        params = estimator.get_params(deep=False)
        wanted = {"n_bootstrap": 0, "pos_label": self.target.classes[self.target.positive]}
        estimator.set_params(**{name: wanted[name] for name in wanted if name in params})
        return Problem(estimator, self.X, self.labels, self.target.classes, self.target.positive)

    @property
    def _is_wrapped(self) -> bool:
        return isinstance(self.model, ThresholdClassifier)

    def calibrated(self, scores: Vector) -> Vector:
        """Move the scores of an estimator inside a ThresholdClassifier as that does."""
        return scale_odds(scores, self.model._factor) if self._is_wrapped else scores


@dataclass(frozen=True)
class Scored:
    """Probabilities of rows by models that have not seen them.

    Attributes
    ----------
    rows : positions in the table; a row may come several times, or not at all.
    probability : of the positive class.
    is_positive : the truth.
    source : where the probabilities come from, in words.
    """

    rows: Rows
    probability: Vector
    is_positive: NDArray[np.bool_]
    source: str

    def cuts(self) -> Cuts:
        """Count the decisions of every threshold."""
        return ScoredRows.of(self.probability, self.is_positive).cuts()

    def counts_at(self, threshold: float) -> Counts:
        """Count the decisions of one threshold."""
        return counts_of(self.probability > threshold, self.is_positive)


def counts_of(is_alert: NDArray[np.bool_], is_positive: NDArray[np.bool_]) -> Counts:
    """Count decisions by truth; one entry each.

    >>> counts_of(np.array([True, True, False]), np.array([True, False, False])).precision
    array([0.5])
    """
    pairs = [
        (~is_alert, ~is_positive),
        (is_alert, ~is_positive),
        (~is_alert, is_positive),
        (is_alert, is_positive),
    ]
    return Counts(*(np.array([float(np.sum(alert & truth))]) for alert, truth in pairs))


def make_case(
    model: Any,
    X: Any,
    y: Any,
    *,
    cv: Any = 5,
    groups: Any = None,
    held_out: bool = False,
    seed: int = 0,
    n_jobs: int | None = None,
) -> Case:
    """Read the labels and the splits; one clear sentence for what cannot be used."""
    if not hasattr(model, "classes_") or not hasattr(model, "predict_proba"):
        raise TypeError(
            f"model must be fitted and have predict_proba, got {type(model).__name__}; fit it, or "
            "wrap it in sklearn.calibration.CalibratedClassifierCV."
        )
    labels, is_bound = read_labels(y), not isinstance(cv, int)
    n_rows = X.shape[0] if hasattr(X, "shape") else len(X)
    target = read_target(labels, n_rows, pos_label=getattr(model, "pos_label_", None))
    if isinstance(cv, int):
        folds = min(cv, int(min(target.totals)))
        if folds < 2:
            raise ValueError("y has one row of the rare class only; a report needs two or more.")
        cv = StratifiedKFold(folds, shuffle=True, random_state=seed)
    split = splitter(cv, labels, seed).split(np.zeros(len(labels)), labels, groups)
    splits = [(np.asarray(train), np.asarray(test)) for train, test in split]
    return Case(model, X, labels, target, splits, held_out, is_bound, n_jobs)


def honest_scores(case: Case) -> Scored:
    """Score the rows: as they are if held out, else out of bag, else out of fold."""
    every = np.arange(len(case.labels))
    if case.held_out:
        scores = positive_scores(case.model, case.X, case.target.positive)
        return Scored(every, scores, case.is_positive, "kept apart from its training")
    votes = getattr(case.model, "oob_decision_function_", None)
    if votes is not None and len(votes) == len(every) and not case.is_bound:
        scores = case.model._shifted(votes[:, case.target.positive])
        voted = np.flatnonzero(~np.isnan(scores))
        source = "each judged by the trees that were grown without it (out of bag)"
        return Scored(voted, scores[voted], case.is_positive[voted], source)
    rows, scores = out_of_fold(case.problem, case.splits, {}, case.n_jobs)
    source = f"each judged by a model fitted without it ({len(case.splits)} folds)"
    return Scored(rows, case.calibrated(scores), case.is_positive[rows], source)
