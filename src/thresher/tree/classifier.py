"""The scikit-learn estimator of one tree: a table in, decisions out."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Self
from warnings import catch_warnings, simplefilter, warn

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from thresher.answers import Referred, answers
from thresher.column import naming_infinity
from thresher.explain.explained import ExplainedMixin, mean_contributions
from thresher.explain.weighed import WeighedTrees
from thresher.figures.figure import Figure
from thresher.figures.tree import draw_tree
from thresher.frames import make_frame
from thresher.matrix import Columns
from thresher.tree.growing import Growth
from thresher.tree.outline import Line, outline
from thresher.tree.pruning import Metric, check_pruning, metric_function
from thresher.tree.sample import Rows, Sample, read_sample
from thresher.tree.structure import Tree
from thresher.tree.text import Wording, export_text
from thresher.two_classes import TwoClassMixin, check_threshold, threshold_as_number
from thresher.validation import (
    check_choice,
    class_factors,
    draw_seed,
    thread_count,
    weight_of_row,
)


class SingleLeafWarning(UserWarning):
    """A tree ended as a single leaf, so that every row is decided alike."""


def warn_of_single_leaf(tree: Tree, unpruned: Tree, threshold: float) -> None:
    """Say that a tree decides nothing, and what to do about it."""
    if tree.n_nodes > 1:
        return
    if unpruned.n_nodes > 1:
        why = (
            f"it was pruned, since at threshold {threshold:.3g} its {unpruned.n_leaves} leaves do "
            "no better together"
        )
        way_out = (
            "threshold='prior', pruning=None, or choose the threshold by a rule: "
            "ThresholdClassifier(tree, 'f1')"
        )
    else:
        why = "no split gains anything"
        way_out = "a smaller min_samples_leaf or min_gain, or other columns"
    warn(
        f"The tree is a single leaf, so that every row is decided alike: {why}. Take {way_out}.",
        SingleLeafWarning,
        stacklevel=3,
    )


@contextmanager
def single_leaves_allowed() -> Iterator[None]:
    """Keep the warning away from fits that a user does not see: folds, permuted labels."""
    with catch_warnings():
        simplefilter("ignore", SingleLeafWarning)
        yield


FRONT = ("referred", "f1", "agreement_f1", "leaves", "threshold", "threshold_alert")
"""Columns of a front."""


@dataclass(frozen=True)
class Referral:
    """How many rows a tree refers, and to whom.

    Attributes
    ----------
    referred : the share of rows, as it is to be expected of unseen ones.
    front : what other shares would give, by columns; None where that is not known.
    frame : library of the front's data frame.
    model : who decides about these rows; None where it was left behind.
    """

    referred: Referred
    front: Mapping[str, NDArray[Any]] | None = None
    frame: str | None = None
    model: Any = None


IMPORTANCES = ("impurity", "shap")
OF_A_TREE = ("mean_contributions_", "threshold_alert_", "referral_")
"""What does not outlive a tree."""

MOST_LINES = 127
"""Of a tree in a notebook; a deeper one is cut."""


class ImbalancedTreeClassifier(ExplainedMixin, TwoClassMixin, ClassifierMixin, BaseEstimator):
    """Decision tree for two classes of which one is rare.

    By default the adaptive Renyi tree (ARDT): each node scores its splits with the Renyi entropy
    of order alpha*, the largest order under which the node still looks balanced, and the tree is
    pruned for the mean of sensitivity and specificity.

    Parameters
    ----------
    criterion : {"adaptive_renyi", "renyi", "hellinger", "dkm", "entropy", "gain_ratio", "gini"}
        Score of a split. "hellinger" and "dkm" choose the same splits. A Renyi gain of order
        above 2 may be negative; such a split is refused.
    alpha : float, default=None
        Order of the entropy, 0 or more; for `criterion="renyi"` only, which needs it.
    alpha_tolerance : float, default=0.5
        alpha* is the largest order in [0, 1] whose entropy is at least 1 minus this (0.05 in
        the paper).
    max_depth : int, default=None
        Most splits on a path.
    max_leaf_nodes : int, default=None
        Most leaves; the splits of largest gain are made first.
    min_samples_leaf, min_samples_split : int, default=2
        Least rows of a leaf, and of a node that is split. If all sample weights are whole numbers,
        a row of weight 2 counts as two rows; otherwise a row counts as its weight divided by the
        mean of the weights above 0.
    min_weight_fraction_leaf : float, default=0.0
        Least share of the total weight in a leaf, class weights included as in scikit-learn.
    min_gain : float, default=0.0
        Least impurity decrease of a split.
    max_features : int, float, "sqrt" or "log2", default=None
        Columns to look at in each node, drawn at random: a number, a share, or all.
    max_bins : int, default=None
        Cut at the edges of at most this many bins (2 to 255) instead of exactly.
    pruning : {"bcr", "gmean", "error", "f1", "cost"}, callable or None, default="bcr"
        Metric that pruning must not lower; "cost" takes the costs implied by the threshold, a
        callable gets (tn, fp, fn, tp), in units of sample weight, and larger is better. None: no
        pruning.
    pruning_fraction : float, default=None
        Share of each class held out of growth to prune on; the training rows by default.
    threshold : float or "prior", default=0.5
        A row is positive if and only if its probability is above it. "prior" takes the share
        of positives among the rows that the tree was grown on.
    class_weight : dict, "balanced" or None, default=None
        Factors of the classes in impurities and probabilities.
    categorical_features : "from_dtype", None, or array-like, default="from_dtype"
        Category columns: mask, indices or names. "from_dtype" takes the category, enum,
        dictionary and text columns of a data frame. A level unseen in training counts as
        missing. Of more than 255 levels the 254 with most positive rows, then most rows, are told
        apart; all others, and levels unseen in training, count as one.
    pos_label : object, default=None
        The positive class; by default the rarer one, the second where both weigh the same.
    random_state : int, RandomState or None, default=None
        Seed of `max_features`, `pruning_fraction` and `splitter="random"`.
    n_jobs : int, default=None
        Number of threads; the tree does not depend on it.
    mdl_correction : bool, default=False
        Charge a numeric split of "gain_ratio" for the choice among its cuts, as C4.5 does.
    pairs : PairFeatures or None, default=None
        Chooses columns made of two others during `fit`; the tree asks these as well.
    splitter : {"best", "random"}, default="best"
        "random" draws one cut of each column that a node looks at, evenly between its smallest and
        largest value there (of a category: how many levels, those of the lowest positive rates
        first), and takes the best of these; missing values go to the better side. Not with
        `max_bins`.
    importance : {"impurity", "shap"}, default="impurity"
        What `feature_importances_` tells. "shap" takes the contributions of all training rows
        during `fit`.

    Attributes
    ----------
    tree_, unpruned_tree_ : Tree
        The tree after and before pruning.
    threshold_ : float
        The threshold as a number.
    classes_ : ndarray of shape (2,)
        The sorted classes.
    pos_label_ : object
        The positive class.
    columns_ : Columns
        Names of the columns and levels of the category columns; `OTHER_LEVELS` is the last one
        where there were more than 255. And the derived columns.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of str
        Names of the columns, where the table had text names.
    feature_importances_ : ndarray of shape (columns,)
        Share of each column in the weighted gain of all splits or, by `importance`, the mean
        absolute contribution; that of a derived column goes half to each of its parts.
    pair_features_ : PairFeatures
        `pairs` as it was fitted; absent where that is None, and in models from files.
    threshold_alert_, referred_, front_, referred_to_
        Of a tree that refers rows, as `to_tree` makes it: leaves above `threshold_` and at most
        `threshold_alert_` refer (None for other trees); the share of rows that they refer, as it
        is to be expected of rows that the tree has not seen, with an interval; what other shares
        would give, as a table; and the model that was imitated, which can decide about these rows.
        Files and pickles leave that model behind.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from thresher import ImbalancedTreeClassifier
    >>> X, y = make_classification(n_samples=500, weights=[0.95], random_state=0)
    >>> model = ImbalancedTreeClassifier().fit(X, y)
    >>> model.pos_label_, model.predict(X[:3]).tolist()
    (np.int64(1), [0, 0, 0])
    """

    mean_contributions_: NDArray[np.float64]
    columns_: Columns
    referral_: Referral | None = None
    """Of a tree that refers rows."""

    def __init__(
        self,
        criterion: str = "adaptive_renyi",
        *,
        alpha: float | None = None,
        alpha_tolerance: float = 0.5,
        max_depth: int | None = None,
        max_leaf_nodes: int | None = None,
        min_samples_leaf: int = 2,
        min_samples_split: int = 2,
        min_weight_fraction_leaf: float = 0.0,
        min_gain: float = 0.0,
        max_features: int | float | str | None = None,
        max_bins: int | None = None,
        pruning: str | Metric | None = "bcr",
        pruning_fraction: float | None = None,
        threshold: float | str = 0.5,
        class_weight: dict[Any, float] | str | None = None,
        categorical_features: Any = "from_dtype",
        pos_label: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        mdl_correction: bool = False,
        pairs: Any = None,
        splitter: str = "best",
        importance: str = "impurity",
    ) -> None:
        self.criterion = criterion
        self.alpha = alpha
        self.alpha_tolerance = alpha_tolerance
        self.max_depth = max_depth
        self.max_leaf_nodes = max_leaf_nodes
        self.min_samples_leaf = min_samples_leaf
        self.min_samples_split = min_samples_split
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.min_gain = min_gain
        self.max_features = max_features
        self.max_bins = max_bins
        self.pruning = pruning
        self.pruning_fraction = pruning_fraction
        self.threshold = threshold
        self.class_weight = class_weight
        self.categorical_features = categorical_features
        self.pos_label = pos_label
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.mdl_correction = mdl_correction
        self.pairs = pairs
        self.splitter = splitter
        self.importance = importance

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn: missing values welcome."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, X_val: Any = None, y_val: Any = None
    ) -> Self:
        """Grow the tree and prune it.

        Parameters
        ----------
        X : data frame or array-like of shape (n_samples, n_features)
            pandas, polars, pyarrow or anything that NumPy reads; NaN and null are missing values.
        y : array-like of shape (n_samples,)
            Two classes.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight 2 counts as the row twice, weight 0 as the row absent. The scale of weights
            that are not all whole numbers does not matter.
        X_val, y_val : like X and y, default=None
            Rows to prune on instead of the training rows.

        Returns
        -------
        self
        """
        self.check_parameters(X_val, y_val)
        sample = read_sample(self, X, y, sample_weight, X_val, y_val)
        sample.warn_if_few(self.min_samples_leaf)
        self.fit_sample(sample)
        warn_of_single_leaf(self.tree_, self.unpruned_tree_, self.threshold_)
        return self

    def check_parameters(self, X_val: Any, y_val: Any) -> None:
        """Raise an error of one sentence for the first parameter that is out of range."""
        Growth.of(self).check()
        if (X_val is None) != (y_val is None):
            raise ValueError("Give X_val and y_val to fit together, or neither.")
        check_pruning(self.pruning, self.pruning_fraction, has_rows=X_val is not None)
        check_threshold(self.threshold)
        check_choice("importance", self.importance, IMPORTANCES)

    def fit_sample(self, sample: Sample) -> Self:
        """Grow and prune on rows that are read already, with parameters that are checked."""
        sample.describe(self)
        factors = class_factors(self.class_weight, sample.classes, sample.positive, sample.totals)
        growth = Growth.of(self, sample.row_weight)
        tree = growth.grow(
            *sample.to_grow,
            class_weight=factors,
            is_category=sample.columns.is_category,
            seed=draw_seed(self.random_state) if growth.draws else 0,
            n_threads=thread_count(self.n_jobs),
        )
        self.take_tree(tree, sample.to_prune, sample.row_weight)
        if self.importance == "shap":
            rows = sample.to_grow
            threads = thread_count(self.n_jobs)
            found = mean_contributions(self.weighed_trees(), rows.matrix, rows.weights, threads)
            self.mean_contributions_ = self.columns_.given_shares(found)
        return self

    def take_tree(self, tree: Tree, to_prune: Rows | None, row_weight: float) -> Self:
        """Make a grown tree the model's own: choose the threshold, then prune.

        `row_weight` is the sample weight that counts as one of the rows that the tree grew on.
        """
        for name in OF_A_TREE:
            self.__dict__.pop(name, None)
        self.unpruned_tree_ = tree
        self.threshold_ = threshold_as_number(self.threshold, *tree.weight[0].tolist())
        self.tree_ = tree
        if self.pruning is not None and tree.n_nodes > 1:
            counts = None
            if to_prune is not None:
                counts = tree.node_counts(*to_prune, thread_count(self.n_jobs))
                row_weight = weight_of_row(to_prune.weights)
            metric = metric_function(self.pruning, self.threshold_, row_weight)
            self.tree_ = tree.pruned(metric, self.threshold_, counts)
        return self

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Importance of each column; all 0 without a split.

        "impurity": its share in the weighted gain of all splits. "shap": the mean over the training
        rows of its absolute contribution to the probability.
        """
        check_is_fitted(self)
        if self.importance == "shap":
            if not hasattr(self, "mean_contributions_"):
                raise NotFittedError(
                    f"importance='shap' takes effect in fit; fit {type(self).__name__} with it."
                )
            return self.mean_contributions_
        columns = self.columns_
        shares: NDArray[np.float64] = columns.given_shares(self.tree_.importances(columns.width))
        return shares

    @property
    def referred_(self) -> Referred | None:
        """The share of rows that are referred, None where none are."""
        return None if self.referral_ is None else self.referral_.referred

    @property
    def front_(self) -> Any:
        """What other shares would give, as a data frame."""
        referral = self._known_referral("front_")
        if referral.front is None:
            raise AttributeError("This tree came from a file that keeps no front_.")
        return make_frame({name: np.array(referral.front[name]) for name in FRONT}, referral.frame)

    @property
    def referred_to_(self) -> Any:
        """The model that was imitated, which can decide about referred rows."""
        referral = self._known_referral("referred_to_")
        if referral.model is None:
            raise AttributeError(
                "This tree came from a file or a pickle, which leave behind the model that it "
                "imitates and refers rows to: load that model from a file of its own."
            )
        return referral.model

    def _known_referral(self, name: str) -> Referral:
        if self.referral_ is None:
            raise AttributeError(f"This tree refers no rows, so it has no {name}.")
        return self.referral_

    def weighed_trees(self) -> WeighedTrees:
        """Return the tree as an explanation reads it; its leaves say the probability."""
        check_is_fitted(self)
        return self.tree_.weighed(self.tree_.probability, self.columns_.width)

    def apply(self, X: Any) -> NDArray[np.int32]:
        """Return the leaf (a node of `tree_`) of each row."""
        return self._leaves(X)

    def decision_path(self, X: Any) -> csr_matrix:
        """Return an indicator matrix (rows, nodes of `tree_`) of the nodes that each row passes."""
        leaves = self._leaves(X)
        return self.tree_.decision_path(leaves)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of each class, columns in the order of `classes_`."""
        leaves = self._leaves(X)
        return self._both_classes(self.tree_.probability[leaves])

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of each row: positive if and only if its probability > `threshold_`.

        A tree of `thresher train` may have cuts for groups of rows instead.
        """
        leaves = self._leaves(X)
        return self._labels(self.tree_.probability[leaves] > self._cuts(X))

    def decide(self, X: Any) -> NDArray[Any]:
        """Return the answer to each row: "alert", "pass" or, between two thresholds, "refer".

        It is "pass" if and only if `predict` calls the row negative. Without `threshold_alert_` no
        row is referred.
        """
        leaves = self._leaves(X)
        return answers(self.tree_.probability[leaves], self._cuts(X), self.threshold_alert_)

    def _cuts(self, X: Any) -> Any:
        """Return what the probability of each row must exceed; one number without groups."""
        cuts = getattr(self, "row_cuts_", None)
        if cuts is None:
            return self.threshold_
        return cuts.in_table(X, self.columns_.names, self.threshold_)

    @property
    def node_answers(self) -> NDArray[Any]:
        """The answer of each node of `tree_`, as a leaf, by the thresholds for all rows."""
        return answers(self.tree_.probability, self.threshold_, self.threshold_alert_)

    def __getstate__(self) -> Any:
        """Leave out the model that was imitated, which may hold this tree."""
        state = super().__getstate__()
        if self.referral_ is None:
            return state
        return state | {"referral_": replace(self.referral_, model=None)}

    def _leaves(self, X: Any) -> NDArray[np.int32]:
        if not hasattr(self, "tree_"):
            check_is_fitted(self)
        matrix = self.columns_.matrix(X, type(self).__name__)
        with naming_infinity(matrix):
            return self.tree_.leaves(matrix, thread_count(self.n_jobs))

    def get_depth(self) -> int:
        """Return the number of splits on the longest path."""
        check_is_fitted(self)
        return self.tree_.depth

    def get_n_leaves(self) -> int:
        """Return the number of leaves."""
        check_is_fitted(self)
        return self.tree_.n_leaves

    def export_text(self) -> str:
        """Return the tree as text: condition, rows, positives, probability, alpha*, decision.

        Examples
        --------
        >>> from thresher import ImbalancedTreeClassifier
        >>> X, y = [[1.0], [2.0], [3.0], [4.0], [5.0], [6.0]], ["ok"] * 4 + ["scrap"] * 2
        >>> print(ImbalancedTreeClassifier("gini").fit(X, y).export_text())
        all: 6 rows, 2 positive, p = 0.333
        |-- x[0] <= 4.5 or missing: 4 rows, 0 positive, p = 0 -> ok
        |-- x[0] > 4.5: 2 rows, 2 positive, p = 1 -> scrap
        """
        check_is_fitted(self)
        return export_text(self.tree_, self._wording())

    def plot(self, *, max_depth: int | None = None) -> Figure:
        """Draw the tree and return the figure.

        One line a node: what is asked, a bar for the share of positives among its training rows,
        and the answer of a leaf.

        Parameters
        ----------
        max_depth : int, default=None
            Draw this many levels of splits.
        """
        check_is_fitted(self)
        return self._drawn(self._outline(max_depth))

    def _drawn(self, lines: list[Line]) -> Figure:
        tree = self.tree_
        heading = f"{type(self).__name__}: {tree.n_leaves} leaves, {tree.depth} questions at most"
        return Figure(heading, draw_tree(lines))

    def _outline(self, max_depth: int | None = None) -> list[Line]:
        return outline(self.tree_, self._wording(), self.node_answers, max_depth)

    def _repr_html_(self) -> str:
        """Return the tree for a notebook: drawn once it is fitted, a large one in part."""
        if not hasattr(self, "tree_"):
            return str(super()._repr_html_())
        depth = None
        while len(lines := self._outline(depth)) > MOST_LINES:
            depth = max(line.depth for line in lines) - 1
        return self._drawn(lines)._repr_html_()

    def _repr_mimebundle_(self, **others: Any) -> dict[str, str]:
        """Return what notebooks ask for first: scikit-learn's diagram has no tree in it."""
        if not hasattr(self, "tree_"):
            return dict(super()._repr_mimebundle_(**others))
        return {"text/plain": repr(self), "text/html": self._repr_html_()}

    def _wording(self) -> Wording:
        columns = self.columns_
        negative, positive = self.classes_[[1 - self._positive, self._positive]].tolist()
        return Wording(
            columns.wide_names,
            columns.wide_levels,
            (negative, positive),
            self.threshold_,
            self.threshold_alert_,
        )
