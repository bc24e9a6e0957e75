"""Trees that are added up, fitted by the core to what a model says."""

from collections.abc import Mapping
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from thresher import _core
from thresher.card.lesson import Floats, Lesson
from thresher.card.short_cuts import short_cut
from thresher.column import Matrix
from thresher.matrix import Columns
from thresher.tree.plain_tree import PlainTree
from thresher.tree.text import PRESENT_ONLY

MAX_BINS = 255
RIDGE = 20.0
"""Rows of no say that are added to each leaf."""
MIN_WEIGHT = 5.0
"""Least weight of a leaf; rows weigh 1 on average."""
PASSES = CYCLES = 3
"""Of alternating optimisation, and of merging leaves and growing again."""
EVERY_HASH = 2**64 - 1

Edges = list[NDArray[np.float64]]


class Size(NamedTuple):
    """How much there may be to read."""

    max_splits: int
    max_trees: int


def fit_trees(lesson: Lesson, columns: Columns, size: Size, n_threads: int = 1) -> list[PlainTree]:
    """Return trees whose sum, but for a constant, is near the probabilities of a lesson."""
    rows, is_category = lesson.rows, columns.is_category
    neg, pos = _core.sketch_rows(rows.matrix, rows.is_positive, None, (EVERY_HASH, EVERY_HASH))
    edges: Edges = _core.find_edges(neg, pos, is_category, MAX_BINS, n_threads)
    grown = _core.fit_card(
        _core.bin_rows(lesson.matrix, edges, is_category, n_threads),
        is_category,
        lesson.probability,
        lesson.weight,
        **size._asdict(),
        ridge=RIDGE,
        min_weight=MIN_WEIGHT,
        passes=PASSES,
        cycles=CYCLES,
        n_threads=n_threads,
    )
    return [
        tree._replace(
            cut=_short_cuts(tree, lesson.matrix),
            weight=node_weights(tree, rows.matrix, rows.weights),
        )
        for tree in plain_trees(grown, edges, columns)
    ]


def _short_cuts(tree: PlainTree, matrix: Matrix) -> Floats:
    cut = tree.cut.copy()
    for node in np.flatnonzero(tree.left >= 0).tolist():
        if node not in tree.members:
            values = matrix[:, tree.feature[node]]
            cut[node] = short_cut(float(cut[node]), values[~np.isnan(values)])
    return cut


def plain_trees(grown: Mapping[str, Any], edges: Edges, columns: Columns) -> list[PlainTree]:
    """Return the trees of the core with cuts that are values, instead of bins, and with levels."""
    arrays = {name: grown[name] for name in ("feature", "cut", "goes_left", "value")}
    parts = (slice(*ends) for ends in pairwise(grown["begin"].tolist()))
    return [
        _plain(
            **{name: values[here] for name, values in arrays.items()}, edges=edges, columns=columns
        )
        for here in parts
    ]


def _plain(
    feature: NDArray[np.int32],
    cut: NDArray[np.int32],
    goes_left: NDArray[np.uint8],
    value: Floats,
    edges: Edges,
    columns: Columns,
) -> PlainTree:
    is_inner = feature >= 0
    left = np.where(is_inner, 2 * np.cumsum(is_inner) - 1, -1)
    is_left = np.unpackbits(goes_left, axis=1, bitorder="little").view(np.bool_)
    cuts, members = np.zeros(len(feature)), {}
    for node in np.flatnonzero(is_inner).tolist():
        levels = columns.wide_levels[feature[node]]
        if levels is not None:
            members[node] = np.flatnonzero(is_left[node, : len(levels)]).tolist()
        else:
            cuts[node] = [*edges[feature[node]], PRESENT_ONLY][cut[node]]
    return PlainTree(
        feature=feature,
        cut=cuts,
        left=left,
        right=np.where(is_inner, left + 1, -1),
        missing_left=is_inner & is_left[:, -1],
        members=members,
        value=value,
        weight=np.zeros(len(feature)),
    )


def node_weights(tree: PlainTree, matrix: Matrix, weights: Floats | None) -> Floats:
    """Return the weight of the rows of each node."""
    w = np.ones(len(matrix)) if weights is None else weights
    reached = {0: np.ones(len(matrix), dtype=bool)}
    found = np.zeros(len(tree.feature))
    # Breadth first: parents stand before their children.
    for node in range(len(found)):
        here = reached.pop(node)
        found[node] = w[here].sum()
        if tree.left[node] >= 0:
            is_left = goes_left(tree, node, matrix[:, tree.feature[node]])
            reached[int(tree.left[node])] = here & is_left
            reached[int(tree.right[node])] = here & ~is_left
    return found


def goes_left(tree: PlainTree, node: int, values: NDArray[Any]) -> NDArray[np.bool_]:
    """Return which values of its column a node sends left."""
    is_missing = np.isnan(values)
    if node in tree.members:
        is_left: NDArray[np.bool_] = np.isin(values, tree.members[node])
    else:
        is_left = values <= tree.cut[node]
    return np.where(is_missing, tree.missing_left[node], is_left)
