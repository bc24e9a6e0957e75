"""The plan of reading: what each column of a table was taken for, and how to take it otherwise."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from thresher.column import Numbers
from thresher.tables.dates import DAY_FIRST, MONTH_FIRST, YEAR_FIRST
from thresher.tables.notation import Notation
from thresher.text_table import TextTable
from thresher.wording import counted, first_of, quoted

NUMBER, CATEGORY, DATE, TEXT = "number", "category", "date", "text"
ID, CONSTANT, CALENDAR, LABEL = "id", "constant", "calendar", "label"
MEANINGS = (NUMBER, CATEGORY, DATE, TEXT, ID, CONSTANT, CALENDAR)
"""What a user can call a column."""

ORDER_WORDS = {YEAR_FIRST: "", DAY_FIRST: "day first", MONTH_FIRST: "month first"}

MAX_SHOWN = 3
"""Different cells that a sentence shows."""


TOLERANCE = 0.1
"""Values are far outside where they are beyond the range by more than this part of it."""

MOST_DECIMALS = 3
"""Decimals are counted up to three: so many digits stand behind a mark between thousands."""


class TrainingRange(NamedTuple):
    """The least and the largest value in training, and the decimals that values had (3: or more).

    A column that had only one value has no width; a tenth of the value itself is taken instead.
    """

    low: float
    high: float
    decimals: int = MOST_DECIMALS

    @property
    def reach(self) -> float:
        """How far beyond the range values are not far outside."""
        return TOLERANCE * ((self.high - self.low) or abs(self.high))

    def is_outside(self, values: Numbers) -> NDArray[np.bool_]:
        """Whether each value is below the least or above the largest."""
        return (values < self.low) | (values > self.high)

    def is_far_outside(self, values: Numbers) -> NDArray[np.bool_]:
        """Whether each value is beyond the range by more than a tenth of it.

        >>> TrainingRange(0.0, 10.0).is_far_outside(np.array([-1.0, 11.0, 11.1])).tolist()
        [False, False, True]
        """
        return (values < self.low - self.reach) | (values > self.high + self.reach)

    def may_have(self, values: Numbers) -> NDArray[np.bool_]:
        """Whether each value could be of the training: not far outside, and not more decimals."""
        return ~self.is_far_outside(values) & _have_decimals(values, self.decimals)


def decimals_of(values: Numbers) -> int:
    """Return the number of decimals that values need, at most 3.

    >>> decimals_of(np.array([1.0, 2.5])), decimals_of(np.array([0.12345]))
    (1, 3)
    """
    enough = (some for some in range(MOST_DECIMALS) if _have_decimals(values, some).all())
    return next(enough, MOST_DECIMALS)


def _have_decimals(values: Numbers, decimals: int) -> NDArray[np.bool_]:
    """Whether each value can be written with so many decimals; with three any can."""
    if decimals == MOST_DECIMALS:
        return np.ones(len(values), dtype=bool)
    with np.errstate(over="ignore", invalid="ignore"):
        shifted = values * 10.0**decimals
        return np.abs(shifted - np.rint(shifted)) < 1e-6


class Unread(NamedTuple):
    """Cells of one text that were read as missing: how many, and where the first one is."""

    text: str
    rows: int
    place: str


@dataclass(frozen=True)
class ColumnPlan:
    """How a column was read.

    Attributes
    ----------
    meaning : one of MEANINGS, or "label".
    notation : marks of numbers.
    unit : what stood behind numbers.
    order : of day, month and year, in dates.
    unread : cells that were read as missing.
    sentinels : numbers that were read as missing.
    doubtful : numbers that may stand for "no value", and were kept.
    levels : different texts.
    is_given : whether a user said what the column is.
    """

    meaning: str
    notation: Notation = field(default_factory=Notation)
    unit: str = ""
    order: str = ""
    unread: tuple[Unread, ...] = ()
    sentinels: tuple[float, ...] = ()
    doubtful: tuple[Unread, ...] = ()
    levels: int = 0
    is_given: bool = False

    @property
    def unread_rows(self) -> int:
        """Cells that were read as missing, though they hold something."""
        return sum(one.rows for one in self.unread)

    @property
    def remark(self) -> str:
        """All that is special about the reading of a column, in a few words."""
        unread = [f"{quoted(one.text)} ({one.place})" for one in self.unread]
        cells = counted(self.unread_rows, "cells")
        parts = [
            f"written as {self.notation}" if self.notation != Notation() else "",
            f"in {self.unit}" if self.unit else "",
            ORDER_WORDS.get(self.order, self.order) if self.meaning in (DATE, CALENDAR) else "",
            f"{cells} missing: {first_of(unread, MAX_SHOWN)}" if unread else "",
            *(f"{counted(one.rows, 'cells')} of {one.text} kept" for one in self.doubtful),
            f"{self.levels:,} levels" if self.meaning == CATEGORY else "",
            "as told" if self.is_given and self.meaning in MEANINGS else "",
        ]
        return "; ".join(part for part in parts if part)

    def as_data(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "meaning": self.meaning,
            "decimal": self.notation.decimal,
            "thousands": self.notation.thousands,
            "unit": self.unit,
            "order": self.order,
            "unread": [one._asdict() for one in self.unread],
            "sentinels": list(self.sentinels),
            "doubtful": [one._asdict() for one in self.doubtful],
            "levels": self.levels,
            "is_given": self.is_given,
        }


@dataclass(frozen=True)
class Plan:
    """How a table was read: its columns in order, and what was done to its lines.

    Attributes
    ----------
    columns : by name.
    lines : sentences about preamble, header, footer, sheet and encoding.
    ranges : of columns of numbers in the training of a model, which gives them where it reads.
    """

    columns: Mapping[str, ColumnPlan]
    lines: tuple[str, ...] = ()
    ranges: Mapping[str, TrainingRange] = field(default_factory=dict)

    def __getitem__(self, name: str) -> ColumnPlan:
        return self.columns[name]

    def with_roles(self, roles: Mapping[str, str]) -> "Plan":
        """Return the plan where a user has said what some columns are for, by their meanings."""
        told = {
            name: replace(column, meaning=roles[name]) if name in roles else column
            for name, column in self.columns.items()
        }
        return replace(self, columns=told)

    def as_table(self) -> TextTable:
        """Return a row for each column that is more than plain numbers; the others are counted."""
        rows: list[Sequence[Any]] = [
            (name, column.meaning, column.remark)
            for name, column in self.columns.items()
            if column.meaning != NUMBER or column.remark
        ]
        plain = len(self.columns) - len(rows)
        notes = [f"{counted(plain, 'columns')} of plain numbers."] if plain else []
        return TextTable("How the table was read", ("column", "meaning", "remark"), rows, notes)

    def as_data(self) -> dict[str, Any]:
        """Return plain data, for JSON."""
        columns = [{"name": name, **one.as_data()} for name, one in self.columns.items()]
        return {"columns": columns, "lines": list(self.lines)}


BRACKETED = re.compile(r"[\[(]\s*([^\[\]()]{1,12}?)\s*[\])]\s*$")
"""A unit at the end of a heading: Torque [Nm], Temperature (°C)."""


def units_of(names: Collection[str], plan: Plan | None) -> dict[str, str]:
    """Return the unit of each column that has one, behind its numbers or in its heading.

    >>> units_of(["Torque [Nm]", "Temperature (°C)", "speed"], None)
    {'Torque [Nm]': 'Nm', 'Temperature (°C)': '°C'}
    """
    known = {} if plan is None else plan.columns
    headings = {name: found[1] for name in names if (found := BRACKETED.search(name))}
    cells = {name: known[name].unit for name in names if name in known and known[name].unit}
    return {name: unit for name in names if (unit := cells.get(name) or headings.get(name))}
