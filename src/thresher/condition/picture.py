"""The data behind a condition: rows of both classes in bins of the columns it asks about.

Every drawing of a condition, as SVG or by matplotlib, is made of these counts.
"""

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.column import Matrix
from thresher.condition.axis import Axis, LevelAxis, axis_of
from thresher.condition.clause import Clause, LevelSet, inside
from thresher.condition.condition import Condition
from thresher.condition.words import readable

HISTOGRAM, LEVELS, SCATTER, HEAT_MAP = "histogram", "levels", "scatter", "heat map"
FEW_ROWS = 1500
"""Up to so many rows two columns make a scatter, from there on a heat map."""
BINS, FINE, COARSE = 30, (60, 40), (26, 16)
"""Bins of one column; across and upward of a scatter, and of a heat map."""
LEVELS_ACROSS = (4, 8)
"""Bins where both columns have levels, whose words need room."""
MOST_PERIODS, DAY = 12, 86400


class PictureCounts:
    """Counts of rows in the bins of one or two columns, as rows come.

    Of more than two clauses the two whose loss would lower the rate most have an axis; only rows
    that meet the others are counted. So the rows in bins that are inside on all axes are those
    that meet the condition.

    Parameters
    ----------
    condition : the condition; it has a clause.
    names : columns of the matrix.
    matrix, is_positive : rows by which clauses and bins are chosen, all of them or a sample.
    """

    def __init__(
        self,
        condition: Condition,
        names: Sequence[str],
        matrix: Matrix,
        is_positive: NDArray[np.bool_],
    ) -> None:
        self._column = {clause.column: names.index(clause.column) for clause in condition.clauses}
        shown = self._most_telling(condition.clauses, matrix, is_positive)
        self._others = tuple(clause for clause in condition.clauses if clause not in shown)
        is_shown = self._meet(self._others, matrix)
        rows, truth = matrix[is_shown], is_positive[is_shown]
        self._is_few = len(rows) <= FEW_ROWS
        bins = _bins([isinstance(clause, LevelSet) for clause in shown], self._is_few)
        made = [
            axis_of(clause, rows[:, self._column[clause.column]], truth, count)
            for clause, count in zip(shown, bins, strict=True)
        ]
        # Levels have words beside them, for which there is room at the upward axis.
        self.axes: list[Axis] = sorted(made, key=lambda axis: isinstance(axis, LevelAxis))
        self.counts = np.zeros((*(len(axis.inside) for axis in self.axes), 2), dtype=np.int64)

    def add(self, matrix: Matrix, is_positive: NDArray[np.bool_]) -> None:
        """Count some rows."""
        is_shown = self._meet(self._others, matrix)
        places = [axis.places(matrix[is_shown, self._column[axis.column]]) for axis in self.axes]
        np.add.at(self.counts, (*places, is_positive[is_shown].astype(np.intp)), 1)

    def as_data(self, complete: Collection[str] = ()) -> dict[str, Any]:
        """Return the picture as plain data; of `complete` columns no value is missing.

        `cells` has a bin on each axis, then the rows of the common and of the rare class there;
        `inside` and `all` have the same two counts under the condition, and of all rows shown.
        """
        is_inside = np.ix_(*(axis.inside for axis in self.axes))
        places = np.argwhere(self.counts.any(axis=-1))
        cells = [[*place, *self.counts[tuple(place)].tolist()] for place in places.tolist()]
        others = Condition(self._others, ())
        return {
            "kind": self._kind,
            "axes": [axis.as_data() for axis in self.axes],
            "cells": cells,
            "inside": self.counts[is_inside].reshape(-1, 2).sum(axis=0).tolist(),
            "all": self.counts.reshape(-1, 2).sum(axis=0).tolist(),
            "among": readable(others, complete) if self._others else None,
        }

    @property
    def _kind(self) -> str:
        if len(self.axes) == 1:
            return LEVELS if isinstance(self.axes[0], LevelAxis) else HISTOGRAM
        are_numbers = not isinstance(self.axes[1], LevelAxis)
        return SCATTER if self._is_few and are_numbers else HEAT_MAP

    def _most_telling(
        self, clauses: Sequence[Clause], matrix: Matrix, is_positive: NDArray[np.bool_]
    ) -> list[Clause]:
        """Return the two clauses without which the rate would be lowest, in their order."""
        if len(clauses) <= 2:
            return list(clauses)
        rates = []
        for clause in clauses:
            met = self._meet([one for one in clauses if one is not clause], matrix)
            rates.append(float(is_positive[met].mean()) if met.any() else 1.0)
        kept = sorted(np.argsort(rates, kind="stable")[:2].tolist())
        return [clauses[place] for place in kept]

    def _meet(self, clauses: Sequence[Clause], matrix: Matrix) -> NDArray[np.bool_]:
        met = np.ones(len(matrix), dtype=np.bool_)
        for clause in clauses:
            met &= inside(clause, matrix[:, self._column[clause.column]])
        return met


def _bins(are_levels: Sequence[bool], is_few: bool) -> tuple[int, ...]:
    """Return the most bins of one column, or of two."""
    if len(are_levels) == 1:
        return (BINS,)
    if any(are_levels):
        return LEVELS_ACROSS if all(are_levels) else COARSE
    return FINE if is_few else COARSE


def picture_data(
    condition: Condition,
    names: Sequence[str],
    matrix: Matrix,
    is_positive: NDArray[np.bool_],
    complete: Collection[str] = (),
) -> dict[str, Any]:
    """Return the picture of a condition on rows that are all at hand.

    Examples
    --------
    >>> from thresher.condition.clause import Interval
    >>> slow = Condition((Interval("speed", high=2.0),), leaves=(1,))
    >>> speeds, is_positive = np.array([[1.0], [2.0], [3.0], [4.0]]), np.array([1, 0, 0, 0]) > 0
    >>> data = picture_data(slow, ["speed"], speeds, is_positive)
    >>> data["kind"], data["inside"], data["all"], data["cells"][0]
    ('histogram', [1, 1], [3, 1], [0, 0, 1])
    """
    counts = PictureCounts(condition, names, matrix, is_positive)
    counts.add(matrix, is_positive)
    return counts.as_data(complete)


def over_time_data(
    met: NDArray[np.bool_], is_positive: NDArray[np.bool_], times: NDArray[Any]
) -> dict[str, Any] | None:
    """Return rows and positives under a condition, and of all others, in periods of equal length.

    None where all rows are of one moment.

    >>> days = np.array(["2024-01-01", "2024-01-02", "2024-01-04"], dtype="datetime64[D]")
    >>> data = over_time_data(np.array([1, 0, 1]) > 0, np.array([1, 0, 0]) > 0, days)
    >>> data["periods"], data["under"][0], data["others"][0]
    (['2024-01-01', '2024-01-02', '2024-01-03', '2024-01-04'], [1, 1], [0, 0])
    """
    is_known = ~np.isnat(times)
    seconds = times[is_known].astype("datetime64[s]").astype(np.int64)
    if not len(seconds) or seconds.min() == seconds.max():
        return None
    is_long = seconds.max() - seconds.min() >= 2 * DAY
    step = DAY if is_long else 1
    first = int(seconds.min() // step)
    steps = seconds // step - first
    length = int(steps.max()) + 1
    count = min(MOST_PERIODS, length)
    table = np.zeros((2, count, 2), dtype=np.int64)
    where = (met[is_known].astype(np.intp), steps * count // length)
    np.add.at(table[..., 0], where, 1)
    np.add.at(table[..., 1], where, is_positive[is_known].astype(np.int64))
    starts = (first - (-np.arange(count) * length // count)) * step
    moments = starts.astype("datetime64[s]").tolist()
    words = [f"{moment:{'%Y-%m-%d' if is_long else '%m-%d %H:%M'}}" for moment in moments]
    return {"periods": words, "under": table[1].tolist(), "others": table[0].tolist()}
