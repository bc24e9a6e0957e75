"""A tree as lines from top to bottom, one a node: what every drawing of a tree is made of."""

from typing import Any, NamedTuple

from numpy.typing import NDArray

from thresher.tree.structure import Tree
from thresher.tree.text import Wording


class Line(NamedTuple):
    """A node of a tree.

    Attributes
    ----------
    depth : number of questions above it.
    text : what holds for its rows, as its parent asks.
    rows, positives : of the training there.
    answer : "alert", "pass" or "refer" of a leaf, None of other nodes.
    hidden : nodes below that are not shown.
    """

    depth: int
    text: str
    rows: int
    positives: int
    answer: str | None
    hidden: int = 0

    @property
    def rate(self) -> float:
        """Share of positives among its rows."""
        return self.positives / self.rows if self.rows else 0.0


def outline(
    tree: Tree, wording: Wording, answers: NDArray[Any], max_depth: int | None = None
) -> list[Line]:
    """Return the nodes of a tree in preorder, down to so many questions.

    `answers` has one for each node, of which those of leaves are shown.
    """
    depths, ends = tree.node_depth.tolist(), tree.subtree_end.tolist()
    lines = []
    for node, depth in enumerate(depths):
        if max_depth is not None and depth > max_depth:
            continue
        negative, positive = tree.rows[node].tolist()
        is_leaf = tree.feature[node] < 0
        is_cut = not is_leaf and depth == max_depth
        answer = str(answers[node]) if is_leaf else None
        hidden = ends[node] - node if is_cut else 0
        text = _text(tree, node, wording)
        lines.append(Line(depth, text, negative + positive, positive, answer, hidden))
    return lines


def _text(tree: Tree, node: int, wording: Wording) -> str:
    parent = int(tree.parent[node])
    if parent < 0:
        return "all rows"
    return wording.condition(tree, parent, int(tree.left[parent]) == node)
