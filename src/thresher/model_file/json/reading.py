"""Lists of nodes, as people and `json_nodes` write them, back to arrays.

Whether the arrays are sound trees is checked later, as for model files.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.column import MAX_LEVELS
from thresher.model_file.json.nodes import names_of
from thresher.model_file.kinds.common import names_from, pairs_from, unnamed_from
from thresher.model_file.record import Record, is_number, require
from thresher.tree.soundness import LAYOUT
from thresher.tree.structure import AT_LEAVES, BY_NODE

SIDES = {"left": True, "right": False}


class Answers:
    """Splits of nodes, read with the columns that they ask; levels are collected."""

    def __init__(self, columns: Record) -> None:
        self._levels = columns.items("levels")
        self._has_unnamed = unnamed_from(columns, len(self._levels))
        if columns["names"] is not None:
            names_from(columns, "names", len(self._levels))
        pairs = pairs_from(columns, len(self._levels))
        self._place = {name: place for place, name in enumerate(names_of(columns.data))}
        self._levels = [*self._levels, *[None] * len(pairs)]
        self._has_unnamed += [False] * len(pairs)
        self._left: list[NDArray[np.uint8]] = []
        self._seen: list[NDArray[np.uint8]] = []

    def of(self, node: Record) -> tuple[int, float, int]:
        """Return column, cut (0 for categories) and the row of its levels (-1 for numbers)."""
        name = node["asks"]
        known = type(name) in (str, int) and name in self._place
        require(known, f"{node.place} asks for an unknown column")
        column = self._place[name]
        if self._levels[column] is None:
            return column, node.number("at_most"), -1
        self._add_levels(node, self._levels[column], self._has_unnamed[column])
        return column, 0.0, len(self._left) - 1

    def _add_levels(self, node: Record, levels: Any, has_unnamed: bool) -> None:
        fits = type(levels) is list and len(levels) <= MAX_LEVELS - has_unnamed
        require(fits, "the levels are not sound")
        chosen = {"left": node.items("levels_left"), "right": node.items("levels_right")}
        named = [*chosen["left"], *chosen["right"]]
        are_known = len(named) <= len(levels) and all(one in levels for one in named)
        require(are_known, f"{node.place} has unknown levels")
        sides, seen = np.zeros(256, dtype=np.uint8), np.zeros(256, dtype=np.uint8)
        sides[:MAX_LEVELS] = side(node, "other_levels")
        for where, given in chosen.items():
            codes = [levels.index(one) for one in given]
            sides[codes], seen[codes] = SIDES[where], 1
        if "unnamed_levels" in node.data:
            require(has_unnamed, f"{node.place} has unnamed levels, and its column has none")
            sides[len(levels)], seen[len(levels)] = side(node, "unnamed_levels"), 1
        self._left.append(np.packbits(sides, bitorder="little"))
        self._seen.append(np.packbits(seen, bitorder="little"))

    def arrays(self) -> dict[str, NDArray[np.uint8]]:
        """Return the levels of all category splits."""
        lists = {"levels_left": self._left, "levels_seen": self._seen}
        return {
            name: np.array(rows, dtype=np.uint8).reshape(-1, 32) for name, rows in lists.items()
        }


def side(node: Record, name: str) -> bool:
    """Return whether a field says "left"; it may say "right"."""
    text = node.text(name)
    require(text in SIDES, f"{node.place}.{name} is neither 'left' nor 'right'")
    return SIDES[text]


def pair(record: Record, name: str, kind: type) -> list[Any]:
    """Return two numbers of a kind."""
    values = record.items(name)
    are_sound = len(values) == 2 and all(
        is_number(one) and (kind is float or type(one) is int) and abs(one) < 2**63
        for one in values
    )
    require(are_sound, f"{record.place}.{name} is not a pair of numbers")
    return values


# -------------------------------------------------------------------------------------------- tree


def tree_from_nodes(record: Record, columns: Record) -> dict[str, NDArray[Any]]:
    """Return the arrays of a tree."""
    answers, nodes = Answers(columns), record.items("nodes")
    require(nodes, "a tree has no nodes")
    arrays: dict[str, NDArray[Any]] = {
        name: np.empty((len(nodes), *map(int, LAYOUT[name][1][1:])), dtype=LAYOUT[name][0])
        for name in BY_NODE
    }
    for place, node in enumerate(nodes):
        fields = _fields(Record(node, f"{record.place}.nodes[{place}]"), place, answers)
        for name, value in fields.items():
            arrays[name][place] = value
    class_weight = np.array(pair(record, "class_weight", float), dtype=np.float64)
    return {**arrays, **answers.arrays(), "class_weight": class_weight}


def _fields(node: Record, place: int, answers: Answers) -> dict[str, Any]:
    """Return the entries of a node in all arrays that have one."""
    require(node["node"] == place, f"{node.place} is out of order")
    fields: dict[str, Any] = {**AT_LEAVES, "left": -1, "right": -1}
    if "asks" in node.data:
        fields["feature"], fields["cut"], fields["category"] = answers.of(node)
        fields["missing_left"] = side(node, "missing")
        fields |= {name: node.integer(name, 0, 2**31 - 1) for name in ("left", "right")}
        fields["gain"] = node.number("gain")
    alpha = node.number("alpha") if node.has("alpha") else np.nan
    counts = {"rows": pair(node, "rows", int), "weight": pair(node, "weight", float)}
    return {**fields, **counts, "alpha": alpha, "impurity": node.number("impurity")}


# ------------------------------------------------------------------------------------------ forest


class PackedTrees:
    """The arrays of a forest, filled node by node."""

    def __init__(self, columns: Record, is_weighted: bool) -> None:
        self._answers, self._is_weighted = Answers(columns), is_weighted
        self.begin, self.feature = [0], list[int]()
        self._cuts, self._missing_left = list[float](), list[bool]()
        self._rows, self._weight = list[Any](), list[Any]()

    def add_tree(self, nodes: list[Record]) -> None:
        """Add the nodes of a tree, breadth first."""
        child = 1
        for place, node in enumerate(nodes):
            require(node["node"] == place, f"{node.place} is out of order")
            if self._add(node):
                children = (node["left"], node["right"])
                require(children == (child, child + 1), f"{node.place} has other children")
                child += 2
        self.begin.append(len(self.feature))

    def _add(self, node: Record) -> bool:
        """Add a node; return whether it has children."""
        rows = pair(node, "rows", int)
        require(all(0 <= one < 2**32 for one in rows), f"{node.place}.rows is out of range")
        self._rows.append(rows)
        if self._is_weighted:
            self._weight.append(pair(node, "weight", float))
        if "asks" not in node.data:
            self.feature.append(-1)
            return False
        column, cut, row = self._answers.of(node)
        self.feature.append(column)
        self._missing_left.append(side(node, "missing"))
        self._cuts += [cut] if row < 0 else []
        return True

    def arrays(self) -> dict[str, NDArray[Any] | None]:
        """Return the arrays."""
        weight = np.array(self._weight, dtype=np.float64).reshape(-1, 2)
        return {
            "begin": np.array(self.begin, dtype=np.int64),
            "feature": np.array(self.feature, dtype=np.int64),
            "cut": np.array(self._cuts, dtype=np.float64),
            "missing_left": np.array(self._missing_left, dtype=bool),
            "rows": np.array(self._rows, dtype=np.uint32).reshape(-1, 2),
            "weight": weight if self._is_weighted else None,
            **self._answers.arrays(),
        }


def packed_from_trees(record: Record, columns: Record) -> dict[str, NDArray[Any] | None]:
    """Return the arrays of a forest."""
    packed = PackedTrees(columns, record["weighted"] is True)
    for number, nodes in enumerate(record.items("trees")):
        packed.add_tree(Record({"nodes": nodes}, f"trees[{number}]").records("nodes"))
    return packed.arrays()
