"""A tree as CASE expressions that are nested little, however deep the tree is.

Along a path the more branched child goes on in the same CASE, the other one becomes a THEN. So a
chain of any length is one flat CASE, and n leaves never need more than log2(n) of them inside
each other. What is nested deeper than databases allow is continued in a further stage.
"""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from thresher.column import Levels
from thresher.export.scoring import ScoringTree

MAX_NESTED = 7
"""CASE expressions inside each other; SQL Server allows 10."""

Outcome = Callable[[int], str]
"""What a leaf becomes."""


class TreeCases:
    """The CASE expressions of one tree.

    Parameters
    ----------
    tree : the tree.
    inputs : the expression of each column.
    levels : levels of each column, None for numbers.
    number : how a cut is written.
    """

    def __init__(
        self,
        tree: ScoringTree,
        inputs: Sequence[str],
        levels: Sequence[Levels | None],
        number: Callable[[float], str],
    ) -> None:
        self._tree, self._inputs, self._levels, self._number = tree, inputs, levels, number
        self._feature, self._cut = tree.feature.tolist(), tree.cut.tolist()
        self._left, self._right = tree.left.tolist(), tree.right.tolist()
        self._missing_left = tree.missing_left.tolist()
        self._nesting = nesting(tree).tolist()

    @property
    def is_flat(self) -> bool:
        """Whether one expression is enough."""
        return bool(self._nesting[0] <= MAX_NESTED)

    def whole(self, outcome: Outcome) -> str:
        """Return the tree as one expression, for a tree that is flat."""
        return self._case(0, MAX_NESTED, outcome, [])

    def stages(self, at: Callable[[int], str]) -> list[str]:
        """Return expressions, each to be evaluated after the one before it, that find the leaf.

        `at(i)` is the column that holds the value of expression i; the last one holds the leaf.
        """
        frontier: list[int] = []
        found = [self._case(0, MAX_NESTED, str, frontier)]
        while frontier:
            before, roots, frontier = at(len(found) - 1), frontier, []
            cases = [
                f"WHEN {root} THEN {self._case(root, MAX_NESTED, str, frontier)}" for root in roots
            ]
            found.append(f"CASE {before} {' '.join(cases)} ELSE {before} END")
        return found

    def _case(self, node: int, budget: int, outcome: Outcome, frontier: list[int]) -> str:
        """Return a subtree; nodes for which the budget is too small are left to the frontier."""
        if self._feature[node] >= 0 and budget == 0:
            frontier.append(node)
            return str(node)
        cases = []
        while self._feature[node] >= 0:
            left, right = self._left[node], self._right[node]
            goes_on_left = self._nesting[left] > self._nesting[right]
            aside, onward = (right, left) if goes_on_left else (left, right)
            then = self._case(aside, budget - 1, outcome, frontier)
            cases.append(f"WHEN {self._condition(node, to_left=not goes_on_left)} THEN {then}")
            node = onward
        last = outcome(node)
        return f"CASE {' '.join(cases)} ELSE {last} END" if cases else last

    def _condition(self, node: int, *, to_left: bool) -> str:
        """Return what is true for the rows that go to one side, false or NULL for the others."""
        value = self._inputs[self._feature[node]]
        levels = self._levels[self._feature[node]]
        if levels is None:
            test = f"{value} {'<=' if to_left else '>'} {self._number(self._cut[node])}"
        else:
            inside = set(self._tree.left_levels(node, len(levels)))
            codes = [code for code in range(len(levels)) if (code in inside) == to_left]
            test = f"{value} IN ({', '.join(map(str, codes))})" if codes else ""
        if self._missing_left[node] != to_left:
            return test or "1 = 0"
        return f"({test} OR {value} IS NULL)" if test else f"{value} IS NULL"


def nesting(tree: ScoringTree) -> NDArray[np.int64]:
    """Return how many CASE expressions each subtree needs inside each other."""
    result = [0] * len(tree.feature)
    left, right = tree.left.tolist(), tree.right.tolist()
    for node in reversed(range(len(result))):
        if left[node] >= 0:
            low, high = sorted((result[left[node]], result[right[node]]))
            result[node] = max(high, low + 1)
    return np.array(result)
