"""How well a reader has read a table of the corpus.

The rules, which were written down before any reader was run. After the first run, one thing was
changed against the readers and two for them: warnings about a package's own future do not count
(that of pandas about its engine had hidden errors in workbooks); columns that a reader leaves empty
do not disturb the count of positions; ids with leading zeros are a defect of their own, and no
longer those of a clean table.

1. A column of the file is found by its name, without spaces around it; further words before or
   behind the name (a unit, a station) do no harm. Where the file leaves the name open, the column
   is found by its position. One that is found by its position although it has a name is misnamed.
2. Rows are found by the value of the id, else by their position. A row of the file that is not
   found is lost. A row of the reader that is none of the file's is extra, unless all of it is
   missing.
3. A cell of a number is right if it is a number within 1e-9 of its value, relatively. Percentages
   may be hundredths, if the whole column is. A number that is kept as a text is not right.
4. A cell of a text is right if it is the text, apart from spaces around it and the kind of line
   ends; a whole number without leading zeros may be a number. Truth may be a truth, 1 or 0, or the
   text as it is written.
5. A cell of a date is right if it is the moment (by the clock of the file, as an instant, or in
   seconds since 1970; as a text in ISO form, too), the text as it is written, or that text as a
   whole number.
6. A cell that is missing, a typo or a sentinel is right if it is missing: nothing, not a number,
   or an empty text.
7. A column is right if it is not misnamed and is of the right kind: numbers for numbers, moments or
   texts for dates, anything for others. Empty columns may be left out, and are not counted.
8. An error is silent if nobody is told: a wrong cell or column, unless a note names the column, or
   a warning was given that names no column and is not about the future of a package; lost and
   extra rows, unless a note says that rows or lines were left out, skipped, dropped or ignored.
9. A table is right (all cells and columns, no row lost or extra), told (errors, none silent), asked
   (the reader raised an exception) or silent. An exception is no silent error, and reads nothing.
"""

import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tests.tables.dirty.cells import is_kind, is_right, kind_of
from tests.tables.dirty.corpus import DirtyTable, ExpectedColumn
from tests.tables.dirty.reading import Found, Reading, match_columns, match_rows, warned


@dataclass(frozen=True)
class Score:
    """Counts of one table.

    Attributes
    ----------
    raised : what the reader said where it gave up.
    faults : what is wrong, in words, for people who look for the reason.
    """

    table: DirtyTable
    cells: int
    columns: int
    right_cells: int = 0
    right_columns: int = 0
    lost_rows: int = 0
    extra_rows: int = 0
    silent_cells: int = 0
    silent_columns: int = 0
    silent_rows: int = 0
    raised: str = ""
    faults: Sequence[str] = ()

    @property
    def outcome(self) -> str:
        """Whether the table is "right", "told", "asked" or "silent"."""
        if self.raised:
            return "asked"
        if self.silent_cells or self.silent_columns or self.silent_rows:
            return "silent"
        return "told" if self.faults else "right"


def score_thresher(table: DirtyTable) -> Score:
    """Score thresher's own reader; a ValueError is a question, anything else is raised."""
    from thresher.tables import read_table

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            read = read_table(table.path)
        except ValueError as error:
            return score_failure(table, error)
    columns = [_as_list(column) for column in read.columns.values()]
    notes = [str(note) for note in read.notes]
    return score_reading(table, Reading(list(read.columns), columns, notes, warned(caught)))


def _as_list(column: Any) -> list[Any]:
    return column.values() if hasattr(column, "levels") else column.tolist()


def score_failure(table: DirtyTable, error: BaseException) -> Score:
    """Score a reader that raised an exception."""
    return Score(table, *_size(table), raised=f"{type(error).__name__}: {error}")


def score_reading(table: DirtyTable, reading: Reading) -> Score:
    """Score what a reader returned."""
    rows = match_rows(table, reading)
    lost = len(table) - len(rows)
    used = set(rows.values())
    extra = [row for row in range(len(reading)) if row not in used and not reading.is_blank(row)]
    counts: Counter[str] = Counter()
    faults = [f"{lost} rows lost"] * bool(lost) + [f"{len(extra)} rows extra"] * bool(extra)
    for expected, found in zip(table.columns, match_columns(table, reading), strict=True):
        one = _score_column(expected, found, reading, rows)
        counts.update(_counts(expected, one))
        if one.is_wrong:
            name = expected.name or "a column without a name"
            faults.append(f"{name}: {one.wrong_cells} cells wrong {one.fault}".strip())
    return Score(
        table,
        *_size(table),
        **counts,
        lost_rows=lost,
        extra_rows=len(extra),
        silent_rows=0 if reading.tells_of_rows() else lost + len(extra),
        faults=tuple(faults),
    )


def _size(table: DirtyTable) -> tuple[int, int]:
    """Return the number of cells and of columns that count."""
    columns = sum(not column.is_optional for column in table.columns)
    return columns * len(table), columns


@dataclass(frozen=True)
class ColumnScore:
    """Cells of rows that were found, and what is wrong with the column as a whole."""

    right_cells: int
    wrong_cells: int
    fault: str = ""
    is_told: bool = False

    @property
    def is_wrong(self) -> bool:
        """Whether anything is."""
        return bool(self.wrong_cells or self.fault)


def _counts(expected: ExpectedColumn, one: ColumnScore) -> dict[str, int]:
    """Return what a column adds to the counts of its table."""
    counted = not expected.is_optional
    return {
        "right_cells": counted * one.right_cells,
        "right_columns": counted * (not one.fault),
        "silent_cells": (not one.is_told) * one.wrong_cells,
        "silent_columns": (not one.is_told) * bool(one.fault),
    }


def _score_column(
    expected: ExpectedColumn, found: Found | None, reading: Reading, rows: dict[int, int]
) -> ColumnScore:
    if found is None:
        is_told = expected.name is not None and reading.tells_of_column(expected.name)
        if expected.is_optional:
            return ColumnScore(0, 0)
        return ColumnScore(0, len(rows), "(lost)", is_told)
    column, name = reading.columns[found.place], reading.names[found.place]
    cells = [(row, column[other]) for row, other in rows.items() if other < len(column)]
    right = _right_cells(expected, cells)
    is_told = reading.tells_of_column(expected.name or name)
    return ColumnScore(right, len(rows) - right, _fault(expected, found, name, cells), is_told)


def _right_cells(expected: ExpectedColumn, cells: list[tuple[int, Any]]) -> int:
    right = sum(is_right(expected, row, got) for row, got in cells)
    if not expected.is_percent:
        return right
    hundredths = [(row, 100 * got) for row, got in cells if isinstance(got, float)]
    return max(right, sum(is_right(expected, row, got) for row, got in hundredths))


def _fault(expected: ExpectedColumn, found: Found, name: str, cells: list[tuple[int, Any]]) -> str:
    values = [got for _, got in cells]
    if found.is_misnamed:
        return f"(named {name!r})"
    if expected.is_optional or is_kind(expected, values):
        return ""
    return f"(kind {kind_of(values)})"
