"""Least squares as a classifier: the paper's LinR, its cost-sensitive form, and its threshold."""

from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lstsq
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from thresher.column import Matrix
from thresher.matrix import Columns, read_matrix
from thresher.two_classes import (
    TwoClassMixin,
    check_threshold,
    name_features,
    threshold_as_number,
)
from thresher.validation import class_factors, read_target, read_weights

Floats = NDArray[np.float64]

DEPENDENT = 1e-10
"""Columns this close to dependent count as such: slopes would be rounding errors made large."""


class Line(NamedTuple):
    """A fitted linear score: `X @ coef + intercept`."""

    coef: Floats
    intercept: float


class LeastSquaresClassifier(TwoClassMixin, ClassifierMixin, BaseEstimator):
    """Linear regression on the labels 0 and 1, cut at a threshold (the paper's LinR).

    The scores of the rows that it was fitted on sum to the number of positives (Theorem 1), so
    with a rare class few of them reach 0.5. Two remedies: move the threshold to the share of
    positives (`threshold="prior"`), or weight the classes (`class_weight="balanced"`). Take one:
    both together correct twice.

    Parameters
    ----------
    class_weight : dict, "balanced" or None, default=None
        Factors of the classes in the squared error. "balanced" is the paper's cost-sensitive
        form: 1 / (2 mu) for the positives and 1 / (2 (1 - mu)) for the others.
    threshold : float or "prior", default=0.5
        A row is positive if and only if its raw score is above it. "prior" takes mu, the share
        of positives in the sample weight; `class_weight` has no part in it.
    pos_label : object, default=None
        The positive class; by default the rarer one, the second where both weigh the same.

    Attributes
    ----------
    coef_ : ndarray of shape (columns,)
        Slope of the raw score in each column; 0 for a constant column. Where columns depend on
        each other the slopes are one choice of many, the smallest on columns scaled to [0, 1].
    intercept_ : float
        Raw score where every column is 0.
    threshold_ : float
        The threshold as a number.
    classes_ : ndarray of shape (2,)
        The sorted classes.
    pos_label_ : object
        The positive class.
    columns_ : Columns
        Names of the columns.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of str
        Names of the columns, where the table had text names.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from thresher import LeastSquaresClassifier
    >>> X, y = make_classification(n_samples=500, weights=[0.95], random_state=0)
    >>> plain = LeastSquaresClassifier().fit(X, y)
    >>> round(plain.predict_score(X).sum(), 6).item(), int(y.sum())
    (26.0, 26)
    >>> moved = LeastSquaresClassifier(threshold="prior").fit(X, y)
    >>> moved.threshold_, int(plain.predict(X).sum()), int(moved.predict(X).sum())
    (0.052, 8, 222)
    """

    def __init__(
        self,
        *,
        class_weight: dict[Any, float] | str | None = None,
        threshold: float | str = 0.5,
        pos_label: Any = None,
    ) -> None:
        self.class_weight = class_weight
        self.threshold = threshold
        self.pos_label = pos_label

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Find the line of least squared error.

        Parameters
        ----------
        X : data frame or array-like of shape (n_samples, n_features)
            Numbers without missing values: pandas, polars, pyarrow or anything that NumPy reads.
        y : array-like of shape (n_samples,)
            Two classes.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight 2 counts as the row twice, weight 0 as the row absent.

        Returns
        -------
        self
        """
        check_threshold(self.threshold)
        matrix, columns = read_matrix(X)
        _refuse_categories(columns)
        _refuse_missing(matrix, columns)
        weights = read_weights(sample_weight, len(matrix))
        target = read_target(y, len(matrix), weights, self.pos_label)
        factors = class_factors(self.class_weight, target.classes, target.positive, target.totals)
        self.set_classes(target.classes, target.positive)
        self.columns_, self.n_features_in_ = columns, len(columns)
        name_features(self, columns.names)
        self.threshold_ = threshold_as_number(self.threshold, *target.totals)
        is_positive = target.is_positive
        line = _least_squares(matrix, is_positive, _row_weights(is_positive, weights, factors))
        _refuse_overflow(line, columns)
        self.coef_, self.intercept_ = line
        return self

    def predict_score(self, X: Any) -> Floats:
        """Return the raw score of the positive class, which may leave [0, 1]."""
        return self._scores(X)

    def predict_proba(self, X: Any) -> Floats:
        """Return the raw score clipped to [0, 1], and its rest, in the order of `classes_`.

        Least squares does not promise probabilities: these are what its line says of them.
        """
        return self._both_classes(np.clip(self._scores(X), 0.0, 1.0))

    def decision_function(self, X: Any) -> Floats:
        """Return how far each row is on the side of `classes_[1]`, as scikit-learn demands.

        This is raw score - `threshold_` where `classes_[1]` is the positive class, and
        `threshold_` - raw score where `classes_[0]` is. A row at exactly 0 is not positive.
        """
        above = self._scores(X) - self.threshold_
        return above if self._positive == 1 else -above

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of each row: positive if and only if its raw score > `threshold_`."""
        return self._labels(self._scores(X) > self.threshold_)

    def _scores(self, X: Any) -> Floats:
        check_is_fitted(self)
        matrix = self.columns_.matrix(X, type(self).__name__)
        _refuse_missing(matrix, self.columns_)
        scores: Floats = matrix.astype(np.float64, copy=False) @ self.coef_ + self.intercept_
        return scores


# ------------------------------------------------------------------------------------- the solving


def _row_weights(
    is_positive: NDArray[np.uint8], weights: Floats | None, factors: tuple[float, float]
) -> Floats | None:
    """Return the weight of each row in the squared error, None where all are the same."""
    if weights is None and factors[0] == factors[1]:
        return None
    result: Floats = np.take(factors, is_positive) / max(factors)
    return result if weights is None else result * (weights / weights.max())


def _least_squares(matrix: Matrix, is_positive: NDArray[np.uint8], weights: Floats | None) -> Line:
    """Solve on columns scaled to [0, 1]: which of them count as dependent is free of their units.

    Where the columns leave a choice, the shortest solution is taken. A constant column gets the
    slope 0, where the solver may leave a rounding error; a column too wide for 64 bits gets NaN.
    """
    X, y = matrix.astype(np.float64, copy=False), is_positive.astype(np.float64)
    if weights is not None:
        counted = weights > 0
        X, y, weights = X[counted], y[counted], weights[counted]
    with np.errstate(over="ignore", invalid="ignore"):  # of columns that are refused later
        low = X.min(axis=0)
        span = X.max(axis=0) - low
        divisor = np.where(span == 0, 1.0, span)
        slopes, means = _slopes(np.nan_to_num((X - low) / divisor), y, weights)
        coef = np.where(np.isinf(span), np.nan, np.where(span == 0, 0.0, slopes / divisor))
        middle = low + means * divisor
        return Line(coef, float(np.average(y, weights=weights) - middle @ coef))


def _slopes(scaled: Floats, y: Floats, weights: Floats | None) -> tuple[Floats, Floats]:
    """Return the slopes of the columns and the columns' means."""
    means = np.average(scaled, axis=0, weights=weights)
    centred_X, centred_y = scaled - means, y - np.average(y, weights=weights)
    if weights is not None:
        root = np.sqrt(weights)
        centred_X, centred_y = centred_X * root[:, None], centred_y * root
    return lstsq(centred_X, centred_y, cond=DEPENDENT)[0], means


# ------------------------------------------------------------------------------ what is not usable


def _label(columns: Columns, position: int) -> str:
    return str(position) if columns.names is None else repr(columns.names[position])


def _refuse_categories(columns: Columns) -> None:
    if columns.is_category.any():
        label = _label(columns, int(columns.is_category.argmax()))
        raise ValueError(
            f"Column {label} holds categories, but LeastSquaresClassifier takes numbers only; "
            "turn it into numbers, for example with sklearn.preprocessing.OneHotEncoder."
        )


def _refuse_missing(matrix: Matrix, columns: Columns) -> None:
    """Raise an error that names the first missing or infinite value, if there is one."""
    is_usable = np.isfinite(matrix)
    if is_usable.all():
        return
    row, position = np.argwhere(~is_usable)[0].tolist()
    kind, advice = "infinity", "replace it by a finite number"
    if np.isnan(matrix[row, position]):
        kind, advice = "NaN", "fill it in first, for example with sklearn.impute.SimpleImputer"
    raise ValueError(
        f"X contains {kind}: column {_label(columns, position)}, row {row} (counted from 0); "
        f"{advice}."
    )


def _refuse_overflow(line: Line, columns: Columns) -> None:
    is_usable = np.isfinite(line.coef)
    if not is_usable.all():
        raise ValueError(
            f"Column {_label(columns, int(is_usable.argmin()))} is too wide or too narrow for "
            "numbers of 64 bits; rescale it."
        )
