"""Nodes of trees from outside: checks that a sound shape alone does not give."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.column import MAX_LEVELS
from thresher.matrix import Columns
from thresher.model_file.record import Record, require
from thresher.tree.soundness import LAYOUT
from thresher.tree.structure import Tree

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
