"""The settings of one part as cells between cuts, and the leaves of a model that each cell reaches.

Between two cuts of a model nothing changes, so that a setting has as many values that matter as
there are cells; of each the value that costs least to reach stands for it. Cells of a setting are
ordered by that cost: a range of ranks is a box whose nearest corner is its first cell.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from math import inf, isfinite, isnan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.column import OTHER_LEVELS, Levels
from thresher.explain.reasons import PRESENT_ONLY
from thresher.explain.weighed import WeighedTrees

Floats = NDArray[np.float64]
Integers = NDArray[np.intp]

FEW_DIGITS = 6
"""Of a number that somebody is told to set, where the cell has such a number."""


@dataclass(frozen=True)
class Setting:
    """A column that may be set, for one part.

    Attributes
    ----------
    name, column : its name and place in the matrix.
    levels : of a category column, None for numbers.
    now : its value; a code of a category, NaN where it is missing.
    window : what it may be: lowest and highest number, or levels; None for anything.
    scale : what a change by this much costs 1; of a category what another level costs.
    """

    name: str
    column: int
    levels: Levels | None
    now: float
    window: Any
    scale: float


@dataclass(frozen=True)
class Cells:
    """What a setting may be, the cheapest first.

    Attributes
    ----------
    value : that stands for each cell; the first is the present one.
    cost : of each.
    far : the other end of each cell, as far as it may be set; the value where it must be just that.
    """

    value: Floats
    cost: Floats
    far: Floats

    def __len__(self) -> int:
        return len(self.value)

    def told(self, place: int) -> float:
        """Return the value of a cell as people set it: the nearest one of few digits in it."""
        return short_number(float(self.value[place]), float(self.far[place]))


def short_number(value: float, far: float) -> float:
    """Return a number of few digits between two others, next to the first of them.

    >>> short_number(1.4460500000000003, 2.0), short_number(61.5, -inf)
    (1.44606, 61.5)
    """
    if value == far or not isfinite(value):
        return value
    towards = ROUND_CEILING if far > value else ROUND_FLOOR
    exact = Decimal(value)
    for digits in range(FEW_DIGITS, 17):
        last = Decimal(1).scaleb(exact.adjusted() + 1 - digits)
        found = float(exact.quantize(last, rounding=towards))
        if min(value, far) <= found <= max(value, far):
            return found
    return value


def cells_of(setting: Setting, cuts: Floats) -> Cells:
    """Return the cells of a setting between the cuts of a model.

    >>> force = Setting("force", 0, None, now=63.0, window=None, scale=2.0)
    >>> found = cells_of(force, np.array([50.0, 61.5]))
    >>> found.value, found.cost
    (array([63. , 61.5, 50. ]), array([0.  , 0.75, 6.5 ]))
    """
    if setting.levels is not None:
        return _level_cells(setting)
    cuts = np.unique(cuts[cuts < PRESENT_ONLY])
    now, (low, high) = setting.now, setting.window or (-inf, inf)
    # The least value of a cell is the number after its lower cut.
    first = np.maximum(np.concatenate([[-inf], np.nextafter(cuts, inf)]), low)
    last = np.minimum(np.concatenate([cuts, [np.finfo(np.float64).max]]), high)
    middle = np.clip(0.0 if isnan(now) else now, low, high)
    value = np.clip(middle, np.minimum(first, last), last)
    is_open = first <= last
    far = np.where(value == first, last, np.where(value == last, first, value))
    if isnan(now):
        cost = np.full(is_open.sum(), setting.scale)
        return _ordered(value[is_open], cost, far[is_open], now)
    cost = np.abs(value - now) / setting.scale
    here = np.searchsorted(cuts, now)  # a number goes left where it is at most the cut
    is_open[here], value[here], far[here], cost[here] = True, now, now, 0.0
    return _ordered(value[is_open], cost[is_open], far[is_open])


def _level_cells(setting: Setting) -> Cells:
    codes = [
        code
        for code, level in enumerate(setting.levels or ())
        if level is not OTHER_LEVELS and (setting.window is None or level in setting.window)
    ]
    others = np.array([code for code in codes if code != setting.now], dtype=np.float64)
    return _ordered(others, np.full(len(others), setting.scale), others, setting.now)


def _ordered(value: Floats, cost: Floats, far: Floats, *present: float) -> Cells:
    """Return cells by their cost, behind the present value where it is none of them."""
    value, far = np.concatenate([present, value]), np.concatenate([present, far])
    cost = np.concatenate([np.zeros(len(present)), cost])
    order = np.argsort(cost, kind="stable")
    return Cells(value[order], cost[order], far[order])


class Leaves:
    """The leaves of a model that a part reaches by its settings, whatever else it is.

    Attributes
    ----------
    cells : of each setting.
    """

    def __init__(self, trees: WeighedTrees, row: Floats, settings: Sequence[Setting]) -> None:
        cuts = {
            one.column: trees.cut[(trees.feature == one.column) & (trees.level_set < 0)]
            for one in settings
        }
        self.cells = [cells_of(one, cuts[one.column]) for one in settings]
        self._base = trees.base
        reached = _reached(trees, row, settings, self.cells)
        self._value, self._tree, is_allowed = reached
        # Of each leaf and setting: how many of the first so many cells lead to it.
        self._counts = [
            np.concatenate(
                [np.zeros((len(one), 1), np.int32), np.cumsum(one, axis=1, dtype=np.int32)], axis=1
            )
            for one in is_allowed
        ]
        self._begin = np.flatnonzero(np.diff(self._tree, prepend=-1))

    def lowest(self, box: Sequence[tuple[int, int]]) -> float:
        """Return a lower bound of the score in a box of ranks; the score where it is one cell."""
        is_reached = np.ones(len(self._value), dtype=np.bool_)
        for counts, (first, last) in zip(self._counts, box, strict=True):
            is_reached &= counts[:, last] > counts[:, first]
        least = np.minimum.reduceat(np.where(is_reached, self._value, inf), self._begin)
        return self._base + float(least.sum())


def _reached(
    trees: WeighedTrees, row: Floats, settings: Sequence[Setting], cells: Sequence[Cells]
) -> tuple[Floats, Integers, list[NDArray[np.bool_]]]:
    """Return value and tree of each leaf that is reached, and by which cells of each setting."""
    is_inner = trees.feature >= 0
    rank: Integers = np.cumsum(is_inner) - is_inner  # inner nodes before a node
    tree_of = np.repeat(np.arange(len(trees.begin) - 1), np.diff(trees.begin))
    # Breadth first: the children of the k-th inner node of a tree are nodes 2 k + 1 and 2 k + 2.
    left = trees.begin[tree_of] + 1 + 2 * (rank - rank[trees.begin[tree_of]])
    nodes = trees.begin[:-1].copy()
    allowed = [np.ones((len(nodes), len(one)), dtype=np.bool_) for one in cells]
    leaves, by_cell = list[Any](), [list[Any]() for _ in cells]
    while len(nodes):
        at_leaf = ~is_inner[nodes]
        leaves.append(nodes[at_leaf])
        for found, one in zip(by_cell, allowed, strict=True):
            found.append(one[at_leaf])
        nodes, allowed = nodes[~at_leaf], [one[~at_leaf] for one in allowed]
        sides = _both_sides(trees, nodes, row, settings, cells, allowed)
        nodes = np.concatenate(
            [left[nodes[alive]] + shift for shift, (alive, _) in enumerate(sides)]
        )
        pairs = zip(*(masks for _, masks in sides), strict=True)
        allowed = [np.concatenate(pair) for pair in pairs]
    ends = np.concatenate(leaves)
    order = np.argsort(tree_of[ends], kind="stable")
    whole = [np.concatenate(one)[order] for one in by_cell]
    return trees.value[ends][order], tree_of[ends][order], whole


def _both_sides(
    trees: WeighedTrees,
    nodes: Integers,
    row: Floats,
    settings: Sequence[Setting],
    cells: Sequence[Cells],
    allowed: Sequence[NDArray[np.bool_]],
) -> list[tuple[NDArray[np.bool_], list[NDArray[np.bool_]]]]:
    """Return for the left and the right child which are reached, and by which cells these are."""
    goes_left = _row_left(trees, nodes, row)
    is_fixed = ~np.isin(trees.feature[nodes], [one.column for one in settings])
    sides = []
    for is_left in (True, False):
        alive = np.where(is_fixed, goes_left == is_left, True)
        masks = []
        for setting, own, mask in zip(settings, cells, allowed, strict=True):
            asks = trees.feature[nodes] == setting.column
            kept = mask.copy()
            kept[asks] &= _cell_left(trees, nodes[asks], setting, own) == is_left
            alive &= kept.any(axis=1)
            masks.append(kept)
        sides.append((alive, [mask[alive] for mask in masks]))
    return sides


def _row_left(trees: WeighedTrees, nodes: Integers, row: Floats) -> NDArray[np.bool_]:
    """Whether the part, as it is, goes left at nodes."""
    values = row[trees.feature[nodes]]
    is_missing = np.isnan(values) | (trees.zero_is_missing[trees.feature[nodes]] & (values == 0.0))
    goes = np.where(
        trees.level_set[nodes] < 0, values <= trees.cut[nodes], _in_sets(trees, nodes, values)
    )
    return np.where(is_missing, trees.missing_left[nodes], goes)


def _in_sets(trees: WeighedTrees, nodes: Integers, codes: Floats) -> NDArray[np.bool_]:
    """Whether level codes are in the sets of category nodes; False at others."""
    is_in = np.zeros(len(nodes), dtype=np.bool_)
    level = np.nan_to_num(codes, nan=-1.0).astype(np.int64)
    asks = np.flatnonzero((trees.level_set[nodes] >= 0) & (level >= 0))
    chosen, level = trees.level_set[nodes[asks]], level[asks]
    byte = trees.set_begin[chosen] + level // 8
    is_known = byte < trees.set_begin[chosen + 1]
    bits = trees.set_bits[byte[is_known]] >> (level[is_known] % 8).astype(np.uint8)
    is_in[asks[is_known]] = (bits & 1).astype(np.bool_)
    return is_in


def _cell_left(
    trees: WeighedTrees, nodes: Integers, setting: Setting, cells: Cells
) -> NDArray[np.bool_]:
    """Whether each cell of a setting goes left at each node that asks it."""
    shape = len(nodes), len(cells)
    if not len(nodes):
        return np.zeros(shape, dtype=np.bool_)
    if setting.levels is None:
        goes = cells.value[None, :] <= trees.cut[nodes][:, None]
    else:
        many = np.repeat(nodes, len(cells))
        goes = _in_sets(trees, many, np.tile(cells.value, len(nodes))).reshape(shape)
    is_missing = np.isnan(cells.value)[None, :]
    return np.where(is_missing, trees.missing_left[nodes][:, None], goes)
