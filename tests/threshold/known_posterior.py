"""Rows whose true probability is known: a logistic law, and the same law under another prior."""

import numpy as np
from scipy.special import expit

COEFFICIENTS = np.array([1.5, -1.0, 0.5, 0.0])


def draw(n, intercept=-4.0, seed=0):
    """Return X, y and the true probability of each row; about 6 % are positive."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, len(COEFFICIENTS)))
    probability = expit(X @ COEFFICIENTS + intercept)
    return X, (random.random(n) < probability).astype(int), probability


def draw_at_rate(n, rate, seed=0):
    """Return n rows in which the share of positives is another: only the mix of classes changes."""
    random = np.random.default_rng(seed)
    X, y, _ = draw(max(int(40 * rate), 3) * n, seed=seed)
    n_positive = round(rate * n)
    chosen = np.concatenate(
        [np.flatnonzero(y == 1)[:n_positive], np.flatnonzero(y == 0)[: n - n_positive]]
    )
    assert len(chosen) == n
    random.shuffle(chosen)
    return X[chosen], y[chosen]


def calibration_error(probability, truth):
    """Mean distance of probabilities from the true ones."""
    return float(np.abs(probability - truth).mean())
