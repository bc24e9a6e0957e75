"""One model for each fold: a row is scored by the one that has not seen it, a new row by all."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from thresher.blend.folds import training_rows
from thresher.column import Matrix
from thresher.threshold.counts import Vector
from thresher.tree.sample import Rows


class Scorer(Protocol):
    """A fitted model of one fold."""

    def scores(self, matrix: Matrix, n_threads: int = 1) -> Vector:
        """Return a score from 0 to 1 for each row."""


@dataclass(frozen=True, eq=False)
class Committee:
    """The models of all folds; their mean scores new rows."""

    parts: tuple[Scorer, ...]

    def matrix_scores(self, matrix: Matrix, n_threads: int = 1) -> Vector:
        """Return the mean score of each row."""
        total = np.zeros(len(matrix))
        for part in self.parts:
            total += part.scores(matrix, n_threads)
        return total / len(self.parts)


def fit_committee(
    rows: Rows, fold: NDArray[np.intp], fit: Callable[[Rows, int], Scorer], n_threads: int = 1
) -> tuple[Committee, Vector]:
    """Fit a model without each fold; return them and the scores of the rows of their fold.

    Parameters
    ----------
    rows : the training rows.
    fold : the fold of each of them.
    fit : takes rows and the number of the fold that is held out.
    n_threads : of prediction.
    """
    parts, unseen = [], np.empty(len(fold))
    for held in range(int(fold.max()) + 1):
        part = fit(training_rows(rows, fold, held), held)
        unseen[fold == held] = part.scores(rows.matrix[fold == held], n_threads)
        parts.append(part)
    return Committee(tuple(parts)), unseen
