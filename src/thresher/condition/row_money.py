"""The money at stake in conditions where every row has costs of its own."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.condition.table import ConditionTable
from thresher.threshold.by_row import RowCosts


def with_row_costs(
    table: ConditionTable,
    leaves: NDArray[Any],
    costs: RowCosts,
    is_positive: NDArray[np.bool_],
) -> ConditionTable:
    """Return conditions with the money at stake by the mean costs of the rows behind them.

    These are the rows in the `leaves` of the tree that the conditions are read from. A false alarm
    costs what it does on average in the negative ones, a miss what it does in the positive ones.
    """
    places = table.place_of_leaf
    place = np.array([places.get(leaf, -1) for leaf in leaves.tolist()])
    means = [
        _means(values, place, rows, len(table))
        for values, rows in ((costs.fp, ~is_positive), (costs.fn, is_positive))
    ]
    return table.with_costs(*means)


def _means(
    values: NDArray[np.float64], place: NDArray[Any], rows: NDArray[np.bool_], count: int
) -> NDArray[np.float64]:
    """Return the mean of some rows in each place; that of all such rows where a place has none."""
    kept = rows & (place >= 0)
    found = np.bincount(place[kept], minlength=count)
    sums = np.bincount(place[kept], values[kept], minlength=count)
    return np.where(found > 0, sums / np.maximum(found, 1), values[rows].mean())
