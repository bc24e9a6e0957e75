"""EAT: one Renyi tree for each order alpha, and a vote of them."""

from collections.abc import Iterator, Sequence
from typing import Any, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from thresher.column import naming_infinity
from thresher.explain.explained import ExplainedMixin
from thresher.explain.weighed import WeighedTrees
from thresher.matrix import Columns
from thresher.tree.classifier import ImbalancedTreeClassifier
from thresher.tree.pruning import Metric
from thresher.tree.sample import read_sample
from thresher.two_classes import TwoClassMixin
from thresher.validation import check_choice, check_number, draw_seed, thread_count

Trees: TypeAlias = list[ImbalancedTreeClassifier]
Leaves: TypeAlias = list[NDArray[np.int32]]

VOTINGS = ("majority", "soft")
HALF_OF_THE_VOTES = 0.5


class AlphaTreesClassifier(ExplainedMixin, TwoClassMixin, ClassifierMixin, BaseEstimator):
    """One Renyi tree for each order alpha, and their vote (the paper's EAT).

    A low order looks for splits that set a few rare rows apart, a high one for splits that serve
    the many. No order is best everywhere; here each grows a tree of its own, on the same rows and
    in the same way, and the trees vote.

    Parameters
    ----------
    alphas : sequence of float, default=(0.1, 0.3, 0.5, 0.7, 0.9, 1, 2)
        Orders of the entropy, 0 or more and all different: one tree each. With an odd number of
        them no majority vote is tied.
    voting : {"majority", "soft"}, default="majority"
        "majority": each tree decides by `threshold`, and a row is positive if more than half of
        the trees say so; a tie is negative. "soft": a row is positive if the mean probability of
        the trees is above `threshold`.
    max_depth, max_leaf_nodes, min_samples_leaf, min_samples_split : int
        Size of each tree, as in `ImbalancedTreeClassifier`.
    min_weight_fraction_leaf, min_gain : float, default=0.0
        Least share of the weight in a leaf and least gain of a split, as there.
    max_features : int, float, "sqrt" or "log2", default=None
        Columns to look at in each node, as there; each tree draws its own.
    max_bins : int, default=None
        Cut at the edges of at most this many bins (2 to 255) instead of exactly.
    pruning : {"bcr", "gmean", "error", "f1", "cost"}, callable or None, default="bcr"
        Metric that the pruning of a tree must not lower, as there.
    pruning_fraction : float, default=None
        Share of each class held out of growth to prune on, the same rows for all trees; the
        training rows by default.
    threshold : float or "prior", default=0.5
        What a probability must exceed: that of each tree with `voting="majority"`, their mean with
        "soft". "prior" takes the share of positives among the rows that the trees were grown on.
    class_weight : dict, "balanced" or None, default=None
        Factors of the classes in impurities and probabilities.
    categorical_features : "from_dtype", None, or array-like, default="from_dtype"
        Category columns: mask, indices or names, as in `ImbalancedTreeClassifier`.
    pos_label : object, default=None
        The positive class; by default the rarer one, the second where both weigh the same.
    random_state : int, RandomState or None, default=None
        Seed of `max_features` and `pruning_fraction`.
    n_jobs : int, default=None
        Number of threads; the trees do not depend on it.

    Attributes
    ----------
    estimators_ : list of ImbalancedTreeClassifier
        The trees in the order of `alphas`.
    threshold_ : float
        What the probability of the positive class must exceed: 0.5 of the votes with
        `voting="majority"`, where each tree has decided by its own `threshold_`; the `threshold`
        as a number with "soft".
    classes_ : ndarray of shape (2,)
        The sorted classes.
    pos_label_ : object
        The positive class.
    columns_ : Columns
        Names of the columns and levels of the category columns.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of str
        Names of the columns, where the table had text names.
    feature_importances_ : ndarray of shape (columns,)
        Mean of the importances of the trees that have a split; all 0 where none has.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from thresher import AlphaTreesClassifier
    >>> X, y = make_classification(n_samples=500, weights=[0.95], random_state=0)
    >>> model = AlphaTreesClassifier(alphas=(0.1, 0.5, 1)).fit(X, y)
    >>> {tree.alpha: tree.predict(X[[71, 270]]).tolist() for tree in model.estimators_}
    {0.1: [1, 1], 0.5: [1, 1], 1: [0, 0]}
    >>> model.predict_proba(X[[71, 270]])[:, 1].round(3), model.predict(X[[71, 270]])
    (array([0.667, 0.667]), array([1, 1]))
    """

    columns_: Columns

    def __init__(
        self,
        alphas: Sequence[float] = (0.1, 0.3, 0.5, 0.7, 0.9, 1, 2),
        *,
        voting: str = "majority",
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
    ) -> None:
        self.alphas = alphas
        self.voting = voting
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

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn: missing values welcome."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, X_val: Any = None, y_val: Any = None
    ) -> Self:
        """Grow and prune a tree for each alpha, on a table that is read once.

        Parameters
        ----------
        X : data frame or array-like of shape (n_samples, n_features)
            pandas, polars, pyarrow or anything that NumPy reads; NaN and null are missing values.
        y : array-like of shape (n_samples,)
            Two classes.
        sample_weight : array-like of shape (n_samples,), default=None
            As in `ImbalancedTreeClassifier`.
        X_val, y_val : like X and y, default=None
            Rows to prune on instead of the training rows.

        Returns
        -------
        self
        """
        self.check_parameters(X_val, y_val)
        trees = list(self._unfitted_trees())
        sample = read_sample(self, X, y, sample_weight, X_val, y_val)
        sample.warn_if_few(self.min_samples_leaf)
        self.estimators_ = [tree.fit_sample(sample) for tree in trees]
        sample.describe(self)
        is_soft = self.voting == "soft"
        self.threshold_ = trees[0].threshold_ if is_soft else HALF_OF_THE_VOTES
        return self

    def check_parameters(self, X_val: Any, y_val: Any) -> None:
        """Raise an error of one sentence for the first parameter that is out of range."""
        check_choice("voting", self.voting, VOTINGS)
        _check_alphas(self.alphas)
        next(self._unfitted_trees()).check_parameters(X_val, y_val)

    def _unfitted_trees(self) -> Iterator[ImbalancedTreeClassifier]:
        """Make the trees; each has a seed of its own, so that each looks at other columns."""
        parameters = self.get_params(deep=False)
        for name in ("alphas", "voting", "random_state"):
            del parameters[name]
        seeds: list[int | None] = [None] * len(self.alphas)
        if self.max_features is not None:
            sequence = np.random.SeedSequence(draw_seed(self.random_state))
            seeds = sequence.generate_state(len(self.alphas)).tolist()
        for alpha, seed in zip(self.alphas, seeds, strict=True):
            yield ImbalancedTreeClassifier("renyi", alpha=alpha, random_state=seed, **parameters)

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Mean of the importances of the trees that have a split; all 0 where none has."""
        check_is_fitted(self)
        total: NDArray[np.float64] = np.sum(
            [tree.feature_importances_ for tree in self.estimators_], axis=0
        )
        return total / (total.sum() or 1.0)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return what the trees say of each class, columns in the order of `classes_`.

        With `voting="majority"` this is the share of the trees that decide for the class, with
        "soft" the mean of their probabilities.
        """
        return self._both_classes(self._positive_share(X))

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of each row: positive if and only if its probability > `threshold_`."""
        return self._labels(self._positive_share(X) > self.threshold_)

    def weighed_trees(self) -> WeighedTrees:
        """Return the trees as an explanation reads them: leaves say their vote or probability."""
        check_is_fitted(self)
        parts = [
            tree.tree_.weighed(self._votes(tree), self.columns_.width) for tree in self.estimators_
        ]
        return WeighedTrees.together(parts).scaled(1.0 / len(parts))

    def _votes(self, tree: ImbalancedTreeClassifier) -> NDArray[np.float64]:
        """Return what each node of a tree says."""
        probability = tree.tree_.probability
        if self.voting == "soft":
            return probability
        return (probability > tree.threshold_).astype(np.float64)

    def _parts(self) -> Trees:
        return self.estimators_

    def _positive_share(self, X: Any) -> NDArray[np.float64]:
        """Return the share of votes or the mean probability of the positive class."""
        check_is_fitted(self)
        matrix = self.columns_.matrix(X, type(self).__name__)
        with naming_infinity(matrix):
            leaves = [
                tree.tree_.leaves(matrix, thread_count(self.n_jobs)) for tree in self.estimators_
            ]
        combine = _mean_probability if self.voting == "soft" else _share_of_votes
        return combine(self.estimators_, leaves)


def _share_of_votes(trees: Trees, leaves: Leaves) -> NDArray[np.float64]:
    """Count the trees that decide for the positive class; half of them are exactly 0.5."""
    votes = np.zeros(len(leaves[0]), dtype=np.int64)
    for tree, leaf in zip(trees, leaves, strict=True):
        votes += (tree.tree_.probability > tree.threshold_)[leaf]
    return votes / len(trees)


def _mean_probability(trees: Trees, leaves: Leaves) -> NDArray[np.float64]:
    """Return the mean of the trees' probabilities; where all are the same it is that, exactly.

    A sum divided by its length may round a mean over a threshold that no tree exceeds.
    """
    mean = np.zeros(len(leaves[0]))
    for count, (tree, leaf) in enumerate(zip(trees, leaves, strict=True), start=1):
        mean += (tree.tree_.probability[leaf] - mean) / count
    return mean


def _check_alphas(alphas: Any) -> None:
    is_list = isinstance(alphas, Sequence) and not isinstance(alphas, str)
    if not is_list and not (isinstance(alphas, np.ndarray) and alphas.ndim == 1):
        raise TypeError(f"alphas must be a list of numbers, one for each tree, got {alphas!r}.")
    if len(alphas) == 0:
        raise ValueError("alphas is empty; give at least one order, such as alphas=(0.5,).")
    seen = set()
    for place, alpha in enumerate(alphas):
        check_number(f"alphas[{place}]", alpha, low=0.0)
        if alpha in seen:
            raise ValueError(f"alphas has {alpha:g} twice, which grows one tree twice; drop one.")
        seen.add(alpha)
