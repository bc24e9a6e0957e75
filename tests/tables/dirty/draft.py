"""A table on its way to a file: what a reader should get, and how it is written."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime
from random import Random

from tests.tables.dirty.clean import CleanTable

Excel = float | int | str | bool | datetime | None


@dataclass(frozen=True)
class Notation:
    """How numbers of a column are written."""

    decimal: str = "."
    thousands: str = ""
    unit: str = ""
    has_plus: bool = False

    def text(self, value: float, decimals: int | None) -> str:
        """Write a number; without decimals, with two digits and an exponent."""
        if decimals is None:
            plain = f"{value:.1e}"
        else:
            plain = f"{value:,.{decimals}f}".replace(",", "\0")
        marked = plain.replace(".", self.decimal).replace("\0", self.thousands)
        return ("+" if self.has_plus and value > 0 else "") + marked + self.unit


@dataclass
class DraftColumn:
    """A column of the draft.

    Attributes
    ----------
    name : as it is written.
    expected_name : as a reader should know it; None where the file leaves it open.
    values : floats or texts that a reader should get, None where it should get nothing.
    decimals, unit, notation : how numbers are written.
    date_text : how moments are written.
    spelled : texts as they are written, by row, where they differ from `values`.
    odd : texts in place of values that a reader should take as missing, by row.
    is_percent : whether a hundredth of each value is right as well.
    is_optional : whether a reader may leave the column out: it is empty.
    is_formula, is_text_in_excel : how a workbook holds it.
    """

    name: str
    meaning: str
    values: list[float | None] | list[str | None]
    decimals: int | None = 0
    unit: str = ""
    expected_name: str | None = None
    notation: Notation = Notation()
    date_text: Callable[[datetime], str] = lambda moment: moment.isoformat(sep=" ")
    spelled: dict[int, str] = field(default_factory=dict)
    odd: dict[int, str] = field(default_factory=dict)
    is_percent: bool = False
    is_optional: bool = False
    is_formula: bool = False
    is_text_in_excel: bool = False

    @property
    def is_number(self) -> bool:
        """Whether the values are floats."""
        return any(isinstance(value, float) for value in self.values)

    def text(self, row: int) -> str:
        """The cell as a text file has it."""
        value = self.values[row]
        if row in self.odd:
            return self.odd[row]
        if value is None:
            return ""
        if isinstance(value, float):
            return self.notation.text(value, self.decimals)
        if self.meaning == "date":
            return self.date_text(datetime.fromisoformat(value))
        return self.spelled.get(row, value)

    def cell(self, row: int) -> Excel:
        """The cell as a workbook has it: numbers, moments and truth as such, unless said."""
        value = self.values[row]
        if row in self.odd or self.is_text_in_excel:
            return (
                _as_excel(self.text(row)) if not self.is_text_in_excel else self.text(row) or None
            )
        if isinstance(value, float):
            return int(value) if self.decimals == 0 else value
        if self.meaning == "date" and value is not None:
            return datetime.fromisoformat(value)
        if value in ("true", "false"):
            return value == "true"
        return _as_excel(value) if value is not None else None

    def written(self) -> list[str]:
        """All cells as a text file has them."""
        return [self.text(row) for row in range(len(self.values))]


def _as_excel(text: str) -> Excel:
    """What a workbook makes of a text that is typed in: numbers lose nothing, or stay texts."""
    for kind in (int, float):
        try:
            return kind(text) if repr(kind(text)) == text else text
        except ValueError:
            continue
    return text


@dataclass
class Draft:
    """A table, what is written around it, and how.

    Attributes
    ----------
    columns : in the order of the file.
    above, below : lines before the header and after the last row, each a list of cells.
    has_header, has_units : whether there is a line of names, and one of units below it.
    blank_rows : rows before which something empty is written: "" a blank line, "cells" empty cells.
    delimiter, encoding, line_end, quotes_all, is_packed : of a text file.
    padding : whether cells are padded with spaces.
    extra_delimiter : "all" if every line ends with one, "rows" if all but the header do.
    corner : rows above and columns left of the table (workbooks).
    groups : names over runs of columns in a line of their own, merged (workbooks).
    sheets_before, sheets_after : (name, lines, is_hidden) of other sheets.
    why_ambiguous : why a person could not tell either; "" if they can.
    """

    name: str
    columns: list[DraftColumn]
    target: str
    random: Random
    above: list[list[str]] = field(default_factory=list)
    below: list[list[str]] = field(default_factory=list)
    has_header: bool = True
    has_units: bool = False
    blank_rows: dict[int, str] = field(default_factory=dict)
    delimiter: str = ","
    encoding: str = "utf-8"
    line_end: str = "\n"
    quotes_all: bool = False
    padding: bool = False
    extra_delimiter: str = ""
    is_packed: bool = False
    is_workbook: bool = False
    groups: dict[int, str] = field(default_factory=dict)
    corner: tuple[int, int] = (0, 0)
    sheets_before: list[tuple[str, list[list[Excel]], bool]] = field(default_factory=list)
    sheets_after: list[tuple[str, list[list[Excel]], bool]] = field(default_factory=list)
    why_ambiguous: str = ""

    @classmethod
    def of(cls, table: CleanTable, name: str) -> "Draft":
        """Start with a clean table; draws depend on the name alone."""
        columns = [
            DraftColumn(
                column.name,
                column.meaning,
                list(column.values),
                column.decimals,
                column.unit,
                expected_name=column.name,
            )
            for column in table.columns
        ]
        return cls(name, columns, table.target, Random(name))

    def __len__(self) -> int:
        return len(self.columns[0].values)

    @property
    def numbers(self) -> list[DraftColumn]:
        """Columns that measure something."""
        return [column for column in self.columns if column.meaning == "number"]

    @property
    def date(self) -> DraftColumn:
        """The column of moments."""
        return self.first("date")

    def first(self, meaning: str) -> DraftColumn:
        """The first column of a meaning."""
        return next(column for column in self.columns if column.meaning == meaning)

    def write_numbers(self, **changes: object) -> None:
        """Change the notation of every column of numbers."""
        for column in self.columns:
            column.notation = replace(column.notation, **changes)

    def draw_rows(self, count: int) -> list[int]:
        """Draw rows away from both ends, in rising order."""
        return sorted(self.random.sample(range(5, len(self) - 5), count))
