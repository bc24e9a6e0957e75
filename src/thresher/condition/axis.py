"""An axis of a picture: the values of a column in bins, of which some are inside a clause."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import isfinite
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from thresher.column import Levels
from thresher.condition.clause import Clause, Interval, LevelSet, inside
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
