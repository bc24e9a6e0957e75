"""The scikit-learn estimator of boosted trees, one run for each fold, as one sum of trees."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from thresher.boosted.lightgbm import Boosting, boost, find_lightgbm
from thresher.column import Matrix, naming_infinity, refuse_infinity
from thresher.errors import NoVotesError
from thresher.explain.explained import ExplainedMixin
from thresher.explain.weighed import WeighedTrees
from thresher.forest.classifier import ImbalancedForestClassifier
from thresher.frames import frame_kind
from thresher.matrix import Columns
from thresher.threshold.counts import Vector
from thresher.threshold.rules import Rule
from thresher.threshold.state import ThresholdState
from thresher.threshold.thresholded import ThresholdedMixin
from thresher.tree.additive import AdditiveTrees
from thresher.tree.classifier import ImbalancedTreeClassifier
from thresher.tree.imitation import check_size, imitate, kept_imitation
from thresher.tree.sample import Rows, Sample, derive_columns, read_rows
from thresher.two_classes import TwoClassMixin
from thresher.validation import check_integer, check_number, draw_seed, thread_count

MAX_TREES, MAX_LEAVES, MAX_FOLDS = 1_000_000, 131_072, 10_000

FOR_A_FOREST = {
    *("rule", "beta", "cost_fp", "cost_fn", "gain_tp", "gain_tn", "floor", "per_1000"),
    *("correct_prior", "confidence", "miss", "false_alarm", "price", "pairs"),
    *("categorical_features", "pos_label", "random_state", "n_jobs"),
}
"""Parameters that mean the same for a forest."""


@dataclass(frozen=True, eq=False)
class UnseenState:
    """Unseen scores of the training rows, and the seed of the draws.

    Attributes
    ----------
    scores : of the positive class.
    totals : sample weight of the training rows, (negative, positive).
    seed : of all draws.
    training_rows : the rows themselves, None where they are not at hand; pickles leave them out.
    """

    scores: Vector
    totals: tuple[float, float]
    seed: int
    training_rows: Rows | None = None

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the training rows."""
        return {**vars(self), "training_rows": None}

    @property
    def prior(self) -> float:
        """Share of positives in the training rows."""
        return self.totals[1] / sum(self.totals)


class BoostedTreesClassifier(ExplainedMixin, ThresholdedMixin, ClassifierMixin, BaseEstimator):
    """Boosted trees of LightGBM, with a threshold tuned out of fold.

    Trees are boosted once without each fold, whose rows they then score; `rule` chooses the
    threshold on these scores. A new row gets the mean of the log-odds of all runs, so that all
    trees are one sum. They are converted: LightGBM (extra `boost`) is needed for the fit alone.

    Parameters
    ----------
    n_estimators : int, default=150
        Trees of each run.
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
    trees_ : AdditiveTrees
        The trees of all runs; their sum is the log-odds of the positive class.
    unseen_state_ : UnseenState
        Scores of the training rows by the run that had not seen them.
    threshold_, threshold_alert_, threshold_interval_, referred_, promise_, curve_, prior_, \
threshold_state_, \
oob_decision_function_, imitation_, classes_, pos_label_, columns_, n_features_in_, \
feature_names_in_
        As in ImbalancedForestClassifier.

    Examples
    --------
    >>> from thresher import BoostedTreesClassifier
    >>> from thresher.datasets import load_dataset
    >>> X, y = load_dataset("Yeast-me1")
    >>> model = BoostedTreesClassifier(random_state=0).fit(X, y)
    >>> len(model.trees_), model.predict(X[:3]).tolist()
    (750, [0, 0, 0])
    """

    columns_: Columns
    n_features_in_: int
    trees_: AdditiveTrees
    unseen_state_: UnseenState
    imitation_: ImbalancedTreeClassifier

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

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn: missing values welcome."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "unseen_state_")

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

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, X_unlabelled: Any = None) -> Self:
        """Boost without each fold, and choose the threshold on the scores of its rows.

        Parameters
        ----------
        X : data frame or array-like of shape (n_samples, n_features)
            pandas, polars, pyarrow or anything that NumPy reads; NaN and null are missing values.
        y : array-like of shape (n_samples,)
            Two classes.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of a row in every run and in the choice of the threshold.
        X_unlabelled : table, default=None
            More rows to promise a budget of alerts on, of which nobody knows the class.

        Returns
        -------
        self
        """
        rule = self.checked_parameters()
        self._refuse_to_promise(None, X_unlabelled)
        sample = derive_columns(self, read_rows(self, X, y, sample_weight))
        seed, frame = draw_seed(self.random_state), frame_kind(X)
        return self.fit_sample(sample, rule, seed, frame=frame, X_unlabelled=X_unlabelled)

    def fit_sample(
        self,
        sample: Sample,
        rule: Rule,
        seed: int,
        *,
        frame: str | None = None,
        X_unlabelled: Any = None,
    ) -> Self:
        """Fit on rows that are read already, with parameters that are checked."""
        rows = sample.to_grow
        self._refuse_to_promise(rows.weights)
        refuse_infinity(rows.matrix)
        sample.describe(self)
        self.__dict__.pop("imitation_", None)
        scores = self._boost(sample.in_rows(), seed)
        state = UnseenState(scores, sample.totals, seed, training_rows=rows)
        self.unseen_state_ = state
        chosen_on = ThresholdState.of(
            scores,
            rows.is_positive.astype(bool),
            rows.weights,
            state.prior,
            correct_prior=self.correct_prior,
            seed=seed,
            frame_kind=frame,
        )
        more = None
        if X_unlabelled is not None:
            more = chosen_on.shifted(self._raw_scores(self._matrix(X_unlabelled)))
        self._settle(rule, chosen_on, more)
        return self

    def _boost(self, sample: Sample, seed: int) -> Vector:
        """Boost without each fold; return the scores of its rows by the trees of that run."""
        find_lightgbm()
        rows, threads = sample.to_grow, thread_count(self.n_jobs)
        how = Boosting(*(getattr(self, name) for name in Boosting._fields))
        fold = deal_folds(rows, int(self.cv), seed)
        parts, scores = [], np.empty(len(fold))
        for held in range(int(fold.max()) + 1):
            others = rows.where(_counted(rows) & (fold != held))
            trees = boost(others, sample.columns.is_category, how, seed + held, threads)
            held_out = trees.scores(rows.matrix[fold == held], threads)
            scores[fold == held] = trees.probability(held_out)
            parts.append(trees)
        self.trees_ = AdditiveTrees.mean_of(parts)
        return scores

    def weighed_trees(self) -> WeighedTrees:
        """Return the trees as an explanation reads them: their sum is the log-odds.

        `correct_prior` and `adjust_prior` have no part in it.
        """
        check_is_fitted(self)
        return self.trees_.weighed()

    def _raw_scores(self, matrix: Matrix) -> Vector:
        with naming_infinity(matrix):
            return self.trees_.probability(self.trees_.scores(matrix, thread_count(self.n_jobs)))

    @property
    def oob_decision_function_(self) -> NDArray[np.float64]:
        """Probabilities of the training rows by trees that had not seen them."""
        check_is_fitted(self)
        return self._both_classes(self.unseen_state_.scores)

    def _positive_scores(self, X: Any) -> Vector:
        check_is_fitted(self)
        return self.matrix_scores(self._matrix(X))

    def _matrix(self, X: Any) -> Matrix:
        matrix = self.columns_.matrix(X, type(self).__name__)
        refuse_infinity(matrix)
        return matrix

    def matrix_scores(self, matrix: Matrix) -> Vector:
        """Return the probability of the positive class for rows as `columns_` reads them."""
        return self.threshold_state_.shifted(self._raw_scores(matrix))

    def _parts(self) -> list[TwoClassMixin]:
        return [self.imitation_] if hasattr(self, "imitation_") else []

    # ----------------------------------------------------------------------------- one tree for it

    def to_tree(
        self,
        max_leaf_nodes: int = 32,
        refer: float = 0.0,
        *,
        X: Any = None,
        y: Any = None,
        sample_weight: Any = None,
        cv: None = None,
    ) -> ImbalancedTreeClassifier:
        """Return one tree that imitates the model's decisions, small enough to read.

        Parameters
        ----------
        max_leaf_nodes : int, default=32
            Most leaves.
        refer : float, default=0.0
            Largest share of rows that the tree has not seen that it may refer to this model.
        X, y, sample_weight : as in fit, default=None
            The training rows, for a model from a file or a pickle; it has left them behind.
        cv : None
            As in `ImbalancedForestClassifier.to_tree`; there is no cross-validation here.

        Returns
        -------
        ImbalancedTreeClassifier
            `tree_.rows` are the training rows of its nodes with their true labels; its
            probabilities are shares of rows on which the model alerts. A tree that refers rows
            has `referred_`, `front_` and `referred_to_`.
        """
        check_is_fitted(self)
        check_size(max_leaf_nodes, refer)
        if cv is not None:
            raise ValueError(f"cv must be None for {type(self).__name__}, got {cv!r}.")
        rows = self._rows_to_imitate("to_tree", X, y, sample_weight)
        if rows is None:
            return kept_imitation(self, max_leaf_nodes, refer)
        state = self.unseen_state_
        above = self.threshold_state_.shifted(state.scores) - self.threshold_
        seed, frame = state.seed, self.threshold_state_.frame_kind
        tree = imitate(
            self, rows, above, self._above, max_leaf_nodes, seed, refer=refer, frame=frame
        )
        tree.distillation_ = None
        return tree

    def stand_in(self) -> ImbalancedForestClassifier:
        """Return a forest, not fitted, with the same rule and columns.

        A hundred fits on labels that mean nothing, or on drawn rows, would cost hours with this
        model; what a forest finds in such rows is what chance holds for both.
        """
        shared = set(self.get_params(deep=False)) & FOR_A_FOREST
        parameters = {name: getattr(self, name) for name in shared}
        return ImbalancedForestClassifier(**parameters | {"rule": self.rule or "f1"})

    def _rows_to_imitate(self, user: str, X: Any, y: Any, sample_weight: Any) -> Rows | None:
        if X is None and y is None:
            return self.unseen_state_.training_rows
        rows = read_rows(self, X, y, sample_weight).to_grow
        if len(rows.matrix) != len(self.unseen_state_.scores):
            raise ValueError(
                f"{user} needs the {len(self.unseen_state_.scores)} rows of the fit; X has "
                f"{len(rows.matrix)}."
            )
        return rows._replace(matrix=self.columns_.widened(rows.matrix, to_learn=True))

    @property
    def has_training_rows(self) -> bool:
        """Whether the rows of the fit are at hand; files and pickles leave them out."""
        return self.unseen_state_.training_rows is not None

    def _above(self, matrix: Matrix) -> Vector:
        return self.matrix_scores(matrix) - self.threshold_


def deal_folds(rows: Rows, n_folds: int, seed: int) -> NDArray[np.intp]:
    """Return the fold of each row, the rows of each class dealt evenly.

    There are no more folds than the rarer class has rows of weight, so that none is fitted without
    a row of it.

    Examples
    --------
    >>> rows = Rows(np.zeros((6, 1)), np.array([0, 0, 0, 0, 1, 1], dtype=np.uint8), None)
    >>> np.bincount(deal_folds(rows, 5, seed=0)).tolist()
    [3, 3]
    """
    counts = _counted(rows)
    smallest = min(int((counts & (rows.is_positive == label)).sum()) for label in (0, 1))
    if smallest < 2:
        raise NoVotesError(
            "Boosted trees need two rows of each class, for folds, and one class has fewer; "
            "gather more rows of it."
        )
    random, fold = np.random.default_rng(seed), np.empty(len(counts), dtype=np.intp)
    # Rows without weight are dealt by themselves, so that they move no other row.
    for chosen in (counts & (rows.is_positive == 0), counts & (rows.is_positive == 1), ~counts):
        places = random.permutation(np.flatnonzero(chosen))
        fold[places] = np.arange(len(places)) % min(n_folds, smallest)
    return fold


def _counted(rows: Rows) -> NDArray[np.bool_]:
    if rows.weights is None:
        return np.ones(len(rows.is_positive), dtype=np.bool_)
    counted: NDArray[np.bool_] = rows.weights > 0.0
    return counted


def check_folds(cv: Any) -> None:
    """Raise unless `cv` is a number of folds."""
    check_integer("cv", cv, low=2, high=MAX_FOLDS)
