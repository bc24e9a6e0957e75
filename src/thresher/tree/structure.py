"""A fitted tree as a struct of arrays; everything else writes it or reads it.

Nodes stand in depth-first preorder: the root is node 0, a left child follows its parent, and
the subtree of a node is one contiguous range.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from hashlib import sha256
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from thresher import _core
from thresher.tree.collapse import Metric, metric_function, nodes_to_collapse
from thresher.tree.soundness import check_sound


@dataclass(frozen=True, eq=False)
class Tree:
    """A binary classification tree; class 1 is the positive one.

    Attributes
    ----------
    feature : column that an inner node asks about, -1 at leaves.
    cut : a row goes left if and only if its value is at most this; 0 at leaves and category splits.
        A split "missing against present" has the largest float64, with missing values on the right.
    left, right : child nodes, -1 at leaves.
    missing_left : whether a missing value goes left.
    category : row of `levels_left` and `levels_seen`, -1 where the node asks no category column.
    levels_left : a bit per level, set where the level goes left (32 bytes a split).
    levels_seen : a bit per level, set where the node saw the level in training.
    rows : number of training rows, (negative, positive).
    weight : the same in units of sample weight, without class weights.
    class_weight : factors of the two classes, (negative, positive).
    alpha : Renyi order alpha* of the node, NaN for other criteria.
    impurity : impurity of the node.
    gain : impurity decrease of the split, 0 at leaves.
    """

    feature: NDArray[np.int32]
    cut: NDArray[np.float64]
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    missing_left: NDArray[np.bool_]
    category: NDArray[np.int32]
    levels_left: NDArray[np.uint8]
    levels_seen: NDArray[np.uint8]
    rows: NDArray[np.int64]
    weight: NDArray[np.float64]
    class_weight: NDArray[np.float64]
    alpha: NDArray[np.float64]
    impurity: NDArray[np.float64]
    gain: NDArray[np.float64]

    @classmethod
    def from_core(cls, arrays: Mapping[str, NDArray[Any]]) -> Self:
        """Wrap the arrays of `_core.grow` as they are."""
        tree = object.__new__(cls)
        tree.__dict__.update(arrays)
        return tree

    def __getstate__(self) -> dict[str, NDArray[Any]]:
        """Keep the arrays alone: what was derived from them is derived again."""
        return self.arrays()

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays by name, in the order of the class."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def digest(self) -> str:
        """SHA-256 of all arrays: equal if and only if two trees are equal byte for byte."""
        result = sha256()
        for name, values in self.arrays().items():
            result.update(f"{name}:{values.dtype.str}:{values.shape};".encode())
            result.update(np.ascontiguousarray(values).tobytes())
        return result.hexdigest()

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return len(self.feature)

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return (self.n_nodes + 1) // 2

    @property
    def is_leaf(self) -> NDArray[np.bool_]:
        """Whether each node is a leaf."""
        return self.feature < 0

    @cached_property
    def probability(self) -> NDArray[np.float64]:
        """Share of positives at each node, in units of sample weight times class weight."""
        weighted = self.weight * self.class_weight
        return weighted[:, 1] / (weighted[:, 0] + weighted[:, 1])

    @cached_property
    def parent(self) -> NDArray[np.int32]:
        """Parent of each node, -1 at the root."""
        parent = np.full(self.n_nodes, -1, dtype=np.int32)
        inner = np.flatnonzero(self.feature >= 0)
        parent[self.left[inner]] = inner
        parent[self.right[inner]] = inner
        return parent

    @cached_property
    def subtree_end(self) -> NDArray[np.int32]:
        """Last node of each node's subtree, so that the subtree of i is i..subtree_end[i]."""
        right = self.right.tolist()
        end = list(range(self.n_nodes))
        for node in reversed(end):
            if right[node] >= 0:
                end[node] = end[right[node]]
        return np.array(end, dtype=np.int32)

    @cached_property
    def node_depth(self) -> NDArray[np.int32]:
        """Number of splits above each node."""
        depth = [0] * self.n_nodes
        for node, parent in enumerate(self.parent.tolist()):
            if parent >= 0:
                depth[node] = depth[parent] + 1
        return np.array(depth, dtype=np.int32)

    @property
    def depth(self) -> int:
        """Number of splits on the longest path."""
        return int(self.node_depth.max())

    @cached_property
    def _router(self) -> _core.Router:
        return _core.Router(
            self.feature,
            self.cut,
            self.left,
            self.right,
            self.missing_left,
            self.category,
            self.levels_left,
        )

    def leaves(self, X: NDArray[Any], n_threads: int = 1) -> NDArray[np.int32]:
        """Return the leaf that each row of a float matrix falls into."""
        leaves: NDArray[np.int32] = self._router.leaves(X, n_threads)
        return leaves

    def decision_path(self, X: NDArray[Any], n_threads: int = 1) -> csr_matrix:
        """Return an indicator matrix (rows, nodes) of the nodes that each row passes."""
        return self._paths[self.leaves(X, n_threads)]

    @cached_property
    def _paths(self) -> csr_matrix:
        """Nodes from the root to each node, as an indicator matrix (nodes, nodes)."""
        paths: list[list[int]] = []
        for node, parent in enumerate(self.parent.tolist()):
            paths.append([*paths[parent], node] if parent >= 0 else [node])
        indptr = np.concatenate([[0], np.cumsum(self.node_depth + 1)])
        indices = np.concatenate([np.array(path) for path in paths])
        ones = np.ones(len(indices), dtype=np.int64)
        return csr_matrix((ones, indices, indptr), shape=(self.n_nodes, self.n_nodes))

    def importances(self, n_features: int) -> NDArray[np.float64]:
        """Sum of weighted gains per feature, as shares of their total (all 0 without a split)."""
        inner = self.feature >= 0
        weight = (self.weight[inner] * self.class_weight).sum(axis=1)
        total = np.bincount(self.feature[inner], weight * self.gain[inner], minlength=n_features)
        return total / (total.sum() or 1.0)

    def collapsed(self, nodes: Sequence[int]) -> "Tree":
        """Return the tree in which these nodes are leaves."""
        nodes = [node for node in nodes if self.feature[node] >= 0]
        if not nodes:
            return self
        kept = self._kept(nodes)
        arrays = {
            name: values[kept]
            for name, values in self.arrays().items()
            if name not in ("class_weight", "levels_left", "levels_seen")
        }
        position = np.cumsum(kept, dtype=np.int32) - 1
        leaf = np.zeros(self.n_nodes, dtype=np.bool_)
        leaf[nodes] = True
        leaf = leaf[kept]
        inner = (arrays["feature"] >= 0) & ~leaf
        for side in ("left", "right"):
            arrays[side] = np.where(inner, position[arrays[side]], np.int32(-1))
        for name, value in (("feature", -1), ("category", -1), ("cut", 0.0), ("gain", 0.0)):
            arrays[name][leaf] = value
        arrays["missing_left"][leaf] = False
        split = arrays["category"] >= 0
        used = arrays["category"][split]
        arrays["category"][split] = np.arange(len(used), dtype=np.int32)
        arrays["levels_left"], arrays["levels_seen"] = (
            self.levels_left[used],
            self.levels_seen[used],
        )
        return Tree(class_weight=self.class_weight, **arrays)

    def _kept(self, leaves: Sequence[int]) -> NDArray[np.bool_]:
        """Whether each node stays once the given nodes are leaves."""
        entered = np.zeros(self.n_nodes + 1, dtype=np.int32)
        start = np.array(leaves)
        np.add.at(entered, start + 1, 1)
        np.add.at(entered, self.subtree_end[start] + 1, -1)
        return np.cumsum(entered[:-1]) == 0

    def pruned(
        self,
        metric: str | Metric = "bcr",
        threshold: float = 0.5,
        counts: NDArray[Any] | None = None,
    ) -> "Tree":
        """Return a new tree, pruned in post-order while the metric of the whole does not fall.

        Parameters
        ----------
        metric : {"bcr", "gmean", "error", "f1", "cost"} or function of (tn, fp, fn, tp)
            Larger is better. "error" counts correct rows; "cost" takes the costs that
            `threshold` implies (a false alarm `threshold`, a miss `1 - threshold`).
        threshold : float, default=0.5
            A leaf says "positive" if and only if its training probability is above it.
        counts : array of shape (n_nodes, 2), default=None
            (negative, positive) counts of each node; the sample weights of training by default.
        """
        # Plain Python numbers: a NumPy call for each node would cost more than the whole walk.
        negatives, positives = (self.weight if counts is None else counts).T.tolist()
        return self.collapsed(
            nodes_to_collapse(
                self.left.tolist(),
                self.right.tolist(),
                (self.probability > threshold).tolist(),
                negatives,
                positives,
                metric_function(metric, threshold),
            )
        )

    def validate(self, n_features: int | None = None) -> None:
        """Raise a ValueError unless the arrays are a sound tree."""
        check_sound(self.arrays(), n_features)
