"""The way to a leaf as clauses: all that a tree asks of one column becomes one clause."""

from collections.abc import Sequence
from math import inf
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from thresher.condition.clause import Clause, Interval, LevelSet
from thresher.frames import Levels
from thresher.tree.structure import Tree
from thresher.tree.text import PRESENT_ONLY


class Step(NamedTuple):
    """An inner node on a way, and whether the way goes left there."""

    node: int
    left: bool


def leaf_clauses(
    tree: Tree, leaf: int, names: Sequence[str], levels: Sequence[Levels | None]
) -> tuple[Clause, ...]:
    """Return what holds for the rows of a leaf, and for no others; columns in the tree's order."""
    by_column: dict[int, list[Step]] = {}
    for step in _way(tree, leaf):
        by_column.setdefault(int(tree.feature[step.node]), []).append(step)
    clauses = (
        _clause(tree, steps, names[column], levels[column]) for column, steps in by_column.items()
    )
    return tuple(clause for clause in clauses if not clause.asks_nothing)


def _way(tree: Tree, leaf: int) -> list[Step]:
    steps, node = [], leaf
    while (parent := int(tree.parent[node])) >= 0:
        steps.append(Step(parent, int(tree.left[parent]) == node))
        node = parent
    return steps[::-1]


def _clause(tree: Tree, steps: list[Step], name: str, levels: Levels | None) -> Clause:
    missing = all(bool(tree.missing_left[step.node]) == step.left for step in steps)
    if levels is not None:
        stays = np.all([_levels_on_side(tree, step, len(levels)) for step in steps], axis=0)
        kept = tuple(level for level, stay in zip(levels, stays, strict=True) if stay)
        return LevelSet(name, kept, levels, missing)
    cuts = [(float(tree.cut[step.node]), step.left) for step in steps]
    high = min((cut for cut, left in cuts if left and cut != PRESENT_ONLY), default=inf)
    low = max((cut for cut, left in cuts if not left), default=-inf)
    if low == PRESENT_ONLY:
        return Interval(name, inf, inf, missing)
    return Interval(name, low, high, missing)


def _levels_on_side(tree: Tree, step: Step, count: int) -> NDArray[np.bool_]:
    row = tree.levels_left[tree.category[step.node]]
    goes_left = np.unpackbits(row, bitorder="little")[:count] == 1
    side: NDArray[np.bool_] = goes_left == step.left
    return side
