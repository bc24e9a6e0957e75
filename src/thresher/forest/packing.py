"""A tree in full as a packed forest of one tree: the way back is `Forest.tree`."""

import numpy as np

from thresher.forest.structure import CATEGORY, MISSING_RIGHT, NODE, Forest
from thresher.tree.structure import Tree


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
