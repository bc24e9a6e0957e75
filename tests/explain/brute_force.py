"""Shapley values by their definition: every set of columns, every node. Slow, and plain to read."""

from itertools import combinations
from math import factorial

import numpy as np

from thresher.explain.weighed import WeighedTrees


def random_trees(random, n_trees=1, n_columns=5, max_inner=8, weightless=False):
    """Return random trees: cuts, level sets, learnt sides, and weights that do not add up."""
    parts = [_random_tree(random, n_columns, max_inner, weightless) for _ in range(n_trees)]
    return WeighedTrees.together(parts)


def _random_tree(random, n_columns, max_inner, weightless):
    feature, inner, waiting = [], int(random.integers(0, max_inner + 1)), 1
    while waiting:
        splits = inner > 0 and (waiting == 1 or random.random() < 0.6)
        feature.append(int(random.integers(n_columns)) if splits else -1)
        inner -= splits
        waiting += 1 if splits else -1
    feature = np.array(feature, dtype=np.int32)
    n_nodes, is_inner = len(feature), feature >= 0
    # The last columns are categories.
    by_level = is_inner & (feature >= n_columns - 2)
    sizes = random.integers(0, 3, by_level.sum())
    weight = random.exponential(size=n_nodes) * (random.random(n_nodes) > 0.2 * weightless)
    return WeighedTrees(
        begin=np.array([0, n_nodes]),
        feature=feature,
        cut=np.where(by_level, 0.0, random.integers(-2, 3, n_nodes).astype(float)),
        missing_left=random.random(n_nodes) < 0.5,
        level_set=np.where(by_level, np.cumsum(by_level) - 1, -1).astype(np.int32),
        set_begin=np.cumsum([0, *sizes], dtype=np.int64),
        set_bits=random.integers(0, 256, sizes.sum()).astype(np.uint8),
        value=np.where(is_inner, 0.0, random.normal(size=n_nodes)),
        zero_is_missing=np.zeros(n_columns, dtype=bool),
        weight=weight,
        base=float(random.normal()),
    )


def random_rows(random, n_rows, n_columns=5):
    rows = random.integers(-3, 4, (n_rows, n_columns)).astype(float)
    rows[:, n_columns - 2 :] = random.integers(0, 12, (n_rows, 2))
    rows[random.random(rows.shape) < 0.2] = np.nan
    return rows


def worth(trees, row, known):
    """Return what the trees say where only some columns of a row are known."""
    return trees.base + sum(
        _worth_of_tree(trees, first, last, row, known)
        for first, last in zip(trees.begin[:-1], trees.begin[1:], strict=True)
    )


def _worth_of_tree(trees, first, last, row, known):
    is_inner = trees.feature[first:last] >= 0
    number = np.cumsum(is_inner) - 1

    def at(place):
        node, left = first + place, 2 * number[place] + 1
        if not is_inner[place]:
            return trees.value[node]
        if trees.feature[node] in known:
            return at(left if goes_left(trees, node, row[trees.feature[node]]) else left + 1)
        weights = trees.weight[first + left : first + left + 2]
        shares = weights / weights.sum() if weights.sum() > 0 else (0.5, 0.5)
        return shares[0] * at(left) + shares[1] * at(left + 1)

    return at(0)


def goes_left(trees, node, value):
    if np.isnan(value):
        return trees.missing_left[node]
    number = trees.level_set[node]
    if number < 0:
        return value <= trees.cut[node]
    bits = np.unpackbits(
        trees.set_bits[trees.set_begin[number] : trees.set_begin[number + 1]], bitorder="little"
    )
    return value < len(bits) and bits[int(value)] == 1


def shapley_values(trees, row):
    """Return the Shapley value of each column by its definition, then the base value."""
    n = len(row)
    worths = {frozenset(known): worth(trees, row, known) for known in _subsets(range(n))}
    values = np.zeros(n + 1)
    for i in range(n):
        values[i] = sum(
            factorial(len(known))
            * factorial(n - len(known) - 1)
            / factorial(n)
            * (worths[frozenset({*known, i})] - worths[frozenset(known)])
            for known in _subsets([k for k in range(n) if k != i])
        )
    values[n] = worths[frozenset()]
    return values


def _subsets(items):
    return [known for size in range(len(items) + 1) for known in combinations(items, size)]
