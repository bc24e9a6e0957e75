"""A tree as text: one line a node, with the condition that leads to it."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.answers import REFER, answers
from thresher.column import has_others
from thresher.tree.structure import Tree
from thresher.wording import digits

Flags = NDArray[np.bool_]
PRESENT_ONLY = float(np.finfo(np.float64).max)
"""The cut of a split "missing against present": every number is at most this."""


@dataclass(frozen=True)
class Wording:
    """Names for the numbers of a tree.

    Attributes
    ----------
    features : name of each column.
    levels : levels of each category column as `Columns` has them, None at the others.
    classes : (negative, positive) class.
    threshold : a leaf says "positive" if and only if its probability is above it.
    threshold_alert : a leaf above the threshold refers its rows unless it is above this one; None
        where no row is referred.
    """

    features: Sequence[str]
    levels: Sequence[Sequence[Any] | None]
    classes: tuple[Any, Any]
    threshold: float
    threshold_alert: float | None = None

    def condition(self, tree: Tree, node: int, left: bool) -> str:
        """Return what holds for the rows that an inner node sends to one side."""
        name = self.features[tree.feature[node]]
        takes_missing = bool(tree.missing_left[node]) == left
        if tree.category[node] >= 0:
            return self._category_condition(tree, node, left, takes_missing)
        cut = float(tree.cut[node])
        if cut == PRESENT_ONLY:
            return f"{name} is {'present' if left else 'missing'}"
        side = f"{'<=' if left else '>'} {digits(cut)}"
        return f"{name} {side}{' or missing' if takes_missing else ''}"

    def _category_condition(self, tree: Tree, node: int, left: bool, takes_missing: bool) -> str:
        name = self.features[tree.feature[node]]
        levels = self.levels[tree.feature[node]] or ()
        row = tree.category[node]
        goes_left = np.unpackbits(tree.levels_left[row], bitorder="little")[: len(levels)] == 1
        seen = np.unpackbits(tree.levels_seen[row], bitorder="little")[: len(levels)] == 1
        parts = self._sets(levels, goes_left == left, seen)
        words = " or ".join([*parts, "missing"] if takes_missing else parts)
        return f"{name} {words}" if words.startswith(("in {", "not in {")) else f"{name} is {words}"

    @staticmethod
    def _sets(levels: Sequence[Any], here: Flags, seen: Flags) -> list[str]:
        """Return the words for the levels on one side: those that the node saw, and others."""
        knows_others = has_others(levels) and bool(seen[-1])
        if knows_others and here[-1] and not here.all():
            return [f"not in {{{_listed(levels, ~here)}}}"]
        parts = [f"in {{{_listed(levels, seen & here)}}}"] if (seen & here).any() else []
        another = "another named level" if knows_others else "another level"
        return [*parts, another] if (here & ~seen).any() else parts

    def decision(self, tree: Tree, node: int) -> str:
        """Return the class that a node, as a leaf, decides for, or that it refers its rows."""
        found = answers(tree.probability[node], self.threshold, self.threshold_alert)
        if found == REFER:
            return REFER
        return str(self.classes[int(tree.probability[node] > self.threshold)])

    def counts(self, tree: Tree, node: int) -> list[str]:
        """Return true row counts, the probability and, for Renyi criteria, alpha* of a node."""
        negative, positive = tree.rows[node].tolist()
        facts = [f"{negative + positive} rows", f"{positive} positive"]
        facts.append(f"p = {tree.probability[node]:.3g}")
        alpha = float(tree.alpha[node])
        return facts if isnan(alpha) else [*facts, f"alpha* = {alpha:.3g}"]


def _listed(levels: Sequence[Any], chosen: Flags) -> str:
    return ", ".join(str(levels[code]) for code in np.flatnonzero(chosen).tolist())


MAX_INDENTS = 64
"""Splits above a node that its line is indented by; deeper ones have their number in front."""


def export_text(tree: Tree, wording: Wording) -> str:
    """Return the tree as indented text.

    Each line has the condition on the edge to the node, the training rows and positives, the
    probability ("p"), alpha* where the criterion has one, and the decision of a leaf.
    """
    lines = [_facts("all", tree, 0, wording)]
    sides: list[str] = []  # of the nodes above, the root left out
    depths = tree.node_depth.tolist()
    for node, parent in enumerate(tree.parent.tolist()):
        if parent < 0:
            continue
        is_left = int(tree.left[parent]) == node
        del sides[depths[node] - 1 :]
        condition = wording.condition(tree, parent, is_left)
        # A start of a limited length, however deep the node is.
        indent = "".join(sides[-MAX_INDENTS:])
        if len(sides) > MAX_INDENTS:
            indent = f"[{len(sides) + 1}] {indent}"
        lines.append(f"{indent}|-- {_facts(condition, tree, node, wording)}")
        sides.append("|   " if is_left else "    ")
    return "\n".join(lines) + "\n"


def _facts(condition: str, tree: Tree, node: int, wording: Wording) -> str:
    text = f"{condition}: {', '.join(wording.counts(tree, node))}"
    return text if tree.feature[node] >= 0 else f"{text} -> {wording.decision(tree, node)}"
