"""The scikit-learn estimator: any classifier, and a threshold that a rule chooses for it."""

from typing import Any, Self
from warnings import warn

import numpy as np
from numpy.typing import NDArray
from sklearn import get_config
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils import get_tags, indexable
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from thresher.frames import frame_kind
from thresher.threshold.counts import Vector
from thresher.threshold.promise import HELD_OUT, OUT_OF_FOLD
from thresher.threshold.state import ThresholdState
from thresher.threshold.thresholded import ThresholdedMixin
from thresher.threshold.unseen import (
    Problem,
    Unseen,
    checked_splits,
    fitted_and_scored,
    held_out,
    out_of_fold,
    positive_scores,
    splitter,
)
from thresher.two_classes import TwoClassMixin
from thresher.validation import draw_seed, read_labels, read_target, read_weights


def _has_probabilities(self: "ThresholdClassifier") -> bool:
    return hasattr(getattr(self, "estimator_", self.estimator), "predict_proba")


def _explains(self: "ThresholdClassifier") -> bool:
    return hasattr(getattr(self, "estimator_", self.estimator), "contributions")


class ThresholdClassifier(ThresholdedMixin, ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    """Any two-class classifier, with a threshold chosen by a rule on out-of-fold scores.

    A row is positive if and only if its score is above `threshold_`. Every observed score is tried
    as a cut-off, in one sorted pass; the threshold is the middle of the best interval between
    two scores. Neighbouring intervals that are equally good count as one; of several apart, the one
    with the fewest alerts is taken.

    Parameters
    ----------
    estimator : classifier
        With `predict_proba`, or else `decision_function`.
    rule : str, callable or None, default="prior"
        - "prior": the share of positives, the paper's alpha* = mu. On calibrated probabilities it
          maximises the mean of sensitivity and specificity.
        - "cost": Elkan's (cost_fp + gain_tn) / (cost_fp + gain_tn + cost_fn + gain_tp).
        - "f1", "fbeta", "bcr" (mean of sensitivity and specificity), "gmean", "mcc": the best
          value; "fbeta" takes `beta`.
        - "precision_at_recall", "recall_at_precision": the best one while the other is at least
          `floor`.
        - "budget": the most true positives with at most `per_1000` alerts per 1000 rows.
        - "refer": two thresholds and three answers, see `decide`. Either as few referred rows as
          `miss` and `false_alarm` allow, or the lowest cost where a referred row has a `price`.
        - a function of (tn, fp, fn, tp), larger is better; called with arrays, or cut by cut if it
          takes numbers only. NaN is never chosen.
        - None: 0.5.

        "prior", "cost" and None need probabilities; the others take any score.
    beta : float, default=1.0
        Weight of recall in "fbeta".
    cost_fp, cost_fn : float, default=1.0
        Cost of a false and of a missed alert, for "cost", for a `price`, and for the curve.
    floor : float, default=None
        Least recall or precision, above 0 and at most 1.
    per_1000 : float, default=None
        Most alerts per 1000 rows.
    cv : int, float, splitter, iterable of splits or "prefit", default=5
        Stratified folds; the share of a single stratified hold-out; anything that scikit-learn
        splits by, grouped and time-ordered splitters included (rows that are never held out have
        no say in the threshold); or an estimator that is fitted already, so that `fit` chooses the
        threshold only, on rows that the estimator should not have seen.
    correct_prior : bool, default=False
        Bring the probabilities of an estimator trained with class weights or resampling back to
        the true share of positives: their odds are multiplied by the one factor that makes the
        mean out-of-fold probability equal the observed share.
    n_bootstrap : int, default=200
        Bootstrap samples for `threshold_interval_`; 0 for no interval.
    pos_label : label, default=None
        The positive class; by default the rarer one, `classes_[1]` at 50/50.
    random_state : int, RandomState or None, default=None
        For the bootstrap and for a single hold-out.
    n_jobs : int, default=None
        Folds to fit at once.
    gain_tp, gain_tn : float, default=0.0
        What a true alert and a true silence earn, for "cost" and for the curve.
    confidence : float, default=None
        For "precision_at_recall", "recall_at_precision", "budget" and "cost": promise, with this
        confidence, that recall or precision is at least `floor`, that there are at most `per_1000`
        alerts, or how much a row costs at most, on rows to come; see `promise_`. It is exact with
        `cv="prefit"` and with a single split, after which the estimator is not fitted again on all
        rows. Rows count once: weights that differ, groups, and splits that hold out a row several
        times are refused. For "refer" with limits: promise each of them.
    threshold_by : str, default=None
        A column of X, a data frame: one rule for all rows, but a cut for each of its groups
        (machines, products, sites). Odds of a group are moved by as much as its labels ask for,
        and less where it has few positives; groups that were not there in `fit` have the common
        `threshold_`. Needs probabilities.
    miss, false_alarm : float, default=None
        For "refer": the largest share of positives that pass, and of alerts that are negative.
    price : float, default=None
        For "refer": what a referred row costs; all pairs of cuts are compared.

    Attributes
    ----------
    estimator_ : the estimator fitted on all rows (with "prefit": the one that was given).
    threshold_ : float
        With `threshold_by` that of unknown groups, with costs of rows that of rows without any.
    thresholds_ : dict
        With `threshold_by`: the cut of each group.
    row_cuts_ : CostCuts, GroupCuts or None
        What gives rows a cut of their own.
    threshold_interval_ : (float, float) or None
        From the lowest to the highest threshold that may be the best: the hull of a 95 % confidence
        set, all cuts that are not significantly worse than the best one on the same out-of-fold
        rows (max-t over the curve). Of "prior" the interval of the share; None with `confidence`.
    threshold_alert_ : float or None
        With "refer": above it rows are answered "alert", at `threshold_` or below "pass", and
        between "refer". It equals `threshold_` where nothing is referred.
    referred_ : Referred or None
        With "refer": `share` of the rows that are referred, with a 95 % interval from `low` to
        `high`.
    promise_ : Promise, ReferPromise or None
        With `confidence`: what is promised, how sure, from how many rows, whether it is exact or
        measured, and what it takes in alerts; it prints as one sentence.
    curve_ : data frame
        All measures along the threshold, one row for each different set of decisions. Of the
        library of X (pandas, polars, pyarrow); for arrays of pandas, or a dict without it.
    prior_ : float
        The share of positives that the probabilities stand for.
    threshold_state_ : ThresholdState
        The out-of-fold scores behind the threshold, and the shares of positives.
    classes_ : ndarray of shape (2,)
    n_features_in_, feature_names_in_ : those of `estimator_`, where it has them.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from thresher import ThresholdClassifier
    >>> from thresher.datasets import load_dataset
    >>> X, y = load_dataset("Yeast-me1")
    >>> model = ThresholdClassifier(LogisticRegression(C=100), rule="f1", random_state=0)
    >>> model = model.fit(X, y)
    >>> round(model.threshold_, 2)
    0.12
    """

    def __init__(
        self,
        estimator: Any,
        rule: Any = "prior",
        *,
        beta: float = 1.0,
        cost_fp: float = 1.0,
        cost_fn: float = 1.0,
        floor: float | None = None,
        per_1000: float | None = None,
        cv: Any = 5,
        correct_prior: bool = False,
        n_bootstrap: int = 200,
        pos_label: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        gain_tp: float = 0.0,
        gain_tn: float = 0.0,
        confidence: float | None = None,
        threshold_by: str | None = None,
        miss: float | None = None,
        false_alarm: float | None = None,
        price: float | None = None,
    ) -> None:
        self.estimator = estimator
        self.rule = rule
        self.beta = beta
        self.cost_fp = cost_fp
        self.cost_fn = cost_fn
        self.floor = floor
        self.per_1000 = per_1000
        self.cv = cv
        self.correct_prior = correct_prior
        self.n_bootstrap = n_bootstrap
        self.pos_label = pos_label
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.gain_tp = gain_tp
        self.gain_tn = gain_tn
        self.confidence = confidence
        self.threshold_by = threshold_by
        self.miss = miss
        self.false_alarm = false_alarm
        self.price = price

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn which tables the estimator takes."""
        tags = super().__sklearn_tags__()
        tags.input_tags = get_tags(self.estimator).input_tags
        return tags

    def get_metadata_routing(self) -> MetadataRouter:
        """Say where metadata go: to the estimator's fit and to the splitter."""
        router = MetadataRouter(owner=type(self).__name__).add_self_request(self)
        to_fit = MethodMapping().add(caller="fit", callee="fit")
        to_split = MethodMapping().add(caller="fit", callee="split")
        router.add(estimator=self.estimator, method_mapping=to_fit)
        return router.add(splitter=self.cv, method_mapping=to_split)

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        cost_fp: Any = None,
        cost_fn: Any = None,
        *,
        X_unlabelled: Any = None,
        **params: Any,
    ) -> Self:
        """Score rows out of fold, choose the threshold, and fit the estimator on all rows.

        Parameters
        ----------
        X : table
            Anything that the estimator takes.
        y : array-like of shape (n_samples,)
            Two classes.
        sample_weight : array-like of shape (n_samples,), default=None
            Counts in the choice of the threshold, and in the estimator's fit.
        X_unlabelled : table, default=None
            More rows to promise a budget of alerts on, of which nobody knows the class.
        cost_fp, cost_fn : array-like of shape (n_samples,) or float, default=None
            What a false and a missed alert cost in each row, for the rules "cost" and "budget"; a
            cost that is not given is the parameter of that name. `predict` takes those of its
            rows. A budget is then spent on the alerts with the largest expected saving,
            p * (cost_fn + gain_tp) - (1 - p) * (cost_fp + gain_tn), where that is above 0.
        **params : metadata
            With scikit-learn's metadata routing: to whoever requests them. Without: `groups` to
            the splitter, the others to the estimator's fit.

        Returns
        -------
        self
        """
        rule = self.checked_rule()
        (X,) = indexable(X)
        n_rows = X.shape[0] if hasattr(X, "shape") else len(X)
        weights = read_weights(sample_weight, n_rows)
        self._refuse_to_promise(weights, X_unlabelled)
        if self.confidence is not None and params.get("groups") is not None:
            raise ValueError(
                "confidence needs rows that are independent of each other, which those of one "
                "group are not; leave groups or confidence out."
            )
        by_row = self._read_by_row(X, n_rows, cost_fp, cost_fn)
        labels = read_labels(y)
        target = read_target(labels, n_rows, weights, self.pos_label)
        given = {"cost_fp": cost_fp, "cost_fn": cost_fn}
        params |= {name: value for name, value in given.items() if value is not None}
        fit_params, split_params = self._routed(weights, params)
        problem = Problem(self.estimator, X, labels, target.classes, target.positive)
        seed = draw_seed(self.random_state)
        (rows, scores), unseen = self._fit_and_score(problem, fit_params, split_params)
        self.set_classes(target.classes, target.positive)
        negative, positive = target.totals
        state = ThresholdState.of(
            scores,
            target.is_positive[rows].astype(bool),
            None if weights is None else weights[rows],
            positive / (negative + positive),
            correct_prior=self.correct_prior,
            seed=seed,
            frame_kind=frame_kind(X),
            unseen=unseen,
            by_row=by_row.take(rows),
        )
        more = None
        if X_unlabelled is not None:
            found = positive_scores(self.estimator_, X_unlabelled, target.positive)
            more = state.shifted(found)
        self._settle(rule, state, more)
        return self

    def _gives_probabilities(self) -> bool:
        return _has_probabilities(self)

    def _need_probabilities(self, what: str) -> None:
        if not _has_probabilities(self):
            raise ValueError(
                f"{what} needs probabilities, but {type(self.estimator).__name__} has no "
                "predict_proba; wrap it in sklearn.calibration.CalibratedClassifierCV."
            )

    def _routed(
        self, weights: Vector | None, params: dict[str, Any]
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the parameters of the estimator's fit and of the splitter's split."""
        if get_config()["enable_metadata_routing"]:
            routed = process_routing(self, "fit", sample_weight=weights, **params)
            return routed.estimator.fit, routed.splitter.split
        own = ("groups", "cost_fp", "cost_fn")
        fit_params = {name: value for name, value in params.items() if name not in own}
        split_params = {"groups": params["groups"]} if "groups" in params else {}
        if weights is not None and self.cv != "prefit":
            if has_fit_parameter(self.estimator, "sample_weight"):
                fit_params["sample_weight"] = weights
            else:
                warn(
                    f"fit of {type(self.estimator).__name__} takes no sample_weight, which counts "
                    "in the choice of the threshold only; name the step (step__sample_weight=...) "
                    "or enable scikit-learn's metadata routing.",
                    stacklevel=3,
                )
        return fit_params, split_params

    def _fit_and_score(
        self, problem: Problem, fit_params: dict[str, Any], split_params: dict[str, Any]
    ) -> tuple[Unseen, str]:
        """Fit the estimator, and return scores of rows with how it came not to know them."""
        if isinstance(self.cv, str) and self.cv == "prefit":
            check_is_fitted(self.estimator)
            self.estimator_ = self.estimator
            return held_out(problem, self.estimator), HELD_OUT
        by = splitter(self.cv, problem.labels, self.random_state)
        splits = by.split(problem.X, problem.labels, **split_params)
        if self.confidence is not None:
            splits = checked_splits(splits, len(problem.labels))
            if len(splits) == 1:
                self.estimator_, found = fitted_and_scored(problem, *splits[0], fit_params)
                return found, HELD_OUT
        found = out_of_fold(problem, splits, fit_params, self.n_jobs)
        self.estimator_ = clone(self.estimator).fit(problem.X, problem.labels, **fit_params)
        return found, OUT_OF_FOLD

    @property
    def n_features_in_(self) -> int:
        """Number of columns."""
        return int(self.estimator_.n_features_in_)

    @property
    def feature_names_in_(self) -> NDArray[Any]:
        """Names of the columns."""
        names: NDArray[Any] = self.estimator_.feature_names_in_
        return names

    def _positive_scores(self, X: Any) -> Vector:
        check_is_fitted(self)
        return self.threshold_state_.shifted(positive_scores(self.estimator_, X, self._positive))

    def _parts(self) -> list[TwoClassMixin]:
        if not isinstance(self.estimator_, TwoClassMixin):
            raise TypeError(f"{type(self.estimator_).__name__} cannot rename its classes.")
        return [self.estimator_]

    def decision_function(self, X: Any) -> Vector:
        """Return the score minus the row's cut, turned so that above 0 means `classes_[1]`."""
        scores = self._positive_scores(X)
        margin = scores - self.cuts_of(X, len(scores))
        if self._positive == 1:
            return margin
        # A score on the threshold is negative, here classes_[1].
        return np.where(margin == 0.0, np.finfo(np.float64).tiny, -margin)

    @available_if(_explains)  # type: ignore[untyped-decorator]
    def contributions(self, X: Any) -> NDArray[np.float64]:
        """Return what each column adds to the score that `estimator_` gives a row."""
        found: NDArray[np.float64] = self._explained().contributions(X)
        return found

    @available_if(_explains)  # type: ignore[untyped-decorator]
    def reasons(self, X: Any, top: int = 3) -> list[list[str]]:
        """Return the largest contributions of each row, in words."""
        found: list[list[str]] = self._explained().reasons(X, top)
        return found

    @available_if(_explains)  # type: ignore[untyped-decorator]
    def explanation(self, X: Any) -> Any:
        """Return the contributions as a `shap.Explanation`; needs the package shap."""
        return self._explained().explanation(X)

    def _explained(self) -> Any:
        """Return the estimator, whose contributions are to its score of the positive class."""
        check_is_fitted(self)
        if getattr(self.estimator_, "pos_label_", self.pos_label_) != self.pos_label_:
            wanted = self.classes_.tolist()[self._positive]
            raise ValueError(
                f"The contributions of {type(self.estimator_).__name__} are to its own positive "
                f"class, and the threshold is for {wanted!r}; fit the estimator with "
                f"pos_label={wanted!r}."
            )
        return self.estimator_

    @available_if(_has_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the estimator's probabilities, moved to `prior_`.

        They are never bent to make their larger one agree with `predict`.
        """
        check_is_fitted(self)
        probabilities: NDArray[np.float64] = np.asarray(self.estimator_.predict_proba(X))
        if self.threshold_state_.factor == 1.0:
            return probabilities
        positive = probabilities[:, self._positive].astype(np.float64)
        return self._both_classes(self.threshold_state_.shifted(positive))

    @available_if(_has_probabilities)  # type: ignore[untyped-decorator]
    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the logarithm of the probabilities."""
        with np.errstate(divide="ignore"):
            logarithms: NDArray[np.float64] = np.log(self.predict_proba(X))
        return logarithms
