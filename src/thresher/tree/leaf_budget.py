"""The best subtree of at most so many leaves, by dynamic programming instead of greedy growth.

A leaf that alerts adds 2 * positives - F * rows to the objective, one that stays silent nothing:
the largest sum is that of the best F1 where F is that F1 itself (Dinkelbach), found by iteration.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from thresher.tree.structure import Tree

ROUNDS = 20
"""Most steps of Dinkelbach's iteration; it converges faster than Newton's and ends in a few."""


class Budgeted(NamedTuple):
    """A subtree, and the threshold on the share of positives above which its leaves alert."""

    tree: Tree
    threshold: float


def best_subtree(tree: Tree, max_leaf_nodes: int) -> Budgeted:
    """Return the subtree with the largest F1 on the rows that the tree was grown on.

    Examples
    --------
    >>> from thresher import ImbalancedTreeClassifier
    >>> X, y = [[float(i)] for i in range(8)], [0, 1, 0, 0, 0, 1, 1, 1]
    >>> model = ImbalancedTreeClassifier(min_samples_leaf=1, pruning=None).fit(X, y)
    >>> small = best_subtree(model.tree_, max_leaf_nodes=2)
    >>> small.tree.n_leaves, small.tree.cut[0].item()
    (2, 4.5)
    """
    negative, positive = tree.weight.T
    if positive[0] == 0.0:  # nothing to find: one silent leaf
        return Budgeted(tree.collapsed([0]), 0.5)
    f1 = 0.0
    for _ in range(ROUNDS):
        value = np.maximum(0.0, 2.0 * positive - f1 * (negative + positive))
        leaves = _best_leaves(tree, value, max_leaf_nodes)
        alerts = leaves[value[leaves] > 0.0]
        alerted = float((negative + positive)[alerts].sum())
        better = 2.0 * float(positive[alerts].sum()) / (alerted + float(positive[0]))
        if better <= f1:
            break
        f1 = better
    return Budgeted(tree.collapsed(leaves.tolist()), 0.5 * f1)


def _best_leaves(tree: Tree, value: NDArray[np.float64], budget: int) -> NDArray[np.intp]:
    """Return the leaves of the subtree with the largest sum of values.

    `best[node, k]` is the largest sum below a node with k + 1 leaves, `on_left[node, k]` how
    many of them, less one, lie on its left.
    """
    best = np.full((tree.n_nodes, budget), -np.inf)
    best[:, 0] = value
    on_left = np.zeros((tree.n_nodes, budget), dtype=np.intp)
    # Leaves left of the cut plus leaves right of it make k + 1: right = k - 1 - left, as indices.
    right_of = np.arange(budget)[None, :] - 1 - np.arange(budget)[:, None]
    possible = right_of >= 0
    for node in np.flatnonzero(tree.left >= 0)[::-1]:
        left, right = best[tree.left[node]], best[tree.right[node]]
        sums = np.where(possible, left[:, None] + right[np.maximum(right_of, 0)], -np.inf)
        on_left[node] = sums.argmax(axis=0)
        best[node, 1:] = sums.max(axis=0)[1:]
    return _leaves_of(tree, on_left, int(best[0].argmax()))


def _leaves_of(tree: Tree, on_left: NDArray[np.intp], more: int) -> NDArray[np.intp]:
    """Follow the choices from the root down; `more` is the number of leaves less one."""
    leaves, stack = [], [(0, more)]
    while stack:
        node, more = stack.pop()
        if more == 0:
            leaves.append(node)
            continue
        left = int(on_left[node, more])
        stack += [(int(tree.left[node]), left), (int(tree.right[node]), more - 1 - left)]
    return np.array(sorted(leaves), dtype=np.intp)
