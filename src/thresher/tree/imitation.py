"""One readable tree that imitates any scorer.

The tree learns the scorer's decisions on the training rows and on rows made of them by exchanging
values between rows. It is grown in full and cut back to the subtree of at most so many leaves that
agrees best, by F1.

A tree that may refer rows learns them by the weight |score - threshold|: what it costs to decide a
row otherwise than the scorer does, who does not mind where it is at its threshold. That leaves the
referrals to rows that matter. How many rows it may refer is kept on rows that it has not seen.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.column import Matrix
from thresher.tree.classifier import ImbalancedTreeClassifier
from thresher.tree.exchange import exchanged_rows
from thresher.tree.growing import Growth
from thresher.tree.leaf_budget import best_subtree
from thresher.tree.pruning import node_counts
from thresher.tree.refer_front import SLACK
from thresher.tree.referral import Referral
from thresher.tree.sample import Rows, describe
from thresher.tree.structure import Tree
from thresher.tree.taught import Scores, Taught
from thresher.tree.unseen_front import unseen_front
from thresher.validation import check_integer, check_number, thread_count

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
        asked = model if asked is None else asked
        return _referring(model, taught, max_leaf_nodes, refer, frame, asked)
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


def _referring(
    model: Any, taught: Taught, max_leaf_nodes: int, refer: float, frame: str | None, asked: Any
) -> ImbalancedTreeClassifier:
    """Return the tree that refers as many rows as it may."""
    front = unseen_front(taught, partial(_grown, model), max_leaf_nodes)
    chosen = front.within(refer)
    tree = with_true_rows(front.tree.collapsed(chosen.way.leaves.tolist()), taught.rows)
    found = _estimator(model, tree, chosen.way.low, max_leaf_nodes)
    found.threshold_alert_ = chosen.way.high
    found.referral_ = Referral(chosen.referred, front.columns(), frame, asked)
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
