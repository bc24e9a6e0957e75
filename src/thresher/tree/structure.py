"""A fitted tree as a struct of arrays; everything else writes it or reads it.

Nodes stand in depth-first preorder: the root is node 0, a left child follows its parent, and
the subtree of a node is one contiguous range.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from hashlib import sha256
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from thresher import _core
from thresher.explain.weighed import WeighedTrees
from thresher.tree.pruning import Metric, metric_function, nodes_to_collapse

Arrays = Mapping[str, NDArray[Any]]

# Type and shape of each array; "n" stands for the number of nodes, "k" for that of category splits.
LAYOUT: dict[str, tuple[type, tuple[str | int, ...]]] = {
    "feature": (np.int32, ("n",)),
    "cut": (np.float64, ("n",)),
    "left": (np.int32, ("n",)),
    "right": (np.int32, ("n",)),
    "missing_left": (np.bool_, ("n",)),
    "category": (np.int32, ("n",)),
    "levels_left": (np.uint8, ("k", 32)),
    "levels_seen": (np.uint8, ("k", 32)),
    "rows": (np.int64, ("n", 2)),
    "weight": (np.float64, ("n", 2)),
    "class_weight": (np.float64, (2,)),
    "alpha": (np.float64, ("n",)),
    "impurity": (np.float64, ("n",)),
    "gain": (np.float64, ("n",)),
}


MAX_DEPTH = 65_536
"""Most splits on a path: whoever walks a tree step by step may rely on it."""


def check_sound(arrays: Arrays, n_features: int | None = None) -> None:
    """Raise a ValueError of one sentence unless the arrays are a sound tree in preorder."""
    _check_layout(arrays)
    _check_values(arrays, n_features)
    _check_children(arrays)
    _check_categories(arrays)
    _check_sums(arrays)


def _require(condition: Any, sentence: str) -> None:
    if not condition:
        raise ValueError(f"This is not a sound tree: {sentence}.")


def _check_layout(arrays: Arrays) -> None:
    size = {"n": len(arrays["feature"]), "k": len(arrays["levels_left"])}
    _require(size["n"] > 0, "it has no nodes")
    for name, (dtype, shape) in LAYOUT.items():
        values = arrays[name]
        wanted = tuple(size[part] if isinstance(part, str) else part for part in shape)
        _require(values.dtype == dtype, f"{name} is not of type {np.dtype(dtype)}")
        _require(values.shape == wanted, f"{name} has the shape {values.shape}, not {wanted}")


def _check_values(arrays: Arrays, n_features: int | None) -> None:
    feature, alpha = arrays["feature"], arrays["alpha"]
    _require((feature >= -1).all(), "feature has a number below -1")
    if n_features is not None:
        _require((feature < n_features).all(), f"feature exceeds the {n_features} columns")
    for name in ("cut", "weight", "class_weight", "impurity", "gain"):
        _require(np.isfinite(arrays[name]).all(), f"{name} has a number that is not finite")
    _require((arrays["rows"] >= 0).all(), "rows has a negative count")
    _require((arrays["weight"] >= 0).all(), "weight has a negative number")
    _require((arrays["weight"].sum(axis=1) > 0).all(), "a node has no weight")
    _require((arrays["class_weight"] > 0).all(), "class_weight is not positive")
    _require((np.isnan(alpha) | (alpha >= 0)).all(), "alpha has a negative number")
    _require(not np.isinf(alpha).any(), "alpha has an infinite number")


def _check_children(arrays: Arrays) -> None:
    left, right = arrays["left"].astype(np.int64), arrays["right"].astype(np.int64)
    n_nodes, node = len(left), np.arange(len(left))
    inner = arrays["feature"] >= 0
    _require(((left == -1) & (right == -1))[~inner].all(), "a leaf has a child")
    _require((left == node + 1)[inner].all(), "a left child does not follow its parent")
    _require(((right > left) & (right < n_nodes))[inner].all(), "a right child is out of order")
    children = np.concatenate([left[inner], right[inner]])
    once = np.bincount(children, minlength=n_nodes)[1:] == 1
    _require(once.all(), "a node is not the child of exactly one node")
    # Each right subtree starts where the left one ends.
    end, seconds = list(range(n_nodes)), right.tolist()
    for parent in reversed(range(n_nodes)):
        if seconds[parent] >= 0:
            _require(seconds[parent] == end[parent + 1] + 1, "its nodes are not in preorder")
            end[parent] = end[seconds[parent]]
    depth = [0] * n_nodes
    for parent, child in enumerate(seconds):
        if child >= 0:
            depth[parent + 1] = depth[child] = depth[parent] + 1
    _require(max(depth) <= MAX_DEPTH, f"it is deeper than {MAX_DEPTH} splits")


def _check_categories(arrays: Arrays) -> None:
    category, n_splits = arrays["category"], len(arrays["levels_left"])
    asked = category[category != -1]
    _require(((asked >= 0) & (asked < n_splits)).all(), "category points outside levels_left")
    _require((arrays["feature"][category >= 0] >= 0).all(), "a leaf has a category split")
    used_once = len(asked) == n_splits and len(np.unique(asked)) == n_splits
    _require(used_once, "a row of levels_left does not belong to exactly one node")


def _check_sums(arrays: Arrays) -> None:
    inner = arrays["feature"] >= 0
    left, right = arrays["left"][inner], arrays["right"][inner]
    rows, weight = arrays["rows"], arrays["weight"]
    _require((rows[left] + rows[right] == rows[inner]).all(), "rows of children do not add up")
    sums = weight[left] + weight[right]
    close = np.isclose(sums, weight[inner], rtol=1e-9, atol=1e-9 * weight[0].sum())
    _require(close.all(), "weights of children do not add up")


AT_LEAVES = {"feature": -1, "cut": 0.0, "missing_left": False, "category": -1, "gain": 0.0}
"""What leaves hold in the arrays that describe a split."""

LEVEL_BYTES = 32
"""Of the set of levels that go left at a split."""

BY_NODE = (*AT_LEAVES, "left", "right", "rows", "weight", "alpha", "impurity")
"""The arrays with one entry a node."""


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

    @property
    def subtree_end(self) -> NDArray[np.int32]:
        """Last node of each node's subtree, so that the subtree of i is i..subtree_end[i]."""
        return np.array(self._ends(), dtype=np.int32)

    def _ends(self) -> list[int]:
        end = list(range(self.n_nodes))
        right = self.right.tolist()
        for node in reversed(range(len(end))):
            if right[node] >= 0:
                end[node] = end[right[node]]
        return end

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
        return self._router.leaves(X, n_threads)

    def node_counts(
        self,
        X: NDArray[Any],
        is_positive: NDArray[np.uint8],
        weights: NDArray[np.float64] | None = None,
        n_threads: int = 1,
    ) -> NDArray[np.float64]:
        """Route rows through the tree and return the (negative, positive) weight at each node."""
        leaves = self.leaves(X, n_threads)
        weights = np.ones(len(leaves)) if weights is None else weights
        by_class = [
            np.bincount(leaves, weights * (is_positive == label), minlength=self.n_nodes)
            for label in (0, 1)
        ]
        # A subtree is a range of nodes, so its counts are a difference of running sums.
        running = np.vstack([np.zeros(2), np.cumsum(by_class, axis=1).T])
        return running[self.subtree_end + 1] - running[: self.n_nodes]

    def decision_path(self, leaves: NDArray[np.int32]) -> csr_matrix:
        """Return an indicator matrix (rows, nodes) of the nodes on the way to each row's leaf."""
        asked, place = np.unique(leaves, return_inverse=True)
        paths = []
        for node in asked.tolist():
            path = [node]
            while (node := int(self.parent[node])) >= 0:
                path.append(node)
            paths.append(np.array(path[::-1]))
        ends = np.cumsum([0, *(len(path) for path in paths)])
        nodes = np.concatenate([*paths, np.empty(0, dtype=np.int64)])
        ones = np.ones(len(nodes), dtype=np.int64)
        return csr_matrix((ones, nodes, ends), shape=(len(asked), self.n_nodes))[place]

    def importances(self, n_features: int) -> NDArray[np.float64]:
        """Sum of weighted gains per feature, as shares of their total (all 0 without a split)."""
        inner = self.feature >= 0
        weight = (self.weight[inner] * self.class_weight).sum(axis=1)
        total = np.bincount(self.feature[inner], weight * self.gain[inner], minlength=n_features)
        return total / (total.sum() or 1.0)

    def weighed(self, value: NDArray[np.float64], n_columns: int) -> WeighedTrees:
        """Return the tree as an explanation reads it: breadth first, nodes with their weights.

        `value` is what each node says, `n_columns` the number of columns.
        """
        # Preorder goes from left to right, and so does each depth of it.
        order = np.argsort(self.node_depth, kind="stable")
        return WeighedTrees(
            begin=np.array([0, self.n_nodes], dtype=np.int64),
            feature=self.feature[order],
            cut=self.cut[order],
            missing_left=self.missing_left[order],
            level_set=self.category[order],
            set_begin=LEVEL_BYTES * np.arange(len(self.levels_left) + 1, dtype=np.int64),
            set_bits=self.levels_left.reshape(-1),
            value=np.where(self.is_leaf, value, 0.0)[order],
            zero_is_missing=np.zeros(n_columns, dtype=np.bool_),
            weight=self.weight.sum(axis=1)[order],
        )

    def collapsed(self, nodes: Iterable[int]) -> "Tree":
        """Return the tree in which these nodes are leaves."""
        leaves = {node for node in nodes if self.feature[node] >= 0}
        if not leaves:
            return self
        end, node, staying = self._ends(), 0, []  # nodes that stay, in preorder
        while node < len(end):
            staying.append(node)
            node = end[node] + 1 if node in leaves else node + 1
        kept = np.array(staying)
        closed = np.array([place for place, node in enumerate(staying) if node in leaves])
        # Where a node goes; -1 if it goes away, and at the end for the "no child" of old leaves.
        place = np.empty(self.n_nodes + 1, dtype=np.int32)
        place.fill(-1)
        place[kept] = np.arange(len(staying), dtype=np.int32)
        arrays = {name: getattr(self, name).take(kept, axis=0) for name in BY_NODE}
        for name, value in AT_LEAVES.items():
            arrays[name][closed] = value
        arrays["left"], arrays["right"] = place[arrays["left"]], place[arrays["right"]]
        # The level sets that are still asked for, numbered anew in place.
        category = arrays["category"]
        asked = np.flatnonzero(category >= 0)
        used = category[asked]
        category[asked] = np.arange(len(used), dtype=np.int32)
        arrays["levels_left"] = self.levels_left[used]
        arrays["levels_seen"] = self.levels_seen[used]
        return Tree.from_core(arrays | {"class_weight": self.class_weight})

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
