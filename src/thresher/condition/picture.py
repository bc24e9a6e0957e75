"""The data behind a condition: rows of both classes in bins of the columns it asks about.

Every drawing of a condition is made of these counts.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import isfinite
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from thresher.column import Levels, Matrix, assemble
from thresher.condition.clause import Clause, Interval, LevelSet, inside
from thresher.condition.condition import Condition
from thresher.condition.words import readable
from thresher.figures.condition import draw_picture, picture_words
from thresher.figures.figure import Figure
from thresher.frames import read_columns
from thresher.matrix import Columns
from thresher.pair import Pair
from thresher.wording import digits, name

Places = NDArray[np.intp]
TAILS, RARE_TAILS = (0.01, 0.99), (0.02, 0.98)
"""Between these quantiles of all rows and of the rare ones an axis runs."""
FEW_STEPS = 60
"""Whole numbers over so many steps have a bin each."""
MOST_LEVELS = 8
"""Levels with a bin of their own; those with fewer rows share one, inside and outside."""


@dataclass(frozen=True)
class NumberAxis:
    """Bins of numbers: above an edge and at most the next; the outer ones also hold what is beyond.

    Attributes
    ----------
    column : its name.
    edges : of the bins, ascending; the cuts of the clause are among them.
    inside : whether each bin is inside the clause; the last entry is that of missing values.
    cuts : the ends of the clause.
    is_log : whether the bins are of equal width on a logarithmic axis.
    """

    column: str
    edges: NDArray[np.float64]
    inside: NDArray[np.bool_]
    cuts: tuple[float, ...] = ()
    is_log: bool = False

    def places(self, values: NDArray[Any]) -> Places:
        """Return the bin of each value; missing ones are in the last."""
        exact = np.asarray(values, dtype=np.float64)
        found = np.searchsorted(self.edges[1:-1], exact, side="left")
        return np.where(np.isnan(exact), len(self.edges) - 1, found)

    def as_data(self) -> dict[str, Any]:
        """Return what a drawing needs, as plain data."""
        return {
            "name": name(self.column),
            "edges": [float(f"{edge:.15g}") for edge in self.edges.tolist()],
            "inside": self.inside.tolist(),
            "cuts": [float(f"{cut:.15g}") for cut in self.cuts],
            "log": self.is_log,
        }


@dataclass(frozen=True)
class LevelAxis:
    """A bin for each of the levels that matter, those inside the clause first.

    Attributes
    ----------
    column : its name.
    labels : words for the bins.
    inside : whether each bin is inside the clause; the last entry is that of missing values.
    bin_of : the bin of each level's code.
    """

    column: str
    labels: tuple[str, ...]
    inside: NDArray[np.bool_]
    bin_of: Places

    def places(self, values: NDArray[Any]) -> Places:
        """Return the bin of each code; missing ones are in the last."""
        known = np.append(self.bin_of, len(self.labels))
        found: Places = known[np.nan_to_num(values, nan=len(self.bin_of)).astype(np.intp)]
        return found

    def as_data(self) -> dict[str, Any]:
        """Return what a drawing needs, as plain data."""
        labels = [name(label, 30) for label in self.labels]
        return {"name": name(self.column), "labels": labels, "inside": self.inside.tolist()}


Axis: TypeAlias = NumberAxis | LevelAxis


def axis_of(
    clause: Clause, values: NDArray[Any], is_positive: NDArray[np.bool_], bins: int
) -> Axis:
    """Return an axis for a clause, by values of its column.

    >>> values, is_positive = np.arange(10.0), np.arange(10) > 6
    >>> axis = axis_of(Interval("torque", low=6.0), values, is_positive, 5)
    >>> axis.edges.tolist(), int(axis.inside.sum())
    ([-0.5, 0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.0, 7.5, 8.5, 9.5], 3)
    """
    if isinstance(clause, LevelSet):
        return _level_axis(clause, values, min(bins, MOST_LEVELS))
    return number_axis(clause, values, is_positive, bins)


def number_axis(
    clause: Interval, values: NDArray[Any], is_positive: NDArray[np.bool_], bins: int
) -> NumberAxis:
    """Return bins of about equal width, with the cuts of the clause among their edges."""
    is_known = np.isfinite(values)
    known = np.asarray(values[is_known], dtype=np.float64)
    cuts = tuple(end for end in (clause.low, clause.high) if isfinite(end) and not clause.is_empty)
    ends = _range(known, known[is_positive[is_known]], cuts)
    steps = _whole_steps(known, *ends)
    is_log = steps is None and _is_skewed(known, *ends)
    edges = _even(ends, cuts, bins, is_log) if steps is None else _with_cuts(steps, cuts)
    middles = np.append(0.5 * (edges[:-1] + edges[1:]), np.nan)
    return NumberAxis(clause.column, edges, inside(clause, middles), cuts, is_log)


def _range(
    known: NDArray[np.float64], rare: NDArray[np.float64], cuts: Sequence[float]
) -> tuple[float, float]:
    """Return the ends of the axis: nearly all rows of both classes, and some room beside a cut."""
    parts = [np.quantile(known, TAILS)] if len(known) else []
    parts += [np.quantile(rare, RARE_TAILS)] if len(rare) else []
    ends = np.concatenate([*parts, np.array(cuts), [] if parts or cuts else [0.0]])
    low, high = float(ends.min()), float(ends.max())
    alone = max(0.5, 1e-6 * abs(low))
    if high - low <= 1e-6 * alone:
        return low - alone, high + alone
    room = 0.04 * (high - low)
    return (
        low - room * any(cut < low + room for cut in cuts),
        high + room * any(cut > high - room for cut in cuts),
    )


def _whole_steps(known: NDArray[np.float64], low: float, high: float) -> NDArray[np.float64] | None:
    """Return edges between whole numbers, None where values are not whole or too far apart."""
    if high - low > FEW_STEPS or not len(known) or (known != np.round(known)).any():
        return None
    return np.arange(np.floor(low), np.ceil(high) + 2.0) - 0.5


def _with_cuts(steps: NDArray[np.float64], cuts: Sequence[float]) -> NDArray[np.float64]:
    """Put cuts in the place of the edges that part the same whole numbers."""
    gaps = set(np.floor(cuts).tolist())
    kept = [edge for edge in steps.tolist() if np.floor(edge) not in gaps]
    return np.unique([steps[0], *kept, steps[-1], *cuts])


def _is_skewed(known: NDArray[np.float64], low: float, high: float) -> bool:
    """Whether most values would be squeezed into one end of an ordinary axis."""
    if low <= 0.0 or high < 50.0 * low:
        return False
    return bool(np.median(known) - low < 0.1 * (high - low))


def _even(
    ends: tuple[float, float], cuts: Sequence[float], bins: int, is_log: bool
) -> NDArray[np.float64]:
    """Cut each stretch between ends and cuts into bins of about the same width."""
    marks = np.unique([*ends, *cuts])
    places = np.log(marks) if is_log else marks
    width = (places[-1] - places[0]) / bins
    parts = []
    for (first, last), mark in zip(pairwise(places.tolist()), marks.tolist(), strict=False):
        count = max(1, round((last - first) / width))
        inner = np.linspace(first, last, count + 1)[1:-1]
        parts += [[mark], np.exp(inner) if is_log else inner]
    return np.unique(np.concatenate([*parts, marks[-1:]]))


def _level_axis(clause: LevelSet, values: NDArray[Any], most: int) -> LevelAxis:
    known = values[~np.isnan(values)].astype(np.intp)
    rows = np.bincount(known, minlength=len(clause.known))
    wanted = set(clause.levels)
    is_in = np.array([level in wanted for level in clause.known], dtype=np.bool_)
    order = np.lexsort((-rows, ~is_in)).tolist()
    shown, hidden = _shown(order, is_in, most)
    bin_of = np.zeros(len(clause.known), dtype=np.intp)
    labels: list[str] = []
    flags: list[bool] = []
    for codes in [*([code] for code in shown), *hidden]:
        bin_of[codes] = len(labels)
        labels.append(_label(clause.known, codes))
        flags.append(bool(is_in[codes[0]]))
    order = sorted(range(len(labels)), key=lambda place: (not flags[place], place))
    place_of = np.argsort(order)
    return LevelAxis(
        clause.column,
        tuple(labels[place] for place in order),
        np.array([*(flags[place] for place in order), clause.missing]),
        place_of[bin_of],
    )


def _shown(
    order: Sequence[int], is_in: NDArray[np.bool_], most: int
) -> tuple[list[int], list[list[int]]]:
    """Return the codes with a bin of their own, and those that share one."""
    if len(order) <= most:
        return list(order), []
    sides = [[code for code in order if is_in[code] == flag] for flag in (True, False)]
    room = [max(1, most // 2), max(1, most // 2)]
    for here, there in ((0, 1), (1, 0)):
        room[here] += max(0, room[there] - len(sides[there]))
    shown, hidden = [], []
    for side, count in zip(sides, room, strict=True):
        own = len(side) if len(side) <= count else count - 1
        shown += side[:own]
        hidden += [side[own:]] if side[own:] else []
    return shown, hidden


def _label(known: Levels, codes: Sequence[int]) -> str:
    if len(codes) > 1:
        return f"{len(codes)} more"
    level = known[codes[0]]
    return digits(level) if isinstance(level, float) else str(level)


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


@dataclass(frozen=True)
class ConditionPicture:
    """The data behind a condition, which a notebook shows.

    Attributes
    ----------
    text : the condition in words.
    data : rows of both classes in bins, as plain data.
    class_name : what positive rows are called.
    """

    text: str
    data: dict[str, Any]
    class_name: str

    def plot(self) -> Figure:
        """Draw it and return the figure."""
        return Figure(self.text, draw_picture(self.data, self.class_name))

    def __repr__(self) -> str:
        return f"<ConditionPicture: {picture_words(self.data, self.class_name)}>"

    def _repr_html_(self) -> str:
        return self.plot()._repr_html_()


def pictured(
    condition: Condition, X: Any, is_positive: NDArray[np.bool_], text: str, class_name: str
) -> ConditionPicture:
    """Return a condition with rows of a table, of which it needs its own columns alone."""
    matrix, names = columns_asked(condition, X)
    if len(matrix) != len(is_positive):
        raise ValueError(f"X has {len(matrix)} rows, y has {len(is_positive)}; give as many.")
    data = picture_data(condition, names, matrix, is_positive)
    return ConditionPicture(text, data, class_name)


def columns_asked(condition: Condition, X: Any) -> tuple[Matrix, tuple[str, ...]]:
    """Return the columns that a condition asks about as a matrix, and their names."""
    columns, names = read_columns(X)
    labels = names or tuple(f"x[{place}]" for place in range(len(columns)))
    known = dict(zip(labels, columns, strict=True))
    asked = tuple(dict.fromkeys(condition.given_columns))
    for column in asked:
        if column not in known:
            raise ValueError(f"X has no column {column!r}, which the condition asks about.")
    levels = {one.column: one.known for one in condition.clauses if isinstance(one, LevelSet)}
    pairs = tuple(
        Pair(asked.index(one.pair.left), one.pair.operation, asked.index(one.pair.right))
        for one in condition.clauses
        if isinstance(one, Interval) and one.pair is not None
    )
    found = Columns(asked, tuple(levels.get(name) for name in asked), pairs)
    return found.widened(assemble([known[name] for name in asked], found.levels)), found.wide_names
