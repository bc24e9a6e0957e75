"""Leaf values as whole points, and trees without questions that no longer matter."""

from collections.abc import Sequence

import numpy as np

from thresher.card.lesson import Floats
from thresher.tree.additive import AdditiveTrees
from thresher.tree.plain_tree import PlainTree, put_together

MOST_POINTS = 10
GRID = 2.0**24
"""Values are whole numbers of 1 / GRID, so that their sums are exact in any order."""


def on_points(trees: Sequence[PlainTree]) -> list[PlainTree]:
    """Return trees whose leaves have whole points, the largest -10 or 10.

    Two leaves of one question that get the same points become one, and a tree of one leaf none.
    """
    largest = max((float(np.abs(tree.value).max()) for tree in trees), default=0.0)
    if largest == 0.0:
        return []
    rounded = [_merged(_scaled(tree, MOST_POINTS / largest)) for tree in trees]
    return [tree for tree in rounded if tree.left[0] >= 0]


def on_grid(trees: Sequence[PlainTree]) -> list[PlainTree]:
    """Return trees whose values add up without rounding."""
    return [tree._replace(value=np.rint(tree.value * GRID) / GRID) for tree in trees]


def _scaled(tree: PlainTree, factor: float) -> PlainTree:
    # Adding 0 turns -0 to 0.
    return tree._replace(value=np.rint(tree.value * factor) + 0.0)


def _merged(tree: PlainTree) -> PlainTree:
    left, right, value = tree.left.copy(), tree.right.copy(), tree.value.copy()
    members = dict(tree.members)
    for node in range(len(left) - 1, -1, -1):  # children stand behind their parents
        if left[node] < 0 or left[left[node]] >= 0 or left[right[node]] >= 0:
            continue
        if value[left[node]] == value[right[node]]:
            value[node] = value[left[node]]
            left[node] = right[node] = -1
            members.pop(node, None)
    return tree._replace(left=left, right=right, value=value, members=members)


def added(trees: Sequence[PlainTree], n_columns: int) -> AdditiveTrees:
    """Return the trees as one structure; a leaf of no points where there are none."""
    return put_together(trees or [_LEAF], np.zeros(n_columns, dtype=np.bool_))


def _single(value: float = 0.0) -> PlainTree:
    none = np.array([-1])
    zero: Floats = np.array([value])
    return PlainTree(none, zero, none, none, np.zeros(1, dtype=np.bool_), {}, zero, np.ones(1))


_LEAF = _single()
