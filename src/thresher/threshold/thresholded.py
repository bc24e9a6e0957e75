"""What every estimator shares whose threshold a rule chooses on scored rows."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from thresher.answers import REFER, Referred, answers
from thresher.figures.figure import Figure
from thresher.figures.threshold import draw_curve
from thresher.frames import make_frame
from thresher.threshold.by_row import ByRow, read_row_costs
from thresher.threshold.confidence_set import threshold_interval
from thresher.threshold.counts import Costs, Vector
from thresher.threshold.prior_shift import check_rate, estimate_rate
from thresher.threshold.promise import Promise, ReferPromise
from thresher.threshold.row_cuts import (
    COST_RULES,
    CostCuts,
    GroupCuts,
    RowCuts,
    chosen_cuts,
    read_groups,
    refuse_costs,
)
from thresher.threshold.rules import (
    RULE_PARAMETERS,
    FixedRule,
    PromisedRule,
    ReferRule,
    Rule,
    make_rule,
)
from thresher.threshold.search import ScoredRows, curve_columns
from thresher.threshold.state import ThresholdState
from thresher.two_classes import TwoClassMixin
from thresher.validation import check_integer, check_truth
from thresher.wording import quoted


class ThresholdedMixin(TwoClassMixin):
    """A threshold chosen by `rule` on rows whose scores did not come from their own labels.

    An estimator has the rule's parameters, calls `_settle` with the scored rows, and says in
    `_positive_scores` how it scores new ones.
    """

    rule: Any
    cost_fp: float
    cost_fn: float
    gain_tp: float
    gain_tn: float
    correct_prior: bool
    n_bootstrap: int
    confidence: float | None
    threshold_by: str | None = None
    threshold_: float
    threshold_interval_: tuple[float, float] | None
    threshold_state_: ThresholdState
    promise_: Promise | ReferPromise | None
    row_cuts_: RowCuts | None = None

    def _gives_probabilities(self) -> bool:
        return True

    def _need_probabilities(self, what: str) -> None:
        """Raise unless the scores are probabilities."""

    def _positive_scores(self, X: Any) -> Vector:
        raise NotImplementedError  # every estimator has its own

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of each class, columns in the order of `classes_`."""
        return self._both_classes(self._positive_scores(X))

    def predict(self, X: Any, cost_fp: Any = None, cost_fn: Any = None) -> NDArray[Any]:
        """Return the class of each row: positive if and only if its score is above its cut.

        Parameters
        ----------
        X : table
            As in fit.
        cost_fp, cost_fn : array-like of shape (n_samples,) or float, default=None
            What a false and a missed alert cost in each row, for the rules "cost" and "budget". A
            cost that is not given is the parameter of that name.

        Returns
        -------
        ndarray of shape (n_samples,)
            The cut is `threshold_`, or that of the row's group or costs. With the rule "refer" that
            is a row that does not pass: an alert, or one to look at.
        """
        scores = self._positive_scores(X)
        return self._labels(scores > self.cuts_of(X, len(scores), cost_fp, cost_fn))

    def above_cuts(self, X: Any) -> Vector:
        """Return how far the score of each row is above its cut; above 0 it is positive."""
        scores = self._positive_scores(X)
        return scores - self.cuts_of(X, len(scores))

    def cuts_of(
        self, X: Any, n_rows: int, cost_fp: Any = None, cost_fn: Any = None
    ) -> float | Vector:
        """Return what the score of each row must exceed: one number where all have the same."""
        known = self.row_cuts_
        if cost_fp is not None or cost_fn is not None:
            if self.rule == "cost" and known is None:
                known = CostCuts(self.costs)
            if not isinstance(known, CostCuts):
                refuse_costs(self.rule, known)
            found = known.of(cost_fp, cost_fn, n_rows)
            return self.threshold_ if found is None else found
        if known is None:
            return self.threshold_
        return known.in_table(X, getattr(self, "feature_names_in_", None), self.threshold_)

    @property
    def thresholds_(self) -> dict[Any, float]:
        """With `threshold_by`: the cut of each group; all other rows have `threshold_`."""
        known = self.row_cuts_
        if not isinstance(known, GroupCuts):
            raise AttributeError("thresholds_ is there with threshold_by only.")
        return dict(zip(known.groups, known.cuts, strict=True))

    def decide(self, X: Any, cost_fp: Any = None, cost_fn: Any = None) -> NDArray[Any]:
        """Return the answer to each row: "pass" if and only if `predict` calls it negative.

        Parameters
        ----------
        X : table
            As in fit.
        cost_fp, cost_fn : array-like of shape (n_samples,) or float, default=None
            As in predict.

        Returns
        -------
        ndarray of shape (n_samples,)
            Texts. With the rule "refer" the rows up to `threshold_` are "pass", those above
            `threshold_alert_` "alert", and those between "refer". With other rules a row above its
            cut is "alert".
        """
        scores = self._positive_scores(X)
        return answers(
            scores, self.cuts_of(X, len(scores), cost_fp, cost_fn), self.threshold_alert_
        )

    def checked_rule(self) -> Rule:
        """Return the rule that the parameters describe; raise where they are out of range."""
        check_integer("n_bootstrap", self.n_bootstrap, low=0)
        check_truth("correct_prior", self.correct_prior)
        parameters = {name: getattr(self, name) for name in RULE_PARAMETERS}
        rule = make_rule(self.rule, costs=self.costs, **parameters)
        if rule.needs_probabilities:
            self._need_probabilities(f"rule={self.rule!r}")
        if self.correct_prior:
            self._need_probabilities("correct_prior=True")
        column = self.threshold_by
        if column is None:
            return rule
        if not isinstance(column, str):
            raise TypeError(f"threshold_by must be the name of a column, got {quoted(column)}.")
        if self.rule is None or self.rule == "refer":
            raise ValueError(
                f"threshold_by needs a rule that chooses one threshold, got rule={self.rule!r}."
            )
        self._need_probabilities("threshold_by")
        return rule

    def _read_by_row(self, X: Any, n_rows: int, cost_fp: Any, cost_fn: Any) -> ByRow:
        """Return costs and groups of the rows of a fit, where there are such."""
        costs = read_row_costs(cost_fp, cost_fn, self.costs, n_rows)
        column = self.threshold_by
        if self.confidence is not None and not (costs is None and column is None):
            raise ValueError(
                "confidence is of one threshold for all rows, so that it goes neither with "
                "threshold_by nor with costs of rows; leave one of the two out."
            )
        if costs is not None:
            if column is not None or self.rule not in COST_RULES:
                refuse_costs(self.rule, by_group=column is not None)
            self._need_probabilities("cost_fp and cost_fn of rows")
        return ByRow(costs, None if column is None else read_groups(X, column))

    @property
    def costs(self) -> Costs:
        """Costs and gains of a row that has none of its own."""
        return Costs(self.cost_fp, self.cost_fn, self.gain_tp, self.gain_tn)

    def _settle(self, rule: Rule, state: ThresholdState, unlabelled: Vector | None = None) -> None:
        """Choose the threshold and keep its state; without scored rows by a formula only."""
        interval: tuple[float, float] | None = None
        promise: Promise | ReferPromise | None = None
        alert: float | None = None
        if isinstance(rule, ReferRule):
            rows = self._scored_rows(state) if rule.confidence is None else state.counted_rows()
            cuts = rows.cuts()
            pair = rule.choose_pair(cuts)
            threshold, alert = pair
            promise = rule.promise(cuts, pair, unseen=state.unseen)
        elif isinstance(rule, PromisedRule):
            cuts = state.counted_rows(unlabelled).cuts()
            threshold = rule.choose(cuts, state.prior)
            fixed = not self.correct_prior
            promise = rule.promise(
                cuts, threshold, unseen=state.unseen, fixed=fixed, seed=state.seed
            )
        elif isinstance(rule, FixedRule) and not len(state.scores):
            threshold = rule.formula(state.prior)
        else:
            rows = self._scored_rows(state)
            cuts = rows.cuts()
            threshold = rule.choose(cuts, state.prior)
            if self.n_bootstrap and self.rule is not None:
                interval = threshold_interval(
                    cuts, rule, self.n_bootstrap, state.seed, squares=rows.squares()
                )
        self.threshold_state_ = state
        self.threshold_, self.threshold_interval_, self.promise_ = threshold, interval, promise
        self.__dict__.pop("threshold_alert_", None)  # of a former fit
        if alert is not None:
            self.threshold_alert_ = alert
        self.row_cuts_ = chosen_cuts(rule, state, self.costs, threshold)

    @property
    def referred_(self) -> Referred | None:
        """The share of rows that are referred, with a 95 % interval; None for other rules."""
        if self.threshold_alert_ is None:
            return None
        state = self.threshold_state_
        is_referred = answers(state.shifted(state.scores), self.threshold_, self.threshold_alert_)
        return Referred.of(is_referred == REFER, state.moved_weights)

    def _refuse_to_promise(self, weights: Vector | None, X_unlabelled: Any = None) -> None:
        """Raise where rows are weighted, or given, that a promise cannot use."""
        is_promised = self.confidence is not None
        if is_promised and weights is not None and float(np.ptp(weights)) > 0.0:
            raise ValueError(
                "confidence counts rows, and sample_weight makes some count more than others; "
                "leave one of the two out."
            )
        if X_unlabelled is not None and not (is_promised and self.rule == "budget"):
            raise ValueError("X_unlabelled is for rule='budget' with a confidence only.")

    def _scored_rows(self, state: ThresholdState) -> ScoredRows:
        return state.scored_rows(is_probability=self._gives_probabilities())

    @property
    def prior_(self) -> float:
        """The share of positives that the probabilities stand for."""
        return self.threshold_state_.prior

    @property
    def curve_(self) -> Any:
        """All measures along the threshold, as a data frame of the library of X."""
        return make_frame(self._curve_columns(), self.threshold_state_.frame_kind)

    def _curve_columns(self) -> dict[str, Vector]:
        state = self.threshold_state_
        columns = curve_columns(self._scored_rows(state).cuts(), self.costs)
        if state.costs is not None:
            columns["expected_cost"] = state.costs.per_row_along(
                columns["threshold"],
                state.shifted(state.scores),
                state.is_positive,
                state.moved_weights,
            )
        return columns

    def plot_curve(self) -> Figure:
        """Draw recall, precision and F1 along the threshold and return the figure."""
        check_is_fitted(self)
        drawn = draw_curve(
            self._curve_columns(),
            self.threshold_,
            self.threshold_interval_,
            is_probability=self._gives_probabilities(),
        )
        return Figure(f"{type(self).__name__}: measures along the threshold", drawn)

    def adjust_prior(self, new_rate: float) -> Self:
        """Move the fitted model to another share of positives, in place.

        Probabilities are shifted by Bayes' rule, and the rule chooses the threshold anew on the
        scored training rows, weighted to that share: "cost" keeps its threshold, "prior" takes
        `new_rate`. `curve_` and `threshold_interval_` follow. The rate is absolute, so that a
        second call replaces the first.

        A promise of recall stays, since recall does not depend on the share of positives; other
        promises do not, and a model that made one is refused.

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
        rule = self.checked_rule()
        if isinstance(rule, PromisedRule | ReferRule):
            rule.refuse_new_share()
        self._settle(rule, self.threshold_state_.moved(float(new_rate)))
        return self

    def estimate_prior(self, X_new: Any) -> float:
        """Estimate the share of positives among unlabelled rows by EM (Saerens et al., 2002).

        It takes the probabilities at their word: use `correct_prior=True` for a model with class
        weights or resampling.
        """
        check_is_fitted(self)
        self._need_probabilities("estimate_prior")
        return estimate_rate(self._positive_scores(X_new), self.prior_)
