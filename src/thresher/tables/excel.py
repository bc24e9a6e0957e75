"""A sheet of a workbook as columns, and columns as a sheet."""

import re
from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec
from math import isfinite, isnan
from pathlib import Path
from typing import Any

import numpy as np

from thresher.column import Texts
from thresher.errors import MissingPackageError, TableError
from thresher.tables import dates
from thresher.tables.frame import column_of
from thresher.tables.head import find_head, unique_names, words_above
from thresher.tables.table import Column, RawTable, as_text
from thresher.tables.workbook import NEEDED, Sheet
from thresher.wording import quoted

SAMPLE_ROWS = 200
DAY, MOMENT = len("2024-12-31"), len("2024-12-31 00:00:00")


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
    sample = [["" if cell is None else _shown(cell) for cell in row] for row in rows[:SAMPLE_ROWS]]
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


def _shown(cell: Any) -> str:
    return as_text(cell) if isinstance(cell, float) else str(cell)


def _column(cells: Sequence[Any], stays_text: bool) -> Column:
    """Return numbers where all cells are, otherwise texts as a person sees them."""
    if all(cell is None for cell in cells):
        return np.full(len(cells), np.nan)
    words = {cell for cell in cells if isinstance(cell, str)}
    if not words and not stays_text:
        return column_of(cells, stays_text)
    are_dates = bool(words) and all(dates.written(word) is not None for word in words)
    # Midnight stands without a time.
    has_days = are_dates and {len(word) for word in words} == {DAY, MOMENT}
    shown = []
    for cell in cells:
        if has_days and isinstance(cell, str) and len(cell) == DAY:
            shown.append(f"{cell} 00:00:00")
        elif are_dates and isinstance(cell, float) and dates.is_serial(cell):
            shown.append(dates.of_serial(cell).isoformat(sep=" "))
        else:
            shown.append(as_text(cell) if isinstance(cell, float) else cell)
    return column_of(shown, stays_text)


# ------------------------------------------------------------------------------------------ writing

MAX_ROWS, MAX_COLUMNS, MAX_LENGTH = 2**20, 2**14, 32_767
"""What a sheet can hold: rows with the header, columns, and characters of a cell."""

_ESCAPE = re.compile("_(?=x[0-9a-fA-F]{4}_)")
_FORBIDDEN = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
"""What Excel would take for an escaped character; characters that XML has no way to write."""


def write_excel(columns: Mapping[str, Column], path: Path) -> None:
    r"""Write columns to the only sheet of an xlsx file, their names in its first row.

    No text becomes a formula; characters that no workbook can hold are shown as escapes.

    >>> from thresher.tables.workbook import read_sheet
    >>> path = getfixture("tmp_path") / "parts.xlsx"
    >>> write_excel({"line": Texts.of(["=1+1", "\0"])}, path)
    >>> read_sheet(path.read_bytes(), None, "'parts.xlsx'").rows
    [['line'], ['=1+1'], ['\\x00']]
    """
    if find_spec("openpyxl") is None:
        raise MissingPackageError(NEEDED)
    from openpyxl import Workbook
    from openpyxl.styles import Font

    n_rows = max((len(column) for column in columns.values()), default=0)
    if n_rows >= MAX_ROWS or len(columns) > MAX_COLUMNS:
        raise TableError(
            f"A sheet of Excel holds {MAX_ROWS - 1:,} rows under a header and {MAX_COLUMNS:,} "
            f"columns, and this table has {n_rows:,} and {len(columns):,}; write CSV or Parquet."
        )
    for name, column in columns.items():
        texts = column.levels if isinstance(column, Texts) else ()
        if max(len(storable(text)) for text in (name, *texts)) > MAX_LENGTH:
            raise TableError(
                f"A cell of Excel holds {MAX_LENGTH:,} characters, and column {quoted(name)} has a "
                "longer text; write CSV or Parquet."
            )
    workbook = Workbook(write_only=True)
    sheet = workbook.create_sheet("Table")
    sheet.freeze_panes = "A2"
    header = [_text_cell(sheet, storable(name)) for name in columns]
    for cell in header:
        cell.font = Font(bold=True)
    sheet.append(header)
    for row in zip(*(_cells(sheet, column) for column in columns.values()), strict=True):
        sheet.append(row)
    workbook.save(path)


def storable(text: str) -> str:
    r"""Return a text as the XML of a workbook has it: what it cannot hold is shown as an escape.

    >>> print(storable("\x1b[31m, a\rb, _x0041_"))
    \x1b[31m, a_x000D_b, _x005F_x0041_
    """
    shown = _FORBIDDEN.sub(lambda found: ascii(found[0])[1:-1], text)
    if shown.isspace():  # openpyxl asks readers to keep spaces only where lxml is installed
        return "".join(f"_x{ord(letter):04X}_" for letter in shown)
    return _ESCAPE.sub("_x005F_", shown).replace("\r", "_x000D_")


def _cells(sheet: Any, column: Column) -> Iterator[Any]:
    """Return what openpyxl takes for each row; cells only where need be, and each one anew.

    It takes some texts for formulas and errors, writes 16 digits of a number, and changes the cells
    that it has written.
    """
    if not isinstance(column, Texts):
        return (_number(sheet, number) for number in column.tolist())
    levels = [*map(storable, column.levels), None]
    texts = (levels[code] for code in column.codes.tolist())
    return (_text_cell(sheet, text) if text and text[0] in "=+-@#" else text for text in texts)


def _text_cell(sheet: Any, text: str) -> Any:
    cell = _cell(sheet, text, "s")
    cell.quotePrefix = text.startswith(("=", "+", "-", "@"))  # a text where somebody edits it
    return cell


def _number(sheet: Any, number: float) -> Any:
    if not isfinite(number):
        return None if isnan(number) else str(number)
    return number if float(f"{number:.16g}") == number else _cell(sheet, repr(number), "n")


def _cell(sheet: Any, text: str, kind: str) -> Any:
    from openpyxl.cell import WriteOnlyCell

    cell = WriteOnlyCell(sheet, text)
    cell.data_type = kind
    return cell
