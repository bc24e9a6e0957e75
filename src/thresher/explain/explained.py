"""What every model of trees shares: what each column does to the score of a row."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from thresher.column import Matrix, refuse_infinity
from thresher.explain.reasons import reasons
from thresher.explain.shap_explanation import shap_explanation
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

    def interactions(self, X: Any) -> Floats:
        """Return what pairs of columns do together: Shapley interaction values.

        Parameters
        ----------
        X : table, as in `predict`

        Returns
        -------
        ndarray of shape (n_samples, n_columns + 1, n_columns + 1)
            Beside the diagonal half of what two columns do together, on it what a column does
            alone. Each line sums to the contribution of its column; the last corner is the base
            value.

        Examples
        --------
        >>> import numpy as np
        >>> from thresher import ImbalancedTreeClassifier
        >>> X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]).repeat(5, axis=0)
        >>> model = ImbalancedTreeClassifier("gini").fit(X, (X.sum(axis=1) == 2).astype(int))
        >>> model.interactions([[1.0, 1.0]])
        array([[[0.25 , 0.125, 0.   ],
                [0.125, 0.25 , 0.   ],
                [0.   , 0.   , 0.25 ]]])
        """
        matrix = self._matrix_to_explain(X)
        return self._explain(WeighedTrees.interactions, matrix)

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
