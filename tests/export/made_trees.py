"""Trees of shapes that growth on data seldom reaches."""

import numpy as np

from thresher import ImbalancedTreeClassifier
from thresher.tree.structure import Tree


def model_of(tree, n_features=1):
    """Return a fitted model whose tree is replaced."""
    X = np.arange(12.0).reshape(-1, 1).repeat(n_features, axis=1)
    model = ImbalancedTreeClassifier("gini").fit(X, np.arange(12) > 8)
    tree.validate(n_features)
    model.tree_ = model.unpruned_tree_ = tree
    return model


def tree_of(feature, cut, left, right, missing_left):
    """Return a tree of numbers, leaves negative and positive in turn."""
    n = len(feature)
    feature = np.array(feature, dtype=np.int32)
    rows = np.zeros((n, 2), dtype=np.int64)
    places = np.flatnonzero(feature < 0)
    rows[places, np.arange(len(places)) % 2] = 1
    for node in reversed(range(n)):
        if feature[node] >= 0:
            rows[node] = rows[left[node]] + rows[right[node]]
    inner = feature >= 0
    return Tree(
        feature,
        np.where(inner, cut, 0.0),
        np.array(left, dtype=np.int32),
        np.array(right, dtype=np.int32),
        np.array(missing_left, dtype=bool) & inner,
        np.full(n, -1, dtype=np.int32),
        np.zeros((0, 32), dtype=np.uint8),
        np.zeros((0, 32), dtype=np.uint8),
        rows,
        rows.astype(np.float64),
        np.ones(2),
        np.full(n, np.nan),
        np.where(inner, 0.5, 0.0),
        np.where(inner, 0.1, 0.0),
    )


def chain(depth, *, to_left):
    """Return a tree in which one child of every split is a leaf; missing values go to the end."""
    feature, cut, left, right = [], [], [], []
    for level in range(depth):
        node = len(feature)
        feature += [0] if to_left else [0, -1]
        cut += [float(depth - level)] if to_left else [float(level), 0.0]
        left += [node + 1] if to_left else [node + 1, -1]
        right += [2 * depth - level] if to_left else [node + 2, -1]
    feature += [-1] * (depth + 1 if to_left else 1)
    more = len(feature) - len(cut)
    cut, left, right = cut + [0.0] * more, left + [-1] * more, right + [-1] * more
    return model_of(tree_of(feature, cut, left, right, [to_left] * len(feature)))


def balanced(depth, seed=0):
    """Return a complete tree on one column, whose missing values go either way."""
    feature, cut, left, right = [], [], [], []

    def grow(low, high, levels):
        node = len(feature)
        feature.append(0 if levels else -1)
        cut.append((low + high) / 2.0 if levels else 0.0)
        left.append(-1)
        right.append(-1)
        if levels:
            left[node] = grow(low, cut[node], levels - 1)
            right[node] = grow(cut[node], high, levels - 1)
        return node

    grow(0.0, 1.0, depth)
    sides = np.random.default_rng(seed).random(len(feature)) < 0.5
    return model_of(tree_of(feature, cut, left, right, sides))
