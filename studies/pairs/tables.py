"""Tables for `pairs_study.py`: with a planted pair of columns, and of several sorts without one."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from thresher.datasets import list_datasets, load_dataset, make_assembly_line
from thresher.pair import Pair

Random = np.random.Generator
Values = NDArray[np.float64]
Rows = NDArray[np.bool_]

COLUMNS = 20
REAL_COLUMNS = 60
"""Of a real table at most; the first ones."""


class Made(NamedTuple):
    """A table, its labels, and what was planted: a sort, and the values of the pair if any."""

    X: Values
    y: NDArray[np.int64]
    sort: str
    truth: Values | None = None


def measured(random: Random, rows: int, columns: int = COLUMNS) -> Values:
    """Return columns of different scales and shapes, some of which go together."""
    shared = random.normal(size=(rows, 4))
    return np.column_stack([_column(random, shared) for _ in range(columns)])


def _column(random: Random, shared: Values) -> Values:
    mean, spread = 10.0 ** random.uniform(-1.0, 3.5), random.uniform(0.08, 0.4)
    z = random.normal(size=len(shared))
    if random.random() < 0.3:
        weight = random.uniform(0.3, 0.8)
        z = weight * shared[:, random.integers(4)] + np.sqrt(1.0 - weight**2) * z
    shape = random.integers(4)
    if shape == 0:
        return mean * np.exp(spread * z)
    if shape == 1:
        return mean * random.uniform(0.0, 2.0, len(z))
    values = mean * (1.0 + spread * z)
    return np.round(values, 1 if mean < 100.0 else 0) if shape == 2 else values


def noisy(random: Random, holds: Rows) -> NDArray[np.int64]:
    """Return labels: up to 15 % of the scrap is not noticed, up to 0.4 % of all is scrap anyway."""
    missed, other = random.uniform(0.0, 0.15), random.uniform(0.0, 0.004)
    noticed = holds & (random.random(len(holds)) > missed)
    return (noticed | (random.random(len(holds)) < other)).astype(np.int64)


# --------------------------------------------------------------------------------- with a pair


def with_pair(seed: int) -> Made:
    """Return a line of 2,000 to 5,000 parts, 2 to 5 % of which a pair of columns makes scrap."""
    random = np.random.default_rng([seed, 1])
    operation = ("product", "difference", "ratio")[seed % 3]
    X = measured(random, int(random.integers(2000, 5001)))
    left, right = random.choice(COLUMNS, 2, replace=False).tolist()
    X[:, left], X[:, right] = _parts(random, operation, len(X))
    truth = Pair(left, operation, right).values(X)
    y = noisy(random, _outside(random, truth, random.uniform(0.02, 0.05)))
    return Made(X, y, operation, truth)


def _parts(random: Random, operation: str, rows: int) -> tuple[Values, Values]:
    means, spreads = 10.0 ** random.uniform(0.0, 3.0, 2), random.uniform(0.1, 0.35, 2)
    z = random.normal(size=(2, rows))
    if operation != "difference":
        left = means[0] * np.clip(1.0 + spreads[0] * z[0], 0.02, None)
        return left, means[1] * np.exp(spreads[1] * z[1])
    # Two temperatures, two lengths: of one scale, and they go together.
    together, spread = random.uniform(0.5, 0.95), means[0] * spreads[0]
    z[1] = together * z[0] + np.sqrt(1.0 - together**2) * z[1]
    right = means[0] * random.uniform(0.7, 1.3) + random.uniform(0.8, 1.25) * spread * z[1]
    return means[0] + spread * z[0], right


def _outside(random: Random, values: Values, rate: float) -> Rows:
    """Return the rows above a limit, below one, or outside of two."""
    side = random.integers(3)
    low, high = ((0.0, rate), (rate, 0.0), (rate / 2, rate / 2))[side]
    below = values < np.quantile(values, low) if low else np.zeros(len(values), dtype=bool)
    above = values > np.quantile(values, 1.0 - high) if high else np.zeros_like(below)
    return below | above


# ------------------------------------------------------------------------------ without a pair


def without_pair(seed: int) -> Made:
    """Return a table of one of the sorts, in turn."""
    sort, make = list(SORTS.items())[seed % len(SORTS)]
    X, y = make(np.random.default_rng([seed, 0]))
    return Made(X, y, sort)


def _simulated(holds: Callable[[Random, Values, float], Rows]) -> Callable[[Random], Any]:
    def make(random: Random) -> tuple[Values, NDArray[np.int64]]:
        X = measured(random, int(random.integers(1000, 5001)), int(random.integers(6, 21)))
        return X, noisy(random, holds(random, X, random.uniform(0.02, 0.08)))

    return make


def _limits(count: int) -> Callable[[Random, Values, float], Rows]:
    """Scrap is what leaves the limits of so many columns, one being enough."""

    def holds(random: Random, X: Values, rate: float) -> Rows:
        places = random.permutation(X.shape[1])[:count]
        return np.any([_outside(random, X[:, place], rate / count) for place in places], axis=0)

    return holds


def _boxes(count: int) -> Callable[[Random, Values, float], Rows]:
    """Scrap is what leaves a limit of two columns together, for one of so many pairs of them."""

    def holds(random: Random, X: Values, rate: float) -> Rows:
        places, share = random.permutation(X.shape[1]), np.sqrt(rate / count)
        sides = [_outside(random, X[:, place], share) for place in places[: 2 * count]]
        return np.any([sides[i] & sides[i + 1] for i in range(0, 2 * count, 2)], axis=0)

    return holds


def _by_chance(random: Random, X: Values, rate: float) -> Rows:
    return random.random(len(X)) < rate


def _line(random: Random) -> tuple[Values, NDArray[np.int64]]:
    line = make_assembly_line(
        int(random.integers(1000, 5001)),
        int(random.integers(8, 21)),
        as_frame=False,
        random_state=int(random.integers(2**31)),
    )
    return np.asarray(line.X, dtype=np.float64), line.y


def _real(random: Random) -> tuple[Values, NDArray[np.int64]]:
    """Return a real table, with limits of one of its columns as the label."""
    names = list_datasets(available=True)
    while True:
        X = load_dataset(names[random.integers(len(names))])[0][:5000, :REAL_COLUMNS]
        values = X[:, random.integers(X.shape[1])]
        y = noisy(random, _outside(random, np.nan_to_num(values), random.uniform(0.02, 0.08)))
        if y.sum() >= 20 and len(np.unique(values)) > 20:
            return X, y


SORTS: dict[str, Callable[[Random], Any]] = {
    "labels by chance": _simulated(_by_chance),
    "limits of one column": _simulated(_limits(1)),
    "limits of two columns": _simulated(_limits(2)),
    "limits of three columns": _simulated(_limits(3)),
    "two columns together": _simulated(_boxes(1)),
    "two columns together, or two others": _simulated(_boxes(2)),
    "assembly line": _line,
    "real table, limits of one column": _real,
}
