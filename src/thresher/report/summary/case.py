"""Probabilities of rows by models that have not seen them: what all figures rest on."""

from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold

from thresher.errors import RuleNotMetError
from thresher.judging.judgement import Fold, Judgement, judged_by
from thresher.judging.verdict import EVERYTHING, NOTHING, Setting
from thresher.threshold.classifier import ThresholdClassifier
from thresher.threshold.counts import Costs, Counts, Vector
from thresher.threshold.rules import (
    RULE_PARAMETERS,
    Rule,
    choose_pair,
    make_rule,
    rule_words,
)
from thresher.threshold.score_counts import ScoreCounts
from thresher.threshold.search import Cuts, ScoredRows
from thresher.threshold.unseen import (
    Problem,
    Rows,
    held_out,
    out_of_bag,
    out_of_fold,
    scorer_of,
    splitter,
)
from thresher.validation import Target, read_labels, read_target

FOLDS = 5
"""In which a threshold is chosen and judged, where a rule chose it."""


@dataclass(frozen=True)
class Case:
    """A fitted model, the rows to judge it on, and the splits to fit it on again.

    Attributes
    ----------
    model : fitted; it has `predict_proba` and `classes_`.
    X, labels : the table and its labels.
    target : the labels as two classes.
    splits : (train, test) positions.
    held_out : whether the model has not seen these rows; a text says what they are instead.
    is_bound : whether the splits follow time or groups, so that out-of-bag votes will not do.
    """

    model: Any
    X: Any
    labels: NDArray[Any]
    target: Target
    splits: list[tuple[Rows, Rows]]
    held_out: bool | str
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
        estimator = scorer_of(inner)
        params = estimator.get_params(deep=False)
        wanted = {"pos_label": self.target.classes[self.target.positive]}
        if hasattr(inner, "min_samples_leaf_"):  # chosen once, for all fits of a report
            wanted["min_samples_leaf"] = inner.min_samples_leaf_
        estimator.set_params(**{name: wanted[name] for name in wanted if name in params})
        return Problem(estimator, self.X, self.labels, self.target.classes, self.target.positive)

    @property
    def _is_wrapped(self) -> bool:
        return isinstance(self.model, ThresholdClassifier)

    def calibrated(self, scores: Vector) -> Vector:
        """Move the scores of an estimator inside a ThresholdClassifier as that does."""
        return self.model.threshold_state_.shifted(scores) if self._is_wrapped else scores


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
        return Counts.of(self.probability > threshold, self.is_positive)

    @property
    def rows_by_score(self) -> tuple[Vector, Vector, Vector]:
        """Probabilities, and the negative and the positive rows of each."""
        truth = self.is_positive.astype(np.float64)
        return self.probability, 1.0 - truth, truth


def make_case(
    model: Any,
    X: Any,
    y: Any,
    *,
    cv: Any = 5,
    groups: Any = None,
    held_out: bool | str = False,
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


def score_case(case: Case) -> Scored:
    """Score the rows: as they are if held out, else out of bag, else out of fold."""
    problem = case.problem
    if case.held_out:
        rows, scores = held_out(problem, case.model)
        source = "kept apart from its training" if case.held_out is True else case.held_out
        return Scored(rows, scores, case.is_positive, source)
    votes = None if case.is_bound else out_of_bag(problem, case.model)
    if votes is not None:
        source = "each judged by the trees that were grown without it (out of bag)"
        scores = case.model.threshold_state_.shifted(votes.scores)
        return Scored(votes.rows, scores, case.is_positive[votes.rows], source)
    rows, scores = out_of_fold(problem, case.splits, n_jobs=case.n_jobs)
    source = f"each judged by a model fitted without it ({len(case.splits)} folds)"
    return Scored(rows, case.calibrated(scores), case.is_positive[rows], source)


class Judged(NamedTuple):
    """Unseen scores, the folds in which thresholds were chosen and judged, and the judgement."""

    scored: Scored
    judgement: Judgement
    folds: tuple[Fold, ...]


def judge_case(case: Case, scored: Scored, costs: Costs | None, seed: int) -> Judged:
    """Judge a model by its unseen scores.

    A threshold that a rule chose is chosen again on four fifths of the scores and judged on the
    last, in turn: on the rows that chose it, it would flatter. A threshold that was given is
    judged as it is.
    """
    rows, first = np.unique(scored.rows, return_index=True)
    truth, never = scored.is_positive[first], len(case.labels) - len(rows)
    rule = None if case.held_out else rule_of(case.model)
    count = min(FOLDS, int(truth.sum()), int((~truth).sum()))
    tests = [np.ones(len(scored.rows), dtype=np.bool_)]
    if count >= 2:
        split = StratifiedKFold(count, shuffle=True, random_state=seed).split(rows, truth)
        # A row that was scored several times is on one side only.
        tests = [np.isin(scored.rows, rows[test]) for _, test in split]
    folds = tuple(_fold(case, scored, rule if count >= 2 else None, test) for test in tests)
    how = scored.source if rule is None else f"{scored.source}, its threshold chosen on other rows"
    return Judged(scored, judged_by(folds, how, never_judged=never, costs=costs), folds)


def _fold(case: Case, scored: Scored, rule: Rule | None, test: NDArray[np.bool_]) -> Fold:
    """Return a fold: its threshold by the rule without its rows, or as it was given."""
    chosen_on = test if test.all() else ~test
    inner = ScoreCounts.of(scored.probability[chosen_on], scored.is_positive[chosen_on])
    threshold, alert = case.threshold, getattr(case.model, "threshold_alert_", None)
    if rule is not None:
        with suppress(RuleNotMetError):
            threshold, alert = choose_pair(rule, inner.cuts(), inner.share)
    outer = ScoreCounts.of(scored.probability[test], scored.is_positive[test], threshold, alert)
    return Fold(threshold, None, inner, outer, inner.share, threshold_alert=alert)


def rule_of(model: Any) -> Rule | None:
    """Return the rule that chose a model's threshold, None where it was given."""
    given = getattr(model, "rule", None)
    if given is None:
        return None
    costs = Costs(model.cost_fp, model.cost_fn, model.gain_tp, model.gain_tn)
    parameters = {name: getattr(model, name) for name in RULE_PARAMETERS}
    return make_rule(given, costs=costs, **parameters)


def read_setting(model: Any, scored: Scored | None = None) -> Setting:
    """Return how any fitted model decides."""
    threshold = float(getattr(model, "threshold_", 0.5))
    interval, rule = getattr(model, "threshold_interval_", None), getattr(model, "rule", None)
    alerts_on = None
    if scored is not None:
        is_alert = scored.probability > threshold
        alerts_on = EVERYTHING if is_alert.all() else None if is_alert.any() else NOTHING
    if rule is None:
        return Setting(threshold, None, interval, alerts_on)
    label = rule if isinstance(rule, str) else getattr(rule, "__name__", "own rule")
    parameters = {name: getattr(model, name) for name in RULE_PARAMETERS}
    promise, alert = getattr(model, "promise_", None), getattr(model, "threshold_alert_", None)
    return Setting(
        threshold,
        rule_words(str(label), **parameters),
        interval,
        alerts_on if alert is None else None,
        promise=None if promise is None else str(promise),
        threshold_alert=alert,
    )
