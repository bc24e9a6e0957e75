"""Trees as one TreeEnsemble node that tells the leaf of each tree.

Leaves are told by their number, which is exact in any float, and their values are looked up in
64 bits. Runtimes walk a tree by recursion when they read it: a deep one is cut into pieces, whose
bottom names the piece to go on with.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.persist.onnx_graph import Graph
from thresher.persist.scoring import Scoring, ScoringTree, Trees

AT_MOST, MEMBER = 0, 6
"""Modes of a node: value <= split, and value in a set."""

DEEPEST = 512
"""Most comparisons on a path through a piece of a tree."""


@dataclass
class Ensemble:
    """The arrays of a TreeEnsemble node under construction.

    Attributes
    ----------
    places : which column of the input each column of the model is.
    values : of the leaves of all trees, one behind the other.
    starts : for each tree the piece that holds its root.
    first_leaf : for each piece where the leaves of its tree start among `values`.
    """

    dtype: Any
    places: dict[int, int]
    scoring: Scoring
    feature: list[int] = field(default_factory=list)
    mode: list[int] = field(default_factory=list)
    split: list[float] = field(default_factory=list)
    member: list[float] = field(default_factory=list)
    missing: list[int] = field(default_factory=list)
    child: tuple[list[int], list[int]] = field(default_factory=lambda: ([], []))
    child_is_leaf: tuple[list[int], list[int]] = field(default_factory=lambda: ([], []))
    leaf_target: list[int] = field(default_factory=list)
    leaf_number: list[int] = field(default_factory=list)
    root: list[int] = field(default_factory=list)
    values: list[float] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    first_leaf: list[int] = field(default_factory=list)
    hops: int = 0

    def add_tree(self, tree: ScoringTree) -> None:
        """Add a tree, in pieces where it is deep."""
        numbers = {leaf: place for place, leaf in enumerate(tree.leaves)}
        pieces, levels = _pieces(tree, self._cost)
        first, offset = len(self.root), len(self.values)
        piece_of = {node: first + place for place, node in enumerate(pieces)}
        self.starts.append(first)
        self.hops = max(self.hops, levels)
        for node in pieces:
            self.first_leaf.append(offset)
            self._add_piece(tree, node, numbers, piece_of)
        self.values.extend(tree.value[tree.leaves].tolist())

    def _add_piece(
        self, tree: ScoringTree, top: int, numbers: dict[int, int], piece_of: dict[int, int]
    ) -> None:
        target = len(self.root)
        self.root.append(len(self.feature))
        if tree.feature[top] < 0:
            self._add_only_leaf(target, numbers[top])
            return
        self._add_node(tree, top)
        todo = [(len(self.feature) - 1, top)]
        while todo:
            place, node = todo.pop()
            sides = (int(tree.left[node]), int(tree.right[node]))
            for side, child in enumerate(sides if self._is_straight(tree, node) else sides[::-1]):
                if tree.feature[child] >= 0 and child not in piece_of:
                    self._set_child(side, place, len(self.feature), is_leaf=0)
                    self._add_node(tree, child)
                    todo.append((len(self.feature) - 1, child))
                else:
                    number = numbers[child] if child in numbers else -1 - piece_of[child]
                    self._set_child(side, place, self._add_leaf(target, number), is_leaf=1)

    def _add_only_leaf(self, target: int, number: int) -> None:
        """Add a tree without splits; a node must be there, whose sides are the same."""
        self._append(0, AT_MOST, 0.0, 0)
        for side in (0, 1):
            self._set_child(side, len(self.feature) - 1, self._add_leaf(target, number), is_leaf=1)

    def _add_leaf(self, target: int, number: int) -> int:
        self.leaf_target.append(target)
        self.leaf_number.append(number)
        return len(self.leaf_number) - 1

    def _append(self, feature: int, mode: int, split: float, missing: int) -> None:
        self.feature.append(feature)
        self.mode.append(mode)
        self.split.append(split)
        self.missing.append(missing)
        for side in (0, 1):
            self.child[side].append(-1)
            self.child_is_leaf[side].append(0)

    def _set_child(self, side: int, place: int, child: int, is_leaf: int) -> None:
        self.child[side][place], self.child_is_leaf[side][place] = child, is_leaf

    def _add_node(self, tree: ScoringTree, node: int) -> None:
        place = self.places[int(tree.feature[node])]
        missing_left = bool(tree.missing_left[node])
        if tree.level_set[node] < 0:
            cut = tree.cut[node]
            split = cut if self.dtype is np.float64 else _rounded_down(cut)
            self._append(place, AT_MOST, float(split), int(missing_left))
            return
        straight = self._is_straight(tree, node)
        self.member += [*map(float, self._members(tree, node)), np.nan]
        self._append(place, MEMBER, 0.0, int(missing_left == straight))

    def _sides(self, tree: ScoringTree, node: int) -> tuple[list[int], list[int]]:
        n_levels = len(self.scoring.levels[tree.feature[node]] or ())
        left = tree.left_levels(node, n_levels)
        inside = set(left)
        return left, [code for code in range(n_levels) if code not in inside]

    def _is_straight(self, tree: ScoringTree, node: int) -> bool:
        """Whether "true" means left: a set is asked for on its shorter side that is not empty."""
        if tree.level_set[node] < 0:
            return True
        left, right = self._sides(tree, node)
        return not right or 0 < len(left) <= len(right)

    def _members(self, tree: ScoringTree, node: int) -> list[int]:
        left, right = self._sides(tree, node)
        return left if self._is_straight(tree, node) else right

    def _cost(self, tree: ScoringTree, node: int) -> int:
        """Return the comparisons that a node becomes: a set is one for each of its levels."""
        return 1 if tree.level_set[node] < 0 else max(len(self._members(tree, node)), 1)

    def arrays(self, graph: Graph) -> dict[str, Any]:
        """Return the attributes of the node."""
        found = {
            "n_targets": len(self.root),
            "aggregate_function": 1,
            "post_transform": 0,
            "tree_roots": self.root,
            "nodes_featureids": self.feature,
            "nodes_modes": graph.tensor(np.array(self.mode, dtype=np.uint8)),
            "nodes_splits": graph.tensor(np.array(self.split, dtype=self.dtype)),
            "nodes_truenodeids": self.child[0],
            "nodes_trueleafs": self.child_is_leaf[0],
            "nodes_falsenodeids": self.child[1],
            "nodes_falseleafs": self.child_is_leaf[1],
            "nodes_missing_value_tracks_true": self.missing,
            "leaf_targetids": self.leaf_target,
            "leaf_weights": graph.tensor(np.array(self.leaf_number, dtype=self.dtype)),
        }
        if self.member:
            values = graph.tensor(np.array(self.member, dtype=self.dtype))
            found["membership_values"] = values
        return found


def add_trees(
    graph: Graph, features: str, trees: Trees, scoring: Scoring, places: dict[int, int], dtype: Any
) -> str:
    """Add nodes that find what each tree says; return a matrix (rows, trees) of doubles."""
    ensemble = Ensemble(dtype, places, scoring)
    for tree in trees.trees:
        ensemble.add_tree(tree)
    told = graph.add_ml("TreeEnsemble", features, **ensemble.arrays(graph))
    leaves = _followed(graph, graph.cast(told, np.int64), ensemble)
    starts = [ensemble.first_leaf[start] for start in ensemble.starts]
    numbers = graph.add("Add", leaves, graph.constant([starts], np.int64))
    return graph.add("Gather", graph.constant(ensemble.values, np.float64), numbers)


def _followed(graph: Graph, told: str, ensemble: Ensemble) -> str:
    """Go from the root's piece to the piece that holds the leaf; a piece k is told as -1 - k."""
    at = graph.add("Gather", told, graph.constant(ensemble.starts, np.int64), axis=1)
    if not ensemble.hops:
        return at
    minus_one, zero = graph.constant(-1, np.int64), graph.constant(0, np.int64)
    for _ in range(ensemble.hops):
        is_piece = graph.add("Less", at, zero)
        piece = graph.add("Where", is_piece, graph.add("Sub", minus_one, at), zero)
        at = graph.add("Where", is_piece, graph.add("GatherElements", told, piece, axis=1), at)
    return at


def _rounded_down(cut: float) -> Any:
    """Return the largest float32 that is not above a cut: the same float32 values pass it."""
    with np.errstate(over="ignore"):
        near = np.float32(cut)
    return np.nextafter(near, np.float32(-np.inf)) if float(near) > cut else near


def _pieces(tree: ScoringTree, cost: Any) -> tuple[list[int], int]:
    """Return the tops of the pieces of a tree, and how many pieces may lie below the first."""
    n_nodes = len(tree.feature)
    above: NDArray[np.int64] = np.zeros(n_nodes, dtype=np.int64)
    level: NDArray[np.int64] = np.zeros(n_nodes, dtype=np.int64)
    tops = [0]
    for node in np.flatnonzero(tree.feature >= 0).tolist():
        below = above[node] + cost(tree, node)
        for child in (tree.left[node], tree.right[node]):
            above[child], level[child] = below, level[node]
            if tree.feature[child] >= 0 and below + cost(tree, child) > DEEPEST:
                above[child], level[child] = 0, level[node] + 1
                tops.append(int(child))
    return tops, int(level.max())
