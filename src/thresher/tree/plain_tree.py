"""A tree as plain arrays, in any order of nodes; several put together to be added up."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from thresher.tree.additive import AdditiveTrees


class PlainTree(NamedTuple):
    """One tree; node 0 is the root.

    Attributes
    ----------
    feature : column that a node asks about; anything at leaves.
    cut : a number goes left if and only if it is at most this.
    left, right : children, below 0 at leaves.
    missing_left : whether NaN goes left.
    members : the levels that go left at each node that asks for levels.
    value : what leaves add.
    weight : of the training rows of each node.
    """

    feature: NDArray[Any]
    cut: NDArray[np.float64]
    left: NDArray[Any]
    right: NDArray[Any]
    missing_left: NDArray[np.bool_]
    members: Mapping[int, Sequence[int]]
    value: NDArray[np.float64]
    weight: NDArray[np.float64]


def put_together(
    trees: Sequence[PlainTree], zero_is_missing: NDArray[np.bool_], **scoring: Any
) -> AdditiveTrees:
    """Return the trees as one structure; `scoring` are its fields from `base` on."""
    orders = [_breadth_first(tree) for tree in trees]
    pairs = [*zip(trees, orders, strict=True)]
    is_leaf = np.concatenate([tree.left[order] < 0 for tree, order in pairs])
    sets: list[NDArray[np.uint8]] = []
    level_set = [_level_sets(tree, order, sets) for tree, order in pairs]

    def joined(name: str, at_leaves: float, dtype: Any) -> Any:
        values = np.concatenate([getattr(tree, name)[order] for tree, order in pairs])
        return np.where(is_leaf, at_leaves, values).astype(dtype)

    return AdditiveTrees(
        begin=np.cumsum([0, *map(len, orders)], dtype=np.int64),
        feature=joined("feature", -1, np.int32),
        cut=joined("cut", 0.0, np.float64),
        missing_left=joined("missing_left", 0, np.bool_),
        level_set=np.concatenate(level_set),
        set_begin=np.cumsum([0, *map(len, sets)], dtype=np.int64),
        set_bits=np.concatenate([np.empty(0, dtype=np.uint8), *sets]),
        value=np.where(is_leaf, np.concatenate([t.value[order] for t, order in pairs]), 0.0),
        zero_is_missing=zero_is_missing,
        weight=np.concatenate([tree.weight[order] for tree, order in pairs]).astype(np.float64),
        **scoring,
    )


def _breadth_first(tree: PlainTree) -> NDArray[np.intp]:
    """Return the nodes level by level, the children of a node side by side."""
    level = np.zeros(1, dtype=np.intp)
    found = [level]
    while len(level):
        inner = level[tree.left[level] >= 0]
        level = np.stack([tree.left[inner], tree.right[inner]], axis=1).ravel().astype(np.intp)
        found.append(level)
    return np.concatenate(found)


def _level_sets(
    tree: PlainTree, order: NDArray[np.intp], sets: list[NDArray[np.uint8]]
) -> NDArray[np.int32]:
    """Add the sets of a tree; return the number of its set for each node, -1 for others."""
    found = np.full(len(order), -1, dtype=np.int32)
    if tree.members:
        for place, node in enumerate(order.tolist()):
            if node in tree.members:
                found[place] = len(sets)
                sets.append(_bits(tree.members[node]))
    return found


def _bits(members: Sequence[int]) -> NDArray[np.uint8]:
    is_member = np.zeros(max(members, default=-1) + 1, dtype=np.uint8)
    is_member[list(members)] = 1
    return np.packbits(is_member, bitorder="little")
