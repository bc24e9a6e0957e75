"""What makes the arrays of a tree a tree; model files pass through here before they are used."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

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
    _require(_is_preorder(right.tolist()), "its nodes are not in preorder")
    _require(_depth(right.tolist()) <= MAX_DEPTH, f"it is deeper than {MAX_DEPTH} splits")


def _is_preorder(right: list[int]) -> bool:
    """Whether each right subtree starts where the left one ends."""
    end = list(range(len(right)))
    for node in reversed(range(len(right))):
        if right[node] >= 0:
            if right[node] != end[node + 1] + 1:
                return False
            end[node] = end[right[node]]
    return True


def _depth(right: list[int]) -> int:
    """Return the number of splits on the longest path of a tree in preorder."""
    depth = [0] * len(right)
    for node, child in enumerate(right):
        if child >= 0:
            depth[node + 1] = depth[child] = depth[node] + 1
    return max(depth)


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
