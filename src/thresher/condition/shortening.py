"""Conditions without the clauses that say "and not for another reason".

The way to a leaf asks everything that the tree had to ask before. As in C4.5's rules, a clause is
dropped if the rate that can be relied on, the lower end of Wilson's interval, stays about the same.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import inf

import numpy as np
from numpy.typing import NDArray

from thresher.column import Matrix
from thresher.condition.clause import Clause, Interval, inside
from thresher.statistics import Vector, wilson

Rows = NDArray[np.bool_]
Shares = NDArray[np.float32]

SLACK = 0.02
"""By how much, over all dropped clauses, the lower end of the rate's interval may fall."""


class Shortener:
    """Shortens conditions on the rows of one table; what it asked once it remembers.

    Short conditions have a rate of at least `least_rate`.
    """

    def __init__(
        self, matrix: Matrix, names: Sequence[str], is_positive: Rows, least_rate: float
    ) -> None:
        self._matrix, self._is_positive, self._least_rate = matrix, is_positive, least_rate
        self._place = {name: position for position, name in enumerate(names)}
        self._holds: dict[Clause, Rows] = {}

    def shortened(self, clauses: Iterable[Clause]) -> tuple[Clause, ...]:
        """Return the clauses that are needed."""
        parts = [atom for clause in clauses for atom in atoms(clause)]
        if not parts:
            return ()
        holds = np.array([self._rows(part) for part in parts])
        dropped = droppable(holds, self._is_positive, self._least_rate)
        return merged([part for place, part in enumerate(parts) if place not in dropped])

    def _rows(self, part: Clause) -> Rows:
        if part not in self._holds:
            self._holds[part] = inside(part, self._matrix[:, self._place[part.column]])
        return self._holds[part]


def atoms(clause: Clause) -> list[Clause]:
    """Return what can be dropped by itself: both ends of an interval, or the clause as it is.

    >>> [str(atom) for atom in atoms(Interval("torque", 9.5, 11.2))]
    ['torque > 9.5', 'torque <= 11.2']
    """
    if isinstance(clause, Interval) and -inf < clause.low < clause.high < inf:
        ends = [(clause.low, inf), (-inf, clause.high)]
        return [replace(clause, low=low, high=high) for low, high in ends]
    return [clause]


def merged(kept: list[Clause]) -> tuple[Clause, ...]:
    """Put the two ends of an interval together again.

    >>> [str(clause) for clause in merged(atoms(Interval("torque", 9.5, 11.2)))]
    ['9.5 < torque <= 11.2']
    """
    by_column: dict[str, Clause] = {}
    for clause in kept:
        other = by_column.get(clause.column)
        if isinstance(other, Interval) and isinstance(clause, Interval):
            low, high = max(other.low, clause.low), min(other.high, clause.high)
            clause = replace(clause, low=low, high=high)
        by_column[clause.column] = clause
    return tuple(by_column.values())


def droppable(holds: NDArray[np.bool_], is_positive: Rows, least_rate: float = 0.0) -> list[int]:
    """Return the clauses to drop, one after the other, given which rows meet which clause.

    Each time the clause goes without which the lower end of the rate's interval is highest, as
    long as that end does not fall more than `SLACK` below the highest so far, the rate itself
    not below `least_rate`, and a clause is left.

    Examples
    --------
    >>> holds = np.array([[1, 1, 1, 0, 0, 0], [1, 1, 0, 1, 0, 0]], dtype=bool)
    >>> droppable(holds, np.array([1, 1, 1, 0, 0, 0], dtype=bool))
    [1]
    """
    fails = 1.0 - holds.astype(np.float32)
    failed = fails.sum(axis=0)
    dropped: list[int] = []
    highest = 0.0
    if (failed == 0).any():
        inside = is_positive[failed == 0]
        highest = float(wilson(inside.sum(), len(inside))[0])
    while len(dropped) < len(fails) - 1:
        floors = _floors_without(fails, failed, is_positive, least_rate)
        floors[dropped] = -1.0
        best = int(np.argmax(floors))
        if floors[best] < max(highest - SLACK, 0.0):
            break
        dropped.append(best)
        highest = max(highest, float(floors[best]))
        failed = failed - fails[best]
    return dropped


def _floors_without(fails: Shares, failed: Shares, is_positive: Rows, least_rate: float) -> Vector:
    """Return the lower end of the rate's interval once each clause is dropped.

    -1 where the rate itself is too low.
    """
    inside, near = failed == 0, failed == 1
    # A row that fails one clause only comes in once that clause goes.
    n = np.count_nonzero(inside) + fails @ near.astype(np.float32)
    hits = np.count_nonzero(inside & is_positive)
    hits = hits + fails @ (near & is_positive).astype(np.float32)
    low, _ = wilson(hits, n)
    return np.where(hits >= least_rate * n, np.nan_to_num(low), -1.0)
