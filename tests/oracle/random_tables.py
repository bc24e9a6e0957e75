"""Random small tables and growth rules that look for trouble: ties, duplicates, gaps, categories.

Weights are multiples of 1/1024, so that their sums are exact in any order.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from tests.oracle.brute_force import Rules, Table

Column = NDArray[np.floating]

CRITERIA: dict[str, Rules] = {
    "adaptive_renyi, tolerance 0.05": Rules("adaptive_renyi", tolerance=0.05),
    "adaptive_renyi, tolerance 0.5": Rules("adaptive_renyi", tolerance=0.5),
    **{
        f"renyi, alpha {alpha:g}": Rules("renyi", alpha=alpha)
        for alpha in (0.0, 0.3, 0.5, 1.0, 1.5, 2.0, 3.0, 5.0)
    },
    **{name: Rules(name) for name in ("hellinger", "dkm", "entropy", "gain_ratio", "gini")},
}


def random_table(seed: int) -> Table:
    """Return a table of 10 to 200 rows and 1 to 6 columns."""
    random = np.random.default_rng((0, seed))
    n_rows, n_columns = int(random.integers(10, 201)), int(random.integers(1, 7))
    return filled_table(random, n_rows, n_columns, [0.02, 0.05, 0.1, 0.3, 0.5, 0.9])


def random_large_table(seed: int, share: float) -> Table:
    """Return a table of 300 to 4000 rows and 2 to 5 columns with this share of positives."""
    random = np.random.default_rng((2, seed))
    n_rows = int(np.exp(random.uniform(np.log(300), np.log(4000))))
    return filled_table(random, n_rows, int(random.integers(2, 6)), [share])


def filled_table(
    random: np.random.Generator, n_rows: int, n_columns: int, shares: list[float]
) -> Table:
    """Return a table of this size; the share of positives is one of those given."""
    dtype = random.choice(np.array([np.float32, np.float64]))
    y = random_labels(random, n_rows, shares)
    columns: list[Column] = []
    categorical = random.random(n_columns) < 0.25
    for is_category in categorical:
        column = random_levels(random, y) if is_category else random_numbers(random, y, columns)
        columns.append(with_gaps(random, column.astype(dtype), y))
    weights = random_weights(random, n_rows)
    weights[[y.argmin(), y.argmax()]] = 1.0  # both classes count
    return Table(random_layout(random, np.column_stack(columns)), y, weights, categorical)


def random_rules(
    seed: int, base: Rules, leaves: tuple[float, ...] = (1, 1, 2, 2.5, 3, 5, 10, 20)
) -> Rules:
    """Return the criterion of ``base`` with random class weights and limits."""
    random = np.random.default_rng((1, seed))
    leaf = float(random.choice(leaves))
    return Rules(
        criterion=base.criterion,
        alpha=base.alpha,
        tolerance=base.tolerance,
        class_weight=[(1.0, 1.0), (1.0, 7.5), (0.53, 9.1)][random.integers(3)],
        max_depth=int(random.choice([-1, -1, -1, 1, 3])),
        min_leaf_weight=leaf,
        min_split_weight=float(random.choice([2, 2 * leaf, 15])),
        min_gain=0.0 if base.criterion == "gain_ratio" else float(random.choice([0, 0, 0.01])),
        min_leaf_fraction=float(random.choice([0, 0, 0, 0.01, 0.1])),
    )


def random_labels(
    random: np.random.Generator, n_rows: int, shares: list[float]
) -> NDArray[np.uint8]:
    """Return labels with both classes, the positives in one of these shares."""
    n_positive = int(np.ceil(n_rows * random.choice(shares)))
    y = np.zeros(n_rows, dtype=np.uint8)
    y[random.permutation(n_rows)[: min(n_positive, n_rows - 1)]] = 1
    return y


def random_weights(random: np.random.Generator, n_rows: int) -> NDArray[np.float64]:
    """Return no weights (all 1), small integers with zeros, or multiples of 1/1024."""
    kind = random.integers(3)
    if kind == 0:
        return np.ones(n_rows)
    if kind == 1:
        return random.integers(0, 4, n_rows).astype(np.float64)
    return random.integers(0, 4097, n_rows) / 1024


def random_levels(random: np.random.Generator, y: NDArray[np.uint8]) -> Column:
    """Return level codes 0..254, some levels with more positives than others."""
    codes = random.permutation(255)[: random.integers(2, 15)]
    level = random.integers(len(codes), size=len(y))
    drawn_to_first = (y == 1) & (random.random(len(y)) < random.choice([0, 0.3, 0.7]))
    return codes[np.where(drawn_to_first, 0, level)].astype(np.float64)


def random_numbers(
    random: np.random.Generator, y: NDArray[np.uint8], columns: list[Column]
) -> Column:
    """Return one numeric column of a random kind; it may repeat or mirror an earlier one."""
    signal = random.normal(size=len(y)) + random.choice([0.0, 1.0, 3.0]) * y
    ulp = np.finfo(np.float32).eps
    kinds: list[Callable[[], Column]] = [
        lambda: signal,
        lambda: signal * random.choice([1e-30, 1e30]),
        lambda: np.round(signal * 2) / 2,
        lambda: np.round(signal),
        lambda: np.where(random.random(len(y)) < 0.8, 0.0, signal),
        lambda: np.where(np.round(signal) == 0, -0.0, np.sign(signal)),
        lambda: 1 + ulp * np.clip(np.round(signal), -2, 2),  # neighbours in float32
        lambda: 1 + ulp / 2**29 * np.clip(np.round(signal), -2, 2),  # neighbours in float64
        lambda: np.full(len(y), 7.0),
        lambda: np.full(len(y), np.nan),
    ]
    if columns:
        earlier = columns[random.integers(len(columns))].astype(np.float64)
        kinds += [lambda: earlier, lambda: -earlier, lambda: earlier / 4 + 1]
    likely = np.array([4, 1, 3, 3, 3, 1, 1, 1, 0.3, 0.3, 0.7, 0.7, 0.7][: len(kinds)])
    return kinds[random.choice(len(kinds), p=likely / likely.sum())]()


def with_gaps(random: np.random.Generator, column: Column, y: NDArray[np.uint8]) -> Column:
    """Return the column with missing values, which may tell something of the label."""
    share = random.choice([0.0, 0.0, 0.03, 0.15, 0.5])
    lift = random.choice([1.0, 1.0, 0.2, 2.0])
    column[random.random(len(y)) < share * np.where(y == 1, lift, 1.0)] = np.nan
    return column


def random_layout(random: np.random.Generator, X: NDArray[np.floating]) -> NDArray[np.floating]:
    """Return the same table in row order, in column order, or as a view with gaps between cells."""
    kind = random.integers(3)
    if kind == 0:
        return X
    if kind == 1:
        return np.asfortranarray(X)
    wide = np.zeros((2 * X.shape[0], 3 * X.shape[1]), dtype=X.dtype)
    view = wide[::-2, ::3]
    view[...] = X
    return view
