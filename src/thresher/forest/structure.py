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
from thresher.tree.structure import Tree

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
    def from_core(cls, arrays: Mapping[str, NDArray[Any]]) -> Self:
        """Wrap the arrays of `_core.grow_forest`."""
        fields: dict[str, Any] = dict(arrays)
        fields["nodes"] = arrays["nodes"].view(NODE).reshape(-1)
        if not len(arrays["weight"]):
            fields["weight"] = None
        return cls(**fields)

    def __getstate__(self) -> dict[str, Any]:
        """Keep the arrays alone: what was derived from them is derived again."""
        return {name: self.__dict__[name] for name in self.__dataclass_fields__}

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

    def extended(self, more: "Forest") -> "Forest":
        """Return a forest with the trees of another one behind its own."""
        nodes = more.nodes.copy()
        is_category = (nodes["feature"] & CATEGORY) != 0
        nodes["cut"][is_category] += len(self.levels_left)
        weight = None
        if self.weight is not None and more.weight is not None:
            weight = np.concatenate([self.weight, more.weight])
        return Forest(
            begin=np.concatenate([self.begin, self.begin[-1] + more.begin[1:]]),
            nodes=np.concatenate([self.nodes, nodes]),
            rows=np.concatenate([self.rows, more.rows]),
            weight=weight,
            levels_left=np.concatenate([self.levels_left, more.levels_left]),
            levels_seen=np.concatenate([self.levels_seen, more.levels_seen]),
        )
