"""What a condition asks of one column: an interval of numbers, or a set of levels."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import inf
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from thresher.column import OTHER_LEVELS, has_others, named
from thresher.pair import NamedPair
from thresher.wording import digits


@dataclass(frozen=True)
class Interval:
    """Numbers above `low` and at most `high`; missing values where `missing` is set.

    `pair` tells what the column is made of, where it is derived from two others.

    Examples
    --------
    >>> print(Interval("torque", -inf, 11.2))
    torque <= 11.2
    >>> print(Interval("torque", 9.5, 11.2, missing=True))
    9.5 < torque <= 11.2 (or missing)
    """

    column: str
    low: float = -inf
    high: float = inf
    missing: bool = False
    pair: NamedPair | None = None

    @property
    def given_columns(self) -> tuple[str, ...]:
        """The columns of the table that are asked about."""
        return (self.column,) if self.pair is None else (self.pair.left, self.pair.right)

    @property
    def is_empty(self) -> bool:
        """Whether no number is inside."""
        return not self.low < self.high

    @property
    def asks_nothing(self) -> bool:
        """Whether every value is inside."""
        return self.missing and self.low == -inf and self.high == inf

    def __str__(self) -> str:
        if self.is_empty:
            return f"{self.column} is missing"
        if self.low == -inf and self.high == inf:
            return f"{self.column} is present"
        return f"{self._span()}{' (or missing)' if self.missing else ''}"

    def _span(self) -> str:
        if self.low == -inf:
            return f"{self.column} <= {digits(self.high)}"
        if self.high == inf:
            return f"{self.column} > {digits(self.low)}"
        return f"{digits(self.low)} < {self.column} <= {digits(self.high)}"

    def contains(self, other: "Clause") -> bool:
        """Whether every value inside another clause of the column is inside this one."""
        if not isinstance(other, Interval) or (other.missing and not self.missing):
            return False
        return other.is_empty or (self.low <= other.low and other.high <= self.high)

    def as_data(self) -> dict[str, Any]:
        """Return the clause as plain data, None for an end that is open.

        >>> Interval("torque", high=11.2).as_data()
        {'column': 'torque', 'above': None, 'at_most': 11.2, 'missing': False}
        >>> Interval("torque", inf, inf, missing=True).as_data()
        {'column': 'torque', 'present': False, 'missing': True}
        """
        column: dict[str, Any] = {"column": self.column}
        if self.pair is not None:
            column["derived"] = self.pair._asdict()
        if self.is_empty:
            return {**column, "present": False, "missing": self.missing}
        ends = {"above": self.low, "at_most": self.high}
        finite = {name: None if abs(end) == inf else end for name, end in ends.items()}
        return {**column, **finite, "missing": self.missing}


@dataclass(frozen=True)
class LevelSet:
    """Levels of a category column out of `known`; missing and unknown ones with `missing`.

    Where `known` ends with `OTHER_LEVELS`, an unknown level is one of these.

    Examples
    --------
    >>> print(LevelSet("supplier", ("B", "D"), known=("A", "B", "C", "D")))
    supplier in {B, D}
    >>> print(LevelSet("supplier", ("B", "C", "D"), known=("A", "B", "C", "D"), missing=True))
    supplier not in {A} (or missing)
    >>> print(LevelSet("cavity", ("1", OTHER_LEVELS), known=("1", "2", "3", "4", OTHER_LEVELS)))
    cavity not in {2, 3, 4}
    """

    column: str
    levels: tuple[Any, ...]
    known: tuple[Any, ...]
    missing: bool = False

    @property
    def given_columns(self) -> tuple[str, ...]:
        """The column of the table that is asked about."""
        return (self.column,)

    @property
    def others(self) -> tuple[Any, ...]:
        """The known levels that are not in the set."""
        inside = set(self.levels)
        return tuple(level for level in self.known if level not in inside)

    @property
    def asks_nothing(self) -> bool:
        """Whether every value is inside."""
        return self.missing and not self.others

    def __str__(self) -> str:
        if not self.levels:
            return f"{self.column} is missing"
        if not self.others:
            return f"{self.column} is present"
        return f"{self.column} {self._set()}{' (or missing)' if self.missing else ''}"

    def _set(self) -> str:
        if len(self.levels) == 1 and self.levels[0] is not OTHER_LEVELS:
            return f"= {_shown(self.levels[0])}"
        if has_others(self.levels):  # "other levels" alone would not say than which
            return f"not in {{{_listed(self.others)}}}"
        is_shorter = len(self.levels) <= len(self.others) or len(self.others) > 3
        if is_shorter or has_others(self.others):
            return f"in {{{_listed(self.levels)}}}"
        return f"not in {{{_listed(self.others)}}}"

    def contains(self, other: "Clause") -> bool:
        """Whether every value inside another clause of the column is inside this one."""
        if not isinstance(other, LevelSet) or (other.missing and not self.missing):
            return False
        return set(other.levels) <= set(self.levels)

    def as_data(self) -> dict[str, Any]:
        """Return the clause as plain data; of a column with other levels, whether they are inside.

        >>> LevelSet("line", ("B",), known=("A", "B")).as_data()
        {'column': 'line', 'levels': ['B'], 'missing': False}
        >>> LevelSet("cavity", ("1", OTHER_LEVELS), known=("1", "2", OTHER_LEVELS)).as_data()
        {'column': 'cavity', 'levels': ['1'], 'unnamed_levels': True, 'missing': False}
        """
        unnamed = {"unnamed_levels": has_others(self.levels)} if has_others(self.known) else {}
        levels = list(named(self.levels))
        return {"column": self.column, "levels": levels, **unnamed, "missing": self.missing}


Clause: TypeAlias = Interval | LevelSet


def joined(clauses: Iterable[Clause]) -> str:
    """Return clauses as one text.

    >>> joined([Interval("torque", high=11.2), LevelSet("line", ("B",), known=("A", "B"))])
    'torque <= 11.2 and line = B'
    """
    return " and ".join(str(clause) for clause in clauses) or "all rows"


def implies(narrow: Mapping[str, Clause], wide: Iterable[Clause]) -> bool:
    """Whether all rows that meet one set of clauses, by column, meet the other.

    >>> implies({"torque": Interval("torque", 9.5, 11.2)}, [Interval("torque", high=12.0)])
    True
    """
    return all(
        clause.column in narrow and clause.contains(narrow[clause.column]) for clause in wide
    )


def inside(clause: Clause, values: NDArray[Any]) -> NDArray[np.bool_]:
    """Whether values of a column are inside; levels are given as codes, missing ones as NaN.

    >>> inside(Interval("torque", high=11.2), np.array([10.0, 12.0, np.nan]))
    array([ True, False, False])
    """
    is_inside = _between(clause, values) if isinstance(clause, Interval) else _in(clause, values)
    return is_inside | np.isnan(values) if clause.missing else is_inside


def _between(clause: Interval, values: NDArray[Any]) -> NDArray[np.bool_]:
    # No comparison with NaN is true, so that a missing value is never between.
    if clause.high == inf:
        return np.asarray(values > clause.low)
    if clause.low == -inf:
        return np.asarray(values <= clause.high)
    return np.asarray((values > clause.low) & (values <= clause.high))


def _in(clause: LevelSet, values: NDArray[Any]) -> NDArray[np.bool_]:
    wanted = set(clause.levels)
    # The last entry is that of missing values.
    is_in = np.array([*(level in wanted for level in clause.known), False], dtype=np.bool_)
    codes = np.nan_to_num(values, nan=len(clause.known)).astype(np.intp)
    return np.asarray(is_in[codes])


def _shown(level: Any) -> str:
    return digits(level) if isinstance(level, float) else str(level)


def _listed(levels: Iterable[Any]) -> str:
    return ", ".join(_shown(level) for level in levels)
