"""The rows of a fit, read once for any number of trees: those to grow on and those to prune on."""

from dataclasses import replace
from typing import Any, NamedTuple
from warnings import warn

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from thresher.column import Matrix, refuse_infinity
from thresher.matrix import Columns, read_uncoded
from thresher.pair import Pair
from thresher.two_classes import name_features
from thresher.validation import (
    class_totals,
    read_labels,
    read_random,
    read_target,
    read_weights,
    weight_of_row,
)


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
    estimator.__dict__.pop("pair_features_", None)
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
    row_weight : the sample weight that counts as one row.
    derivation : what has chosen the derived columns, None where nothing has.
    """

    columns: Columns
    classes: NDArray[Any]
    positive: int
    to_grow: Rows
    to_prune: Rows | None
    totals: tuple[float, float]
    row_weight: float
    derivation: Any = None

    def describe(self, estimator: Any) -> None:
        """Set the fitted attributes that tell an estimator's classes and columns."""
        describe(estimator, self.columns, self.classes, self.positive)
        if self.derivation is not None:
            estimator.pair_features_ = self.derivation

    def with_pairs(self, derived: tuple[Pair, ...], derivation: Any = None) -> "Sample":
        """Return the sample with derived columns behind the given ones."""
        columns = replace(self.columns, derived=derived)
        to_grow, to_prune = (
            None
            if rows is None
            else rows._replace(matrix=columns.widened(rows.matrix, to_learn=True))
            for rows in (self.to_grow, self.to_prune)
        )
        assert to_grow is not None
        return self._replace(
            columns=columns, to_grow=to_grow, to_prune=to_prune, derivation=derivation
        )

    def in_rows(self) -> "Sample":
        """Return the sample with weights in units of one row, for methods that mix both scales."""
        rows = self.to_grow
        if rows.weights is None:
            return self
        negative, positive = self.totals
        return self._replace(
            to_grow=rows._replace(weights=rows.weights / self.row_weight),
            totals=(negative / self.row_weight, positive / self.row_weight),
            row_weight=1.0,
        )

    def warn_if_few(self, min_samples_leaf: int) -> None:
        """Warn the caller of the public method that calls this where no split is possible."""
        total, least = round(sum(self.totals) / self.row_weight, 6), 2 * int(min_samples_leaf)
        if total < least:
            warn(
                f"The {total:g} rows are fewer than 2 * min_samples_leaf = {least}: "
                "there is a single leaf and no split.",
                UserWarning,
                stacklevel=3,
            )


def read_rows(estimator: Any, X: Any, y: Any, sample_weight: Any) -> Sample:
    """Read what `fit` was given; no rows are set aside, and no columns derived."""
    table = read_uncoded(X, estimator.categorical_features)
    weights = read_weights(sample_weight, len(table))
    target = read_target(y, len(table), weights, estimator.pos_label)
    matrix, columns = table.coded(target.is_positive)
    rows = Rows(matrix, target.is_positive, weights)
    return Sample(
        columns, target.classes, target.positive, rows, None, target.totals, weight_of_row(weights)
    )


def read_sample(
    estimator: Any, X: Any, y: Any, sample_weight: Any, X_val: Any, y_val: Any
) -> Sample:
    """Read what `fit` of an estimator with a tree's parameters was given."""
    sample = read_rows(estimator, X, y, sample_weight)
    return derive_columns(estimator, _set_aside(estimator, sample, X_val, y_val))


def derive_columns(estimator: Any, sample: Sample) -> Sample:
    """Let `pairs` of an estimator choose columns on the rows to grow on, and add them."""
    pairs = getattr(estimator, "pairs", None)
    if pairs is None:
        return sample
    if not hasattr(pairs, "choose") or isinstance(pairs, type):
        raise TypeError(f"pairs must be None or a PairFeatures, got {pairs!r}.")
    derivation, rows = clone(pairs), sample.to_grow
    pairs = derivation.choose(rows.matrix, sample.columns, rows.is_positive, rows.weights)
    return sample.with_pairs(pairs, derivation)


def _set_aside(estimator: Any, sample: Sample, X_val: Any, y_val: Any) -> Sample:
    """Return the sample with rows to prune on, where there are such."""
    if estimator.pruning is not None and X_val is not None:
        other = sample.columns.matrix(X_val, type(estimator).__name__)
        refuse_infinity(other)
        labels, classes = read_labels(y_val, "y_val"), sample.classes
        if len(labels) != len(other):
            raise ValueError(f"X_val has {len(other)} rows, but y_val has {len(labels)}.")
        unknown = np.setdiff1d(labels, classes)
        if len(unknown):
            raise ValueError(f"y_val has the label {unknown[0]!r}, which is not a class of y.")
        is_positive = (labels == classes[sample.positive]).astype(np.uint8)
        return sample._replace(to_prune=Rows(other, is_positive, None))
    if estimator.pruning is not None and estimator.pruning_fraction is not None:
        every, random = sample.to_grow, read_random(estimator.random_state)
        held = hold_out(every.is_positive, every.weights, estimator.pruning_fraction, random)
        rows = every.where(~held)
        return sample._replace(
            to_grow=rows,
            to_prune=every.where(held),
            totals=class_totals(rows.is_positive.view(np.bool_), rows.weights),
            row_weight=weight_of_row(rows.weights),
        )
    return sample


def hold_out(
    is_positive: NDArray[np.uint8],
    weights: NDArray[np.float64] | None,
    fraction: float,
    random: np.random.RandomState,
) -> NDArray[np.bool_]:
    """Draw the rows to prune on: the same share of each class, at least one row on either side.

    Examples
    --------
    >>> y = np.array([0] * 8 + [1] * 4, dtype=np.uint8)
    >>> held = hold_out(y, None, 0.25, np.random.RandomState(0))
    >>> held[:8].sum(), held[8:].sum()
    (np.int64(2), np.int64(1))
    """
    held = np.zeros(len(is_positive), dtype=np.bool_)
    for label in (0, 1):
        of_class = is_positive == label
        rows = np.flatnonzero(of_class if weights is None else of_class & (weights > 0))
        if len(rows) < 2:
            raise ValueError(
                "pruning_fraction needs two rows of each class or more; leave it out to prune on "
                "the training rows."
            )
        count = min(max(round(fraction * len(rows)), 1), len(rows) - 1)
        held[random.permutation(rows)[:count]] = True
    return held
