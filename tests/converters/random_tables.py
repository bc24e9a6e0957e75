"""Tables for models of other libraries: numbers, ties, zeros, gaps, category codes."""

from typing import NamedTuple

import numpy as np

TINY = [0.0, -0.0, 1e-35, -1e-35, float(np.float32(1e-35)), 1e-36, -1e-40, 1e-34, -1e-34]


class Problem(NamedTuple):
    """Rows to train on, rows to ask for, and which columns hold category codes."""

    X: np.ndarray
    y: np.ndarray
    weights: np.ndarray | None
    asked: np.ndarray
    categories: list[int]


def make_problem(random, *, gaps=True, categories=True, n_rows=None):
    """Return a table whose classes follow from some of its columns."""
    n_rows = n_rows or int(random.integers(60, 400))
    n_columns = int(random.integers(2, 7))
    X = np.column_stack([_column(random, n_rows) for _ in range(n_columns)])
    places = []
    if categories and random.random() < 0.6:
        places = [int(random.integers(n_columns))]
        X[:, places[0]] = random.integers(0, random.choice([3, 12, 300]), n_rows)
    score = sum(np.sin(3 * X[:, i] + i) for i in range(min(3, n_columns)))
    y = (score + random.normal(size=n_rows) > random.choice([0.0, 1.0, 2.0])).astype(int)
    y[:2], y[-2:] = 0, 1
    asked = _asked(random, X, places)
    if gaps and random.random() < 0.7:
        X[random.random(X.shape) < 0.15] = np.nan
    if gaps:
        asked[random.random(asked.shape) < 0.1] = np.nan
    weights = random.random(n_rows) + 0.1 if random.random() < 0.4 else None
    return Problem(X, y, weights, asked, places)


def _column(random, n_rows):
    kind = random.integers(5)
    if kind == 0:
        return random.integers(-2, 3, n_rows).astype(float)
    if kind == 1:
        return random.choice([0.0, 0.0, 1.0, -1.0, *TINY], n_rows)
    if kind == 2:
        return np.round(random.normal(size=n_rows), 1)
    if kind == 3:
        return np.exp(5 * random.normal(size=n_rows))
    return random.normal(size=n_rows)


def _asked(random, X, places):
    """Return rows like those of training: values next to them, zeros, unknown categories."""
    rows = X[random.integers(len(X), size=3 * len(X))].copy()
    moved = random.random(rows.shape) < 0.4
    rows[moved] = np.nextafter(rows[moved], random.choice([-np.inf, np.inf], moved.sum()))
    rounded = random.random(rows.shape) < 0.3
    rows[rounded] = rows[rounded].astype(np.float32)
    zero = random.random(rows.shape) < 0.1
    rows[zero] = random.choice(TINY, zero.sum())
    for place in places:
        rows[:, place] = random.choice([*np.unique(X[:, place]), 299.0, 1000.0, -1.0], len(rows))
    return rows


def close_to_cuts(random, rows, cuts, columns):
    """Put values at, just above and just below the cuts of a model into rows, in place."""
    chosen = random.permutation(len(cuts))[: len(rows)]
    for column, cut in zip(columns[chosen], np.clip(cuts[chosen], -1e30, 1e30), strict=True):
        near = [cut, np.nextafter(cut, -np.inf), np.nextafter(cut, np.inf), float(np.float32(cut))]
        rows[random.integers(len(rows), size=4), column] = near
