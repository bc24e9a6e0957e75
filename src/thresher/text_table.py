"""A table as data, written as text, CSV or Markdown by one mechanism."""

import csv
import io
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import isnan
from typing import Any, NamedTuple, Protocol

Value = str | int | float | bool | None

NOTHING = "-"
"""What a reader sees where there is no value."""


class Cell(NamedTuple):
    """A value, the decimals that a reader sees of it, and whether it is the best of its row."""

    value: Value
    decimals: int = 3
    is_best: bool = False

    @property
    def text(self) -> str:
        """The value as a reader sees it, on one line.

        >>> Cell(0.68125).text, Cell(None).text, Cell(True).text, Cell(1e-9).text
        ('0.681', '-', 'yes', '<0.001')
        """
        if self.value is None or (isinstance(self.value, float) and isnan(self.value)):
            return NOTHING
        if isinstance(self.value, bool):
            return "yes" if self.value else "no"
        if isinstance(self.value, float):
            text = f"{self.value:.{self.decimals}f}"
            if self.value and not float(text):  # it is no zero
                least = f"{10.0**-self.decimals:.{self.decimals}f}"
                return f"{'<' if self.value > 0 else '>-'}{least}"
            return text
        return " ".join(str(self.value).split())

    @property
    def raw(self) -> str:
        """The value with all its digits, as CSV has it; nothing where there is none."""
        if isinstance(self.value, str):
            return escape_csv(self.text)
        if self.text == NOTHING:
            return ""
        return repr(self.value) if isinstance(self.value, float) else self.text


Row = Sequence[Cell | Value]


@dataclass(frozen=True)
class TextTable:
    """A title, the headings of the columns, rows of cells, and notes below.

    The first column names the row. A cell may be given as a plain value.

    Examples
    --------
    >>> row = ["a", Cell(0.75, is_best=True), 0.5]
    >>> table = TextTable("F1", ("data set", "tree", "line"), [row])
    >>> print(table.as_markdown())
    **F1**
    <BLANKLINE>
    | data set | tree | line |
    | --- | ---: | ---: |
    | a | **0.750** | 0.500 |
    >>> print(table.as_csv())
    data set,tree,line
    a,0.75,0.5
    """

    title: str
    columns: Sequence[str]
    rows: Sequence[Row]
    notes: Sequence[str] = ()

    @property
    def cells(self) -> list[list[Cell]]:
        """The rows, each value as a cell."""
        return [
            [cell if isinstance(cell, Cell) else Cell(cell) for cell in row] for row in self.rows
        ]

    @property
    def is_number(self) -> list[bool]:
        """Whether each column holds numbers, and so is aligned to the right."""
        return [
            all(not isinstance(cell.value, str) for cell in column)
            for column in zip(*self.cells, strict=True)
        ] or [False] * len(self.columns)

    def as_text(self) -> str:
        """Return aligned columns; the best of a row has a star."""
        rows = [[cell.text + ("*" if cell.is_best else "") for cell in row] for row in self.cells]
        widths = [max(map(len, column)) for column in zip(self.columns, *rows, strict=True)]
        sides = [">" if is_number else "<" for is_number in self.is_number]
        lines = []
        for row in (self.columns, ["-" * width for width in widths], *rows):
            cells = zip(row, sides, widths, strict=True)
            lines.append("  ".join(f"{text:{side}{width}}" for text, side, width in cells).rstrip())
        return "\n".join([self.title, "", *lines, *(f"\n{note}" for note in self.notes)])

    def as_csv(self) -> str:
        """Return the values with all their digits, without title and notes."""
        file = io.StringIO()
        rows = ([cell.raw for cell in row] for row in self.cells)
        write_rows([map(escape_csv, self.columns), *rows], file)
        return file.getvalue().rstrip("\n")

    def as_markdown(self) -> str:
        """Return a Markdown table; the best of a row is bold."""
        heading = [escape_markdown(column) for column in self.columns]
        rule = ["---:" if is_number else "---" for is_number in self.is_number]
        lines = [heading, rule]
        for row in self.cells:
            texts = [(escape_markdown(cell.text), cell.is_best) for cell in row]
            lines.append([f"**{text}**" if is_best else text for text, is_best in texts])
        grid = [f"| {' | '.join(line)} |" for line in lines]
        notes = [f"\n{escape_markdown(note)}" for note in self.notes]
        return "\n".join([f"**{escape_markdown(self.title)}**", "", *grid, *notes])


class Writable(Protocol):
    """Something to write text to."""

    def write(self, text: str, /) -> object:
        """Write text."""


class _Lines:
    """Ends lines with a line feed, where `csv` would then leave a carriage return unquoted."""

    def __init__(self, file: Writable) -> None:
        self._file = file

    def write(self, line: str) -> object:
        return self._file.write(line.removesuffix("\r\n") + "\n")


def write_rows(rows: Iterable[Iterable[Any]], file: Writable, delimiter: str = ",") -> None:
    r"""Write rows as CSV: lines end with a line feed, and every cell comes back as it was.

    >>> file = io.StringIO()
    >>> write_rows([["a", 1], ["b\rc", None]], file)
    >>> file.getvalue()
    'a,1\n"b\rc",\n'
    """
    csv.writer(_Lines(file), lineterminator="\r\n", delimiter=delimiter).writerows(rows)


_FORMULA = re.compile(r"'*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]")
_NUMBER = re.compile(r"[+-]((\d+([.,]\d+)*|[.,]\d+)(e[+-]?\d+)?)?", re.IGNORECASE)


def escape_csv(text: str) -> str:
    """Return text for a cell of CSV that no spreadsheet takes for a formula.

    A quote goes before text that starts like one, and is no number; `unescape_csv` removes it.

    >>> escape_csv("=1+1"), escape_csv("-5,2"), escape_csv("-5+A1")
    ("'=1+1", '-5,2', "'-5+A1")
    """
    return f"'{text}" if _FORMULA.match(text) and not _NUMBER.fullmatch(text) else text


def unescape_csv(text: str) -> str:
    """Return the text of a cell that `escape_csv` has written.

    >>> unescape_csv("'=1+1"), unescape_csv("'quoted'")
    ('=1+1', "'quoted'")
    """
    bare = text.removeprefix("'")
    return bare if bare != text and escape_csv(bare) == text else text


def escape_markdown(text: str) -> str:
    r"""Return text that Markdown shows as it is, on one line.

    >>> print(escape_markdown("a|b <i>"))
    a\|b \<i\>
    """
    return re.sub(r"([\\`*_\[\]<>|#~])", r"\\\1", " ".join(text.split()))
