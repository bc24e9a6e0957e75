"""The best subtree of at most so many leaves, by dynamic programming instead of greedy growth.

A leaf alerts, passes or, at a price for each unit of its weight, refers its rows to the one who
knows their labels. With TP positives found, A alerts that are made (right ones of referred rows
included), R referred and P positives in all, the largest (2 TP - price R) / (A + P) is looked for,
which is F1 where nothing is referred. At its largest value F the sum over leaves of

    2 positives - F (negatives + positives)          where a leaf alerts
    (2 - F) positives - price (negatives + positives)    where it refers
    0                                                where it passes

is as large as can be (Dinkelbach), so that the best label of a leaf follows from its share of
positives: pass, then refer, then alert as it rises.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from thresher.tree.structure import Tree

ROUNDS = 20
"""Most steps of Dinkelbach's iteration; it converges faster than Newton's and ends in a few."""

NEVER = float("inf")
"""The price at which nothing is referred."""

Vector = NDArray[np.float64]
Nodes = NDArray[np.intp]


class Budgeted(NamedTuple):
    """A subtree, and the threshold on the share of positives above which its leaves alert."""

    tree: Tree
    threshold: float


class Cutback(NamedTuple):
    """The leaves of a subtree, as nodes of the whole tree, and what it is worth at a price.

    Attributes
    ----------
    leaves : in order.
    value : the largest (2 TP - price R) / (A + P); without a referred row F1.
    price : of a referred unit of weight.
    """

    leaves: Nodes
    value: float
    price: float

    @property
    def thresholds(self) -> tuple[float, float]:
        """Shares of positives: leaves pass up to the first, and alert above the second."""
        if self.price * 2.0 >= self.value * (2.0 - self.value):
            return 0.5 * self.value, 0.5 * self.value
        return self.price / (2.0 - self.value), 1.0 - self.price / self.value


def best_subtree(tree: Tree, max_leaf_nodes: int) -> Budgeted:
    """Return the subtree with the largest F1 on the rows that the tree was grown on.

    Examples
    --------
    >>> from thresher import ImbalancedTreeClassifier
    >>> X, y = [[float(i)] for i in range(8)], [0, 1, 0, 0, 0, 1, 1, 1]
    >>> model = ImbalancedTreeClassifier(min_samples_leaf=1, pruning=None).fit(X, y)
    >>> small = best_subtree(model.tree_, max_leaf_nodes=2)
    >>> small.tree.n_leaves, small.tree.cut[0].item()
    (2, 4.5)
    """
    if tree.weight[0, 1] == 0.0:  # nothing to find: one silent leaf
        return Budgeted(tree.collapsed([0]), 0.5)
    (found,) = best_cutbacks(tree, max_leaf_nodes, [NEVER])
    return Budgeted(tree.collapsed(found.leaves.tolist()), 0.5 * found.value)


def best_cutbacks(
    tree: Tree, max_leaf_nodes: int, prices: Sequence[float], start: Vector | None = None
) -> list[Cutback]:
    """Return the best subtree at each price of a referred unit of weight, all in one pass.

    The tree has positives. `start` are values that those of the subtrees are likely to be near;
    they save rounds and change nothing else.
    """
    negative, positive = tree.weight.T[:, :, None]
    weight, price = negative + positive, np.asarray(prices, dtype=np.float64)
    value = np.zeros(len(price)) if start is None else start
    for step in range(ROUNDS):
        alert = 2.0 * positive - value * weight
        refer = (2.0 - value) * positive - price * weight
        leaves = _best_leaves(tree, np.maximum(0.0, np.maximum(alert, refer)), max_leaf_nodes)
        better = np.array(
            [
                _ratio(tree, nodes, alert[nodes, place], refer[nodes, place], price[place])
                for place, nodes in enumerate(leaves)
            ]
        )
        if step == 0:  # a start may have been too large
            value = better
        elif (better <= value).all():
            break
        else:
            value = np.maximum(value, better)
    return [Cutback(*found) for found in zip(leaves, value.tolist(), price.tolist(), strict=True)]


def _ratio(tree: Tree, leaves: Nodes, alert: Vector, refer: Vector, price: float) -> float:
    """Return (2 TP - price R) / (A + P) of leaves with their best labels."""
    negative, positive = tree.weight[leaves].T
    alerts = (alert > 0.0) & (alert >= refer)
    refers = (refer > 0.0) & ~alerts
    found, made = float(positive[alerts].sum()), float((negative + positive)[alerts].sum())
    paid = 0.0
    if refers.any():
        asked = float(positive[refers].sum())
        found, made = found + asked, made + asked
        paid = price * float((negative + positive)[refers].sum())
    return (2.0 * found - paid) / (made + float(tree.weight[0, 1]))


def _best_leaves(tree: Tree, value: Vector, budget: int) -> list[Nodes]:
    """Return the leaves of the subtree with the largest sum of values, for each column of these.

    In `best[node, column, k]` is the largest sum below a node with k + 1 leaves, in `on_left` how
    many of them, less one, lie on its left. Nodes of one depth are done together.
    """
    budget = min(budget, tree.n_leaves)
    best = np.full((*value.shape, budget), -np.inf)
    best[:, :, 0] = value
    on_left = np.zeros(best.shape, dtype=np.int32)
    depth, is_inner = tree.node_depth, tree.left >= 0
    for level in range(tree.depth - 1, -1, -1):
        nodes = np.flatnonzero(is_inner & (depth == level))
        sums, places = _joined(best[tree.left[nodes]], best[tree.right[nodes]])
        best[nodes, :, 1:], on_left[nodes, :, 1:] = sums, places
    return [
        _leaves_of(tree, on_left[:, column], int(best[0, column].argmax()))
        for column in range(value.shape[1])
    ]


def _joined(left: Vector, right: Vector) -> tuple[Vector, NDArray[np.int32]]:
    """Return the best sums of two sides for 2, 3, ... leaves, and how many lie left, less one."""
    most, widest = left.shape[2] - 1, _widest(right)
    sums = np.full((*left.shape[:2], most), -np.inf)
    places = np.zeros(sums.shape, dtype=np.int32)
    for count in range(min(most, _widest(left))):
        end = min(most, count + widest)
        here = left[:, :, count, None] + right[:, :, : end - count]
        is_better = here > sums[:, :, count:end]
        np.copyto(sums[:, :, count:end], here, where=is_better)
        np.copyto(places[:, :, count:end], count, where=is_better)
    return sums, places


def _widest(best: Vector) -> int:
    """Return the most leaves that any of some nodes can have, within the budget."""
    return int(np.isfinite(best[:, 0]).any(axis=0).sum())


def _leaves_of(tree: Tree, on_left: NDArray[np.int32], more: int) -> Nodes:
    """Follow the choices from the root down; `more` is the number of leaves less one."""
    leaves, stack = [], [(0, more)]
    while stack:
        node, more = stack.pop()
        if more == 0:
            leaves.append(node)
            continue
        left = int(on_left[node, more])
        stack += [(int(tree.left[node]), left), (int(tree.right[node]), more - 1 - left)]
    return np.array(sorted(leaves), dtype=np.intp)


PRICES = (NEVER, *np.geomspace(0.5, 0.005, 14).tolist())
"""Of a referred unit of weight; no referral pays at more than a half."""

SLACK = 1e-12
"""A share that exceeds a limit by rounding alone keeps it."""


class Answering(NamedTuple):
    """A subtree with two thresholds.

    Attributes
    ----------
    referred : share of the training rows that it refers.
    agreement : F1 with the imitated decisions as the truth, by which referred rows are decided.
    leaves : of the subtree, as nodes of the whole tree.
    low, high : leaves pass up to the first share of positives, and alert above the second.
    """

    referred: float
    agreement: float
    leaves: Nodes
    low: float
    high: float


class Front(NamedTuple):
    """Ways to answer that nothing beats, from no referred rows on.

    Attributes
    ----------
    ways : each refers more than the one before, and agrees better.
    values : what the best subtree is worth at each price.
    """

    ways: list[Answering]
    values: Vector | None

    def within(self, shares: Vector) -> list[Answering]:
        """Return for each share the best way that refers no more of the training rows."""
        referred = [one.referred for one in self.ways]
        places = np.searchsorted(referred, shares + SLACK, side="right") - 1
        return [self.ways[place] for place in places.tolist()]


class Tally(NamedTuple):
    """What a way to answer does to some rows, the imitated one deciding about referred ones.

    Attributes
    ----------
    referred : weight of the rows that it refers.
    found, false : weight of the positive and of the negative ones that end as alerts.
    """

    referred: float
    found: float
    false: float


def refer_front(
    tree: Tree, max_leaf_nodes: int, share: Vector, start: Vector | None = None
) -> Front:
    """Return the front of a tree.

    Parameters
    ----------
    tree : a tree that was grown on decisions.
    max_leaf_nodes : most leaves.
    share : share of the training rows at each of its nodes.
    start : the values of the front of a similar tree, to be faster.

    Examples
    --------
    >>> from thresher import ImbalancedTreeClassifier
    >>> X, y = [[float(i)] for i in range(8)], [0, 0, 0, 1, 0, 1, 1, 1]
    >>> model = ImbalancedTreeClassifier(min_samples_leaf=1, pruning=None).fit(X, y)
    >>> share = model.tree_.rows.sum(axis=1) / 8
    >>> front = refer_front(model.tree_, max_leaf_nodes=3, share=share)
    >>> [(one.referred, round(one.agreement, 2)) for one in front.ways]
    [(0.0, 0.89), (0.25, 1.0)]
    """
    if tree.weight[0, 1] == 0.0:  # nothing to find: one silent leaf
        return Front([Answering(0.0, 0.0, np.zeros(1, dtype=np.intp), 0.5, 0.5)], None)
    cutbacks = best_cutbacks(tree, max_leaf_nodes, PRICES, start)
    every = [one for cutback in cutbacks for one in _ways(tree, cutback, share)]
    # The fewest leaves first among equals.
    every.sort(key=lambda one: (one.referred, -one.agreement, len(one.leaves)))
    front = every[:1]
    for one in every[1:]:
        if one.agreement > front[-1].agreement:
            front.append(one)
    return Front(front, np.array([one.value for one in cutbacks]))


def _ways(tree: Tree, cutback: Cutback, share: Vector) -> Iterator[Answering]:
    """Yield the ways to answer with a subtree, dominated ones among them."""
    leaves = cutback.leaves
    levels, place = np.unique(tree.probability[leaves], return_inverse=True)
    # Sums of values below each level, and of all.
    negative, positive, rows = (
        np.append(0.0, np.cumsum(np.bincount(place, values, minlength=len(levels))))
        for values in (*tree.weight[leaves].T, share[leaves])
    )
    # Levels before the first cut pass, those from the second on alert.
    first, second = np.triu_indices(len(levels) + 1)
    if levels[0] == 0.0:  # no threshold is below it
        first, second = first[first > 0], second[first > 0]
    found = positive[-1] - positive[first]
    false = negative[-1] - negative[second]
    referred = rows[second] - rows[first]
    agreement = 2.0 * found / (found + false + positive[-1])
    cuts = 0.5 * (np.append(0.0, levels) + np.append(levels, 1.0))
    # Where no other refers less, or as little, and agrees better.
    order = np.lexsort((-agreement, referred))
    best = np.maximum.accumulate(agreement[order])
    rises = np.append(True, best[1:] > best[:-1])
    for way in order[rises].tolist():
        low, high = cuts[first[way]], cuts[second[way]]
        yield Answering(
            float(referred[way]), float(agreement[way]), leaves, float(low), float(high)
        )


def tally(tree: Tree, way: Answering, counts: Vector, alerts: Vector) -> Tally:
    """Count what a way to answer does to rows.

    `counts` are the (negative, positive) rows at the nodes of the tree, `alerts` those of them on
    which the imitated one alerts.
    """
    share = tree.probability[way.leaves]
    is_alert = share > way.high
    asked = way.leaves[(share > way.low) & ~is_alert]
    false, found = counts[way.leaves[is_alert]].sum(axis=0) + alerts[asked].sum(axis=0)
    return Tally(float(counts[asked].sum()), float(found), float(false))
