"""A table as kernels and lines take it: complete, on one scale, levels as columns of 0 and 1."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from thresher.column import Matrix
from thresher.matrix import Columns

Floats = NDArray[np.float64]


def level_counts(columns: Columns, width: int) -> NDArray[np.intp]:
    """Return the number of levels of each column of a matrix, 0 for numbers."""
    counts = np.zeros(width, dtype=np.intp)
    counts[: len(columns.levels)] = [len(levels or ()) for levels in columns.levels]
    return counts


@dataclass(frozen=True, eq=False)
class Preparation:
    """How numbers are filled in and scaled, and which columns hold levels.

    Attributes
    ----------
    n_levels : of each column; 0 for columns of numbers.
    median : what stands for a missing number, for each column of numbers.
    mean, scale : what is taken off a number, and what the rest is divided by.

    Examples
    --------
    >>> matrix = np.array([[1.0, 0.0], [3.0, 1.0], [np.nan, np.nan]])
    >>> Preparation.of(matrix, np.array([0, 2]))(matrix)
    array([[-1.22474487,  1.        ,  0.        ],
           [ 1.22474487,  0.        ,  1.        ],
           [ 0.        ,  0.        ,  0.        ]])
    """

    n_levels: NDArray[np.intp]
    median: Floats
    mean: Floats
    scale: Floats

    @classmethod
    def of(cls, matrix: Matrix, n_levels: NDArray[np.intp]) -> Self:
        """Learn from training rows; a column without any value is 0."""
        numbers = matrix[:, n_levels == 0].astype(np.float64)
        has_value = ~np.isnan(numbers).all(axis=0)
        median = np.zeros(numbers.shape[1])
        median[has_value] = np.nanmedian(numbers[:, has_value], axis=0)
        filled = np.where(np.isnan(numbers), median, numbers)
        spread = filled.std(axis=0)
        return cls(n_levels, median, filled.mean(axis=0), np.where(spread > 0.0, spread, 1.0))

    @property
    def width(self) -> int:
        """Number of columns of what comes out."""
        return len(self.median) + int(self.n_levels.sum())

    def __call__(self, matrix: Matrix) -> Floats:
        """Return numbers without a gap, and behind them a column for each level."""
        found = np.zeros((len(matrix), self.width))
        numbers = matrix[:, self.n_levels == 0].astype(np.float64)
        numbers = np.where(np.isnan(numbers), self.median, numbers)
        found[:, : len(self.median)] = (numbers - self.mean) / self.scale
        begin = len(self.median)
        for place in np.flatnonzero(self.n_levels):
            codes, count = matrix[:, place], int(self.n_levels[place])
            known = np.flatnonzero((codes >= 0) & (codes < count))
            found[known, begin + codes[known].astype(np.intp)] = 1.0
            begin += count
        return found
