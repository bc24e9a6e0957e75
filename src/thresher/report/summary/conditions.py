"""The conditions with what speaks for each, and how much of all scrap they explain together."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.answers import REFER, answers
from thresher.column import OTHER_LEVELS, Matrix
from thresher.condition.condition import Members, members
from thresher.condition.picture import over_time_data, picture_data
from thresher.condition.readable_tree import IMITATED
from thresher.condition.table import ConditionTable
from thresher.condition.words import readable
from thresher.matrix import Columns
from thresher.report.summary.case import Case
from thresher.threshold.classifier import ThresholdClassifier
from thresher.tree.classifier import ImbalancedTreeClassifier
from thresher.tree.structure import Tree
from thresher.tree.text import Wording
from thresher.wording import MAX_TEXT_LENGTH, digits, finite, name, percent, shortened

MAX_CONDITIONS = 40
SEEN = "those of the training, all of which the conditions were found on"
UNSEEN = "those of this report, which had no part in the training"
"""Whose rows pictures show."""
NUMBERS = (
    "parts",
    "scrap",
    "rate",
    "rate_low",
    "rate_high",
    "lift",
    "coverage",
    "holdout_parts",
    "holdout_scrap",
    "holdout_rate",
    "holdout_rate_low",
    "holdout_rate_high",
    "p_value",
    "stability",
    "money",
)


def condition_data(
    table: ConditionTable,
    matrix: Matrix,
    columns: Columns,
    is_positive: Any,
    times: Any = None,
) -> dict[str, Any]:
    """Return the rows of a table of conditions, and the scrap that the first so many cover."""
    names = columns.wide_names
    complete = {
        column for place, column in enumerate(names) if not np.isnan(matrix[:, place]).any()
    }
    shown, truth = table.conditions[:MAX_CONDITIONS], np.asarray(is_positive, bool)
    met = members(shown, matrix, names)
    together = covered_together(met, truth)
    numbers = table.columns()
    numbers["lift"], numbers["coverage"] = (values.tolist() for values in table.shown_shares)
    rows: list[dict[str, Any]] = [
        {
            "number": place + 1,
            "text": readable(condition, complete),
            "stage": None if table.stages[place] is None else name(table.stages[place], 40),
            **{key: finite(numbers[key][place]) for key in NUMBERS},
            "state": table.states[place],
            "is_confirmed": bool(table.is_confirmed[place]),
            "action": None,
            "together": together[place],
            "picture": picture_data(condition, names, matrix, truth, complete)
            if condition.clauses
            else None,
        }
        for place, condition in enumerate(shown)
    ]
    if times is not None:
        for row, meets in zip(rows, met, strict=True):
            row["over_time"] = over_time_data(meets, truth, times)
    return {
        "rows": rows,
        "class_name": table.class_name,
        "hidden": len(table) - len(rows),
        "evidence": table.evidence,
        "where_shares": table.where_shares,
        "least_p": table.least_p,
        "parts": table.training.all_n,
        "scrap": table.training.all_hits,
        "unseen_parts": None if table.held is None else table.held.all_n,
        "average": None if table.held is None else table.held.average,
        "confirmed": int(table.is_confirmed.sum()),
    }


def covered_together(met: Members, is_positive: Any) -> list[float]:
    """Return the share of positives that meet the first condition, one of the first two, ...

    >>> met = np.array([[True, True, False], [False, True, True]])
    >>> covered_together(met, np.array([True, True, True]))
    [0.6666666666666666, 1.0]
    """
    hit = np.logical_or.accumulate(met[:, is_positive], axis=0) if len(met) else met
    return [float(row.mean()) for row in hit]


MAX_NODES = 255


def tree_data(case: Case, max_leaf_nodes: int) -> dict[str, Any] | None:
    """Return the root with its children, None for a model without a tree to read.

    A forest is read through the tree that imitates it. Of a large tree the nodes with most
    positives are kept; where it is cut, `hidden` counts the nodes below.

    Examples
    --------
    >>> from thresher.report.summary.case import make_case
    >>> X, y = [[1.0], [2.0], [3.0], [4.0], [5.0], [6.0]], ["ok"] * 4 + ["scrap"] * 2
    >>> case = make_case(ImbalancedTreeClassifier("gini").fit(X, y), X, y)
    >>> root = tree_data(case, max_leaf_nodes=32)["root"]
    >>> [(child["text"], child["scrap"], child["answer"]) for child in root["children"]]
    [('x[0] <= 4.5 or missing', 0, 'pass'), ('x[0] > 4.5', 2, 'alert')]
    """
    read = _readable(case, max_leaf_nodes)
    if read is None:
        return None
    fitted, answer, is_distilled = read
    tree = fitted.tree_
    shown = nodes_to_show(tree)
    return {
        "root": _node(tree, 0, "All rows", _wording(fitted), answer, shown),
        "n_leaves": tree.n_leaves,
        "depth": tree.depth,
        "is_distilled": is_distilled,
        "decided": _decided(fitted, answer),
    }


def _decided(fitted: ImbalancedTreeClassifier, answer: NDArray[Any]) -> str | None:
    """Return the share of rows that the tree decides itself, None for all of them.

    It is that of unseen rows where it is known, otherwise that of the training rows.
    """
    tree = fitted.tree_
    asked = tree.is_leaf & (answer == REFER)
    if not asked.any():
        return None
    if fitted.referred_ is not None:
        return percent(1.0 - fitted.referred_.share)
    return percent(1.0 - float(tree.rows[asked].sum() / tree.rows[0].sum()))


def _readable(
    case: Case, max_leaf_nodes: int
) -> tuple[ImbalancedTreeClassifier, NDArray[Any], bool] | None:
    """Return a tree, the answer of each of its nodes, and whether it imitates the model."""
    model = case.model
    if isinstance(model, ImbalancedTreeClassifier):
        return model, model.node_answers, False
    if isinstance(model, IMITATED):
        tree = _imitation(model, case, max_leaf_nodes)
        if tree is not None:
            return tree, tree.node_answers, True
    if isinstance(model, ThresholdClassifier):
        inner = model.estimator_
        if isinstance(inner, ImbalancedTreeClassifier):
            shifted = model.threshold_state_.shifted(inner.tree_.probability)
            return inner, answers(shifted, model.threshold_, model.threshold_alert_), False
    return None


def _imitation(model: Any, case: Case, max_leaf_nodes: int) -> ImbalancedTreeClassifier | None:
    """Return the tree that imitates a model; None where its training rows are not at hand."""
    has_left_rows = not model.has_training_rows and not case.held_out
    rows = {"X": case.X, "y": case.labels} if has_left_rows else {}
    try:
        tree: ImbalancedTreeClassifier = model.to_tree(max_leaf_nodes, cv=None, **rows)
    except ValueError:
        if case.held_out:
            return None
        raise
    return tree


def nodes_to_show(tree: Tree) -> set[int]:
    """Return whose children are shown: the inner nodes with most positives, from the root on."""
    opened: set[int] = set()
    frontier = [0] if tree.feature[0] >= 0 else []
    positives = tree.rows[:, 1]
    while frontier and 2 * len(opened) + 1 < MAX_NODES:
        node = max(frontier, key=lambda place: (positives[place], -place))
        frontier.remove(node)
        opened.add(node)
        children = (int(tree.left[node]), int(tree.right[node]))
        frontier += [child for child in children if tree.feature[child] >= 0]
    return opened


def _wording(fitted: ImbalancedTreeClassifier) -> Wording:
    columns = fitted.columns_
    names = [name(column) for column in columns.wide_names]
    levels = [
        None if given is None else [_level(level) for level in given]
        for given in columns.wide_levels
    ]
    return Wording(names, levels, ("", ""), fitted.threshold_)


def _level(level: Any) -> Any:
    if level is OTHER_LEVELS:
        return level
    return digits(level) if isinstance(level, float) else name(level, 30)


def _node(
    tree: Tree,
    node: int,
    text: str,
    wording: Wording,
    answer: NDArray[Any],
    shown: set[int],
) -> dict[str, Any]:
    negative, positive = tree.rows[node].tolist()
    data = {
        "text": shortened(text, MAX_TEXT_LENGTH),
        "parts": negative + positive,
        "scrap": positive,
        "answer": str(answer[node]) if tree.feature[node] < 0 else None,
        "hidden": 0,
        "children": [],
    }
    if node in shown:
        for child, is_left in ((int(tree.left[node]), True), (int(tree.right[node]), False)):
            condition = wording.condition(tree, node, is_left)
            data["children"].append(_node(tree, child, condition, wording, answer, shown))
    elif tree.feature[node] >= 0:
        data["hidden"] = int(tree.subtree_end[node]) - node
    return data
