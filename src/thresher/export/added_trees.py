"""Trees that were taken over, as scoring trees: their sets become levels of columns."""

from dataclasses import replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.column import OTHER_LEVELS, Levels
from thresher.export.scoring import Complement, Logistic, ScoringTree, Step, Trees
from thresher.matrix import Columns
from thresher.tree.additive import AdditiveTrees


class AddedTrees:
    """The trees of a model that was taken over, in the terms of exports.

    A column of numbers that splits ask for levels gets those that any split names, and others
    where a level that is in no split and a missing value may go to different sides.
    """

    def __init__(self, trees: AdditiveTrees, columns: Columns) -> None:
        self._trees = trees
        members = self._named_numbers(columns)
        levels = tuple(
            self._levels(place, members[place]) if place in members else of_column
            for place, of_column in enumerate(columns.levels)
        )
        self.columns = replace(columns, levels=levels)
        self._members = members

    @cached_property
    def zero_is_missing(self) -> frozenset[int]:
        """Columns in which a zero is missing, as far as trees ask for them."""
        return frozenset(np.flatnonzero(self._trees.zero_is_missing).tolist())

    def _named_numbers(self, columns: Columns) -> dict[int, NDArray[np.int64]]:
        """Return the numbers that splits name as levels, for columns without levels."""
        found: dict[int, set[int]] = {}
        for node in np.flatnonzero(self._trees.level_set >= 0).tolist():
            place = int(self._trees.feature[node])
            if columns.wide_levels[place] is None:
                of_node = self._trees.members(self._trees.level_set[node]).tolist()
                found.setdefault(place, {0}).update(of_node)
        return {place: np.array(sorted(numbers)) for place, numbers in found.items()}

    def _levels(self, place: int, numbers: NDArray[np.int64]) -> Levels:
        trees = self._trees
        asked = (trees.level_set >= 0) & (trees.feature == place)
        others = (OTHER_LEVELS,) if trees.missing_left[asked].any() else ()
        return (*numbers.astype(np.float64).tolist(), *others)

    def steps(self, other_class: bool) -> tuple[Step, ...]:
        """Return the steps from the score to the probability of the second class, or the first."""
        slope = self._trees.slope
        link: tuple[Step, ...] = () if slope is None else (Logistic(slope),)
        turned = other_class and self._combination != "only"
        return (*link, Complement()) if turned else link

    @property
    def _combination(self) -> str:
        if self._trees.is_mean:
            return "votes"
        return "only" if self._trees.slope is None else "sum"

    def trees(self, other_class: bool) -> Trees:
        """Return the trees; one alone tells the final probability."""
        begin = self._trees.begin
        found = [self._tree(*pair) for pair in pairwise(begin.tolist())]
        if self._combination == "only" and other_class:
            found = [ScoringTree(**(vars(tree) | {"value": 1.0 - tree.value})) for tree in found]
        return Trees(tuple(found), self._combination, float(self._trees.base))

    def _tree(self, first: int, last: int) -> ScoringTree:
        trees, here = self._trees, slice(first, last)
        is_inner = ~trees.is_leaf[here]
        left = np.where(is_inner, 2 * np.cumsum(is_inner) - 1, -1)
        by_level = np.flatnonzero(trees.level_set[here] >= 0)
        level_set = np.full(len(left), -1, dtype=np.int64)
        level_set[by_level] = np.arange(len(by_level))
        return ScoringTree(
            feature=trees.feature[here].astype(np.int64),
            cut=trees.cut[here],
            left=left,
            right=np.where(is_inner, left + 1, -1),
            missing_left=trees.missing_left[here],
            level_set=level_set,
            levels_left=self._levels_left((first + by_level).tolist()),
            value=trees.value[here],
        )

    def _levels_left(self, nodes: list[int]) -> NDArray[np.bool_]:
        width = max((len(levels or ()) for levels in self.columns.levels), default=0)
        found = np.zeros((len(nodes), width), dtype=bool)
        for row, node in enumerate(nodes):
            codes: Any = self._trees.members(self._trees.level_set[node])
            place = int(self._trees.feature[node])
            if place in self._members:
                codes = np.searchsorted(self._members[place], codes)
            found[row, codes] = True
        return found
