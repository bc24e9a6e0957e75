"""The scikit-learn estimator of a committee of boosted trees, one for each fold."""

from functools import partial
from typing import Any

from thresher.blend.boosting import Boosting, boost, find_lightgbm
from thresher.blend.committee import Committee, fit_committee
from thresher.blend.folds import deal_folds
from thresher.blend.unseen_classifier import UnseenClassifier
from thresher.column import Matrix
from thresher.threshold.counts import Vector
from thresher.threshold.rules import Rule
from thresher.tree.sample import Rows, Sample
from thresher.validation import check_integer, check_number, thread_count

MAX_TREES, MAX_LEAVES, MAX_FOLDS = 1_000_000, 131_072, 10_000


class BoostedTreesClassifier(UnseenClassifier):
    """Boosted trees of LightGBM in a committee of folds, with a threshold tuned out of fold.

    Each part of the committee is boosted without one fold, whose rows it then scores; `rule`
    chooses the threshold on these scores. A new row gets the mean of all parts. The trees are taken
    over, so that LightGBM (extra `boost`) is needed for the fit alone.

    Parameters
    ----------
    n_estimators : int, default=150
        Trees of each part.
    learning_rate : float, default=0.05
        What each tree adds of what it found.
    max_leaf_nodes : int, default=8
        Most leaves of a tree.
    min_samples_leaf : int, default=5
        Least rows of a leaf.
    max_features, max_samples : float, default=0.5 and 0.8
        Shares of the columns and of the rows that each tree sees, drawn without replacement.
    cv : int, default=5
        Folds; fewer where the rarer class has fewer rows.
    rule, beta, cost_fp, cost_fn, gain_tp, gain_tn, floor, per_1000, correct_prior, n_bootstrap, \
confidence, miss, false_alarm, price, categorical_features, pos_label, random_state, pairs
        As in ImbalancedForestClassifier.
    n_jobs : int, default=None
        Number of threads; the trees do not depend on it.
    verbose : int, default=0
        As in ImbalancedForestClassifier; boosting is quiet.

    Attributes
    ----------
    committee_ : Committee
        The trees of each part.
    unseen_state_ : UnseenState
        Scores of the training rows by the part that had not seen them.
    threshold_, threshold_alert_, threshold_interval_, referred_, promise_, curve_, prior_, \
threshold_state_, \
oob_decision_function_, imitation_, classes_, pos_label_, columns_, n_features_in_, \
feature_names_in_
        As in ImbalancedForestClassifier.

    Examples
    --------
    >>> from thresher.blend.boosted import BoostedTreesClassifier
    >>> from thresher.datasets import load_dataset
    >>> X, y = load_dataset("Yeast-me1")
    >>> model = BoostedTreesClassifier(random_state=0).fit(X, y)
    >>> len(model.committee_.parts), model.predict(X[:3]).tolist()
    (5, [0, 0, 0])
    """

    committee_: Committee

    def __init__(
        self,
        n_estimators: int = 150,
        *,
        learning_rate: float = 0.05,
        max_leaf_nodes: int = 8,
        min_samples_leaf: int = 5,
        max_features: float = 0.5,
        max_samples: float = 0.8,
        cv: int = 5,
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
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.max_leaf_nodes = max_leaf_nodes
        self.min_samples_leaf = min_samples_leaf
        self.max_features = max_features
        self.max_samples = max_samples
        self.cv = cv
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
        check_integer("n_estimators", self.n_estimators, low=1, high=MAX_TREES)
        check_number("learning_rate", self.learning_rate, 0.0, above=True)
        check_integer("max_leaf_nodes", self.max_leaf_nodes, low=2, high=MAX_LEAVES)
        check_integer("min_samples_leaf", self.min_samples_leaf, low=1)
        check_number("max_features", self.max_features, 0.0, 1.0, above=True)
        check_number("max_samples", self.max_samples, 0.0, 1.0, above=True)
        check_folds(self.cv)
        thread_count(self.n_jobs)
        return self.checked_rule()

    def _fit_parts(self, sample: Sample, seed: int) -> Vector:
        find_lightgbm()
        rows, threads = sample.to_grow, thread_count(self.n_jobs)
        how = Boosting(*(getattr(self, name) for name in Boosting._fields))
        fit = partial(_boost, sample, how, seed, threads)
        fold = deal_folds(rows, int(self.cv), seed)
        self.committee_, unseen = fit_committee(rows, fold, fit, threads)
        return unseen

    def _raw_scores(self, matrix: Matrix) -> Vector:
        return self.committee_.matrix_scores(matrix, thread_count(self.n_jobs))


def _boost(sample: Sample, how: Boosting, seed: int, n_threads: int, rows: Rows, held: int) -> Any:
    return boost(rows, sample.columns.is_category, how, seed + held, n_threads)


def check_folds(cv: Any) -> None:
    """Raise unless `cv` is a number of folds."""
    check_integer("cv", cv, low=2, high=MAX_FOLDS)
