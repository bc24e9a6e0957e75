"""What every estimator shares whose threshold a rule chooses on scored rows."""

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from thresher.frames import make_frame
from thresher.threshold.bootstrap import threshold_interval
from thresher.threshold.counts import Vector
from thresher.threshold.curve import curve_columns
from thresher.threshold.plot import plot_curve
from thresher.threshold.prior_shift import (
    check_rate,
    estimate_rate,
    matching_factor,
    odds,
    scale_odds,
)
from thresher.threshold.rules import Costs, FixedRule, Rule, make_rule
from thresher.threshold.search import ScoredRows
from thresher.validation import check_integer

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


class ThresholdedMixin:
    """A threshold chosen by `rule` on rows whose scores did not come from their own labels.

    An estimator has the rule's parameters, calls `_keep` with the scored rows, then `_settle`,
    and says in `_positive_scores` how it scores new ones.
    """

    rule: Any
    beta: float
    cost_fp: float
    cost_fn: float
    gain_tp: float
    gain_tn: float
    floor: float | None
    per_1000: float | None
    correct_prior: bool
    n_bootstrap: int
    threshold_: float
    threshold_interval_: tuple[float, float] | None
    prior_: float
    _frame_kind: str | None
    _seed: int

    def _gives_probabilities(self) -> bool:
        return True

    def _need_probabilities(self, what: str) -> None:
        """Raise unless the scores are probabilities."""

    if TYPE_CHECKING:  # every estimator has its own

        def _positive_scores(self, X: Any) -> Vector: ...

    def _checked_rule(self) -> Rule:
        check_integer("n_bootstrap", self.n_bootstrap, low=0)
        if not isinstance(self.correct_prior, bool | np.bool_):
            raise TypeError(f"correct_prior must be True or False, got {self.correct_prior!r}.")
        rule = make_rule(
            self.rule,
            beta=self.beta,
            costs=self._costs,
            floor=self.floor,
            per_1000=self.per_1000,
        )
        if isinstance(rule, FixedRule):
            self._need_probabilities(f"rule={self.rule!r}")
        if self.correct_prior:
            self._need_probabilities("correct_prior=True")
        return rule

    @property
    def _costs(self) -> Costs:
        return Costs(self.cost_fp, self.cost_fn, self.gain_tp, self.gain_tn)

    def _keep(
        self,
        scores: Vector,
        is_positive: NDArray[np.bool_],
        weights: Vector | None,
        fit_prior: float,
    ) -> None:
        """Keep the scored rows: the threshold for another prior is chosen on them too."""
        self._fit_prior = fit_prior
        self._scores, self._is_positive, self._weights = scores, is_positive, weights
        self._correction = 1.0
        if self.correct_prior:
            rate = float(np.average(is_positive, weights=weights))
            self._correction = matching_factor(scores, rate, weights)

    def _settle(self, rule: Rule, prior: float) -> None:
        """Choose the threshold for a share of positives; without scored rows by a formula only."""
        factor = self._correction * (odds(prior) / odds(self._fit_prior))
        if isinstance(rule, FixedRule) and not len(self._scores):
            threshold, interval = rule.formula(prior), None
        else:
            rows = self._scored_rows(factor, prior)
            threshold, interval = rule.choose(rows.cuts(), prior), None
            if self.n_bootstrap and self.rule is not None:
                interval = threshold_interval(rows, rule, self.n_bootstrap, self._seed)
        self.prior_, self._factor = prior, factor
        self.threshold_, self.threshold_interval_ = threshold, interval

    def _scored_rows(self, factor: float, prior: float) -> ScoredRows:
        weights = self._weights
        if prior != self._fit_prior:
            weights = np.ones(len(self._scores)) if weights is None else weights
            share = float(np.average(self._is_positive, weights=weights))
            by_class = np.array([(1.0 - prior) / (1.0 - share), prior / share])
            weights = weights * by_class[self._is_positive.astype(np.intp)]
        return ScoredRows.of(
            scale_odds(self._scores, factor),
            self._is_positive,
            weights,
            is_probability=self._gives_probabilities(),
        )

    @property
    def curve_(self) -> Any:
        """All measures along the threshold, as a data frame of the library of X."""
        return make_frame(self._curve_columns(), self._frame_kind)

    def _curve_columns(self) -> dict[str, Vector]:
        return curve_columns(self._scored_rows(self._factor, self.prior_).cuts(), self._costs)

    def plot_curve(self, *, ax: "Axes | None" = None) -> "Figure":
        """Draw the measures along the threshold and return the figure; needs matplotlib.

        Parameters
        ----------
        ax : matplotlib axes, default=None
            Where to draw; a new figure by default.
        """
        check_is_fitted(self)
        return plot_curve(
            self._curve_columns(),
            self.threshold_,
            self.threshold_interval_,
            is_probability=self._gives_probabilities(),
            ax=ax,
        )

    def adjust_prior(self, new_rate: float) -> Self:
        """Move the fitted model to another share of positives, in place.

        Probabilities are shifted by Bayes' rule, and the rule chooses the threshold anew on the
        scored training rows, weighted to that share: "cost" keeps its threshold, "prior" takes
        `new_rate`. `curve_` and `threshold_interval_` follow. The rate is absolute, so that a
        second call replaces the first.

        Parameters
        ----------
        new_rate : float
            The share of positives where the model is used, between 0 and 1.

        Returns
        -------
        self
        """
        check_is_fitted(self)
        check_rate("new_rate", new_rate)
        self._need_probabilities("adjust_prior")
        self._settle(self._checked_rule(), float(new_rate))
        return self

    def estimate_prior(self, X_new: Any) -> float:
        """Estimate the share of positives among unlabelled rows by EM (Saerens et al., 2002).

        It takes the probabilities at their word: use `correct_prior=True` for a model with class
        weights or resampling.
        """
        check_is_fitted(self)
        self._need_probabilities("estimate_prior")
        return estimate_rate(self._positive_scores(X_new), self.prior_)
