"""A logistic regression, as arrays."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from thresher.blend.preparation import Floats, Preparation
from thresher.column import Matrix
from thresher.threshold.counts import Vector
from thresher.tree.sample import Rows

PENALTY = 1.0
"""How little slopes are held back: scikit-learn's C."""
MAX_STEPS = 1000


@dataclass(frozen=True, eq=False)
class LogisticLine:
    """The log-odds as a sum over prepared columns.

    Attributes
    ----------
    preparation : what rows go through first.
    slopes : of each prepared column.
    intercept : what is added.
    """

    preparation: Preparation
    slopes: Floats
    intercept: float

    def scores(self, matrix: Matrix, n_threads: int = 1) -> Vector:
        """Return a probability for each row."""
        # Added in a fixed order, so that a row scores the same alone and among others.
        line = np.einsum("ij,j->i", self.preparation(matrix), self.slopes) + self.intercept
        scores: Vector = expit(line)
        return scores


def fit_logistic_line(rows: Rows, n_levels: NDArray[np.intp]) -> LogisticLine:
    """Fit the line by log loss."""
    from sklearn.linear_model import LogisticRegression  # it takes long to load

    preparation = Preparation.of(rows.matrix, n_levels)
    line = LogisticRegression(C=PENALTY, max_iter=MAX_STEPS)
    line.fit(preparation(rows.matrix), rows.is_positive, sample_weight=rows.weights)
    return LogisticLine(preparation, line.coef_[0].copy(), float(line.intercept_[0]))
