"""What every model of trees shares: what each column does to the score of a row."""

from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from thresher.column import Matrix, refuse_infinity
from thresher.errors import MissingPackageError
from thresher.explain.reasons import reasons
from thresher.explain.weighed import Floats, WeighedTrees
from thresher.matrix import Columns
from thresher.validation import check_integer, thread_count


class ExplainedMixin:
    """Shapley values of the columns, exact by the path-dependent definition.

    An estimator says in `weighed_trees` whose sum its score is, and has `columns_` and `n_jobs`.
    """

    columns_: Columns
    n_jobs: int | None

    def weighed_trees(self) -> WeighedTrees:
        """Return trees whose sum is the score of the positive class; a ValueError without any."""
        raise NotImplementedError  # each kind of model has its own

    def contributions(self, X: Any) -> Floats:
        """Return what each column adds to the score of each row: Shapley values.

        Parameters
        ----------
        X : table, as in `predict`

        Returns
        -------
        ndarray of shape (n_samples, n_columns + 1)
            One column for each of `columns_.wide_names`, derived columns among them, then the base
            value: what the model says of a row of which nothing is known. A row sums to its score:
            the probability of the positive class or, where a model adds up log-odds, its log-odds.

        Notes
        -----
        Where a column is unknown, a row goes both ways at its splits, with the shares of training
        weight that went there. The values tell what the model does with a row, not what causes
        the class.

        Examples
        --------
        >>> from thresher import ImbalancedTreeClassifier
        >>> X, y = [[1.0], [2.0], [3.0], [4.0], [5.0], [6.0]], [0, 0, 0, 0, 1, 1]
        >>> model = ImbalancedTreeClassifier("gini").fit(X, y)
        >>> model.contributions([[2.0], [6.0]]).round(3)
        array([[-0.333,  0.333], [ 0.667,  0.333]])
        """
        matrix = self._matrix_to_explain(X)
        return self._explain(WeighedTrees.contributions, matrix)

    def reasons(self, X: Any, top: int = 3) -> list[list[str]]:
        """Return the largest contributions to the score of each row, in words.

        Parameters
        ----------
        X : table, as in `predict`
        top : int, default=3
            Most reasons of a row; those of the largest absolute contributions, largest first.

        Returns
        -------
        list of lists of str
            "force 63.1 > 61.5: +0.31": the column, its value, a cut that the row passes on its way
            through the trees, and the contribution. A cut weighs by how much the probabilities of
            its two sides differ; of several the median by weight is named, on the side of the
            value on which they weigh more. Without a cut, where the model asks the column on other
            paths alone, the value stands by itself; a category shows as "line = north", a missing
            value as "force missing".

        Examples
        --------
        >>> from thresher import ImbalancedTreeClassifier
        >>> X, y = [[1.0], [2.0], [3.0], [4.0], [5.0], [6.0]], [0, 0, 0, 0, 1, 1]
        >>> ImbalancedTreeClassifier("gini").fit(X, y).reasons([[2.0], [6.0]])
        [['x[0] 2 <= 4.5: -0.33'], ['x[0] 6 > 4.5: +0.67']]
        """
        check_integer("top", top, low=1)
        matrix = self._matrix_to_explain(X)
        threads = thread_count(self.n_jobs)
        return reasons(self.weighed_trees(), self.columns_, matrix, int(top), threads)

    def explanation(self, X: Any) -> Any:
        """Return the contributions as a `shap.Explanation`, for the plots of shap.

        Parameters
        ----------
        X : table, as in `predict`

        Returns
        -------
        shap.Explanation
            Needs the package shap (the extra `explain`).
        """
        matrix = self._matrix_to_explain(X)
        found = self._explain(WeighedTrees.contributions, matrix)
        return shap_explanation(found, matrix, self.columns_)

    def _matrix_to_explain(self, X: Any) -> Matrix:
        check_is_fitted(self)
        matrix = self.columns_.matrix(X, type(self).__name__)
        refuse_infinity(matrix)
        return matrix

    def _explain(self, how: Any, matrix: Matrix) -> Floats:
        found: Floats = how(self.weighed_trees(), matrix, thread_count(self.n_jobs))
        return found


def mean_contributions(
    trees: WeighedTrees, matrix: Matrix, weights: Floats | None, n_threads: int = 1
) -> NDArray[np.float64]:
    """Return the mean absolute contribution of each column of a matrix.

    Rows are explained in batches, so that memory does not grow with them.
    """
    total, batch = np.zeros(matrix.shape[1]), max(1, 2**22 // (matrix.shape[1] + 1))
    for first in range(0, len(matrix), batch):
        part = slice(first, first + batch)
        found = np.abs(trees.contributions(matrix[part], n_threads)[:, :-1])
        total += found.sum(axis=0) if weights is None else weights[part] @ found
    return total / (len(matrix) if weights is None else weights.sum())


PACKAGE = "shap"


def shap_explanation(contributions: Floats, matrix: Matrix, columns: Columns) -> Any:
    """Return a `shap.Explanation`: values, base values, the rows, and names of columns."""
    if find_spec(PACKAGE) is None:
        raise MissingPackageError(
            f"explanation needs the package {PACKAGE}; install thresher[explain], or take "
            "contributions, which need nothing."
        )
    shap = import_module(PACKAGE)
    return shap.Explanation(
        values=contributions[:, :-1],
        base_values=contributions[:, -1],
        data=np.asarray(matrix),
        display_data=_displayed(matrix, columns),
        feature_names=list(columns.wide_names),
    )


def _displayed(matrix: Matrix, columns: Columns) -> Any:
    """Return the rows with levels in the place of their codes, or nothing where there are none."""
    if not columns.is_category.any():
        return None
    shown = np.asarray(matrix).astype(object)
    for place, levels in enumerate(columns.wide_levels):
        if levels is not None:
            texts = [str(getattr(level, "value", level)) for level in levels]
            codes = matrix[:, place]
            shown[:, place] = ["" if code != code else texts[int(code)] for code in codes]
    return shown
