"""The scikit-learn transformer that adds columns made of two others."""

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.utils import ClassifierTags
from sklearn.utils.validation import check_is_fitted

from thresher.column import Matrix, refuse_infinity
from thresher.frames import added_columns, is_frame
from thresher.matrix import Columns, read_uncoded
from thresher.pair import OPERATIONS, Pair
from thresher.pairs.choice import MIN_RARE, Chooser, Meaning, prove
from thresher.tree.sample import Rows
from thresher.two_classes import name_features
from thresher.validation import (
    check_choice,
    check_integer,
    draw_seed,
    is_integer,
    read_target,
    read_weights,
)


class PairFeatures(TransformerMixin, BaseEstimator):
    """Columns made of two others: products, differences, ratios, where they earn their place.

    A power is a torque times a speed, a strain a force over an area. A tree that may ask for one
    column at a time needs many splits for what one split of such a column says. Which pairs to
    make is chosen by trees that are offered all of them, among the columns that matter; on
    the rows of folds that had no part in the choice they must then lower the error of a forest
    (`test`), or none is made. Give the transformer to an estimator as `pairs`, which then takes
    the original columns everywhere, or use it in a pipeline.

    Parameters
    ----------
    pairs : sequence of (column, operation, column), default=None
        Pairs to make, as they are: columns by name or place. By default they are chosen.
    operations : sequence of {"product", "difference", "ratio", "sum", "distance"}
        What may be made. "distance" is the absolute difference; it and "sum" are made of columns
        whose `units` agree.
    max_columns : int, default=6
        Columns that pairs are made of, those that matter most in a small forest.
    max_pairs : int, default=5
        Most pairs.
    test : bool, default=True
        Make no pair unless pairs chosen without each of 5 folds lower the Brier score of its
        rows, at a level of 5 %.
    units : mapping of column to unit, default=None
        Columns of different units are neither subtracted nor added.
    stages : mapping of column to stage, default=None
        Pairs within a stage come first.
    random_state : int, RandomState or None, default=None
        Seed of folds and forests; None is always the same one, so that an estimator without
        random numbers stays so.
    n_jobs : int, default=None
        Number of threads; the pairs do not depend on it.

    Attributes
    ----------
    pairs_ : tuple of Pair
        What is made; `left` and `right` are places of columns.
    chosen_ : tuple of Pair
        What was put to the test: `pairs_`, or what has failed.
    gain_ : float
        Share of the Brier score of unseen rows that pairs have saved; NaN without a test.
    p_value_ : float
        How likely such a gain is without an effect of pairs; NaN without a test.
    columns_ : Columns
        The given columns and the pairs.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> from thresher import PairFeatures
    >>> random = np.random.default_rng(0)
    >>> X = pd.DataFrame({
    ...     "torque": random.normal(40.0, 10.0, 2000),
    ...     "speed": random.normal(1500.0, 200.0, 2000),
    ...     "humidity": random.normal(50.0, 5.0, 2000),
    ... })
    >>> y = X["torque"] * X["speed"] > 85_000.0
    >>> PairFeatures().fit(X, y).get_feature_names_out().tolist()
    ['torque', 'speed', 'humidity', 'torque x speed']
    """

    columns_: Columns
    n_features_in_: int

    def __init__(
        self,
        pairs: Sequence[tuple[Any, str, Any]] | None = None,
        *,
        operations: Sequence[str] = ("product", "difference", "ratio"),
        max_columns: int = 6,
        max_pairs: int = 5,
        test: bool = True,
        units: Mapping[str, str] | None = None,
        stages: Mapping[str, str] | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.pairs = pairs
        self.operations = operations
        self.max_columns = max_columns
        self.max_pairs = max_pairs
        self.test = test
        self.units = units
        self.stages = stages
        self.random_state = random_state
        self.n_jobs = n_jobs

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn: missing values welcome, y needed, of two classes."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.target_tags.required = self.pairs is None
        tags.classifier_tags = ClassifierTags(multi_class=False)
        return tags

    # -------------------------------------------------------------------------------------- choice

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Choose the pairs.

        Parameters
        ----------
        X : data frame or array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,), default=None
            Two classes; not needed where `pairs` are given.
        sample_weight : array-like of shape (n_samples,), default=None

        Returns
        -------
        self
        """
        table = read_uncoded(X)
        weights = read_weights(sample_weight, len(table))
        is_positive = np.zeros(len(table), dtype=np.uint8)
        if self.pairs is None or y is not None:
            is_positive = read_target(y, len(table), weights).is_positive
        matrix, columns = table.coded(is_positive)
        self.choose(matrix, columns, is_positive, weights)
        return self

    def choose(
        self,
        matrix: Matrix,
        columns: Columns,
        is_positive: NDArray[np.uint8],
        weights: NDArray[np.float64] | None,
    ) -> tuple[Pair, ...]:
        """Choose the pairs on rows that are read already, and return them."""
        self.check_parameters()
        self.gain_ = self.p_value_ = float("nan")
        if self.pairs is not None:
            self.chosen_ = self.pairs_ = self._given(columns)
        else:
            rows = Rows(matrix, is_positive, weights)
            rows = rows if weights is None else rows.where(weights > 0.0)
            self._choose(rows, columns)
        self.columns_ = Columns(columns.names, columns.levels, self.pairs_)
        self.n_features_in_ = len(columns)
        name_features(self, columns.names)
        return self.pairs_

    def _choose(self, rows: Rows, columns: Columns) -> None:
        meaning = Meaning(columns.given_names, self.units or {}, self.stages or {})
        seed = 0 if self.random_state is None else draw_seed(self.random_state)
        sizes = (self.max_columns, self.max_pairs)
        chooser = Chooser(columns, self.operations, *sizes, meaning, seed, self.n_jobs)
        positive = int(rows.is_positive.sum())
        is_enough = min(positive, len(rows.is_positive) - positive) >= MIN_RARE
        self.chosen_ = chooser.choose(rows)[1] if is_enough else ()
        self.pairs_ = self.chosen_
        if not self.test:
            return
        self.gain_, self.p_value_ = 0.0, 1.0
        if self.chosen_:
            proof = prove(chooser, rows)
            self.gain_, self.p_value_ = proof
            self.pairs_ = self.chosen_ if proof.is_earned else ()

    def check_parameters(self) -> None:
        """Raise an error of one sentence for the first parameter that is out of range."""
        operations = self.operations
        if isinstance(operations, str) or not len(operations):
            raise TypeError(f"operations must be a list of names, got {operations!r}.")
        for operation in operations:
            check_choice("operations", operation, OPERATIONS)
        check_integer("max_columns", self.max_columns, low=2)
        check_integer("max_pairs", self.max_pairs, low=1)

    # --------------------------------------------------------------------------------- given pairs

    def _given(self, columns: Columns) -> tuple[Pair, ...]:
        found = []
        for left, operation, right in map(as_triple, self.pairs or ()):
            check_choice("pairs", operation, OPERATIONS)
            found.append(Pair(_place(left, columns), operation, _place(right, columns)))
        if len(set(found)) < len(found):
            raise ValueError("pairs has a pair twice; drop one.")
        return tuple(found)

    def untested(self, columns: Columns) -> "PairFeatures":
        """Return the transformer without its test, for a table of these columns without names."""
        places = Columns(None, columns.levels).given_names
        words = [
            None if told is None else _renamed(told, columns.given_names, places)
            for told in (self.units, self.stages)
        ]
        pairs = None if self.pairs is None else self._given(columns)
        other: PairFeatures = clone(self)
        other.set_params(pairs=pairs, units=words[0], stages=words[1], test=False)
        return other

    # ---------------------------------------------------------------------------------- transforms

    def transform(self, X: Any) -> Any:
        """Return the table with the pairs behind its columns, a data frame where X is one."""
        check_is_fitted(self)
        matrix = self.columns_.matrix(X, type(self).__name__)
        refuse_infinity(matrix)
        if not is_frame(X):
            return matrix
        new = self.columns_.wide_names[self.n_features_in_ :]
        values = matrix[:, self.n_features_in_ :].T
        return added_columns(X, dict(zip(new, values, strict=True)))

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Return the names of the columns that `transform` returns."""
        check_is_fitted(self)
        columns = self.columns_
        if input_features is not None:
            own = columns.names
            if own is not None and list(own) != list(input_features):
                raise ValueError("input_features is not equal to feature_names_in_; leave it out.")
            if len(input_features) != self.n_features_in_:
                raise ValueError(
                    "input_features should have length equal to number of features "
                    f"({self.n_features_in_}), got {len(input_features)}."
                )
            columns = Columns(tuple(map(str, input_features)), columns.levels, columns.derived)
        elif columns.names is None:
            names = tuple(f"x{place}" for place in range(len(columns)))
            columns = Columns(names, columns.levels, columns.derived)
        return np.array(columns.wide_names, dtype=object)


def _renamed(told: Mapping[str, str], names: Sequence[str], new: Sequence[str]) -> dict[str, str]:
    pairs = zip(names, new, strict=True)
    return {other: told[name] for name, other in pairs if name in told}


def as_triple(pair: Any) -> tuple[Any, str, Any]:
    """Return a pair, in whatever form it was given, as (column, operation, column)."""
    if isinstance(pair, Pair):
        return pair.left, pair.operation, pair.right
    if isinstance(pair, str) or len(pair) != 3:
        raise ValueError(f"pairs has {pair!r}; a pair is (column, operation, column).")
    left, operation, right = pair
    return left, operation, right


def _place(column: Any, columns: Columns) -> int:
    """Return the place of a column of numbers."""
    place = None
    if is_integer(column) and -len(columns) <= column < len(columns):
        place = int(column) % len(columns)
    elif isinstance(column, str) and column in columns.given_names:
        place = columns.given_names.index(column)
    if place is None:
        raise ValueError(f"pairs names the column {column!r}, which X does not have.")
    if columns.levels[place] is not None:
        raise ValueError(f"pairs names {column!r}, a category column; give columns of numbers.")
    return place
