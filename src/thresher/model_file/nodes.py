"""Nodes of trees and forests from outside: checks that a sound shape alone does not give."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.column import MAX_LEVELS
from thresher.forest.structure import CATEGORY, COLUMN, MISSING_RIGHT, NODE, Forest
from thresher.matrix import Columns
from thresher.model_file.fields import Record, require
from thresher.tree.structure import LAYOUT, Tree

LARGEST = 1e100
"""Weights and factors beyond this, or below its inverse, overflow when they are multiplied."""


def check_scale(weight: NDArray[Any], factors: Sequence[float]) -> None:
    """Raise where weights times the factors of the classes are out of range."""
    in_range = all(1.0 / LARGEST <= factor <= LARGEST for factor in factors)
    require(in_range, "the class weights are out of range")
    require(weight.max() <= LARGEST, "the weights of rows are out of range")


def tree_from(record: Record, columns: Columns) -> Tree:
    """Return a tree after all checks."""
    tree = Tree(
        **{
            name: record.array(name, "bifu", (None,) * len(shape))
            for name, (_, shape) in LAYOUT.items()
        }
    )
    tree.validate(columns.width)
    check_scale(tree.weight, tree.class_weight.tolist())
    require(np.isfinite(tree.probability).all(), "the weights of a tree are out of range")
    importances = tree.importances(columns.width)
    require(np.isfinite(importances).all(), "the gains of a tree are out of range")
    # Below the root there may be none: a tree that imitates a forest knows made rows as well.
    require((tree.rows[0] > 0).all(), "the root has no rows of a class")
    asked = tree.category[tree.category >= 0]
    require((asked == np.arange(len(asked))).all(), "the category splits are not in order")
    check_splits(tree.feature, tree.category >= 0, columns)
    check_levels(tree.levels_left, tree.levels_seen, tree.feature[tree.category >= 0], columns)
    return tree


def check_splits(feature: NDArray[Any], by_level: NDArray[np.bool_], columns: Columns) -> None:
    """Raise where a split asks a column of numbers for levels, or the other way round."""
    inner = feature >= 0
    asked = columns.is_category[feature[inner]] == 1
    require((asked == by_level[inner]).all(), "a split does not fit the type of its column")


LEVELS = np.packbits(np.tri(257, 256, -1, dtype=np.uint8), axis=1, bitorder="little")
"""Row n has the bits of the first n levels."""


def check_levels(
    left: NDArray[np.uint8], seen: NDArray[np.uint8], feature: NDArray[Any], columns: Columns
) -> None:
    """Raise unless levels that a node has not seen all go to one side, and none is made up."""
    if not len(left):
        return
    known = LEVELS[np.array([len(levels or ()) for levels in columns.wide_levels])][feature]
    require(not (seen & ~known).any(), "a split has seen an unknown level")
    require(not (left & ~LEVELS[MAX_LEVELS]).any(), "a split knows too many levels")
    others = LEVELS[MAX_LEVELS] & ~seen
    some = (left & others).any(axis=1)
    every = ((left & others) == others).all(axis=1)
    require((some <= every).all(), "a split deals the levels that it has not seen to both sides")


# ------------------------------------------------------------------------- packed nodes of a forest
# Breadth first, the children of the k-th inner node of a tree are its nodes 2k + 1 and 2k + 2, and
# category splits are numbered in the order of nodes: neither is written down.


def describe_nodes(forest: Forest) -> dict[str, Any]:
    """Return the arrays that `nodes_from` makes the forest of."""
    is_inner = ~forest.is_leaf
    inner = forest.nodes[is_inner]
    is_category = (inner["feature"] & CATEGORY) != 0
    feature = np.full(len(is_inner), -1, dtype=np.int64)
    feature[is_inner] = inner["feature"] & COLUMN
    return {
        "begin": forest.begin,
        "feature": narrow(feature),
        "cut": inner["cut"][~is_category],
        "missing_left": (inner["feature"] & MISSING_RIGHT) == 0,
        "rows": narrow(forest.rows),
        "weight": forest.weight,
        "levels_left": forest.levels_left,
        "levels_seen": forest.levels_seen,
    }


def narrow(values: NDArray[Any]) -> NDArray[Any]:
    """Return integers in the narrowest type that holds them all.

    >>> narrow(np.array([-1, 200])).dtype, narrow(np.array([0, 200])).dtype
    (dtype('int16'), dtype('uint8'))
    """
    low, high = (int(values.min()), int(values.max())) if values.size else (0, 0)
    names = ("int8", "int16", "int32") if low < 0 else ("uint8", "uint16", "uint32")
    for name in names:
        if np.iinfo(name).min <= low and high <= np.iinfo(name).max:
            return values.astype(name)
    return values.astype(np.int64)


def nodes_from(record: Record, columns: Columns) -> Forest:
    """Return the forest after all checks."""
    feature = _features(record, columns)
    begin, n_nodes, is_inner = _begin(record, len(feature)), len(feature), feature >= 0
    asked = feature[is_inner]
    is_category = columns.is_category[asked] == 1
    seen = record.array("levels_seen", "u", (int(is_category.sum()), 32))
    left = record.array("levels_left", "u", seen.shape)
    require(left.dtype == seen.dtype == np.uint8, "the levels of the forest are not bits")
    check_levels(left, seen, asked[is_category], columns)
    nodes = np.empty(n_nodes, dtype=NODE)
    nodes["left"] = _left(begin, is_inner)
    nodes["feature"], nodes["cut"] = 0, np.inf
    nodes["feature"][is_inner] = _flagged(record, asked, is_category)
    nodes["cut"][is_inner] = _cuts(record, is_category)
    rows = record.array("rows", "u", (n_nodes, 2)).astype(np.uint32)
    weight = record.floats("weight", (n_nodes, 2)) if record.has("weight") else None
    forest = Forest(begin, nodes, rows, weight, left, seen)
    # The compiled reader checks that the nodes are trees; only then do they have children.
    _ = forest.voters
    _check_counts(forest, is_inner)
    return forest


def _features(record: Record, columns: Columns) -> NDArray[np.int64]:
    feature = record.array("feature", "i", (None,)).astype(np.int64)
    in_range = ((feature >= -1) & (feature < columns.width)).all()
    require(in_range, "the forest asks for a column that it does not have")
    return feature


def _begin(record: Record, n_nodes: int) -> NDArray[np.int64]:
    begin = record.array("begin", "i", (None,)).astype(np.int64)
    in_order = len(begin) > 1 and begin[0] == 0 and begin[-1] == n_nodes
    require(in_order and (np.diff(begin) > 0).all(), "the trees of the forest are out of order")
    return begin


def _left(begin: NDArray[np.int64], is_inner: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the left child of each node, counted within its tree; of leaves: themselves."""
    sizes = np.diff(begin)
    inner_before: NDArray[np.int64] = np.cumsum(is_inner) - is_inner
    rank: NDArray[np.int64] = inner_before - np.repeat(inner_before[begin[:-1]], sizes)
    place = np.arange(len(is_inner)) - np.repeat(begin[:-1], sizes)
    left: NDArray[np.int64] = np.where(is_inner, 2 * rank + 1, place)
    return left


def _flagged(
    record: Record, asked: NDArray[np.int64], is_category: NDArray[np.bool_]
) -> NDArray[np.uint32]:
    missing_left = record.array("missing_left", "b", asked.shape)
    flags = np.where(missing_left, 0, MISSING_RIGHT) | np.where(is_category, CATEGORY, 0)
    flagged: NDArray[np.uint32] = asked.astype(np.uint32) | flags.astype(np.uint32)
    return flagged


def _cuts(record: Record, is_category: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the cuts of inner nodes; that of a category split is the row of its levels."""
    cuts = np.empty(len(is_category))
    cuts[~is_category] = record.floats("cut", (int((~is_category).sum()),))
    cuts[is_category] = np.arange(is_category.sum())
    return cuts


def _check_counts(forest: Forest, is_inner: NDArray[np.bool_]) -> None:
    """Raise unless every node has rows and weight, and those of children add up."""
    first = np.repeat(forest.begin[:-1], np.diff(forest.begin))[is_inner]
    left = first + forest.nodes["left"][is_inner]
    rows = forest.rows.astype(np.int64)
    require((rows.sum(axis=1) > 0).all(), "a node of the forest has no rows")
    adds_up = (rows[left] + rows[left + 1] == rows[is_inner]).all()
    require(adds_up, "rows of children in the forest do not add up")
    if forest.weight is None:
        return
    weight = forest.weight
    require((weight >= 0).all() and (weight.sum(axis=1) > 0).all(), "a node has no weight")
    whole = np.repeat(weight[forest.begin[:-1]].sum(axis=1), np.diff(forest.begin))[is_inner]
    apart = np.abs(weight[left] + weight[left + 1] - weight[is_inner])
    require((apart <= 1e-9 * whole[:, None]).all(), "weights of children do not add up")
