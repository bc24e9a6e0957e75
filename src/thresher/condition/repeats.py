"""Conditions without those that others say already.

A tree that imitates another model cuts a cause into pieces, and finds it again beside another one.
What counts of a condition are the rows that meet no other.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from thresher.column import Matrix
from thresher.condition.condition import Condition, Members, members
from thresher.statistics import wilson


def without_repeats(
    conditions: Sequence[Condition],
    matrix: Matrix,
    names: Sequence[str],
    is_positive: NDArray[np.bool_],
) -> list[Condition]:
    """Return the conditions whose own rows have more positives than all rows, for certain.

    The condition with the fewest positives of its own goes first; what it shared may then be the
    other's own.
    """
    kept = own_conditions(members(conditions, matrix, names), is_positive)
    return [conditions[place] for place in kept]


def own_conditions(met: Members, is_positive: NDArray[np.bool_]) -> list[int]:
    """Return the places of the conditions that are kept; `met` tells the rows of each.

    >>> first = np.repeat([True, False], [20, 180])
    >>> wide, narrow = first, first & (np.arange(200) < 15)
    >>> own_conditions(np.array([narrow, wide]), first)
    [1]
    """
    kept, average = list(range(len(met))), float(is_positive.mean())
    floors = np.nan_to_num(wilson((met & is_positive).sum(axis=1), met.sum(axis=1))[0])
    while kept:
        is_own = met[kept] & (met[kept].sum(axis=0) == 1)
        hits, n = (is_own & is_positive).sum(axis=1), is_own.sum(axis=1)
        is_weak = ~(np.nan_to_num(wilson(hits, n)[0]) > average)
        if not is_weak.any():
            break
        order = np.lexsort((floors[kept], hits, ~is_weak))  # weak ones, fewest own positives first
        del kept[int(order[0])]
    return kept
