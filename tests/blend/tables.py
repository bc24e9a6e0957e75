"""Tables with a rare class, missing values and levels."""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd


class Problem(NamedTuple):
    X: Any
    y: Any


def numbers(n_rows: int = 400, seed: int = 0, *, missing: float = 0.05) -> Problem:
    random = np.random.default_rng(seed)
    X = random.normal(size=(n_rows, 6)) * [1, 10, 0.1, 1, 1, 5] + [0, 3, 0, -7, 0, 0]
    signal = X[:, 0] * X[:, 1] / 10 + X[:, 3] + 7 + 0.5 * random.normal(size=n_rows)
    y = (signal > np.quantile(signal, 0.85)).astype(int)
    X[random.random(X.shape) < missing] = np.nan
    return Problem(X, y)


def levels(n_rows: int = 400, seed: int = 0) -> Problem:
    """Numbers and a category column with missing values, as a data frame; labels are texts."""
    random = np.random.default_rng(seed)
    X, y = numbers(n_rows, seed)
    machine = random.choice(["A", "B", "C", "D"], n_rows).astype(object)
    is_bad = (y == 1) & (random.random(n_rows) < 0.7)
    machine[is_bad] = "C"
    machine[random.random(n_rows) < 0.05] = None
    frame = pd.DataFrame(X, columns=[f"s{place}" for place in range(X.shape[1])])
    frame["machine"] = pd.Categorical(machine)
    return Problem(frame, np.where(y, "scrap", "good"))
