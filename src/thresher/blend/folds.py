"""Which fold each training row is held out in."""

import numpy as np
from numpy.typing import NDArray

from thresher.errors import NoVotesError
from thresher.tree.sample import Rows


def deal_folds(rows: Rows, n_folds: int, seed: int) -> NDArray[np.intp]:
    """Return the fold of each row, the rows of each class dealt evenly.

    There are no more folds than the rarer class has rows of weight, so that none is fitted without
    a row of it.

    Examples
    --------
    >>> rows = Rows(np.zeros((6, 1)), np.array([0, 0, 0, 0, 1, 1], dtype=np.uint8), None)
    >>> np.bincount(deal_folds(rows, 5, seed=0)).tolist()
    [3, 3]
    """
    counts = _counted(rows)
    smallest = min(int((counts & (rows.is_positive == label)).sum()) for label in (0, 1))
    if smallest < 2:
        raise NoVotesError(
            "A committee of folds needs two rows of each class, and one class has fewer; gather "
            "more rows of it."
        )
    random, fold = np.random.default_rng(seed), np.empty(len(counts), dtype=np.intp)
    # Rows without weight are dealt by themselves, so that they move no other row.
    for chosen in (counts & (rows.is_positive == 0), counts & (rows.is_positive == 1), ~counts):
        places = random.permutation(np.flatnonzero(chosen))
        fold[places] = np.arange(len(places)) % min(n_folds, smallest)
    return fold


def training_rows(rows: Rows, fold: NDArray[np.intp], held: int) -> Rows:
    """Return the rows of weight outside of a fold."""
    return rows.where(_counted(rows) & (fold != held))


def _counted(rows: Rows) -> NDArray[np.bool_]:
    if rows.weights is None:
        return np.ones(len(rows.is_positive), dtype=np.bool_)
    counted: NDArray[np.bool_] = rows.weights > 0.0
    return counted
