"""A tree that grows level by level: nodes are added at its frontier, children side by side."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher import _core
from thresher.seam.coded import Question
from thresher.tree.structure import AT_LEAVES, Tree

Fields = dict[str, NDArray[Any]]

AT_SPLITS = ("feature", "cut", "missing_left", "is_category", "gain")
LEVELS = ("levels_left", "levels_seen")


class GrowingTree:
    """Nodes in the order of their making; node 0 is the root.

    Parameters
    ----------
    weight, rows : (negative, positive) fixed-point weight and number of all rows.
    """

    def __init__(self, weight: tuple[int, int], rows: tuple[int, int]) -> None:
        self.weight, self.rows = [weight], [rows]
        self.depth, self.path = [0], [1]
        self.feature, self.left = [-1], [-1]
        self.split: list[dict[str, Any] | None] = [None]
        self.subtree: dict[int, Fields] = {}

    def n_rows(self, node: int) -> int:
        """Return the number of rows of a node."""
        return sum(self.rows[node])

    def divide(self, node: int, splits: Fields, place: int) -> tuple[int, int]:
        """Split a node by an entry of `_core.BlockGrowth.best_splits`, and return its children."""
        split = {name: splits[name][place] for name in (*AT_SPLITS, *LEVELS, "goes_left")}
        left = len(self.feature)
        self.split[node], self.feature[node], self.left[node] = split, int(split["feature"]), left
        for side in (0, 1):
            for counts, name in ((self.weight, "left_weight"), (self.rows, "left_rows")):
                of_left, whole = splits[name][place].tolist(), counts[node]
                rest = (whole[0] - of_left[0], whole[1] - of_left[1])
                counts.append(rest if side else tuple(of_left))
            self.depth.append(self.depth[node] + 1)
            self.path.append(int(splits["child_path"][place, side]))
            self.feature.append(-1)
            self.left.append(-1)
            self.split.append(None)
        return left, left + 1

    def graft(self, node: int, fields: Fields) -> None:
        """Put a finished subtree, the fields of a `Tree`, in the place of a node."""
        self.subtree[node] = fields

    def ask(self, nodes: Sequence[int]) -> Question:
        """Return the question for some nodes of the frontier."""
        slot = np.full(len(self.feature), -1, dtype=np.int32)
        slot[list(nodes)] = np.arange(len(nodes), dtype=np.int32)
        goes_left = np.zeros((len(self.feature), 32), dtype=np.uint8)
        for node, split in enumerate(self.split):
            if split is not None:
                goes_left[node] = split["goes_left"]
        feature, left = (np.array(of, dtype=np.int32) for of in (self.feature, self.left))
        return Question(feature, left, goes_left, slot, len(nodes))

    # ---------------------------------------------------------------------------- the finished tree

    def finish(self, growth: _core.BlockGrowth) -> Tree:
        """Return the tree in preorder."""
        order = self._preorder()
        sizes = [
            len(self.subtree[node]["feature"]) if node in self.subtree else 1 for node in order
        ]
        starts = np.concatenate([[0], np.cumsum(sizes)]).tolist()
        place = dict(zip(order, starts, strict=False))
        arrays = self._blank(starts[-1])
        single = [node for node in order if node not in self.subtree]
        self._write_nodes(arrays, single, place, growth)
        for node, fields in self.subtree.items():
            self._write_subtree(arrays, fields, place[node])
        levels = self._levels(order)
        asked = arrays.pop("is_category")
        category = np.where(asked, np.cumsum(asked) - 1, -1).astype(np.int32)
        return Tree.from_core(_in_order({**arrays, **levels, "category": category}))

    def _preorder(self) -> list[int]:
        order, stack = [], [0]
        while stack:
            node = stack.pop()
            order.append(node)
            if self.feature[node] >= 0:
                stack += [self.left[node] + 1, self.left[node]]
        return order

    @staticmethod
    def _blank(n: int) -> Fields:
        return {
            "feature": np.full(n, -1, dtype=np.int32),
            "cut": np.zeros(n),
            "left": np.full(n, -1, dtype=np.int32),
            "right": np.full(n, -1, dtype=np.int32),
            "missing_left": np.zeros(n, dtype=np.bool_),
            "is_category": np.zeros(n, dtype=np.bool_),
            "rows": np.zeros((n, 2), dtype=np.int64),
            "weight": np.zeros((n, 2)),
            "alpha": np.zeros(n),
            "impurity": np.zeros(n),
            "gain": np.zeros(n),
        }

    def _write_nodes(
        self, arrays: Fields, nodes: list[int], place: dict[int, int], growth: _core.BlockGrowth
    ) -> None:
        weight = np.array([self.weight[node] for node in nodes], dtype=np.int64).reshape(-1, 2)
        described = growth.describe(weight)
        arrays["class_weight"] = described.pop("class_weight")
        places = [place[node] for node in nodes]
        for name, values in described.items():
            arrays[name][places] = values
        arrays["rows"][places] = np.array([self.rows[n] for n in nodes], np.int64).reshape(-1, 2)
        for node in nodes:
            split = self.split[node]
            if split is not None:
                at, left = place[node], self.left[node]
                for name in AT_SPLITS:
                    arrays[name][at] = split[name]
                arrays["left"][at], arrays["right"][at] = place[left], place[left + 1]

    @staticmethod
    def _write_subtree(arrays: Fields, fields: Fields, start: int) -> None:
        own = slice(start, start + len(fields["feature"]))
        for name in ("rows", "weight", "alpha", "impurity", *AT_LEAVES):
            if name != "category":
                arrays[name][own] = fields[name]
        arrays["is_category"][own] = fields["category"] >= 0
        for name in ("left", "right"):
            arrays[name][own] = np.where(fields[name] >= 0, fields[name] + start, -1)

    def _levels(self, order: list[int]) -> Fields:
        result: Fields = {}
        for name in LEVELS:
            parts = [np.empty((0, 32), dtype=np.uint8)]
            for node in order:
                split = self.split[node]
                if node in self.subtree:
                    parts.append(self.subtree[node][name])
                elif split is not None and split["is_category"]:
                    parts.append(split[name][None])
            result[name] = np.concatenate(parts)
        return result


def _in_order(arrays: Fields) -> Fields:
    """Return the arrays in the order of `Tree`'s fields."""
    return {name: arrays[name] for name in Tree.__dataclass_fields__}
