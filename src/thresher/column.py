"""One column of a table: numbers with NaN where they are missing, or texts; its levels as codes."""

from collections.abc import Sequence
from enum import Enum
from math import isfinite
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from thresher.texts import Texts

MAX_LEVELS = 255
"""Most codes of a category column: 0 to 254, so that a bitset of 32 bytes holds them."""
MAX_NAMED = MAX_LEVELS - 1
"""Levels with a code of their own in a column that has more levels than codes."""
FALSE_DISCOVERIES = 0.1
"""Share of levels that may have a name by chance."""

FIRST_ROUNDED = 2**53
"""Floats do not tell this integer from the next one."""

Matrix: TypeAlias = NDArray[np.floating[Any]]
Values: TypeAlias = Matrix | Texts
"""A column: numbers with NaN where missing, or texts."""


class OtherLevels(Enum):
    """The levels of a column that share its last code, since it has more levels than codes."""

    OTHER = "other levels"

    def __str__(self) -> str:
        return self.value


OTHER_LEVELS: Final = OtherLevels.OTHER

Level: TypeAlias = float | str
Levels: TypeAlias = tuple[Level | OtherLevels, ...]
"""What the codes of a category column stand for: its sorted levels, numbers only or texts only.

The last entry of a column with more than `MAX_LEVELS` is `OTHER_LEVELS`.
"""

FLOAT32, FLOAT64 = np.dtype(np.float32), np.dtype(np.float64)


class Column(NamedTuple):
    """One column of a table as it was read; `is_category` as a data frame's type tells."""

    label: str
    values: Values
    is_category: bool


def distinct(column: Column) -> tuple[Level, ...]:
    """Return the distinct values of a column, sorted."""
    if isinstance(column.values, Texts):
        return column.values.levels
    refuse_infinity(column.values[:, None], [column.label])
    present = column.values[~np.isnan(column.values)]
    levels = tuple(np.unique(present.astype(np.float64)).tolist())
    _refuse_rounded(levels, column.label)
    return levels


def levels_of(column: Column, is_positive: NDArray[Any] | None = None) -> Levels:
    """Return what the codes of a category column stand for, given which rows are positive.

    >>> parts = Column("'part'", Texts.of(str(number) for number in range(1000)), True)
    >>> len(levels_of(parts)), levels_of(parts)[-1]
    (255, <OtherLevels.OTHER: 'other levels'>)
    """
    levels = distinct(column)
    if len(levels) <= MAX_LEVELS:
        return levels
    return named_first(levels, count_levels(column, levels, is_positive))


def count_levels(
    column: Column, levels: Levels, is_positive: NDArray[Any] | None
) -> NDArray[np.int64]:
    """Return how many negative and how many positive rows each level has, shape (2, levels).

    Without labels every row counts as negative.
    """
    codes = encode(column, levels)
    is_present = ~np.isnan(codes)
    codes = codes[is_present].astype(np.int64)
    if is_positive is not None:
        codes += len(levels) * is_positive[is_present].astype(np.int64)
    return np.bincount(codes, minlength=2 * len(levels)).reshape(2, len(levels))


def named_first(levels: Levels, counts: NDArray[np.int64]) -> Levels:
    """Return the levels that get a code of their own, and `OTHER_LEVELS` for all others.

    Named are those that have more rows of the rarer class than chance explains (binomial test,
    false discovery rate of Benjamini and Hochberg), at least one and at most `MAX_NAMED`. A tree
    that could tell all levels apart would learn by heart which of hundreds happened to have a rare
    row. Without rows of one class those with most rows are named.

    >>> every = tuple(f"level {number:03}" for number in range(300))
    >>> counts = np.full((2, 300), 20, dtype=np.int64)
    >>> counts[1] = 1
    >>> counts[1, [7, 9]] = 15
    >>> named_first(every, counts)
    ('level 007', 'level 009', <OtherLevels.OTHER: 'other levels'>)
    """
    rows = counts.sum(axis=0)
    rare = counts[np.argmin(counts.sum(axis=1))]
    if not rare.any():
        first = np.argsort(-rows, kind="stable")[:MAX_NAMED]
    else:
        chance = _chance(rare, rows)
        # The sort is stable, and levels come in the order of their values.
        order = np.lexsort((-rows, chance))
        first = order[: min(MAX_NAMED, max(1, _discoveries(chance[order])))]
    return (*(levels[code] for code in np.sort(first).tolist()), OTHER_LEVELS)


def _chance(rare: NDArray[np.int64], rows: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return how likely so many rare rows, or more, are at the rate of all levels."""
    from scipy.stats import binom

    chance: NDArray[np.float64] = binom.sf(rare - 1, rows, rare.sum() / rows.sum())
    return chance


def _discoveries(chance: NDArray[np.float64]) -> int:
    """Return how many of these sorted p-values are accepted (Benjamini and Hochberg, 1995)."""
    limits = FALSE_DISCOVERIES * np.arange(1, len(chance) + 1) / len(chance)
    return int(np.flatnonzero(chance <= limits).max(initial=-1)) + 1


def named(levels: Levels) -> tuple[Level, ...]:
    """Return the levels that have a code of their own.

    >>> named(("a", "b", OTHER_LEVELS))
    ('a', 'b')
    """
    return tuple(level for level in levels if not isinstance(level, OtherLevels))


def has_others(levels: Sequence[Any]) -> bool:
    """Whether the last code is that of all levels without a name."""
    return bool(levels) and levels[-1] is OTHER_LEVELS


def _refuse_rounded(levels: Sequence[Any], label: str) -> None:
    rounded = next((level for level in levels if abs(level) >= FIRST_ROUNDED), None)
    if rounded is not None:
        raise ValueError(
            f"Category column {label} has the level {rounded:.0f}; numbers from 2^53 on are not "
            "told apart, so turn the column into texts."
        )


def encode(column: Column, levels: Levels) -> NDArray[np.float64]:
    """Return the codes of a category column: missing values are NaN.

    A level that has no code is one of the other levels, and NaN where there are none.

    >>> texts = Column("'line'", Texts.of(["b", None, "z", "a"]), True)
    >>> encode(texts, ("a", "b")), encode(texts, ("a", "b", OTHER_LEVELS))
    (array([ 1., nan, nan,  0.]), array([ 1., nan,  2.,  0.]))
    """
    given, names = column.values, named(levels)
    other = float(len(names)) if has_others(levels) else np.nan
    if isinstance(given, Texts):
        if names and not isinstance(names[0], str):
            raise ValueError(f"Column {column.label} held numbers during fit and holds text now.")
        return given.numbered(names, other)
    if names and isinstance(names[0], str):
        if not np.isnan(given).all():
            raise ValueError(f"Column {column.label} held text during fit and holds numbers now.")
        return np.full(len(given), np.nan)
    known = np.array([*names, np.nan])
    position = np.searchsorted(known, given.astype(np.float64))
    other_code = np.where(np.isnan(given), np.nan, other)
    return np.where(known[position] == given, position.astype(np.float64), other_code)


def assemble(columns: Sequence[Column], levels: Sequence[Levels | None]) -> Matrix:
    """Return columns side by side, category columns as codes of these levels."""
    parts = [
        _numbers(column) if of_column is None else encode(column, of_column)
        for column, of_column in zip(columns, levels, strict=True)
    ]
    dtype = FLOAT32 if all(part.dtype == FLOAT32 for part in parts) else FLOAT64
    matrix = np.empty((len(parts[0]), len(parts)), dtype=dtype, order="F")
    for position, part in enumerate(parts):
        matrix[:, position] = part
    refuse_infinity(matrix, [column.label for column in columns])
    return matrix


def _numbers(column: Column) -> Matrix:
    if isinstance(column.values, Texts):
        raise ValueError(f"Column {column.label} held numbers during fit and holds text now.")
    return column.values


def refuse_infinity(matrix: Matrix, labels: list[str] | None = None) -> None:
    """Raise an error that names the first infinite value, if there is one."""
    # A sum is finite only if every term is; NaN and overflow send the matrix to the slow look.
    with np.errstate(all="ignore"):
        if isfinite(np.add.reduce(matrix, axis=None)):
            return
    for start in range(0, len(matrix), 65536):
        is_infinite = np.isinf(matrix[start : start + 65536])
        if is_infinite.any():
            row, position = np.argwhere(is_infinite)[0].tolist()
            label = str(position) if labels is None else labels[position]
            raise ValueError(
                f"X contains infinity: column {label}, row {start + row} (counted from 0); "
                "replace it by a finite number, or by NaN for a missing value."
            )
