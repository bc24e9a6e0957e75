"""The scikit-learn estimator: trees that another library has grown."""

from collections.abc import Callable
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from thresher.column import MAX_LEVELS, Matrix, naming_infinity, refuse_infinity
from thresher.explain.explained import ExplainedMixin
from thresher.explain.weighed import WeighedTrees
from thresher.frames import frame_kind
from thresher.matrix import Columns
from thresher.tree.additive import AdditiveTrees
from thresher.tree.classifier import ImbalancedTreeClassifier
from thresher.tree.imitation import Decisions, check_size, imitate
from thresher.tree.sample import Rows
from thresher.two_classes import TwoClassMixin
from thresher.validation import read_target, read_weights, thread_count

Floats = NDArray[np.float64]


class ConvertedTreesClassifier(ExplainedMixin, TwoClassMixin, ClassifierMixin, BaseEstimator):
    """Trees of another library that are added up; `convert` makes it.

    Parameters
    ----------
    pos_label : object, default=None
        The positive class; by default the second one, for a model does not tell which is rare.
    n_jobs : int, default=None
        Threads of prediction; -1 for all processors.

    Attributes
    ----------
    trees_ : AdditiveTrees
        The trees, and how their leaves become a probability.
    threshold_ : float
        A row is positive if and only if its probability is above it: as the original decides.
    of_positive_ : bool
        Whether the trees speak of the positive class, the original's second one, or of the other.
    allows_missing_ : bool
        Whether rows may have missing values.
    classes_, pos_label_, positive_index_, columns_, n_features_in_, feature_names_in_
        As those of every model here.
    """

    trees_: AdditiveTrees
    columns_: Columns
    threshold_: float
    of_positive_: bool
    allows_missing_: bool

    def __init__(self, *, pos_label: Any = None, n_jobs: int | None = None) -> None:
        self.pos_label = pos_label
        self.n_jobs = n_jobs

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "trees_")

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn: missing values and categories are welcome."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = getattr(self, "allows_missing_", True)
        return tags

    def fit(self, X: Any, y: Any) -> Self:
        """Refuse: these trees came from another library, which can fit them again."""
        raise TypeError(
            "Trees that were taken over cannot be fitted; fit the original and take it over again."
        )

    def predict_score(self, X: Any) -> Floats:
        """Return the sum of the trees: the original's raw score of its second class.

        Of forests this is the mean, a probability already.
        """
        return self._raw(self._matrix(X))

    def predict_proba(self, X: Any) -> Floats:
        """Return the probabilities, in the order of `classes_`."""
        return self._both_classes(self.matrix_scores(self._matrix(X)))

    def decision_function(self, X: Any) -> Floats:
        """Return how far the probability is above `threshold_`, on the side of `classes_[1]`."""
        above = self.matrix_scores(self._matrix(X)) - self.threshold_
        return above if self._positive == 1 else -above

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of each row: positive if and only if its probability > `threshold_`."""
        return self._labels(self.matrix_scores(self._matrix(X)) > self.threshold_)

    def _matrix(self, X: Any) -> Matrix:
        check_is_fitted(self)
        return self.columns_.matrix(X, type(self).__name__)

    def matrix_scores(self, matrix: Matrix) -> Floats:
        """Return the probability of the positive class for a matrix of `columns_`."""
        second = self.trees_.probability(self._raw(matrix))
        return second if self.of_positive_ else 1.0 - second

    def weighed_trees(self) -> WeighedTrees:
        """Return the trees as an explanation reads them.

        Their sum is the log-odds of the positive class or, of a tree or forest of scikit-learn, its
        probability.
        """
        check_is_fitted(self)
        return self.trees_.weighed(of_second=self.of_positive_)

    def _matrix_to_explain(self, X: Any) -> Matrix:
        check_is_fitted(self)
        matrix = self.columns_.matrix(X, type(self).__name__)
        if not self.allows_missing_:
            _refuse_missing(matrix, self.columns_)
        refuse_infinity(matrix)
        return matrix

    def _raw(self, matrix: Matrix) -> Floats:
        if not self.allows_missing_:
            _refuse_missing(matrix, self.columns_)
        with naming_infinity(matrix):
            return self.trees_.scores(matrix, thread_count(self.n_jobs))

    def to_tree(
        self,
        max_leaf_nodes: int = 32,
        refer: float = 0.0,
        *,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        decide: Callable[[Matrix], Decisions] | None = None,
    ) -> ImbalancedTreeClassifier:
        """Return a tree that imitates these trees on their training rows and on rows like them.

        Unlike a forest of this library, a model that was taken over has no votes of trees that did
        not see a row: the tree learns the decisions on the training rows as they are, of which the
        model may know some by heart.

        Parameters
        ----------
        max_leaf_nodes : int, default=32
            Most leaves.
        refer : float, default=0.0
            Largest share of rows that the tree has not seen that it may refer to this model.
        X, y : table and labels
            The rows that the original was fitted on.
        sample_weight : array-like, default=None
        decide : callable, default=None
            Whether rows of a matrix of `columns_` are positive, where others than `predict` say so.

        Returns
        -------
        ImbalancedTreeClassifier
            Its row counts are those of X and y.
        """
        check_size(max_leaf_nodes, refer)
        rows = self._rows_to_imitate("to_tree", X, y, sample_weight)
        above_of = self._above if decide is None else partial(_all_alike, decide)
        above, frame = above_of(rows.matrix), frame_kind(X)
        return imitate(self, rows, above, above_of, max_leaf_nodes, 0, refer=refer, frame=frame)

    def _rows_to_imitate(self, user: str, X: Any, y: Any, sample_weight: Any) -> Rows:
        if X is None or y is None:
            raise ValueError(
                f"Trees that were taken over have no training rows: give X and y to {user}."
            )
        matrix = self._matrix(X)
        _refuse_many_levels(self.columns_)
        weights = read_weights(sample_weight, len(matrix))
        target = read_target(y, len(matrix), weights, self.pos_label_)
        return Rows(matrix, target.is_positive, weights)

    def _above(self, matrix: Matrix) -> Floats:
        return self.matrix_scores(matrix) - self.threshold_


def _all_alike(decide: Callable[[Matrix], Decisions], matrix: Matrix) -> Floats:
    """Return decisions as numbers above or below 0, all of which matter the same."""
    return np.where(decide(matrix), 0.5, -0.5)


def _refuse_many_levels(columns: Columns) -> None:
    for place, levels in enumerate(columns.levels):
        if len(levels or ()) > MAX_LEVELS:
            label = place if columns.names is None else repr(columns.names[place])
            raise ValueError(
                f"Column {label} has {len(levels or ())} levels, and a tree that imitates others "
                f"takes {MAX_LEVELS}; merge some and fit the original again."
            )


def _refuse_missing(matrix: Matrix, columns: Columns) -> None:
    found = np.argwhere(np.isnan(matrix))
    if len(found):
        row, place = found[0].tolist()
        label = place if columns.names is None else repr(columns.names[place])
        raise ValueError(
            f"X contains NaN in column {label}, row {row} (counted from 0), for which the model "
            "that was taken over has no answer; fill it in."
        )
