"""Random tables in which one class is rare: many or few values a column, signal and noise."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

NOISE = 1.5
"""Standard deviation of the score's noise; that of its signal is about 1.3."""


@dataclass(frozen=True)
class Shape:
    """What a table looks like."""

    rows: int
    columns: int = 16
    positive_share: float = 0.02


@dataclass(frozen=True)
class Table:
    """A float32 matrix in C order and its classes, 0 and 1."""

    X: NDArray[np.float32]
    y: NDArray[np.int64]

    @cached_property
    def is_positive(self) -> NDArray[np.uint8]:
        """The classes as the compiled core takes them."""
        return self.y.astype(np.uint8)


def make_table(shape: Shape, seed: int = 0) -> Table:
    """Draw a table; the positives are the rows with the highest noisy score."""
    random = np.random.default_rng([seed, shape.rows, shape.columns])
    X = np.empty((shape.rows, shape.columns), dtype=np.float32)
    for column in range(shape.columns):
        X[:, column] = _draw_column(column, shape.rows, random)
    score = _signal(X) + NOISE * random.standard_normal(shape.rows, dtype=np.float32)
    n_positive = max(2, round(shape.rows * shape.positive_share))
    y = np.zeros(shape.rows, dtype=np.int64)
    y[np.argpartition(score, -n_positive)[-n_positive:]] = 1
    return Table(X, y)


def _draw_column(column: int, rows: int, random: np.random.Generator) -> NDArray[Any]:
    """Every four columns: one gaussian, one lognormal, one of 10-20 values, one of 2-4 values."""
    values = random.standard_normal(rows, dtype=np.float32)
    kind, group = column % 4, column // 4
    if kind == 0:
        return values
    if kind == 1:
        return np.exp(values)
    if kind == 2:
        steps = 1.5 + 0.5 * (group % 3)
        return np.clip(np.round(steps * values), -9, 9)
    return random.integers(0, 2 + group % 3, rows)


def _signal(X: NDArray[np.float32]) -> NDArray[np.float32]:
    """Slopes, a step, a product and a group: what trees can and cannot say in few splits."""
    slopes = X[:, 0] + 0.6 * np.log(X[:, 1]) + 0.2 * X[:, 2]
    step = 0.8 * (X[:, 4] > 1.0)
    group = 0.7 * X[:, 3] * (X[:, 5] > 1.0)
    product = 0.4 * X[:, 8] * X[:, 12]
    return np.asarray(slopes + step + group + product, dtype=np.float32)
