"""Trees that refer some rows: how well they decide, against how many rows they refer.

For each price of a referred row the leaf budget has a best subtree. In each of them every pair of
cuts between the shares of its leaves is a way to answer: leaves up to the first pass, those above
the second alert, and those between refer. The front holds what nothing else beats.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from thresher.tree.leaf_budget import NEVER, Cutback, Nodes, Vector, best_cutbacks
from thresher.tree.structure import Tree

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
    negative, positive, rows = (
        _below(values, place, len(levels)) for values in (*tree.weight[leaves].T, share[leaves])
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
    for way in _undominated(referred, agreement):
        low, high = cuts[first[way]], cuts[second[way]]
        yield Answering(
            float(referred[way]), float(agreement[way]), leaves, float(low), float(high)
        )


def _below(values: Vector, place: NDArray[np.intp], n_levels: int) -> Vector:
    """Return the sums of values below each level, and of all."""
    sums: Vector = np.append(0.0, np.cumsum(np.bincount(place, values, minlength=n_levels)))
    return sums


def _undominated(referred: Vector, agreement: Vector) -> list[int]:
    """Return where no other refers less, or as little, and agrees better."""
    order = np.lexsort((-agreement, referred))
    best = np.maximum.accumulate(agreement[order])
    rises = np.append(True, best[1:] > best[:-1])
    places: list[int] = order[rises].tolist()
    return places


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
