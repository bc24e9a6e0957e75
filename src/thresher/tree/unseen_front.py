"""The front of a tree that refers rows, as it would be on rows that the tree has not seen.

A tree refers fewer of the rows that it was grown on than of others. So it is grown again without
each fold of the training rows, and without the rows that were made of them; the scorer stays as it
is, for its scores of training rows are unseen ones already. In each fold a way to answer is stood
for by the best one that refers no more of the rows it was grown on. What these do to the rows of
their folds beyond what they do to their own is added to what the tree does to the training rows.
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from thresher.referred import Referred
from thresher.tree.leaf_budget import Vector
from thresher.tree.pruning import node_counts
from thresher.tree.refer_front import SLACK, Answering, Front, refer_front, tally
from thresher.tree.referral import FRONT
from thresher.tree.sample import Rows
from thresher.tree.structure import Tree
from thresher.tree.taught import Taught

FOLDS = 5

Grow = Callable[[Rows], Tree]


class Chosen(NamedTuple):
    """A way to answer, and the share of unseen rows that it refers."""

    way: Answering
    referred: Referred


class UnseenFront(NamedTuple):
    """The ways of a tree to answer that nothing beats.

    Attributes
    ----------
    tree : the whole tree.
    ways : each refers more unseen rows than the one before, and agrees better.
    share : of unseen rows that each of them refers.
    f1 : of each of them on unseen rows with the labels as the truth, where the imitated one decides
        about referred rows.
    weights : of the training rows.
    """

    tree: Tree
    ways: list[Answering]
    share: Vector
    f1: Vector
    weights: Vector

    def within(self, share: float) -> Chosen:
        """Return the best way that refers at most a share; nothing, where none does."""
        kept = np.flatnonzero(self.share <= share + SLACK)
        if len(kept) == 0:
            first = self.ways[0]
            return Chosen(first._replace(high=first.low), Referred.of_share(0.0, self.weights))
        place = int(kept[-1])
        share = float(self.share[place])
        return Chosen(self.ways[place], Referred.of_share(share, self.weights))

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return the front as columns of a table."""
        of_ways = ([one.agreement, len(one.leaves), one.low, one.high] for one in self.ways)
        agreement, leaves, low, high = np.array([*of_ways]).T
        columns = (self.share, self.f1, agreement, leaves.astype(np.int64), low, high)
        return dict(zip(FRONT, columns, strict=True))


def unseen_front(taught: Taught, grow: Grow, max_leaf_nodes: int) -> UnseenFront:
    """Return the front of the tree that is grown on all rows.

    Parameters
    ----------
    taught : what the tree learns.
    grow : how it is grown in full.
    max_leaf_nodes : most leaves.
    """
    weights = taught.rows.weights
    weights = np.ones(taught.n_rows) if weights is None else weights
    tree, front = _front(taught, grow, max_leaf_nodes)
    more = _more_unseen(taught, grow, max_leaf_nodes, front)
    referred, found, false = np.maximum(_tallies(tree, front.ways, taught) + more, 0.0).T
    share = referred / weights.sum()
    f1 = 2.0 * found / (found + false + weights[taught.rows.is_positive == 1].sum())
    # A later way agrees better: what refers no fewer unseen rows than one is beaten by it.
    least_later = np.minimum.accumulate(np.append(share[1:], np.inf)[::-1])[::-1]
    kept = np.flatnonzero(share < least_later)
    ways = [front.ways[place] for place in kept.tolist()]
    return UnseenFront(tree, ways, share[kept], f1[kept], weights)


def _front(
    taught: Taught, grow: Grow, max_leaf_nodes: int, start: Vector | None = None
) -> tuple[Tree, Front]:
    """Return a tree and its front by the rows that it is grown on."""
    tree = grow(taught.to_grow(by_sureness=True))
    rows = node_counts(tree, *taught.rows).sum(axis=1)
    return tree, refer_front(tree, max_leaf_nodes, rows / rows[0], start)


def _more_unseen(taught: Taught, grow: Grow, max_leaf_nodes: int, front: Front) -> Vector:
    """Return by how much the tallies over unseen rows exceed those over rows that are seen."""
    shares = np.array([one.referred for one in front.ways])
    more = np.zeros((len(shares), 3))
    folds = list(_held_out(taught.is_alert))
    for is_held in folds:
        part = taught.where(~is_held)
        tree, other = _front(part, grow, max_leaf_nodes, front.values)
        ways = other.within(shares)
        # Each row is unseen in one fold and seen in all others.
        more += _tallies(tree, ways, taught.where(is_held))
        more -= _tallies(tree, ways, part) / (len(folds) - 1)
    return more


def _tallies(tree: Tree, ways: list[Answering], taught: Taught) -> Vector:
    """Return the tally of each way over training rows."""
    rows, alerts = (
        node_counts(tree, *one) for one in (taught.rows, taught.rows.where(taught.is_alert))
    )
    return np.array([tally(tree, way, rows, alerts) for way in ways])


def _held_out(is_alert: NDArray[np.bool_]) -> Iterator[NDArray[np.bool_]]:
    """Yield the rows of each fold, which has its share of alerts."""
    order = np.lexsort((np.random.default_rng(0).random(len(is_alert)), is_alert))
    fold = np.empty(len(is_alert), dtype=np.intp)
    fold[order] = np.arange(len(is_alert)) % FOLDS
    for number in range(min(FOLDS, len(is_alert))):
        yield fold == number
