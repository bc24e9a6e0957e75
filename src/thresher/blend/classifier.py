"""The scikit-learn estimator of a blend: unlike models, one scale, one threshold."""

from typing import Any
from warnings import warn

import numpy as np
from scipy.special import expit

from thresher.blend.boosted import check_folds
from thresher.blend.boosting import NEEDED, find_lightgbm
from thresher.blend.members import FITTERS, Member, Setting, fit_member
from thresher.blend.unseen_classifier import UnseenClassifier
from thresher.column import Matrix
from thresher.errors import MissingPackageError, ParameterError
from thresher.forest.parameters import MAX_TREES
from thresher.progress import progress_bar
from thresher.threshold.counts import Vector
from thresher.threshold.rules import Rule
from thresher.tree.sample import Sample
from thresher.two_classes import TwoClassMixin
from thresher.validation import check_choice, check_integer, thread_count

MEMBERS = tuple(FITTERS)


class ImbalancedBlendClassifier(UnseenClassifier):
    """Blend of models that err unlike each other, for two classes of which one is rare.

    Each member scores the training rows that it has not seen, a forest out of bag, the others out
    of fold. A logistic curve through these scores (Platt) puts each member on one scale; the blend
    is the mean of their log-odds, with equal weights, and `rule` chooses the threshold on the
    blend's unseen scores.

    Parameters
    ----------
    members : sequence of str, default=("forest", "random_cuts", "boosted", "svm", "logistic")
        "forest": ImbalancedForestClassifier with its defaults. "random_cuts": the same with half as
        many trees and `splitter="random"`. "boosted": a committee of boosted trees, one for each
        fold (LightGBM, extra `boost`; without it this member is left out with a warning). "svm": a
        committee of support vector machines with a radial kernel. "logistic": a committee of
        logistic regressions.
    rule, beta, cost_fp, cost_fn, gain_tp, gain_tn, floor, per_1000, correct_prior, n_bootstrap, \
confidence, miss, false_alarm, price, categorical_features, pos_label, pairs
        As in ImbalancedForestClassifier.
    n_estimators : int, default=200
        Trees of the forest; the forest of random cuts has half as many.
    max_svm_rows : int, default=5000
        With more rows "svm" is left out, since its time grows with their square.
    cv : int, default=5
        Folds of the committees; fewer where the rarer class has fewer rows.
    random_state : int, RandomState or None, default=None
        Seed of rows, columns, cuts and folds.
    n_jobs : int, default=None
        Number of threads; the blend does not depend on it.
    verbose : int, default=0
        1 shows a progress bar on a terminal.

    Attributes
    ----------
    members_ : tuple of str
        The members of this fit.
    left_out_ : dict of str
        Why each other member of `members` is not among them.
    blended_ : tuple of Member
        The members themselves, each with its curve.
    unseen_state_ : UnseenState
        The blend's scores of the training rows, by members that had not seen them.
    oob_decision_function_ : ndarray of shape (n_samples, 2)
        The same as probabilities; NaN for a row that every tree of a forest saw.
    threshold_, threshold_alert_, threshold_interval_, referred_, promise_, curve_, prior_, \
threshold_state_, imitation_, \
classes_, pos_label_, columns_, n_features_in_, feature_names_in_
        As in ImbalancedForestClassifier.

    Examples
    --------
    >>> from thresher import ImbalancedBlendClassifier
    >>> from thresher.datasets import load_dataset
    >>> X, y = load_dataset("Yeast-me1")
    >>> model = ImbalancedBlendClassifier(("forest", "svm", "logistic"), random_state=0).fit(X, y)
    >>> model.members_, model.predict(X[:3]).tolist()
    (('forest', 'svm', 'logistic'), [0, 0, 0])
    """

    members_: tuple[str, ...]
    left_out_: dict[str, str]
    blended_: tuple[Member, ...]

    def __init__(
        self,
        members: Any = MEMBERS,
        *,
        rule: Any = "f1",
        beta: float = 1.0,
        cost_fp: float = 1.0,
        cost_fn: float = 1.0,
        gain_tp: float = 0.0,
        gain_tn: float = 0.0,
        floor: float | None = None,
        per_1000: float | None = None,
        correct_prior: bool = False,
        n_bootstrap: int = 200,
        n_estimators: int = 200,
        max_svm_rows: int = 5000,
        cv: int = 5,
        categorical_features: Any = "from_dtype",
        pos_label: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        pairs: Any = None,
        confidence: float | None = None,
        miss: float | None = None,
        false_alarm: float | None = None,
        price: float | None = None,
    ) -> None:
        self.members = members
        self.rule = rule
        self.beta = beta
        self.cost_fp = cost_fp
        self.cost_fn = cost_fn
        self.gain_tp = gain_tp
        self.gain_tn = gain_tn
        self.floor = floor
        self.per_1000 = per_1000
        self.correct_prior = correct_prior
        self.n_bootstrap = n_bootstrap
        self.n_estimators = n_estimators
        self.max_svm_rows = max_svm_rows
        self.cv = cv
        self.categorical_features = categorical_features
        self.pos_label = pos_label
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.pairs = pairs
        self.confidence = confidence
        self.miss = miss
        self.false_alarm = false_alarm
        self.price = price

    def checked_parameters(self) -> Rule:
        """Return the rule; raise one sentence for the first parameter that is out of range."""
        self._check_members()
        check_integer("n_estimators", self.n_estimators, low=1, high=MAX_TREES)
        check_integer("max_svm_rows", self.max_svm_rows, low=0)
        check_folds(self.cv)
        if not isinstance(self.verbose, bool | np.bool_):
            check_integer("verbose", self.verbose, low=0)
        thread_count(self.n_jobs)
        return self.checked_rule()

    def _check_members(self) -> None:
        if isinstance(self.members, str) or not isinstance(self.members, list | tuple):
            raise TypeError(f"members must be a list of names, got {self.members!r}.")
        for name in self.members:
            check_choice("members", name, MEMBERS)
        if len({*self.members}) < max(1, len(self.members)):
            raise ValueError(f"members must be different names, at least one: {self.members!r}.")

    def _fit_parts(self, sample: Sample, seed: int) -> Vector:
        self.left_out_ = self._find_left_out(len(sample.to_grow.matrix))
        names = tuple(name for name in self.members if name not in self.left_out_)
        if not names:
            raise ParameterError(f"No member is left to blend: {' '.join(self.left_out_.values())}")
        setting = Setting(sample, int(self.n_estimators), int(self.cv), seed, self.n_jobs)
        found = []
        with progress_bar("Fitting members", len(names), shown=self.verbose > 0) as progress:
            for name in names:
                found.append(fit_member(name, setting))
                progress(len(found))
        self.members_, self.blended_ = names, tuple(member for member, _ in found)
        return _blended([log_odds for _, log_odds in found])

    def _find_left_out(self, n_rows: int) -> dict[str, str]:
        """Return why members are left out; a warning where somebody can do something about it."""
        found = {}
        if "svm" in self.members and n_rows > self.max_svm_rows:
            found["svm"] = f"The {n_rows} rows are more than max_svm_rows={self.max_svm_rows}."
        if "boosted" in self.members:
            try:
                find_lightgbm()
            except MissingPackageError as error:
                found["boosted"] = str(error)
                warn(
                    f"The blend is fitted without its member 'boosted': {NEEDED}, or name the "
                    "other members.",
                    stacklevel=5,
                )
        return found

    def _raw_scores(self, matrix: Matrix) -> Vector:
        return _blended([member.log_odds(matrix) for member in self.blended_])

    def _parts(self) -> list[TwoClassMixin]:
        models = [member.model for member in self.blended_]
        return [*super()._parts(), *(one for one in models if isinstance(one, TwoClassMixin))]


def _blended(log_odds: list[Vector]) -> Vector:
    """Return the probability at the mean of the members' log-odds."""
    total = log_odds[0].copy()
    for more in log_odds[1:]:
        total += more
    blended: Vector = expit(total / len(log_odds))
    return blended
