"""Tables with a rare class that there is something to learn about."""

import numpy as np


def rare(n_rows=400, seed=0):
    """Return five normal columns, of which the first two tell of the positives, about 9 %."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n_rows, 5))
    return X, (X[:, 0] + X[:, 1] + 0.8 * random.normal(size=n_rows) > 2.2).astype(int)


def mixed(n_rows=400, seed=0):
    """Return a table with ties, levels in column 2, and missing values; its target; weights."""
    X, y = rare(n_rows, seed)
    random = np.random.default_rng(seed + 1)
    X[:, 1] = np.round(4 * X[:, 1])
    X[:, 2] = random.integers(0, 12, n_rows) // (1 + y)
    X[random.random(n_rows) < 0.1 + 0.2 * y, 3] = np.nan
    return X, y, np.round(random.random(n_rows) + 0.5, 3)
