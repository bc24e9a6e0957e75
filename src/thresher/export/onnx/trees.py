"""Trees as TreeEnsemble nodes that tell the leaf of each row.

Leaves are told by their number, which is exact in any float, and their values are looked up in
64 bits. Each tree is a node of its own: onnxruntime 1.21 to 1.23 err where one node has several
targets. Runtimes walk a tree by recursion when they read it: a deep one is cut into pieces, whose
bottom names the piece to go on with.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.export.onnx.graph import Graph
from thresher.export.scoring import Scoring, ScoringTree, Trees

AT_MOST, MEMBER = 0, 6
"""Modes of a node: value <= split, and value in a set."""

DEEPEST = 512
"""Most comparisons on a path through a piece of a tree."""


@dataclass(frozen=True)
class Terms:
    """How a tree of the model reads the input of the graph.

    Attributes
    ----------
    dtype : of the numbers.
    places : which column of the input each column of the model is.
    scoring : the model.
    """

    dtype: Any
    places: dict[int, int]
    scoring: Scoring

    def _sides(self, tree: ScoringTree, node: int) -> tuple[list[int], list[int]]:
        n_levels = len(self.scoring.wide_levels[tree.feature[node]] or ())
        left = tree.left_levels(node, n_levels)
        inside = set(left)
        return left, [code for code in range(n_levels) if code not in inside]

    def is_straight(self, tree: ScoringTree, node: int) -> bool:
        """Whether "true" means left: a set is asked for on its shorter side that is not empty."""
        if tree.level_set[node] < 0:
            return True
        left, right = self._sides(tree, node)
        return not right or 0 < len(left) <= len(right)

    def members(self, tree: ScoringTree, node: int) -> list[int]:
        """Return the level codes for which a node says "true"."""
        left, right = self._sides(tree, node)
        return left if self.is_straight(tree, node) else right

    def cost(self, tree: ScoringTree, node: int) -> int:
        """Return the comparisons that a node becomes: a set is one for each of its levels."""
        return 1 if tree.level_set[node] < 0 else max(len(self.members(tree, node)), 1)

    def split(self, cut: float) -> float:
        """Return a cut in the precision of the graph."""
        return float(cut if self.dtype is np.float64 else _rounded_down(cut))


@dataclass
class Piece:
    """The arrays of one TreeEnsemble node under construction."""

    terms: Terms
    feature: list[int] = field(default_factory=list)
    mode: list[int] = field(default_factory=list)
    split: list[float] = field(default_factory=list)
    member: list[float] = field(default_factory=list)
    missing: list[int] = field(default_factory=list)
    child: tuple[list[int], list[int]] = field(default_factory=lambda: ([], []))
    child_is_leaf: tuple[list[int], list[int]] = field(default_factory=lambda: ([], []))
    told: list[int] = field(default_factory=list)

    def add(self, tree: ScoringTree, top: int, told: dict[int, int]) -> None:
        """Add the nodes below a top; `told` is what leaves and the tops of other pieces tell."""
        if tree.feature[top] < 0:
            self._add_only_leaf(told[top])
            return
        self._add_node(tree, top)
        todo = [(0, top)]
        while todo:
            place, node = todo.pop()
            sides = (int(tree.left[node]), int(tree.right[node]))
            straight = self.terms.is_straight(tree, node)
            for side, child in enumerate(sides if straight else sides[::-1]):
                if child in told:
                    self._set_child(side, place, self._add_leaf(told[child]), is_leaf=1)
                else:
                    self._set_child(side, place, len(self.feature), is_leaf=0)
                    self._add_node(tree, child)
                    todo.append((len(self.feature) - 1, child))

    def _add_only_leaf(self, told: int) -> None:
        """Add a tree without splits; a node must be there, whose sides are the same."""
        self._append(0, AT_MOST, 0.0, 0)
        for side in (0, 1):
            self._set_child(side, 0, self._add_leaf(told), is_leaf=1)

    def _add_leaf(self, told: int) -> int:
        self.told.append(told)
        return len(self.told) - 1

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
        place = self.terms.places[int(tree.feature[node])]
        missing_left = bool(tree.missing_left[node])
        if tree.level_set[node] < 0:
            self._append(place, AT_MOST, self.terms.split(tree.cut[node]), int(missing_left))
            return
        self.member += [*map(float, self.terms.members(tree, node)), np.nan]
        true_is_left = self.terms.is_straight(tree, node)
        self._append(place, MEMBER, 0.0, int(missing_left == true_is_left))

    def add_to(self, graph: Graph, features: str) -> str:
        """Add the node to a graph; return its result, a column."""
        dtype = self.terms.dtype
        more = {}
        if self.member:
            more["membership_values"] = graph.tensor(np.array(self.member, dtype=dtype))
        return graph.add_ml(
            "TreeEnsemble",
            features,
            n_targets=1,
            aggregate_function=1,
            post_transform=0,
            tree_roots=[0],
            nodes_featureids=self.feature,
            nodes_modes=graph.tensor(np.array(self.mode, dtype=np.uint8)),
            nodes_splits=graph.tensor(np.array(self.split, dtype=dtype)),
            nodes_truenodeids=self.child[0],
            nodes_trueleafs=self.child_is_leaf[0],
            nodes_falsenodeids=self.child[1],
            nodes_falseleafs=self.child_is_leaf[1],
            nodes_missing_value_tracks_true=self.missing,
            leaf_targetids=[0] * len(self.told),
            leaf_weights=graph.tensor(np.array(self.told, dtype=dtype)),
            **more,
        )


def add_trees(graph: Graph, features: str, trees: Trees, terms: Terms) -> str:
    """Add nodes that find what each tree says; return a matrix (rows, trees) of doubles."""
    columns, starts = [], []
    values: list[float] = []
    for tree in trees.trees:
        columns.append(_leaf_of(graph, features, tree, terms))
        starts.append(len(values))
        values.extend(tree.value[tree.leaves].tolist())
    places = columns[0] if len(columns) == 1 else graph.add("Concat", *columns, axis=1)
    numbers = graph.add("Add", places, graph.constant([starts], np.int64))
    return graph.add("Gather", graph.constant(values, np.float64), numbers)


def _leaf_of(graph: Graph, features: str, tree: ScoringTree, terms: Terms) -> str:
    """Add a tree; return a column with the place of the leaf among the leaves."""
    told = {leaf: place for place, leaf in enumerate(tree.leaves)}
    tops, hops = _pieces(tree, terms)
    # A piece k is told as -1 - k.
    told |= {top: -1 - place for place, top in enumerate(tops) if place}
    columns = []
    for top in tops:
        piece = Piece(terms)
        piece.add(tree, top, told)
        columns.append(graph.cast(piece.add_to(graph, features), np.int64))
    return _followed(graph, columns, hops)


def _followed(graph: Graph, columns: list[str], hops: int) -> str:
    """Go from the first piece to the piece that holds the leaf."""
    at = columns[0]
    if not hops:
        return at
    every = graph.add("Concat", *columns, axis=1)
    minus_one, zero = graph.constant(-1, np.int64), graph.constant(0, np.int64)
    for _ in range(hops):
        is_piece = graph.add("Less", at, zero)
        piece = graph.add("Where", is_piece, graph.add("Sub", minus_one, at), zero)
        at = graph.add("Where", is_piece, graph.add("GatherElements", every, piece, axis=1), at)
    return at


def _rounded_down(cut: float) -> Any:
    """Return the largest float32 that is not above a cut: the same float32 values pass it."""
    with np.errstate(over="ignore"):
        near = np.float32(cut)
    return np.nextafter(near, np.float32(-np.inf)) if float(near) > cut else near


def _pieces(tree: ScoringTree, terms: Terms) -> tuple[list[int], int]:
    """Return the tops of the pieces of a tree, and how many pieces may lie below the first."""
    n_nodes = len(tree.feature)
    above: NDArray[np.int64] = np.zeros(n_nodes, dtype=np.int64)
    level: NDArray[np.int64] = np.zeros(n_nodes, dtype=np.int64)
    tops = [0]
    for node in np.flatnonzero(tree.feature >= 0).tolist():
        below = above[node] + terms.cost(tree, node)
        for child in (tree.left[node], tree.right[node]):
            above[child], level[child] = below, level[node]
            if tree.feature[child] >= 0 and below + terms.cost(tree, child) > DEEPEST:
                above[child], level[child] = 0, level[node] + 1
                tops.append(int(child))
    return tops, int(level.max())
