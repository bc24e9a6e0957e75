"""The way to a leaf as clauses: all that a tree asks of one column becomes one clause."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf

from thresher.column import Levels
from thresher.condition.clause import Clause, Interval, LevelSet
from thresher.matrix import Columns
from thresher.pair import NamedPair
from thresher.tree.structure import Tree
from thresher.tree.text import PRESENT_ONLY

ALL_LEVELS = (1 << 256) - 1


@dataclass(frozen=True)
class Asked:
    """What a way has asked of a column so far: bounds of numbers, a bit a level, missing values."""

    column: str
    known: Levels | None
    low: float = -inf
    high: float = inf
    levels: int = ALL_LEVELS
    missing: bool = True
    pair: NamedPair | None = None

    @cached_property
    def clause(self) -> Clause:
        """The same as a clause."""
        if self.known is not None:
            kept = tuple(level for code, level in enumerate(self.known) if self.levels >> code & 1)
            return LevelSet(self.column, kept, self.known, self.missing)
        if self.low == PRESENT_ONLY:
            return Interval(self.column, inf, inf, self.missing, self.pair)
        return Interval(self.column, self.low, self.high, self.missing, self.pair)


def leaf_clauses(
    tree: Tree, leaves: Iterable[int], columns: Columns
) -> dict[int, tuple[Clause, ...]]:
    """Return what holds for the rows of each leaf, and for no others; columns in the tree's order.

    The tree is walked once: beyond that, the work is that of the clauses which are returned.
    """
    wanted, found = set(leaves), {}
    for node, asked in _ways(tree, columns):
        if node in wanted:
            clauses = (one.clause for one in asked.values())
            found[node] = tuple(clause for clause in clauses if not clause.asks_nothing)
    return found


def _ways(tree: Tree, columns: Columns) -> Iterator[tuple[int, dict[int, Asked]]]:
    """Yield each node, in preorder, with what its way asks by column, which is valid until then."""
    steps, feature, asked = Steps(tree), tree.feature.tolist(), dict[int, Asked]()
    names, levels, pairs = columns.wide_names, columns.wide_levels, columns.named_pairs
    # The nodes of the present way, each with the column that was asked for it, and what was before.
    way: list[tuple[int, int, Asked | None]] = []
    for node, parent in enumerate(tree.parent.tolist()):
        while way and way[-1][0] != parent:
            _, column, before = way.pop()
            if before is None:
                del asked[column]
            else:
                asked[column] = before
        if parent >= 0:
            column = feature[parent]
            before = asked.get(column)
            if before is None:
                name = names[column]
                start = Asked(name, levels[column], pair=pairs.get(name))
            else:
                start = before
            asked[column] = steps.after(start, parent, is_left=node == parent + 1)
            way.append((node, column, before))
        yield node, asked


class Steps:
    """The splits of a tree, whose left children follow their parents."""

    def __init__(self, tree: Tree) -> None:
        self._cut, self._missing_left = tree.cut.tolist(), tree.missing_left.tolist()
        self._category = tree.category.tolist()
        self._left = [int.from_bytes(row.tobytes(), "little") for row in tree.levels_left]

    def after(self, asked: Asked, node: int, *, is_left: bool) -> Asked:
        """Return what is asked of the column of a split behind one of its sides."""
        missing = asked.missing and self._missing_left[node] == is_left
        if asked.known is not None:
            left = self._left[self._category[node]]
            levels = asked.levels & (left if is_left else ~left)
            return replace(asked, levels=levels, missing=missing)
        cut = self._cut[node]
        if not is_left:
            return replace(asked, low=max(asked.low, cut), missing=missing)
        high = asked.high if cut == PRESENT_ONLY else min(asked.high, cut)
        return replace(asked, high=high, missing=missing)
