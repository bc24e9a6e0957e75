"""Conditions without the clauses that say "and not for another reason".

The way to a leaf asks everything that the tree had to ask before. As in C4.5's rules, a clause is
dropped if the rate that can be relied on, the lower end of Wilson's interval, stays about the same.
"""

from math import inf

import numpy as np
from numpy.typing import NDArray

from thresher.condition.clause import Clause, Interval
from thresher.condition.statistics import Vector, wilson

Rows = NDArray[np.bool_]

SLACK = 0.02
"""By how much, over all dropped clauses, the lower end of the rate's interval may fall."""


def atoms(clause: Clause) -> list[Clause]:
    """Return what can be dropped by itself: both ends of an interval, or the clause as it is.

    >>> [str(atom) for atom in atoms(Interval("torque", 9.5, 11.2))]
    ['torque > 9.5', 'torque <= 11.2']
    """
    if isinstance(clause, Interval) and -inf < clause.low < clause.high < inf:
        ends = [(clause.low, inf), (-inf, clause.high)]
        return [Interval(clause.column, *end, clause.missing) for end in ends]
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
            clause = Interval(clause.column, low, high, clause.missing)
        by_column[clause.column] = clause
    return tuple(by_column.values())


def droppable(holds: NDArray[np.bool_], is_positive: Rows) -> list[int]:
    """Return the clauses to drop, one after the other, given which rows meet which clause.

    Each time the clause goes without which the lower end of the rate's interval is highest, as
    long as that end does not fall more than `SLACK` below the highest so far.

    Examples
    --------
    >>> holds = np.array([[1, 1, 1, 0, 0, 0], [1, 1, 0, 1, 0, 0]], dtype=bool)
    >>> droppable(holds, np.array([1, 1, 1, 0, 0, 0], dtype=bool))
    [1]
    """
    fails = (~holds).sum(axis=0)
    dropped: list[int] = []
    highest = _floor(fails == 0, is_positive)
    while len(dropped) < len(holds):
        floors = _floors_without(holds, fails, is_positive)
        floors[dropped] = -1.0
        best = int(np.argmax(floors))
        if not floors[best] >= highest - SLACK:
            break
        dropped.append(best)
        highest = max(highest, floors[best])
        fails = fails - ~holds[best]
    return dropped


def _floor(inside: Rows, is_positive: Rows) -> float:
    low, _ = wilson((inside & is_positive).sum(), inside.sum())
    return float(np.nan_to_num(low))


def _floors_without(
    holds: NDArray[np.bool_], fails: NDArray[np.int64], is_positive: Rows
) -> Vector:
    """Return the lower end of the rate's interval once each clause is dropped."""
    inside, near = fails == 0, fails == 1
    # A row that fails one clause only comes in once that clause goes.
    more = (~holds[:, near]).sum(axis=1)
    more_hits = (~holds[:, near & is_positive]).sum(axis=1)
    low, _ = wilson((inside & is_positive).sum() + more_hits, inside.sum() + more)
    return np.nan_to_num(low)
