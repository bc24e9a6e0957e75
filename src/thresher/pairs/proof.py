"""Whether pairs of columns earn their place: better scores of rows that were not seen.

Pairs are chosen anew without each fold, and trees score its rows, with these pairs and without.
Both get the same few columns, and look at all of them in each node: a forest that draws columns
would gain by any copy of a column that matters.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm, t
from sklearn.model_selection import StratifiedKFold

from thresher.pair import Pair
from thresher.pairs.choice import BAGGED, Chooser, small_forest
from thresher.tree.sample import Rows

FOLDS = 5
TREES = 20
LEVEL = 0.05
"""Of the test."""
MIN_RARE = 10
"""Rows of the rarer class below which nothing can be shown."""

Vector = NDArray[np.float64]


class Proof(NamedTuple):
    """What unseen rows say of pairs.

    Attributes
    ----------
    gain : share of the Brier score of unseen rows that the pairs save; below 0 where they harm.
    p_value : how likely such a gain, or a larger one, is without an effect of pairs.
    """

    gain: float
    p_value: float

    @property
    def is_earned(self) -> bool:
        """Whether the pairs may stay."""
        return self.p_value <= LEVEL


def prove(chooser: Chooser, rows: Rows) -> Proof:
    """Choose pairs without each fold, and compare scores of its rows with and without them.

    Where nothing is saved so far, from the second fold on, the others are not asked.
    """
    labels = rows.is_positive.astype(np.int64)
    splitter = StratifiedKFold(FOLDS, shuffle=True, random_state=chooser.seed % 2**32)
    without, saved = np.zeros(len(labels)), np.zeros(len(labels))
    fold_of = np.zeros(len(labels), dtype=np.intp)
    for fold, (train, test) in enumerate(splitter.split(rows.matrix, labels)):
        errors = _errors(chooser.with_seed(chooser.seed + fold), rows, train, test)
        without[test], saved[test], fold_of[test] = errors[0], errors[0] - errors[1], fold
        if fold and _total(saved, rows) <= 0.0:
            break
    total = _total(saved, rows)
    if total <= 0.0:
        return Proof(total / (_total(without, rows) or 1.0), 1.0)
    weights = np.ones(len(labels)) if rows.weights is None else rows.weights
    return Proof(total / _total(without, rows), p_value(saved, weights, fold_of))


def _total(values: Vector, rows: Rows) -> float:
    return float(values.sum() if rows.weights is None else values @ rows.weights)


def _errors(
    chooser: Chooser, rows: Rows, train: NDArray[np.intp], test: NDArray[np.intp]
) -> tuple[Vector, Vector]:
    """Return the squared errors of unseen rows without pairs and with them."""
    known = rows.where(train)
    base, pairs = chooser.choose(known)
    categories = np.flatnonzero(chooser.columns.is_category[base]).tolist()
    truth = rows.is_positive[test]

    def errors(made: tuple[Pair, ...]) -> Vector:
        columns = [rows.matrix[:, base], *(pair.values(rows.matrix) for pair in made)]
        matrix = np.column_stack(columns)
        forest = small_forest(
            known._replace(matrix=matrix[train]),
            TREES,
            categories,
            chooser.seed,
            chooser.n_jobs,
            **BAGGED,
        )
        squares: Vector = (forest.predict_proba(matrix[test])[:, 1] - truth) ** 2
        return squares

    without = errors(())
    return without, errors(pairs) if pairs else without


def p_value(saved: Vector, weights: Vector, fold_of: NDArray[np.intp]) -> float:
    """Return how likely so much is saved by chance: the larger of two one-sided tests.

    One takes rows for independent (z), the other one folds (t): the rows of a fold share their
    pairs and their trees.

    >>> random = np.random.default_rng(0)
    >>> fold_of = np.arange(1000) % 5
    >>> p_value(random.normal(0.5, 1.0, 1000), np.ones(1000), fold_of) < 0.01
    True
    """
    mean = np.average(saved, weights=weights)
    error = np.sqrt((weights**2 * (saved - mean) ** 2).sum()) / weights.sum()
    folds = np.array(
        [np.average(saved[of_fold], weights=weights[of_fold]) for of_fold in _masks(fold_of)]
    )
    spread = folds.std(ddof=1) / np.sqrt(len(folds))
    if not (error > 0.0 and spread > 0.0):
        return 0.0 if mean > 0.0 else 1.0
    return float(max(norm.sf(mean / error), t.sf(folds.mean() / spread, len(folds) - 1)))


def _masks(fold_of: NDArray[np.intp]) -> list[NDArray[np.bool_]]:
    return [fold_of == fold for fold in np.unique(fold_of)]
