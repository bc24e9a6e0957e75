"""One readable tree that imitates any scorer.

The tree learns the scorer's decisions on the training rows and on rows made of them by exchanging
values between rows. It is grown in full and cut back to the subtree of at most so many leaves that
agrees best, by F1.

A tree that may refer rows learns them by the weight |score - threshold|: what it costs to decide a
row otherwise than the scorer does, who does not mind where it is at its threshold. That leaves the
referrals to rows that matter.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.answers import REFER
from thresher.column import Matrix
from thresher.frames import make_frame
from thresher.referred import Referred
from thresher.tree.classifier import ImbalancedTreeClassifier
from thresher.tree.growing import Growth
from thresher.tree.leaf_budget import best_subtree
from thresher.tree.pruning import node_counts
from thresher.tree.refer_front import front_columns, refer_front
from thresher.tree.sample import Rows, describe
from thresher.tree.structure import Tree
from thresher.validation import check_integer, check_number, thread_count

CRITERION = "hellinger"
MIN_ROWS = 5
"""Least weight of a leaf; the rows of imitation are many, and weigh 1 on average."""

EXCHANGED = (0.1, 0.3)
"""Shares of the values that a made row takes from other rows, in equal parts of the made rows."""

MADE_PER_ROW = 4
MIN_MADE, MAX_MADE = 8_000, 100_000

SLACK = 1e-12
"""A share that exceeds a limit by rounding alone keeps it."""

Decisions = NDArray[np.bool_]
Scores = NDArray[np.float64]


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
    refer : largest share of the training rows that the tree may refer.
    frame : library of the front's data frame.
    """
    columns = model.columns_
    # Derived columns are computed anew, so that they stay true to their parts.
    given = rows.matrix[:, : len(columns)]
    made = columns.widened(exchanged_rows(given, np.random.default_rng(seed)))
    every = np.concatenate([above, above_of(made)])
    return imitate_on(model, rows, made, every, max_leaf_nodes, refer=refer, frame=frame)


def imitate_on(
    model: Any,
    rows: Rows,
    made: Matrix,
    above: Scores,
    max_leaf_nodes: int,
    *,
    refer: float = 0.0,
    frame: str | None = None,
) -> ImbalancedTreeClassifier:
    """Return the tree as `imitate` does, for rows that were made and scored already.

    `above` is of the training rows, then of the made ones.
    """
    weights = _weights(rows, len(made))
    imitated = Rows(
        np.concatenate([rows.matrix, made]),
        (above > 0.0).astype(np.uint8),
        weights if refer == 0.0 else _by_sureness(weights, above),
    )
    growth = Growth(CRITERION, min_samples_leaf=MIN_ROWS)
    whole = growth.grow(
        *imitated,
        class_weight=(1.0, 1.0),
        is_category=model.columns_.is_category,
        seed=0,
        n_threads=thread_count(model.n_jobs),
    )
    if refer == 0.0:
        small = best_subtree(whole, max_leaf_nodes)
        return _estimator(model, with_true_rows(small.tree, rows), small.threshold, max_leaf_nodes)
    alerts = rows.where(above[: len(rows.matrix)] > 0.0)
    return _referring(model, rows, alerts, whole, max_leaf_nodes, refer, frame)


def _by_sureness(weights: Scores, above: Scores) -> Scores:
    """Return weights times how far scores are from the threshold; mean 1."""
    found = weights * np.abs(above)
    total = float(found.sum())
    return weights if total == 0.0 else found * (len(found) / total)


def _referring(
    model: Any,
    rows: Rows,
    alerts: Rows,
    whole: Tree,
    max_leaf_nodes: int,
    refer: float,
    frame: str | None,
) -> ImbalancedTreeClassifier:
    """Return the tree that refers as many rows as it may; the model alerts on some of them."""
    counts = node_counts(whole, *rows)
    front = refer_front(whole, max_leaf_nodes, counts.sum(axis=1) / counts[0].sum())
    chosen = [one for one in front if one.referred <= refer + SLACK][-1]
    tree = with_true_rows(whole.collapsed(chosen.leaves.tolist()), rows)
    found = _estimator(model, tree, chosen.low, max_leaf_nodes)
    found.threshold_alert_, found.referred_to_ = chosen.high, model
    found.referred_ = Referred.of(found.decide_matrix(rows.matrix) == REFER, rows.weights)
    columns = front_columns(whole, front, counts, node_counts(whole, *alerts))
    found.front_ = make_frame(columns, frame)
    return found


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


def exchanged_rows(
    matrix: NDArray[Any], random: np.random.Generator, most: int = MAX_MADE
) -> NDArray[Any]:
    """Return rows, at most so many, in which some values come from other rows of the column."""
    n_rows, n_columns = matrix.shape
    count = int(np.clip(MADE_PER_ROW * n_rows, MIN_MADE, most))
    made = matrix[random.integers(n_rows, size=count)]
    share = np.resize(EXCHANGED, count)
    row, column = np.nonzero(random.random((count, n_columns)) < share[:, None])
    made[row, column] = matrix[random.integers(n_rows, size=len(row)), column]
    return made


def _weights(rows: Rows, n_made: int) -> NDArray[np.float64]:
    """Return weights by which the training rows and the made rows count the same; mean 1."""
    real = np.ones(len(rows.matrix)) if rows.weights is None else rows.weights
    half = 0.5 * (len(real) + n_made)
    return np.concatenate([real * (half / real.sum()), np.full(n_made, half / n_made)])


def with_true_rows(tree: Tree, rows: Rows) -> Tree:
    """Return the tree with the training rows and their labels as the row counts of its nodes."""
    counts = node_counts(tree, rows.matrix, rows.is_positive, None, n_threads=1)
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
