"""The tree that conditions are read from, and its conditions above another threshold."""

from copy import copy
from typing import Any

from thresher.condition.finding import conditions as find_conditions
from thresher.condition.table import ConditionTable
from thresher.judging.recipe import MAX_LEAVES
from thresher.tree.classifier import ImbalancedTreeClassifier


def reader_of(fitted: Any) -> ImbalancedTreeClassifier:
    """Return the tree whose leaves the conditions name."""
    reader: ImbalancedTreeClassifier = (
        fitted if is_readable(fitted) else fitted.to_tree(MAX_LEAVES, cv=None)
    )
    return reader


def is_readable(estimator: Any) -> bool:
    """Whether an estimator is a tree; others are read through one that imitates them."""
    return isinstance(estimator, ImbalancedTreeClassifier)


def conditions_above(
    reader: ImbalancedTreeClassifier, kept: ConditionTable, threshold: float
) -> ConditionTable:
    """Keep the conditions that still raise alerts; new ones are worded as the tree has them."""
    moved = copy(reader)
    moved.threshold_ = threshold
    is_alert = moved.tree_.probability > threshold
    known = kept.place_of_leaf
    stays = {place for leaf, place in known.items() if is_alert[leaf]}
    table: ConditionTable = find_conditions(moved, output="table")
    named = {leaf for leaf, place in known.items() if place in stays}
    new = [place for leaf, place in table.place_of_leaf.items() if leaf not in named]
    return kept.take(sorted(stays)).joined(table.take(new))
