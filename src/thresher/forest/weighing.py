"""A forest as an explanation reads it: the mean of its trees, with the weights of their nodes."""

import numpy as np
from numpy.typing import NDArray

from thresher.explain.weighed import WeighedTrees
from thresher.forest.structure import CATEGORY, COLUMN, MISSING_RIGHT, Forest
from thresher.tree.weighing import LEVEL_BYTES


def weighed(forest: Forest, value: NDArray[np.float64], n_columns: int) -> WeighedTrees:
    """Return the trees whose sum is the mean vote; `value`: the vote of each node."""
    is_leaf, nodes = forest.is_leaf, forest.nodes
    is_category = (nodes["feature"] & CATEGORY) != 0
    is_number = ~is_leaf & ~is_category
    n_sets = len(forest.levels_left)
    return WeighedTrees(
        begin=forest.begin,
        feature=np.where(is_leaf, -1, (nodes["feature"] & COLUMN).astype(np.int32)),
        cut=np.where(is_number, nodes["cut"], 0.0),
        missing_left=~is_leaf & ((nodes["feature"] & MISSING_RIGHT) == 0),
        level_set=np.where(is_category, nodes["cut"], -1.0).astype(np.int32),
        set_begin=LEVEL_BYTES * np.arange(n_sets + 1, dtype=np.int64),
        set_bits=forest.levels_left.reshape(-1),
        value=np.where(is_leaf, value, 0.0) / len(forest),
        zero_is_missing=np.zeros(n_columns, dtype=np.bool_),
        weight=forest.counts.sum(axis=1, dtype=np.float64),
    )
