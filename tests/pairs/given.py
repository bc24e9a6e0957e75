"""Tables with zeros, gaps and numbers that overflow, and pairs of all operations."""

import numpy as np

from thresher import PairFeatures
from thresher.pair import OPERATIONS, Pair

EXTREMES = (0.0, -0.0, 1.0, -1.0, 0.5, 1e-308, 5e-324, -2e-160, 1e160, -1.7e308, 1.7e308, 1e308)


def random_table(random, rows=200, columns=4):
    """Return a table whose pairs are often missing."""
    X = random.normal(size=(rows, columns)) * 10.0 ** random.integers(-2, 3, columns)
    X[:, -1] = np.round(X[:, -1])
    X[random.random(X.shape) < 0.1] = np.nan
    strange = random.random(X.shape) < 0.15
    X[strange] = random.choice(EXTREMES, strange.sum())
    return X


def random_pairs(random, columns=4, count=4):
    every = [
        (int(left), operation, int(right))
        for left in range(columns)
        for right in range(columns)
        if left != right
        for operation in OPERATIONS
    ]
    return [every[place] for place in random.choice(len(every), count, replace=False)]


def widened(X, pairs):
    """Return the table with the pairs behind it, computed without the library."""
    new = []
    with np.errstate(all="ignore"):
        for left, operation, right in pairs:
            a, b = X[:, left].astype(np.float64), X[:, right].astype(np.float64)
            values = {
                "product": a * b,
                "difference": a - b,
                "ratio": a / b,
                "sum": a + b,
                "distance": np.abs(a - b),
            }[operation]
            new.append(np.where(np.isfinite(values), values, np.nan))
    return np.column_stack([X, *new])


def learnt(X, pairs):
    """Return the same as trees learn from it; tests/test_pair.py tells what that is."""
    new = [Pair(*pair).values_to_learn(X) for pair in pairs]
    return np.column_stack([X, *new])


def labels_of(random, wide):
    """Return labels that hang on the last column, so that trees ask it."""
    score = np.nan_to_num(wide[:, -1], nan=0.0)
    return (score > np.quantile(score, 0.8)) ^ (random.random(len(wide)) < 0.05)


def features(pairs):
    return PairFeatures(pairs=pairs)
