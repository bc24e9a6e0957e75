"""One column of a table: numbers with NaN where they are missing, or texts; its levels as codes.

Columns of Python objects are sorted out as either.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from math import isfinite
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from thresher.wording import quoted

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Texts:
    """A column of texts.

    Attributes
    ----------
    codes : which level each row has, -1 where it is missing.
    levels : the distinct texts.

    Examples
    --------
    >>> Texts.of(["b", None, "a"])
    Texts(codes=array([ 1, -1,  0], dtype=int32), levels=('a', 'b'))
    """

    codes: NDArray[np.int32]
    levels: tuple[str, ...]

    @classmethod
    def of(cls, values: Iterable[Any]) -> "Texts":
        """Make a column of texts row by row; what is no text is missing. Levels are sorted."""
        rows = list(values)
        distinct = dict.fromkeys(rows)
        levels = sorted([value for value in distinct if isinstance(value, str)])
        code: dict[Any, int] = {value: -1 for value in distinct if not isinstance(value, str)}
        code.update(zip(levels, range(len(levels)), strict=True))
        codes = np.fromiter(map(code.__getitem__, rows), dtype=np.int32, count=len(rows))
        return cls(codes, tuple(levels))

    def __len__(self) -> int:
        return len(self.codes)

    def values(self) -> list[str | None]:
        """Return the texts row by row."""
        known: list[str | None] = [*self.levels, None]
        return [known[code] for code in self.codes.tolist()]

    def numbered(self, levels: Sequence[Any], unknown: float = np.nan) -> Numbers:
        """Return the place of each text among other levels, NaN where it is missing.

        >>> Texts.of(["b", None, "z", "a"]).numbered(("a", "b"))
        array([ 1., nan, nan,  0.])
        """
        place = {level: float(code) for code, level in enumerate(levels)}
        # The last entry is where the missing rows' -1 points to.
        table = np.array([*(place.get(level, unknown) for level in self.levels), np.nan])
        return table[self.codes]

    def used(self) -> "Texts":
        """Return the column with the levels that occur."""
        rows = np.bincount(self.codes + 1, minlength=len(self.levels) + 1)
        present = np.flatnonzero(rows[1:])
        place = np.full(len(self.levels) + 1, -1, dtype=np.int32)
        place[present] = np.arange(len(present), dtype=np.int32)
        return Texts(place[self.codes], tuple(self.levels[code] for code in present.tolist()))


def read_objects(values: list[Any], label: str) -> Numbers | Texts:
    """Sort out a column of Python objects: all text, or all numbers.

    >>> read_objects([1, None, True], "'a'")
    array([ 1., nan,  1.])
    """
    try:
        distinct = dict.fromkeys(values)
    except TypeError:  # a dict or a list, which `float` refuses in its own words
        return _numbers(values, label)
    kinds = {type(value) for value in distinct}
    if bytes in kinds and str not in kinds:
        try:  # some libraries write their texts as bytes
            texts = [value.decode() if isinstance(value, bytes) else value for value in values]
        except UnicodeDecodeError:
            raise ValueError(
                f"Column {label} holds bytes that are no text in UTF-8; leave it out, or decode it."
            ) from None
        return read_objects(texts, label)
    if not any(issubclass(kind, str) for kind in kinds):
        return _numbers(values, label)
    for value in distinct:
        if not isinstance(value, str) and not is_missing(value):
            raise ValueError(
                f"Column {label} mixes text with other values, such as {quoted(value)}; "
                "make it one or the other."
            )
    return Texts.of(values)


def _numbers(values: list[Any], label: str) -> Numbers:
    try:
        return np.array([as_number(value) for value in values])
    except (TypeError, ValueError) as error:
        message = f"Column {label} holds neither numbers nor text: {error}."
        raise TypeError(message) from error


def as_number(value: Any) -> float:
    """Return a number as a float: NaN where it is missing, infinity where it is too large.

    >>> as_number(None), as_number(-(10**400))
    (nan, -inf)
    """
    if is_missing(value):
        return float("nan")
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


def is_missing(value: Any) -> bool:
    """Whether an object stands for no value."""
    # NaN and pandas' NaT are not equal to themselves; pandas' NA refuses to be compared.
    is_absent = value is None or value is np.ma.masked or type(value).__name__ == "NAType"
    return is_absent or bool(value != value)


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
    rounded = next((level for level in levels if abs(level) >= FIRST_ROUNDED), None)
    if rounded is not None:
        raise ValueError(
            f"Category column {column.label} has the level {rounded:.0f}; numbers from 2^53 on are "
            "not told apart, so turn the column into texts."
        )
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
        from scipy.stats import binom

        # How likely so many rare rows, or more, are at the rate of all levels.
        chance = binom.sf(rare - 1, rows, rare.sum() / rows.sum())
        # The sort is stable, and levels come in the order of their values.
        order = np.lexsort((-rows, chance))
        limits = FALSE_DISCOVERIES * np.arange(1, len(order) + 1) / len(order)
        accepted = int(np.flatnonzero(chance[order] <= limits).max(initial=-1)) + 1
        first = order[: min(MAX_NAMED, max(1, accepted))]
    return (*(levels[code] for code in np.sort(first).tolist()), OTHER_LEVELS)


def named(levels: Levels) -> tuple[Level, ...]:
    """Return the levels that have a code of their own.

    >>> named(("a", "b", OTHER_LEVELS))
    ('a', 'b')
    """
    return tuple(level for level in levels if not isinstance(level, OtherLevels))


def has_others(levels: Sequence[Any]) -> bool:
    """Whether the last code is that of all levels without a name."""
    return bool(levels) and levels[-1] is OTHER_LEVELS


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
    parts: list[Matrix] = []
    for column, of_column in zip(columns, levels, strict=True):
        if of_column is not None:
            parts.append(encode(column, of_column))
        elif isinstance(column.values, Texts):
            raise ValueError(f"Column {column.label} held numbers during fit and holds text now.")
        else:
            parts.append(column.values)
    dtype = FLOAT32 if all(part.dtype == FLOAT32 for part in parts) else FLOAT64
    matrix = np.empty((len(parts[0]), len(parts)), dtype=dtype, order="F")
    for position, part in enumerate(parts):
        matrix[:, position] = part
    refuse_infinity(matrix, [column.label for column in columns])
    return matrix


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


@contextmanager
def naming_infinity(matrix: Matrix) -> Iterator[None]:
    """Name the infinite value where the core refuses the matrix for one."""
    try:
        yield
    except OverflowError:
        refuse_infinity(matrix)
        raise
