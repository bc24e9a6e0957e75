"""Where the counts of pruning come from: training rows, a hold-out, or rows of their own."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.tree.collapse import METRIC_NAMES, Metric, metric_function
from thresher.tree.structure import Tree

__all__ = ["METRIC_NAMES", "Metric", "check_pruning", "hold_out", "node_counts"]


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


def hold_out(
    is_positive: NDArray[np.uint8],
    weights: NDArray[np.float64] | None,
    fraction: float,
    random: np.random.RandomState,
) -> NDArray[np.bool_]:
    """Draw the rows to prune on: the same share of each class, at least one row on either side.

    Examples
    --------
    >>> y = np.array([0] * 8 + [1] * 4, dtype=np.uint8)
    >>> held = hold_out(y, None, 0.25, np.random.RandomState(0))
    >>> held[:8].sum(), held[8:].sum()
    (np.int64(2), np.int64(1))
    """
    held = np.zeros(len(is_positive), dtype=np.bool_)
    for label in (0, 1):
        of_class = is_positive == label
        rows = np.flatnonzero(of_class if weights is None else of_class & (weights > 0))
        if len(rows) < 2:
            raise ValueError(
                "pruning_fraction needs two rows of each class or more; leave it out to prune on "
                "the training rows."
            )
        count = min(max(round(fraction * len(rows)), 1), len(rows) - 1)
        held[random.permutation(rows)[:count]] = True
    return held


def node_counts(
    tree: Tree,
    X: NDArray[Any],
    is_positive: NDArray[np.uint8],
    weights: NDArray[np.float64] | None = None,
    n_threads: int = 1,
) -> NDArray[np.float64]:
    """Route rows through a tree and return the (negative, positive) weight at each node."""
    leaves = tree.leaves(X, n_threads)
    weights = np.ones(len(leaves)) if weights is None else weights
    by_class = [
        np.bincount(leaves, weights * (is_positive == label), minlength=tree.n_nodes)
        for label in (0, 1)
    ]
    # A subtree is a range of nodes, so its counts are a difference of running sums.
    running = np.vstack([np.zeros(2), np.cumsum(by_class, axis=1).T])
    return running[tree.subtree_end + 1] - running[: tree.n_nodes]
