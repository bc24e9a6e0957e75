"""Trees as an explanation reads them: breadth first, with the weights of their nodes."""

import numpy as np
from numpy.typing import NDArray

from thresher.explain.weighed import WeighedTrees
from thresher.tree.structure import Tree

LEVEL_BYTES = 32


def weighed(tree: Tree, value: NDArray[np.float64], n_columns: int) -> WeighedTrees:
    """Return a tree whose nodes weigh the sample weight of their rows; `value`: of each node."""
    # Preorder goes from left to right, and so does each depth of it.
    order = np.argsort(tree.node_depth, kind="stable")
    n_sets = len(tree.levels_left)
    return WeighedTrees(
        begin=np.array([0, tree.n_nodes], dtype=np.int64),
        feature=tree.feature[order],
        cut=tree.cut[order],
        missing_left=tree.missing_left[order],
        level_set=tree.category[order],
        set_begin=LEVEL_BYTES * np.arange(n_sets + 1, dtype=np.int64),
        set_bits=tree.levels_left.reshape(-1),
        value=np.where(tree.is_leaf, value, 0.0)[order],
        zero_is_missing=np.zeros(n_columns, dtype=np.bool_),
        weight=tree.weight.sum(axis=1)[order],
    )
