"""One readable tree that imitates any scorer.

The tree learns the scorer's decisions on the training rows and on rows made of them by exchanging
values between rows. It is grown in full and cut back to the subtree of at most so many leaves that
agrees best, by F1.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.column import Matrix
from thresher.tree.classifier import ImbalancedTreeClassifier
from thresher.tree.growing import Growth
from thresher.tree.leaf_budget import best_subtree
from thresher.tree.pruning import node_counts
from thresher.tree.sample import Rows, describe
from thresher.tree.structure import Tree
from thresher.validation import thread_count

CRITERION = "hellinger"
MIN_ROWS = 5
"""Least weight of a leaf; the rows of imitation are many, and weigh 1 on average."""

EXCHANGED = (0.1, 0.3)
"""Shares of the values that a made row takes from other rows, in equal parts of the made rows."""

MADE_PER_ROW = 4
MIN_MADE, MAX_MADE = 8_000, 100_000

Decisions = NDArray[np.bool_]


def imitate(
    model: Any,
    rows: Rows,
    decisions: Decisions,
    decide: Callable[[Matrix], Decisions],
    max_leaf_nodes: int,
    seed: int,
) -> ImbalancedTreeClassifier:
    """Return a tree of at most so many leaves that decides as a model does.

    Parameters
    ----------
    model : fitted estimator of two classes
        With `columns_`, `classes_`, `positive_index_`, `pos_label` and `n_jobs`.
    rows : its training rows, as a matrix of `columns_`.
    decisions : whether the model calls each of them positive, best as if it had not seen it.
    decide : whether the model calls each row of such a matrix positive.
    max_leaf_nodes : most leaves.
    seed : of the made rows.
    """
    columns = model.columns_
    # Derived columns are computed anew, so that they stay true to their parts.
    given = rows.matrix[:, : len(columns)]
    made = columns.widened(exchanged_rows(given, np.random.default_rng(seed)))
    return imitate_on(model, rows, decisions, made, decide(made), max_leaf_nodes)


def imitate_on(
    model: Any,
    rows: Rows,
    decisions: Decisions,
    made: Matrix,
    made_decisions: Decisions,
    max_leaf_nodes: int,
) -> ImbalancedTreeClassifier:
    """Return the tree as `imitate` does, for rows that were made and decided about already."""
    imitated = Rows(
        np.concatenate([rows.matrix, made]),
        np.concatenate([decisions, made_decisions]).astype(np.uint8),
        _weights(rows, len(made)),
    )
    growth = Growth(CRITERION, min_samples_leaf=MIN_ROWS)
    whole = growth.grow(
        *imitated,
        class_weight=(1.0, 1.0),
        is_category=model.columns_.is_category,
        seed=0,
        n_threads=thread_count(model.n_jobs),
    )
    small = best_subtree(whole, max_leaf_nodes)
    return _estimator(model, with_true_rows(small.tree, rows), small.threshold, max_leaf_nodes)


def kept_imitation(model: Any, max_leaf_nodes: int) -> ImbalancedTreeClassifier:
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
