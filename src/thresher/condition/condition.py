"""A condition: clauses that lead to the rare class, and which rows meet them."""

from collections.abc import Container, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from thresher.column import Matrix
from thresher.condition.clause import Clause, inside, joined

Members = NDArray[np.bool_]
"""Whether each row (second index) meets each condition (first index)."""

SIMILAR = 0.5
"""Two conditions are similar if they share at least this part of the rows in either (Jaccard)."""


@dataclass(frozen=True)
class Condition:
    """Clauses that hold together.

    Attributes
    ----------
    clauses : what is asked of each column.
    leaves : the positive leaves, nodes of `tree_`, whose rows all meet it.
    """

    clauses: tuple[Clause, ...]
    leaves: tuple[int, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that it asks about."""
        return tuple(clause.column for clause in self.clauses)

    @property
    def given_columns(self) -> tuple[str, ...]:
        """The columns of the table that it asks about; of a derived one its parts."""
        return tuple(name for clause in self.clauses for name in clause.given_columns)

    def text(self, complete: Container[str] = ()) -> str:
        """Return it in words; of columns that are `complete` missing values are not mentioned."""
        return joined(
            replace(clause, missing=False) if clause.column in complete else clause
            for clause in self.clauses
        )


def members(conditions: Sequence[Condition], matrix: Matrix, names: Sequence[str]) -> Members:
    """Tell which rows of a matrix meet which conditions.

    Examples
    --------
    >>> from thresher.condition.clause import Interval
    >>> slow = Condition((Interval("speed", high=2.0),), leaves=(1,))
    >>> members([slow], np.array([[1.0], [3.0]]), ["speed"])
    array([[ True, False]])
    """
    place = {name: position for position, name in enumerate(names)}
    result = np.ones((len(conditions), len(matrix)), dtype=np.bool_)
    for row, condition in zip(result, conditions, strict=True):
        for clause in condition.clauses:
            row &= inside(clause, matrix[:, place[clause.column]])
    return result


def jaccard(first: Members, second: Members) -> NDArray[np.float64]:
    """Return rows in both over rows in either, for each pair of conditions; 0 for two empty ones.

    >>> jaccard(np.array([[True, True, False]]), np.array([[False, True, True]]))
    array([[0.33333333]])
    """
    both = first.astype(np.float64) @ second.T.astype(np.float64)
    either = first.sum(axis=1)[:, None] + second.sum(axis=1)[None, :] - both
    likeness: NDArray[np.float64] = np.divide(
        both, either, out=np.zeros_like(both), where=either > 0
    )
    return likeness
