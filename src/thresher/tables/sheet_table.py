"""A sheet of a workbook as a table: its header found, its cells dealt to columns."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from thresher.errors import TableError
from thresher.tables import dates
from thresher.tables.excel import Sheet
from thresher.tables.head import find_head, unique_names, words_above
from thresher.tables.objects import column_of
from thresher.tables.raw_table import RawTable
from thresher.tables.table import Column, as_text

SAMPLE_ROWS = 200


def sheet_table(
    sheet: Sheet,
    source: str,
    texts: Sequence[str],
    *,
    has_header: bool | None = None,
    skip_lines: int | None = None,
) -> RawTable:
    """Return the columns of a sheet; those in `texts` stay text.

    >>> rows = [["Line 3", None, None], ["speed", "force", "state"], [1.5, 20.0, "ok"]]
    >>> sheet = Sheet("Parts", rows, 1)
    >>> sheet_table(sheet, "'a.xlsx'", []).columns["speed"]
    array([1.5])
    """
    width = max((len(row) for row in sheet.rows), default=0)
    rows = [[*row, *(None,) * (width - len(row))] for row in sheet.rows]
    skip = None if skip_lines is None else max(0, skip_lines - sheet.first_row + 1)
    if not rows or (skip or 0) >= len(rows):
        raise TableError(f"{source} is empty; its first line must name the columns.")
    sample = [[_text(cell) for cell in row] for row in rows[:SAMPLE_ROWS]]
    head = find_head(sample, has_header=has_header, skip=skip)
    names, notes = unique_names([" ".join(name.split()) for name in head.names])
    body = rows[head.first :]
    cells = zip(*body, strict=True) if body else ((),) * len(names)
    columns = dict(zip(names, map(_column, cells, (name in texts for name in names)), strict=True))
    first = sheet.first_row + head.first
    return RawTable(
        source,
        columns,
        nameless=frozenset(new for new, old in zip(names, head.names, strict=True) if not old),
        units=dict(zip(names, head.units, strict=False)),
        is_loose=has_header is None or skip_lines is None,
        notes=(*sheet.notes, *words_above(head, head.skip, names, "rows"), *notes),
        place=lambda row: f"row {first + row}",
    )


def _text(cell: Any) -> str:
    if cell is None:
        return ""
    return as_text(cell) if isinstance(cell, float) else str(cell)


def _column(cells: Sequence[Any], stays_text: bool) -> Column:
    """Return numbers where all cells are, otherwise texts as a person sees them."""
    if all(cell is None for cell in cells):
        return np.full(len(cells), np.nan)
    words = {cell for cell in cells if isinstance(cell, str)}
    if not words and not stays_text:
        return column_of(cells, stays_text)
    are_dates = bool(words) and all(dates.written(word) is not None for word in words)
    if are_dates and {len(word) for word in words} == {
        len("2024-12-31"),
        len("2024-12-31 00:00:00"),
    }:
        cells = [f"{cell} 00:00:00" if _is_day(cell) else cell for cell in cells]
    return column_of([_shown(cell, are_dates) for cell in cells], stays_text)


def _is_day(cell: Any) -> bool:
    """Whether a cell is midnight, which stands without a time."""
    return isinstance(cell, str) and len(cell) == len("2024-12-31")


def _shown(cell: Any, among_dates: bool) -> Any:
    """Return a number as a text; among dates it is one too, by its days."""
    if not isinstance(cell, float):
        return cell
    is_day = among_dates and dates.is_serial(cell)
    return dates.of_serial(cell).isoformat(sep=" ") if is_day else as_text(cell)
