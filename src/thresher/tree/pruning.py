"""Which nodes of a tree to collapse into leaves, as pure arithmetic on counts.

A node is collapsed where the metric of the whole tree does not fall. Children come before
their parent, left before right, so the paper's post-order pruning costs one pass.
"""

from collections.abc import Callable, Sequence
from math import sqrt

import numpy as np

Metric = Callable[[float, float, float, float], float]
"""A quality to keep, larger is better: (tn, fp, fn, tp) -> number."""

SLACK = 1e-12
"""A metric that differs by rounding alone has not fallen."""


def _share(part: float, whole: float) -> float:
    return part / whole if whole > 0 else 0.0


def bcr(tn: float, fp: float, fn: float, tp: float) -> float:
    """Balanced classification rate: the mean of sensitivity and specificity.

    >>> bcr(tn=90, fp=10, fn=5, tp=5)
    0.7
    """
    # Written out: this is called for each inner node of each tree that is fitted.
    sensitivity = tp / (tp + fn) if tp > 0 else 0.0
    specificity = tn / (tn + fp) if tn > 0 else 0.0
    return 0.5 * (sensitivity + specificity)


def gmean(tn: float, fp: float, fn: float, tp: float) -> float:
    """Geometric mean of sensitivity and specificity.

    >>> gmean(tn=64, fp=36, fn=0, tp=10)
    0.8
    """
    return sqrt(_share(tp, tp + fn) * _share(tn, tn + fp))


def accuracy(tn: float, fp: float, fn: float, tp: float) -> float:
    """One minus the error rate.

    >>> accuracy(tn=90, fp=5, fn=3, tp=2)
    0.92
    """
    return _share(tn + tp, tn + fp + fn + tp)


def f1(tn: float, fp: float, fn: float, tp: float) -> float:
    """Harmonic mean of precision and recall; 0 where both are undefined.

    >>> f1(tn=90, fp=2, fn=2, tp=6)
    0.75
    """
    return _share(2.0 * tp, 2.0 * tp + fp + fn)


def negative_cost(threshold: float, row_weight: float = 1.0) -> Metric:
    """Elkan's expected cost, negated: the costs under which `threshold` is the best cut-off.

    Counts are in units of `row_weight`, so that `SLACK` does not depend on their scale.

    >>> negative_cost(0.25)(tn=0, fp=2, fn=4, tp=0)
    -3.5
    """

    def metric(tn: float, fp: float, fn: float, tp: float) -> float:
        return -(threshold * fp + (1.0 - threshold) * fn) / row_weight

    return metric


METRICS: dict[str, Metric] = {"bcr": bcr, "gmean": gmean, "error": accuracy, "f1": f1}
METRIC_NAMES = (*METRICS, "cost")


def metric_function(metric: str | Metric, threshold: float, row_weight: float = 1.0) -> Metric:
    """Return the function behind a metric's name; a callable is returned as it is.

    >>> metric_function("f1", threshold=0.5) is f1
    True
    """
    if callable(metric):
        return metric
    if metric == "cost":
        return negative_cost(threshold, row_weight)
    if metric in METRICS:
        return METRICS[metric]
    names = ", ".join(repr(name) for name in METRIC_NAMES)
    raise ValueError(
        f"pruning must be one of {names}, None or a function of (tn, fp, fn, tp), got {metric!r}."
    )


def nodes_to_collapse(
    left: Sequence[int],
    right: Sequence[int],
    alarm: Sequence[bool],
    negatives: Sequence[float],
    positives: Sequence[float],
    metric: Metric,
) -> list[int]:
    """Walk the tree in post-order and list the nodes that may become leaves.

    Parameters
    ----------
    left, right : child of each node, -1 at leaves; nodes in preorder.
    alarm : whether each node, were it a leaf, would say "positive".
    negatives, positives : counts of each node that the metric is computed from.
    metric : function of (tn, fp, fn, tp).

    Returns
    -------
    list of int
        Nodes to collapse, in post-order; a listed node may lie below another one.

    Examples
    --------
    A split whose leaves say the same is collapsed:

    >>> nodes_to_collapse([1, -1, -1], [2, -1, -1], [False] * 3, [9, 5, 4], [2, 1, 1], bcr)
    [0]
    """
    # True and false alarms of each node as it stands now; updated as nodes collapse.
    hits = [count if says else 0.0 for count, says in zip(positives, alarm, strict=True)]
    false = [count if says else 0.0 for count, says in zip(negatives, alarm, strict=True)]
    leaves = [node for node, child in enumerate(left) if child < 0]
    tp, fp = sum(hits[leaf] for leaf in leaves), sum(false[leaf] for leaf in leaves)
    all_negatives, all_positives = negatives[0], positives[0]
    best = metric(all_negatives - fp, fp, all_positives - tp, tp)
    collapsed = []
    # Inner nodes as node, right subtree, left subtree: the reverse of post-order.
    order: list[int] = []
    waiting = [0] if left[0] >= 0 else []
    while waiting:
        node = waiting.pop()
        order.append(node)
        waiting += [child for child in (left[node], right[node]) if left[child] >= 0]
    for node in reversed(order):
        one, other = left[node], right[node]
        split_hits, split_false = hits[one] + hits[other], false[one] + false[other]
        new_tp, new_fp = tp - split_hits + hits[node], fp - split_false + false[node]
        value = metric(all_negatives - new_fp, new_fp, all_positives - new_tp, new_tp)
        if value >= best - SLACK:
            collapsed.append(node)
            tp, fp, best = new_tp, new_fp, max(best, value)
        else:
            hits[node], false[node] = split_hits, split_false
    return collapsed


def check_pruning(pruning: str | Metric | None, fraction: float | None, has_rows: bool) -> None:
    """Raise an error of one sentence for a pruning that cannot be done.

    `has_rows` tells whether `X_val` and `y_val` were given.
    """
    if pruning is not None:
        metric_function(pruning, threshold=0.5)
    if fraction is None:
        return
    is_number = isinstance(fraction, (float, np.floating))
    if not is_number or not 0.0 < fraction < 1.0:
        raise ValueError(
            f"pruning_fraction must be a number above 0 and below 1, got {fraction!r}."
        )
    if has_rows:
        raise ValueError("Give either pruning_fraction or X_val with y_val to fit, not both.")
