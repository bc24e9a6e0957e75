"""The rows of a fit, read once for any number of trees: those to grow on and those to prune on."""

from typing import Any, NamedTuple
from warnings import warn

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from thresher.frames import Columns, Matrix, read_matrix, refuse_infinity
from thresher.tree.pruning import hold_out
from thresher.two_classes import name_features
from thresher.validation import class_totals, read_labels, read_target, read_weights


class Rows(NamedTuple):
    """A matrix, whether each of its rows is positive, and their weights."""

    matrix: Matrix
    is_positive: NDArray[np.uint8]
    weights: NDArray[np.float64] | None

    def where(self, chosen: NDArray[Any]) -> "Rows":
        """Return some of the rows."""
        weights = None if self.weights is None else self.weights[chosen]
        return Rows(self.matrix[chosen], self.is_positive[chosen], weights)


def describe(estimator: Any, columns: Columns, classes: NDArray[Any], positive: int) -> None:
    """Set the fitted attributes that tell an estimator's classes and columns."""
    estimator.set_classes(classes, positive)
    estimator.columns_, estimator.n_features_in_ = columns, len(columns)
    name_features(estimator, columns.names)


class Sample(NamedTuple):
    """What trees are fitted on.

    Attributes
    ----------
    columns : names and levels of the columns.
    classes : the sorted classes.
    positive : place of the positive class among them.
    to_grow : the rows to grow on.
    to_prune : the rows to prune on, None where they are the same.
    totals : sample weight of the rows to grow on, (negative, positive).
    """

    columns: Columns
    classes: NDArray[Any]
    positive: int
    to_grow: Rows
    to_prune: Rows | None
    totals: tuple[float, float]

    def describe(self, estimator: Any) -> None:
        """Set the fitted attributes that tell an estimator's classes and columns."""
        describe(estimator, self.columns, self.classes, self.positive)

    def warn_if_few(self, min_samples_leaf: int) -> None:
        """Warn the caller of the public method that calls this where no split is possible."""
        total = sum(self.totals)
        if total < 2 * min_samples_leaf:
            warn(
                f"The {total:g} rows are fewer than 2 * min_samples_leaf = "
                f"{2 * min_samples_leaf}: there is a single leaf and no split.",
                UserWarning,
                stacklevel=3,
            )


def read_sample(
    estimator: Any, X: Any, y: Any, sample_weight: Any, X_val: Any, y_val: Any
) -> Sample:
    """Read what `fit` of an estimator with a tree's parameters was given."""
    matrix, columns = read_matrix(X, estimator.categorical_features)
    weights = read_weights(sample_weight, len(matrix))
    target = read_target(y, len(matrix), weights, estimator.pos_label)
    classes, positive = target.classes, target.positive
    rows, held, totals = Rows(matrix, target.is_positive, weights), None, target.totals
    if estimator.pruning is not None and X_val is not None:
        other = columns.matrix(X_val, type(estimator).__name__)
        held = Rows(other, _validation_labels(y_val, classes, positive, other), None)
    elif estimator.pruning is not None and estimator.pruning_fraction is not None:
        rows, held = _split(rows, estimator.pruning_fraction, estimator.random_state)
        totals = class_totals(rows.is_positive.view(np.bool_), rows.weights)
    return Sample(columns, classes, positive, rows, held, totals)


def _validation_labels(
    y_val: Any, classes: NDArray[Any], positive: int, matrix: Matrix
) -> NDArray[np.uint8]:
    """Return whether each row to prune on is positive."""
    refuse_infinity(matrix)
    labels = read_labels(y_val, "y_val")
    if len(labels) != len(matrix):
        raise ValueError(f"X_val has {len(matrix)} rows, but y_val has {len(labels)}.")
    unknown = np.setdiff1d(labels, classes)
    if len(unknown):
        raise ValueError(f"y_val has the label {unknown[0]!r}, which is not a class of y.")
    is_positive: NDArray[np.uint8] = (labels == classes[positive]).astype(np.uint8)
    return is_positive


def _split(rows: Rows, fraction: float, random_state: Any) -> tuple[Rows, Rows]:
    """Return the rows to grow on and a share of each class to prune on."""
    random = check_random_state(random_state)
    held = hold_out(rows.is_positive, rows.weights, fraction, random)
    return rows.where(~held), rows.where(held)
