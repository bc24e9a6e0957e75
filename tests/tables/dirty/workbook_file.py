"""A draft as the bytes of an Excel file: the same bytes at any time."""

import io
import re
import zipfile
from itertools import pairwise
from typing import Any

from tests.tables.dirty.draft import Draft, DraftColumn, Excel

LONG_AGO = (2024, 12, 31, 8, 0, 0)
DATE_FORMAT = "dd.mm.yyyy hh:mm"


def workbook_bytes(draft: Draft) -> bytes:
    """The file; formulas come with their values, which openpyxl itself does not write."""
    from openpyxl import Workbook

    book = Workbook()
    book.remove(book.active)
    for name, lines, is_hidden in draft.sheets_before:
        _add_sheet(book, name, lines, is_hidden)
    sheet = book.create_sheet("Data")
    computed = _fill(sheet, draft)
    for name, lines, is_hidden in draft.sheets_after:
        _add_sheet(book, name, lines, is_hidden)
    book.active = len(draft.sheets_before)
    file = io.BytesIO()
    book.save(file)
    place = len(draft.sheets_before) + 1
    return _repacked(file.getvalue(), f"xl/worksheets/sheet{place}.xml", computed)


def _add_sheet(book: Any, name: str, lines: list[list[Excel]], is_hidden: bool) -> None:
    sheet = book.create_sheet(name)
    for line in lines:
        sheet.append(line)
    if is_hidden:
        sheet.sheet_state = "hidden"


def _fill(sheet: Any, draft: Draft) -> dict[str, float]:
    """Write the table; return what formulas give, by cell."""
    top, left = draft.corner
    line = top + 1
    for cells in draft.above:
        _put(sheet, line, left, cells)
        line += 1
    if draft.groups:
        _merge(sheet, line, left, draft)
        line += 1
    if draft.has_header:
        _put(sheet, line, left, [column.name for column in draft.columns])
        line += 1
    if draft.has_units:
        _put(sheet, line, left, [column.unit for column in draft.columns])
        line += 1
    computed: dict[str, float] = {}
    for row in range(len(draft)):
        line += row in draft.blank_rows
        for place, column in enumerate(draft.columns):
            _put_cell(sheet.cell(line, left + place + 1), column, row, computed)
        line += 1
    for cells in draft.below:
        _put(sheet, line, left, cells)
        line += 1
    return computed


def _put(sheet: Any, line: int, left: int, cells: list[str]) -> None:
    for place, value in enumerate(cells):
        sheet.cell(line, left + place + 1, value or None)


def _merge(sheet: Any, line: int, left: int, draft: Draft) -> None:
    starts = [*draft.groups, len(draft.columns)]
    for start, end in pairwise(starts):
        sheet.cell(line, left + start + 1, draft.groups[start])
        sheet.merge_cells(None, line, left + start + 1, line, left + end)


def _put_cell(cell: Any, column: DraftColumn, row: int, computed: dict[str, float]) -> None:
    value = column.cell(row)
    if column.is_formula and isinstance(value, float):
        cell.value = f"=ROUND({value!r},{column.decimals})"
        computed[cell.coordinate] = value
        return
    cell.value = value
    if column.meaning == "date" and not isinstance(value, str):
        cell.number_format = DATE_FORMAT


def _repacked(data: bytes, sheet: str, computed: dict[str, float]) -> bytes:
    """Return the archive with fixed times, and formulas with what they give."""
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(file, "w") as new:
        for name in sorted(old.namelist()):
            content = old.read(name).decode()
            if name == "docProps/core.xml":
                content = re.sub(r">\d{4}-\d\d-\d\dT[\d:.]+Z<", ">2024-12-31T08:00:00Z<", content)
            if name == sheet:
                content = _with_values(content, computed)
            info = zipfile.ZipInfo(name, LONG_AGO)
            info.compress_type = zipfile.ZIP_DEFLATED
            new.writestr(info, content)
    return file.getvalue()


def _with_values(content: str, computed: dict[str, float]) -> str:
    def add(found: re.Match[str]) -> str:
        return f"{found['start']}<v>{computed[found['place']]!r}</v>"

    pattern = r'(?P<start><c r="(?P<place>[A-Z]+\d+)"[^>]*><f>[^<]*</f>)(<v ?/>|<v></v>)'
    return re.sub(pattern, add, content)
