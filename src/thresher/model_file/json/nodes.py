"""Trees as lists of nodes that people can read.

A node says what it asks (`asks`, then `at_most`, or `levels_left` and `levels_right`, and on which
side it saw levels that its column does not name), where missing values go, its children, and its
counts; `text` and `probability` are for readers and are not read again.
"""

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.column import OTHER_LEVELS, has_others
from thresher.pair import Pair, pair_names
from thresher.tree.structure import Tree
from thresher.tree.text import Wording

Arrays = Mapping[str, NDArray[Any]]
Columns = Mapping[str, Any]
COUNTS = ("rows", "weight", "alpha", "impurity", "gain")


class Questions:
    """The words for the splits of a model's columns."""

    def __init__(self, columns: Columns, left: NDArray[np.uint8], seen: NDArray[np.uint8]) -> None:
        self.levels = levels_of(columns)
        self.names = names_of(columns)
        given = len(columns["levels"])
        words = [f"x[{name}]" if isinstance(name, int) else name for name in self.names[:given]]
        self.words = [*words, *pair_names(words, _pairs(columns))]
        self._left, self._seen = (
            np.unpackbits(bits, axis=1, bitorder="little").astype(bool) for bits in (left, seen)
        )

    def is_category(self, column: int) -> bool:
        """Whether a column has levels."""
        return self.levels[column] is not None

    def of(self, column: int, cut: float, row: int, missing_left: bool) -> dict[str, Any]:
        """Return what a node asks; `row` is that of the levels of a category split."""
        asked = {"asks": self.names[column]}
        asked |= self._levels(column, row) if self.is_category(column) else {"at_most": cut}
        return {**asked, "missing": "left" if missing_left else "right"}

    def _levels(self, column: int, row: int) -> dict[str, Any]:
        left, seen, levels = self._left[row], self._seen[row], self.levels[column]
        codes, unnamed = np.flatnonzero(seen).tolist(), {}
        if has_others(levels) and seen[len(levels) - 1]:
            unnamed["unnamed_levels"] = "left" if left[codes.pop()] else "right"
        return {
            "levels_left": [levels[code] for code in codes if left[code]],
            "levels_right": [levels[code] for code in codes if not left[code]],
            **unnamed,
            "other_levels": "left" if (left & ~seen).any() else "right",
        }


def levels_of(columns: Columns) -> list[Any]:
    """Return the levels of each column; the last of some are the unnamed ones."""
    unnamed = columns.get("unnamed_levels", [False] * len(columns["levels"]))
    given = [
        [*levels, OTHER_LEVELS] if has_unnamed else levels
        for levels, has_unnamed in zip(columns["levels"], unnamed, strict=True)
    ]
    return given + [None] * len(columns.get("derived", ()))


def names_of(columns: Columns) -> list[Any]:
    """Return what nodes call the columns: names, or places where there are none."""
    pairs = _pairs(columns)
    if columns["names"] is None:
        return list(range(len(columns["levels"]) + len(pairs)))
    return [*columns["names"], *pair_names(columns["names"], pairs)]


def _pairs(columns: Columns) -> list[Pair]:
    return [Pair(*item) for item in columns.get("derived", ())]


def tree_to_nodes(arrays: Arrays, columns: Columns) -> dict[str, Any]:
    """Return a tree's arrays as a list of nodes."""
    return {"class_weight": arrays["class_weight"].tolist(), "nodes": [*_nodes(arrays, columns)]}


def _nodes(arrays: Arrays, columns: Columns) -> Iterator[dict[str, Any]]:
    tree = Tree(**arrays)
    questions = Questions(columns, arrays["levels_left"], arrays["levels_seen"])
    wording = Wording(questions.words, questions.levels, ("", ""), 0.5)
    lists = {name: values.tolist() for name, values in arrays.items()}
    for node, column in enumerate(lists["feature"]):
        counts = {name: _known(lists[name][node]) for name in COUNTS}
        if column < 0:
            del counts["gain"]
            yield {"node": node, **counts, "probability": float(tree.probability[node])}
            continue
        split = (lists[name][node] for name in ("cut", "category", "missing_left"))
        children = {"left": lists["left"][node], "right": lists["right"][node]}
        text = wording.condition(tree, node, left=True)
        yield {"node": node, **questions.of(column, *split), **children, "text": text, **counts}


def _known(value: Any) -> Any:
    return None if value != value else value


def trees_from_packed(arrays: Arrays, columns: Columns) -> dict[str, Any]:
    """Return a forest's arrays as one list of nodes a tree."""
    nodes = _packed_nodes(arrays, columns)
    trees = [[next(nodes) for _ in range(first, end)] for first, end in pairwise(arrays["begin"])]
    for tree in trees:
        child = 1
        for place, node in enumerate(tree):
            node["node"] = place
            if "asks" in node:
                node |= {"left": child, "right": child + 1}
                child += 2
    return {"weighted": arrays["weight"] is not None, "trees": trees}


def _packed_nodes(arrays: Arrays, columns: Columns) -> Iterator[dict[str, Any]]:
    """Return the nodes of all trees; number and children follow."""
    questions, row = Questions(columns, arrays["levels_left"], arrays["levels_seen"]), 0
    cuts, missing = iter(arrays["cut"].tolist()), iter(arrays["missing_left"].tolist())
    weights = arrays["rows"] if arrays["weight"] is None else arrays["weight"]
    counts = zip(arrays["feature"].tolist(), arrays["rows"].tolist(), weights.tolist(), strict=True)
    for column, rows, weight in counts:
        node: dict[str, Any] = {"node": 0}
        if column >= 0:
            by_level = questions.is_category(column)
            node |= questions.of(column, 0.0 if by_level else next(cuts), row, next(missing))
            row += by_level
        node["rows"] = rows
        yield node if arrays["weight"] is None else {**node, "weight": weight}
