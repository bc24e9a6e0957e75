"""One readable tree that imitates any scorer.

The tree learns the scorer's decisions on the training rows and on rows made of them by exchanging
values between rows. It is grown in full and cut back to the subtree of at most so many leaves that
agrees best, by F1.

A tree that may refer rows learns them by the weight |score - threshold|: what it costs to decide a
row otherwise than the scorer does, who does not mind where it is at its threshold. That leaves the
referrals to rows that matter. How many rows it may refer is kept on rows that it has not seen.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from thresher.answers import Referred
from thresher.column import Matrix
from thresher.tree.classifier import FRONT, ImbalancedTreeClassifier, Referral
from thresher.tree.growing import Growth
from thresher.tree.leaf_budget import (
    SLACK,
    Answering,
    Front,
    Vector,
    best_subtree,
    refer_front,
    tally,
)
from thresher.tree.sample import Rows, describe
from thresher.tree.structure import Tree
from thresher.validation import check_integer, check_number, thread_count

EXCHANGED = (0.1, 0.3)
"""Shares of the values that a made row takes from other rows, in equal parts of the made rows."""

MADE_PER_ROW = 4
MIN_MADE, MAX_MADE = 8_000, 100_000


class Exchanged(NamedTuple):
    """Made rows.

    Attributes
    ----------
    rows : with most values of one row each.
    origin : the place of that row.
    """

    rows: NDArray[Any]
    origin: NDArray[np.intp]


def exchanged_rows(
    matrix: NDArray[Any], random: np.random.Generator, most: int = MAX_MADE
) -> Exchanged:
    """Return rows, at most so many, in which some values come from other rows of the column.

    Examples
    --------
    >>> matrix = np.arange(6.0).reshape(3, 2)
    >>> made = exchanged_rows(matrix, np.random.default_rng(0))
    >>> made.rows.shape, bool((made.rows == matrix[made.origin]).mean() > 0.7)
    ((8000, 2), True)
    """
    n_rows, n_columns = matrix.shape
    count = int(np.clip(MADE_PER_ROW * n_rows, MIN_MADE, most))
    origin = random.integers(n_rows, size=count)
    made = matrix[origin]
    share = np.resize(EXCHANGED, count)
    row, column = np.nonzero(random.random((count, n_columns)) < share[:, None])
    made[row, column] = matrix[random.integers(n_rows, size=len(row)), column]
    return Exchanged(made, origin)


Scores = NDArray[np.float64]


class Taught(NamedTuple):
    """Rows that a scorer has decided about.

    Attributes
    ----------
    rows : the training rows, with their labels.
    made : rows made of them.
    above : how far the score of each row is above the scorer's threshold, first of the training
        rows, then of the made ones; the scorer alerts if and only if that is above 0.
    """

    rows: Rows
    made: Exchanged
    above: Scores

    @property
    def n_rows(self) -> int:
        """Number of training rows."""
        return len(self.rows.matrix)

    @property
    def is_alert(self) -> NDArray[np.bool_]:
        """Whether the scorer alerts on each training row."""
        found: NDArray[np.bool_] = self.above[: self.n_rows] > 0.0
        return found

    def to_grow(self, *, by_sureness: bool) -> Rows:
        """Return all rows with the decisions as their labels; training and made rows count alike.

        `by_sureness` weighs each of them by how far its score is from the threshold, too.
        """
        rows, n_made = self.rows, len(self.made.rows)
        real = np.ones(self.n_rows) if rows.weights is None else rows.weights
        half = 0.5 * (self.n_rows + n_made)
        weights = np.concatenate([real * (half / real.sum()), np.full(n_made, half / n_made)])
        if by_sureness and (sure := weights * np.abs(self.above)).any():
            weights = sure * (len(sure) / float(sure.sum()))
        matrix = np.concatenate([self.rows.matrix, self.made.rows])
        return Rows(matrix, (self.above > 0.0).astype(np.uint8), weights)

    def where(self, is_kept: NDArray[np.bool_]) -> "Taught":
        """Return some of the training rows, and what is made of them."""
        kept_made = is_kept[self.made.origin]
        place = np.cumsum(is_kept) - 1  # among the rows that are kept
        made = Exchanged(self.made.rows[kept_made], place[self.made.origin[kept_made]])
        return Taught(
            self.rows.where(is_kept), made, self.above[np.concatenate([is_kept, kept_made])]
        )


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
    # By how much the tallies over unseen rows exceed those over rows that are seen.
    shares = np.array([one.referred for one in front.ways])
    more = np.zeros((len(shares), 3))
    folds = list(_held_out(taught.is_alert))
    for is_held in folds:
        part = taught.where(~is_held)
        other_tree, other = _front(part, grow, max_leaf_nodes, front.values)
        ways = other.within(shares)
        # Each row is unseen in one fold and seen in all others.
        more += _tallies(other_tree, ways, taught.where(is_held))
        more -= _tallies(other_tree, ways, part) / (len(folds) - 1)
    total, positive = weights.sum(), weights[taught.rows.is_positive == 1].sum()
    # What unseen rows add is an estimate, which can lead beyond all rows.
    most = (total, positive, total - positive)
    referred, found, false = np.clip(_tallies(tree, front.ways, taught) + more, 0.0, most).T
    share = referred / total
    f1 = 2.0 * found / (found + false + positive)
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
    rows = tree.node_counts(*taught.rows).sum(axis=1)
    return tree, refer_front(tree, max_leaf_nodes, rows / rows[0], start)


def _tallies(tree: Tree, ways: list[Answering], taught: Taught) -> Vector:
    """Return the tally of each way over training rows."""
    rows, alerts = (
        tree.node_counts(*one) for one in (taught.rows, taught.rows.where(taught.is_alert))
    )
    return np.array([tally(tree, way, rows, alerts) for way in ways])


def _held_out(is_alert: NDArray[np.bool_]) -> Iterator[NDArray[np.bool_]]:
    """Yield the rows of each fold, which has its share of alerts."""
    order = np.lexsort((np.random.default_rng(0).random(len(is_alert)), is_alert))
    fold = np.empty(len(is_alert), dtype=np.intp)
    fold[order] = np.arange(len(is_alert)) % FOLDS
    for number in range(min(FOLDS, len(is_alert))):
        yield fold == number


CRITERION = "hellinger"
MIN_ROWS = 5
"""Least weight of a leaf; the rows of imitation are many, and weigh 1 on average."""

Decisions = NDArray[np.bool_]


def check_size(max_leaf_nodes: Any, refer: Any) -> None:
    """Raise unless a tree can have so many leaves and refer such a share."""
    check_integer("max_leaf_nodes", max_leaf_nodes, low=2)
    check_number("refer", refer, 0.0, 1.0)


def imitate(
    model: Any,
    rows: Rows,
    above: Scores,
    above_of: Callable[[Matrix], Scores],
    max_leaf_nodes: int,
    seed: int,
    *,
    refer: float = 0.0,
    frame: str | None = None,
) -> ImbalancedTreeClassifier:
    """Return a tree of at most so many leaves that decides as a model does.

    Parameters
    ----------
    model : fitted estimator of two classes
        With `columns_`, `classes_`, `positive_index_`, `pos_label` and `n_jobs`.
    rows : its training rows, as a matrix of `columns_`.
    above : how far the model's score of each of them is above its threshold, best as if it had not
        seen the row; a row is positive if and only if that is above 0.
    above_of : the same of the rows of such a matrix.
    max_leaf_nodes : most leaves.
    seed : of the made rows.
    refer : largest share of rows that the tree may refer, of rows that it has not seen.
    frame : library of the front's data frame.
    """
    columns = model.columns_
    # Derived columns are computed anew, so that they stay true to their parts.
    made = exchanged_rows(rows.matrix[:, : len(columns)], np.random.default_rng(seed))
    made = made._replace(rows=columns.widened(made.rows, to_learn=True))
    taught = Taught(rows, made, np.concatenate([above, above_of(made.rows)]))
    return imitate_on(model, taught, max_leaf_nodes, refer=refer, frame=frame)


def imitate_on(
    model: Any,
    taught: Taught,
    max_leaf_nodes: int,
    *,
    refer: float = 0.0,
    frame: str | None = None,
    asked: Any = None,
) -> ImbalancedTreeClassifier:
    """Return the tree as `imitate` does, for rows that were made and scored already.

    `asked` decides about referred rows, where that is not the model itself.
    """
    if refer > 0.0:
        front = unseen_front(taught, partial(_grown, model), max_leaf_nodes)
        chosen = front.within(refer)
        tree = with_true_rows(front.tree.collapsed(chosen.way.leaves.tolist()), taught.rows)
        found = _estimator(model, tree, chosen.way.low, max_leaf_nodes)
        found.threshold_alert_ = chosen.way.high
        asked = model if asked is None else asked
        found.referral_ = Referral(chosen.referred, front.columns(), frame, asked)
        return found
    small = best_subtree(_grown(model, taught.to_grow(by_sureness=False)), max_leaf_nodes)
    tree = with_true_rows(small.tree, taught.rows)
    return _estimator(model, tree, small.threshold, max_leaf_nodes)


def _grown(model: Any, rows: Rows) -> Tree:
    """Return a tree of decisions, grown in full."""
    return Growth(CRITERION, min_samples_leaf=MIN_ROWS).grow(
        *rows,
        class_weight=(1.0, 1.0),
        is_category=model.columns_.is_category,
        seed=0,
        n_threads=thread_count(model.n_jobs),
    )


def kept_imitation(model: Any, max_leaf_nodes: int, refer: float = 0.0) -> ImbalancedTreeClassifier:
    """Return the tree that a model without its training rows has kept."""
    if not hasattr(model, "imitation_"):
        raise ValueError(
            "This model came from a file or a pickle, without its training rows: give X and y to "
            "to_tree, or set imitation_ before it is saved."
        )
    found: ImbalancedTreeClassifier = model.imitation_
    leaves = found.get_n_leaves()
    if leaves > max_leaf_nodes:
        raise ValueError(
            f"max_leaf_nodes={max_leaf_nodes} is less than the {leaves} leaves of the tree that "
            "this model has kept; give X and y to to_tree for a smaller one."
        )
    if refer > 0.0 and (found.referred_ is None or found.referred_.share > refer + SLACK):
        share = 0.0 if found.referred_ is None else found.referred_.share
        raise ValueError(
            f"The tree that this model has kept refers {share:.1%} of the rows, which is not what "
            f"refer={refer:g} asks for; give X and y to to_tree for another one."
        )
    return found


def with_true_rows(tree: Tree, rows: Rows) -> Tree:
    """Return the tree with the training rows and their labels as the row counts of its nodes."""
    counts = tree.node_counts(rows.matrix, rows.is_positive, None, n_threads=1)
    return Tree.from_core(tree.arrays() | {"rows": counts.astype(np.int64)})


def _estimator(
    model: Any, tree: Tree, threshold: float, max_leaf_nodes: int
) -> ImbalancedTreeClassifier:
    found = ImbalancedTreeClassifier(
        CRITERION,
        max_leaf_nodes=max_leaf_nodes,
        min_samples_leaf=MIN_ROWS,
        pruning=None,
        threshold=threshold,
        categorical_features=getattr(model, "categorical_features", "from_dtype"),
        pos_label=model.pos_label,
        n_jobs=model.n_jobs,
    )
    describe(found, model.columns_, model.classes_, model.positive_index_)
    found.tree_ = found.unpruned_tree_ = tree
    found.threshold_ = threshold
    return found
