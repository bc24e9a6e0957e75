"""A support vector machine with a radial kernel, as arrays."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from thresher.blend.preparation import Floats, Preparation
from thresher.column import Matrix
from thresher.threshold.counts import Vector
from thresher.tree.sample import Rows
from thresher.validation import class_totals

PENALTY = 3.0
"""What a row on the wrong side costs: scikit-learn's C."""
STEEPNESS = 2.0
"""Of the logistic function that makes a score of the distance from the border."""
CELLS = 2_000_000
"""Kernel values that are held at once."""


@dataclass(frozen=True, eq=False)
class KernelMachine:
    """The border between two classes: a weighted sum of bells around some of the rows.

    Attributes
    ----------
    preparation : what rows go through first.
    vectors : the rows behind the border, prepared.
    weights : of each of them, above 0 for positive rows.
    intercept : what is added.
    gamma : how narrow the bells are, exp(-gamma distance^2).
    """

    preparation: Preparation
    vectors: Floats
    weights: Floats
    intercept: float
    gamma: float

    def distances(self, matrix: Matrix) -> Vector:
        """Return how far each row is from the border, above 0 on the side of positives."""
        found, step = np.empty(len(matrix)), max(1, CELLS // len(self.vectors))
        own = np.einsum("ij,ij->i", self.vectors, self.vectors)
        for start in range(0, len(matrix), step):
            rows = self.preparation(matrix[start : start + step])
            squared = np.einsum("ij,ij->i", rows, rows)[:, None] + own - 2 * rows @ self.vectors.T
            bells = np.exp(-self.gamma * np.maximum(squared, 0.0))
            found[start : start + step] = bells @ self.weights + self.intercept
        return found

    def scores(self, matrix: Matrix, n_threads: int = 1) -> Vector:
        """Return a score from 0 to 1 for each row."""
        scores: Vector = expit(STEEPNESS * self.distances(matrix))
        return scores


def fit_kernel_machine(rows: Rows, n_levels: NDArray[np.intp]) -> KernelMachine:
    """Fit a machine for which both classes weigh the same."""
    from sklearn.svm import SVC  # it takes long to load, and stored machines do without

    preparation = Preparation.of(rows.matrix, n_levels)
    prepared = preparation(rows.matrix)
    gamma = _gamma(prepared)
    machine = SVC(C=PENALTY, kernel="rbf", gamma=gamma)
    machine.fit(prepared, rows.is_positive, sample_weight=balanced_weights(rows))
    return KernelMachine(
        preparation,
        np.ascontiguousarray(machine.support_vectors_),
        np.ascontiguousarray(machine.dual_coef_[0]),
        float(machine.intercept_[0]),
        gamma,
    )


def _gamma(prepared: Floats) -> float:
    """Return scikit-learn's gamma="scale"."""
    variance = float(prepared.var())
    return 1.0 / (prepared.shape[1] * variance) if variance > 0.0 else 1.0


def balanced_weights(rows: Rows) -> Floats:
    """Return the weight of each row times what makes both classes weigh the same.

    >>> balanced_weights(Rows(np.zeros((3, 1)), np.array([0, 0, 1], dtype=np.uint8), None))
    array([0.75, 0.75, 1.5 ])
    """
    totals = np.array(class_totals(rows.is_positive.astype(bool), rows.weights))
    factors = totals.sum() / (2.0 * totals)
    weights = np.ones(len(rows.is_positive)) if rows.weights is None else rows.weights
    balanced: Floats = weights * factors[rows.is_positive.astype(np.intp)]
    return balanced
