"""Which rows each tree of a forest drew, read off the weights of the roots.

Rows are drawn without regard to their weights. A twin of the forest, fitted on the same rows with
weights that are powers of two, holds in each root the sum of the weights of what the tree drew; the
binary digits of that sum tell how often it drew each of a few rows. Several twins tell of all rows.
"""

import numpy as np
from sklearn.base import clone

DIGITS = 4  # binary digits for each row: a row drawn 16 times or more would be misread
WIDTH = 8  # rows of each class that one twin tells of


def trees_of(forest):
    """Return the trees without estimators around them, which take longer to make."""
    return [forest.estimators_.tree(place) for place in range(len(forest.estimators_))]


def times_drawn(forest, X, y):
    """Return how often each tree drew each row, (trees, rows); class 1 must be the positive one."""
    y = np.asarray(y)
    twin = clone(forest).set_params(
        max_depth=1,
        rule=None,
        importance="impurity",
        class_weight=None,
        pos_label=1,
        warm_start=False,
    )
    classes = [np.flatnonzero(y == label) for label in (0, 1)]
    times = np.zeros((forest.n_estimators, len(y)), dtype=np.int64)
    for first in range(0, max(map(len, classes)), WIDTH):
        rows = [members[first : first + WIDTH] for members in classes]
        times += _read(twin, X, y, rows)
    totals = np.array([tree.rows[0] for tree in trees_of(twin)])
    counted = np.stack([times[:, members].sum(axis=1) for members in classes], axis=1)
    np.testing.assert_array_equal(counted, totals, err_msg="a row was drawn too often to be told")
    return times


def _read(twin, X, y, rows_by_class):
    """Return how often each tree drew each of some rows, 0 for the others."""
    base = len(y).bit_length()  # what the other rows, of weight 1, may add up to
    weights = np.ones(len(y))
    for rows in rows_by_class:
        weights[rows] = 2.0 ** (base + DIGITS * np.arange(len(rows)))
    twin.fit(X, y, weights)
    roots = np.array([tree.weight[0] for tree in trees_of(twin)]).astype(np.int64)
    times = np.zeros((len(roots), len(y)), dtype=np.int64)
    for label, rows in enumerate(rows_by_class):
        for place, row in enumerate(rows):
            times[:, row] = roots[:, label] >> (base + DIGITS * place) & (2**DIGITS - 1)
    return times
