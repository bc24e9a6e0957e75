"""The plan of reading: what each column of a table was taken for, and how to take it otherwise."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from thresher.tables.dates import DAY_FIRST, MONTH_FIRST, YEAR_FIRST
from thresher.tables.notation import Notation
from thresher.text_table import TextTable
from thresher.wording import counted, first_of, quoted

NUMBER, CATEGORY, DATE, TEXT, ID, CONSTANT, CALENDAR, LABEL = (
    *("number", "category", "date", "text", "id"),
    *("constant", "calendar", "label"),
)
MEANINGS = (NUMBER, CATEGORY, DATE, TEXT, ID, CONSTANT, CALENDAR)
"""What a user can call a column."""

ORDER_WORDS = {YEAR_FIRST: "", DAY_FIRST: "day first", MONTH_FIRST: "month first"}

MAX_SHOWN = 3
"""Different cells that a sentence shows."""


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
        parts = [
            f"written as {self.notation}" if self.notation != Notation() else "",
            f"in {self.unit}" if self.unit else "",
            ORDER_WORDS.get(self.order, self.order) if self.meaning in (DATE, CALENDAR) else "",
            self._unread_words(),
            *(f"{counted(one.rows, 'cells')} of {one.text} kept" for one in self.doubtful),
            f"{self.levels:,} levels" if self.meaning == CATEGORY else "",
            "as told" if self.is_given and self.meaning in MEANINGS else "",
        ]
        return "; ".join(part for part in parts if part)

    def _unread_words(self) -> str:
        if not self.unread:
            return ""
        shown = first_of([f"{quoted(one.text)} ({one.place})" for one in self.unread], MAX_SHOWN)
        return f"{counted(self.unread_rows, 'cells')} missing: {shown}"

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
    """

    columns: Mapping[str, ColumnPlan]
    lines: tuple[str, ...] = ()

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
