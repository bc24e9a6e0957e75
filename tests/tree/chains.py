"""Trees that are chains: as deep as a tree of so many nodes can be."""

import numpy as np
import pandas as pd

from thresher import ImbalancedTreeClassifier
from thresher.tree.structure import Tree


def chain(depth, n_columns=3):
    """Return a tree of so many splits, one below the left side of the other."""
    n_nodes, inner = 2 * depth + 1, np.arange(depth)
    feature = np.full(n_nodes, -1, dtype=np.int32)
    feature[:depth] = inner % n_columns
    cut = np.zeros(n_nodes)
    cut[:depth] = depth - inner
    left, right = feature.copy(), feature.copy()
    left[:depth], right[:depth] = inner + 1, n_nodes - 1 - inner
    rows = np.ones((n_nodes, 2), dtype=np.int64)
    rows[depth:, 1] = 2
    rows[: depth + 1] = np.cumsum(rows[depth:], axis=0)[::-1]
    no_levels = np.zeros((0, 32), dtype=np.uint8)
    return Tree(
        feature=feature,
        cut=cut,
        left=left,
        right=right,
        missing_left=np.ones(n_nodes, dtype=bool),
        category=np.full(n_nodes, -1, dtype=np.int32),
        levels_left=no_levels,
        levels_seen=no_levels,
        rows=rows,
        weight=rows.astype(np.float64),
        class_weight=np.ones(2),
        alpha=np.full(n_nodes, np.nan),
        impurity=np.zeros(n_nodes),
        gain=np.zeros(n_nodes),
    )


def chain_model(depth, n_columns=3):
    """Return a fitted model whose tree is a chain; its columns are c0, c1, ..."""
    names = [f"c{place}" for place in range(n_columns)]
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(60, n_columns)), columns=names)
    model = ImbalancedTreeClassifier(max_depth=1, pruning=None, pos_label=1)
    model.fit(X, (X["c0"] > 0.8).astype(int))
    model.tree_ = model.unpruned_tree_ = chain(depth, n_columns)
    model.tree_.validate(n_columns)
    return model
