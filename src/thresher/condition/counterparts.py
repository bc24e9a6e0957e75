"""What stands for conditions on rows that did not choose them."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from thresher.column import Matrix
from thresher.condition.clause import Clause, inside
from thresher.condition.condition import Condition


class Counterparts(NamedTuple):
    """Rows, and for shown conditions by place what stands for them there.

    On hold-out rows that is the condition itself; on the rows of a fold one of a model that was
    fitted without them, and for some conditions none.

    Attributes
    ----------
    conditions : by place of the shown condition.
    matrix, names : the rows, and the names of their columns.
    is_positive : the truth.
    """

    conditions: Mapping[int, Condition]
    matrix: Matrix
    names: Sequence[str]
    is_positive: NDArray[np.bool_]

    def values(self, column: str) -> NDArray[Any]:
        """Return a column."""
        return self.matrix[:, list(self.names).index(column)]

    def holds(self, clauses: Sequence[Clause]) -> NDArray[np.bool_]:
        """Whether each row meets all clauses."""
        met = np.ones(len(self.matrix), dtype=np.bool_)
        for clause in clauses:
            met &= inside(clause, self.values(clause.column))
        return met

    def counted(self, place: int) -> tuple[int, int]:
        """Return rows and positives under what stands for a condition; 0 where nothing does."""
        if place not in self.conditions:
            return 0, 0
        met = self.holds(self.conditions[place].clauses)
        return int(met.sum()), int((met & self.is_positive).sum())
