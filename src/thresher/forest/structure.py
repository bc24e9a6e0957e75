"""A fitted forest as a struct of arrays: the nodes of all trees, packed for prediction.

A node takes 16 bytes and its counts 8; a tree in full is unpacked when somebody asks for it. The
trees stand one behind the other, each breadth first: the right child follows the left one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from thresher import _core
from thresher.explain.weighed import WeighedTrees
from thresher.tree.structure import LEVEL_BYTES, Tree

NODE = np.dtype([("cut", "<f8"), ("left", "<u4"), ("feature", "<u4")])
"""A node: a leaf is its own left child. The two highest bits of `feature` are flags: missing values
go right; the split is on a category, whose levels are row `cut` of `levels_left`."""

MISSING_RIGHT, CATEGORY = np.uint32(1 << 31), np.uint32(1 << 30)
COLUMN = np.uint32((1 << 30) - 1)


@dataclass(frozen=True, eq=False)
class Forest:
    """Packed trees.

    Attributes
    ----------
    begin : first node of each tree, and the number of all nodes.
    nodes : the nodes, of dtype `NODE`; children count from the begin of their tree.
    rows : training rows of each node, (negative, positive), each as often as it was drawn.
    weight : the same in units of sample weight; None where every row weighs 1.
    levels_left, levels_seen : 32 bytes for each category split, as in `Tree`.
    """

    begin: NDArray[np.int64]
    nodes: NDArray[np.void]
    rows: NDArray[np.uint32]
    weight: NDArray[np.float64] | None
    levels_left: NDArray[np.uint8]
    levels_seen: NDArray[np.uint8]

    @classmethod
    def from_core(cls, arrays: Mapping[str, Any]) -> Self:
        """Wrap the arrays of `_core.grow_forest`."""
        fields: dict[str, Any] = {name: arrays[name] for name in cls.__dataclass_fields__}
        fields["nodes"] = arrays["nodes"].view(NODE).reshape(-1)
        if not len(arrays["weight"]):
            fields["weight"] = None
        return cls(**fields)

    @classmethod
    def single_leaves(cls, n_trees: int) -> Self:
        """Return trees of no split and no rows, which stand for others.

        >>> len(Forest.single_leaves(3))
        3
        """
        nodes = np.zeros(n_trees, NODE)
        nodes["cut"] = np.inf
        levels = np.empty((0, 32), np.uint8)
        rows = np.zeros((n_trees, 2), np.uint32)
        return cls(np.arange(n_trees + 1), nodes, rows, rows.astype(float), levels, levels)

    def __post_init__(self) -> None:
        # The compiled reader checks the arrays once, then walks them as they are.
        for name in self.__dataclass_fields__:
            if (array := getattr(self, name)) is not None:
                array.flags.writeable = False

    def __getstate__(self) -> dict[str, Any]:
        """Keep the arrays alone: what was derived from them is derived again."""
        return {name: self.__dict__[name] for name in self.__dataclass_fields__}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.__post_init__()

    def __len__(self) -> int:
        return len(self.begin) - 1

    @property
    def is_leaf(self) -> NDArray[np.bool_]:
        """Whether each node is a leaf."""
        is_leaf: NDArray[np.bool_] = np.isinf(self.nodes["cut"])
        return is_leaf

    @property
    def counts(self) -> NDArray[Any]:
        """Sample weight of each node, (negative, positive)."""
        return self.rows if self.weight is None else self.weight

    @cached_property
    def voters(self) -> _core.Forest:
        """The compiled reader of these arrays, which it checks."""
        return _core.Forest(self.nodes.view(np.uint8).reshape(-1, 16), self.begin, self.levels_left)

    def in_bins(self, edges: Sequence[NDArray[np.float64]]) -> "Forest":
        """Return the forest that takes bins instead of numbers; `edges` hold its cuts."""
        nodes = self.nodes.copy()
        column = nodes["feature"] & COLUMN
        is_numeric = ~self.is_leaf & ((nodes["feature"] & CATEGORY) == 0)
        for position, of_column in enumerate(edges):
            here = is_numeric & (column == position)
            nodes["cut"][here] = np.searchsorted(of_column, nodes["cut"][here])
        return replace(self, nodes=nodes)

    def tree(self, index: int, options: _core.GrowOptions) -> Tree:
        """Return one tree in full; `options` are those it was grown with."""
        fields = self.voters.tree(index, self.rows, self.weight, self.levels_seen, options)
        return Tree.from_core(fields)

    def part(self, trees: range) -> "Forest":
        """Return some neighbouring trees."""
        first, last = self.begin[[trees.start, trees.stop]].tolist()
        nodes = self.nodes[first:last].copy()
        is_category = (nodes["feature"] & CATEGORY) != 0
        levels = nodes["cut"][is_category]
        begin = int(levels.min()) if len(levels) else 0
        of_part = slice(begin, begin + len(levels))
        nodes["cut"][is_category] -= begin
        return Forest(
            begin=self.begin[trees.start : trees.stop + 1] - first,
            nodes=nodes,
            rows=self.rows[first:last].copy(),
            weight=None if self.weight is None else self.weight[first:last].copy(),
            levels_left=self.levels_left[of_part].copy(),
            levels_seen=self.levels_seen[of_part].copy(),
        )

    @classmethod
    def together(cls, forests: Sequence["Forest"]) -> "Forest":
        """Return a forest of the trees of several ones."""
        starts = np.cumsum([0, *(len(forest.nodes) for forest in forests)])
        levels = np.cumsum([0, *(len(forest.levels_left) for forest in forests)])
        nodes = np.concatenate([forest.nodes for forest in forests])
        shift = np.repeat(levels[:-1], np.diff(starts))
        is_category = (nodes["feature"] & CATEGORY) != 0
        nodes["cut"][is_category] += shift[is_category]
        begins = [forest.begin[1:] + start for forest, start in zip(forests, starts, strict=False)]
        weights = [forest.weight for forest in forests if forest.weight is not None]
        return cls(
            begin=np.concatenate([[0], *begins]),
            nodes=nodes,
            rows=np.concatenate([forest.rows for forest in forests]),
            weight=np.concatenate(weights) if len(weights) == len(forests) else None,
            levels_left=np.concatenate([forest.levels_left for forest in forests]),
            levels_seen=np.concatenate([forest.levels_seen for forest in forests]),
        )

    def weighed(self, value: NDArray[np.float64], n_columns: int) -> WeighedTrees:
        """Return the trees as an explanation reads them; `value` is the vote of each node.

        Their sum is the mean vote.
        """
        is_leaf, nodes = self.is_leaf, self.nodes
        is_category = (nodes["feature"] & CATEGORY) != 0
        is_number = ~is_leaf & ~is_category
        return WeighedTrees(
            begin=self.begin,
            feature=np.where(is_leaf, -1, (nodes["feature"] & COLUMN).astype(np.int32)),
            cut=np.where(is_number, nodes["cut"], 0.0),
            missing_left=~is_leaf & ((nodes["feature"] & MISSING_RIGHT) == 0),
            level_set=np.where(is_category, nodes["cut"], -1.0).astype(np.int32),
            set_begin=LEVEL_BYTES * np.arange(len(self.levels_left) + 1, dtype=np.int64),
            set_bits=self.levels_left.reshape(-1),
            value=np.where(is_leaf, value, 0.0) / len(self),
            zero_is_missing=np.zeros(n_columns, dtype=np.bool_),
            weight=self.counts.sum(axis=1, dtype=np.float64),
        )

    def extended(self, more: "Forest") -> "Forest":
        """Return a forest with the trees of another one behind its own."""
        return self.together([self, more])


def pack(tree: Tree, *, weighted: bool) -> Forest:
    """Return a tree as packed nodes; `weighted` unless every row weighs 1."""
    # Preorder goes from left to right, and so does each depth of it.
    order = np.argsort(tree.node_depth, kind="stable")
    place = np.empty(len(order), dtype=np.uint32)
    place[order] = np.arange(len(order), dtype=np.uint32)
    is_leaf, category = tree.is_leaf[order], tree.category[order]
    is_category = category >= 0
    nodes = np.empty(len(order), NODE)
    nodes["cut"] = np.where(is_leaf, np.inf, tree.cut[order])
    nodes["cut"][is_category] = np.arange(is_category.sum())
    nodes["left"] = np.where(is_leaf, place[order], place[tree.left[order]])
    flags = np.where(is_category, CATEGORY, 0) | np.where(
        tree.missing_left[order], 0, MISSING_RIGHT
    )
    nodes["feature"] = np.where(is_leaf, 0, tree.feature[order].astype(np.uint32) | flags)
    levels = category[is_category]
    return Forest(
        begin=np.array([0, len(order)]),
        nodes=nodes,
        rows=tree.rows[order].astype(np.uint32),
        weight=tree.weight[order] if weighted else None,
        levels_left=tree.levels_left[levels],
        levels_seen=tree.levels_seen[levels],
    )
