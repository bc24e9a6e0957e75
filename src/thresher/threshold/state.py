"""What a threshold was chosen on, and for which share of positives."""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from thresher.threshold.by_row import NOTHING, ByRow, RowCosts
from thresher.threshold.counts import Vector
from thresher.threshold.groups import Groups
from thresher.threshold.prior_shift import matching_factor, odds, scale_odds
from thresher.threshold.promise import UNSEEN
from thresher.threshold.search import ScoredRows


@dataclass(frozen=True, eq=False)
class ThresholdState:
    """The scored rows behind a threshold, and the shares of positives.

    Attributes
    ----------
    scores : of the positive class, by models that did not see the row; may be empty.
    is_positive : the truth of these rows.
    weights : of these rows, None where all weigh the same.
    fit_prior : share of positives in the training rows.
    correction : what `correct_prior` multiplies odds by, 1 without it.
    prior : share of positives that the probabilities stand for.
    factor : what odds are multiplied by, for the correction and for the move to `prior`.
    seed : of the bootstrap samples.
    frame_kind : library of the table of `fit`, and so of the curve; None for arrays.
    unseen : how the scores came from models that did not see the row, as `Promise` says it.
    costs : of these rows, None where all have those of the estimator.
    groups : of these rows, where each group has a cut of its own.

    Examples
    --------
    >>> scores, is_positive = np.array([0.1, 0.2, 0.3, 0.6]), np.array([False, False, False, True])
    >>> state = ThresholdState.of(scores, is_positive, None, fit_prior=0.25)
    >>> state.factor, round(state.moved(0.5).factor, 6)
    (1.0, 3.0)
    >>> state.moved(0.5).shifted(scores).round(3).tolist()
    [0.25, 0.429, 0.562, 0.818]
    """

    scores: Vector
    is_positive: NDArray[np.bool_]
    weights: Vector | None
    fit_prior: float
    correction: float
    prior: float
    factor: float
    seed: int
    frame_kind: str | None
    unseen: str = UNSEEN
    costs: RowCosts | None = None
    groups: Groups | None = None

    @classmethod
    def of(
        cls,
        scores: Vector,
        is_positive: NDArray[np.bool_],
        weights: Vector | None,
        fit_prior: float,
        *,
        correct_prior: bool = False,
        seed: int = 0,
        frame_kind: str | None = None,
        unseen: str = UNSEEN,
        by_row: ByRow = NOTHING,
    ) -> Self:
        """Return the state of a fit, for the share of positives in its rows.

        Groups get their factors from these rows.
        """
        correction = 1.0
        if correct_prior:
            rate = float(np.average(is_positive, weights=weights))
            correction = matching_factor(scores, rate, weights)
        state = cls(
            scores,
            is_positive,
            weights,
            fit_prior=fit_prior,
            correction=correction,
            prior=fit_prior,
            factor=correction,
            seed=seed,
            frame_kind=frame_kind,
            unseen=unseen,
            costs=by_row.costs,
        )
        state = state.moved(fit_prior)
        if by_row.groups is None:
            return state
        fitted = by_row.groups.fitted(state.shifted(scores), is_positive, weights)
        return replace(state, groups=fitted)

    def moved(self, prior: float) -> Self:
        """Return the state for another share of positives."""
        return replace(
            self, prior=prior, factor=self.correction * (odds(prior) / odds(self.fit_prior))
        )

    def shifted(self, scores: Vector) -> Vector:
        """Return scores as probabilities for the share of positives in use."""
        return scale_odds(scores, self.factor)

    def scored_rows(self, *, is_probability: bool) -> ScoredRows:
        """Return the rows to choose a threshold on, weighted to the share of positives in use."""
        scores = self.shifted(self.scores)
        if self.groups is not None:
            scores = self.groups.scaled(scores)
        return ScoredRows.of(
            scores, self.is_positive, self.moved_weights, is_probability=is_probability
        )

    def counted_rows(self, unlabelled: Vector | None = None) -> ScoredRows:
        """Return the rows to promise on, each counted once; unlabelled scores join the negatives.

        Whatever the share of positives in use, scores keep their order.
        """
        scores, is_positive = self.shifted(self.scores), self.is_positive
        if unlabelled is not None:
            scores = np.concatenate([scores, unlabelled])
            is_positive = np.concatenate([is_positive, np.zeros(len(unlabelled), dtype=bool)])
        return ScoredRows.of(scores, is_positive)

    @property
    def moved_weights(self) -> Vector | None:
        """The weights of the rows at the share of positives in use."""
        weights = self.weights
        if self.prior == self.fit_prior:
            return weights
        weights = np.ones(len(self.scores)) if weights is None else weights
        share = float(np.average(self.is_positive, weights=weights))
        by_class = np.array([(1.0 - self.prior) / (1.0 - share), self.prior / share])
        moved: Vector = weights * by_class[self.is_positive.astype(np.intp)]
        return moved
