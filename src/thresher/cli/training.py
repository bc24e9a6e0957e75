"""Train a model and its threshold, and judge both on rows that neither has seen."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.frames import take_rows
from thresher.judging.hold_out import Folds, Rows
from thresher.judging.recipe import Recipe
from thresher.progress import progress_bar
from thresher.tables.errors import GateMissedError
from thresher.tables.features import Features
from thresher.threshold.bootstrap import threshold_interval
from thresher.threshold.counts import Counts
from thresher.threshold.rules import RuleNotMetError
from thresher.threshold.search import ScoredRows
from thresher.threshold.unseen import Problem, out_of_fold, positive_scores

BOOTSTRAPS = 200
MOST_ROWS_TO_RESAMPLE = 200_000


@dataclass(frozen=True)
class Chosen:
    """A threshold, and the scores of rows by models that had not seen them, from which it came."""

    threshold: float
    scores: NDArray[np.float64]
    is_positive: NDArray[np.bool_]
    fitted: Any = None

    @property
    def scored(self) -> ScoredRows:
        """The rows in the order of their scores."""
        return ScoredRows.of(self.scores, self.is_positive)


@dataclass(frozen=True)
class Training:
    """A table to train on and how to do it.

    Attributes
    ----------
    recipe : estimator and rule.
    features, labels : the table.
    positive : the rare class.
    folds : how rows are held out.
    """

    recipe: Recipe
    features: Features
    labels: NDArray[Any]
    positive: str
    folds: Folds

    @property
    def classes(self) -> NDArray[Any]:
        """The sorted classes."""
        return np.unique(self.labels)

    @property
    def place(self) -> int:
        """The place of the positive class among them."""
        return int(np.flatnonzero(self.classes == self.positive)[0])

    @property
    def _votes_are_honest(self) -> bool:
        """Whether out-of-bag votes can be used: neither time nor groups bind rows together."""
        is_free = self.folds.groups is None and not self.folds.is_ordered
        return self.recipe.model == "forest" and is_free

    @property
    def cv(self) -> Any:
        """The folds of the report: a number where out-of-bag votes serve as well."""
        return self.folds.count if self._votes_are_honest else self.folds.splits()

    def at(self, rows: Rows) -> "Training":
        """Return the same for some of the rows."""
        features = self.features._replace(X=take_rows(self.features.X, rows))
        return Training(
            self.recipe, features, self.labels[rows], self.positive, self.folds.at(rows)
        )

    def choose(self) -> Chosen:
        """Choose the threshold on scores of rows by models that have not seen them."""
        estimator, fitted = self.recipe.estimator(self.features, self.positive), None
        X, labels = self.features.X, self.labels
        if self._votes_are_honest:
            fitted = estimator.fit(X, labels)
            votes = fitted.oob_decision_function_[:, self.place]
            rows = np.flatnonzero(~np.isnan(votes))
            scores = votes[rows]
        else:
            problem = Problem(estimator, X, labels, self.classes, self.place)
            rows, scores = out_of_fold(problem, self.folds.splits(), {}, None)
        is_positive = self.folds.is_positive[rows]
        cuts = ScoredRows.of(scores, is_positive).cuts()
        try:
            threshold = self.recipe.checked_rule().choose(
                cuts, float(self.folds.is_positive.mean())
            )
        except RuleNotMetError as error:
            raise GateMissedError(str(error)) from None
        return Chosen(threshold, scores, is_positive, fitted)

    def fit(self, chosen: Chosen) -> Any:
        """Fit the estimator on all rows, with its threshold."""
        fitted = chosen.fitted
        if fitted is None:
            within = min(1.0, max(0.0, chosen.threshold))
            estimator = self.recipe.estimator(self.features, self.positive, within)
            fitted = estimator.fit(self.features.X, self.labels)
            fitted.threshold_ = chosen.threshold
        self.features.name(fitted)
        return fitted

    def interval(self, chosen: Chosen) -> tuple[float, float] | None:
        """Return the central 95 % of thresholds over bootstrap samples; None for many rows."""
        if len(chosen.scores) > MOST_ROWS_TO_RESAMPLE:
            return None
        rule = self.recipe.checked_rule()
        low, high = threshold_interval(chosen.scored, rule, BOOTSTRAPS, self.recipe.seed)
        return None if np.isnan(low) else (low, high)

    def judge(self) -> Counts:
        """Count decisions about held-out rows, the threshold chosen without them too."""
        splits = self.folds.splits()
        counts = np.zeros(4)
        with progress_bar("Judging the model", len(splits), shown=True) as done:
            for number, (train, test) in enumerate(splits):
                counts += self._judged(train, test)
                done(number + 1)
        return Counts(*(np.array([count]) for count in counts))

    def _judged(self, train: Rows, test: Rows) -> NDArray[np.float64]:
        part = self.at(train)
        chosen = part.choose()
        fitted = part.fit(chosen)
        scores = positive_scores(fitted, take_rows(self.features.X, test), self.place)
        return count(scores > chosen.threshold, self.folds.is_positive[test])


def count(is_alert: NDArray[np.bool_], is_positive: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the numbers (tn, fp, fn, tp).

    >>> count(np.array([True, True, False]), np.array([True, False, False]))
    array([1., 1., 0., 1.])
    """
    codes = 2 * is_positive.astype(np.intp) + is_alert
    return np.bincount(codes, minlength=4).astype(np.float64)
