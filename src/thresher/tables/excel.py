"""Excel workbooks: a sheet read as rows of cells, and columns written as a sheet.

Formulas are read by the value that the program which saved the file has stored beside them.
"""

import io
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from math import isfinite, isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any

from thresher.errors import MissingPackageError, TableError
from thresher.progress import progress_bar
from thresher.tables.table import Column
from thresher.tables.workbook import apart
from thresher.tables.workbook.capacity import refuse_large, storable
from thresher.tables.workbook.cells import Row, fill_merged, merged_note, plain_rows, show_errors
from thresher.tables.workbook.choice import SheetName, choose
from thresher.tables.workbook.survey import FREE_CELLS, Part, Survey, survey
from thresher.texts import Texts
from thresher.wording import MAX_TEXT_LENGTH, quoted, shortened

if TYPE_CHECKING:
    from python_calamine import CalamineSheet

SUFFIXES = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")
NEEDED = "Excel needs python-calamine and openpyxl: pip install 'thresher[excel]'."

LARGE = 4 * 2**20
"""Bytes; reading more shows its progress on a terminal."""

BROKEN_ZIP = (
    *(zipfile.BadZipFile, zlib.error, struct.error),
    NotImplementedError,  # zipfile's word for a packing that it does not know
    *(RuntimeError, EOFError, OSError, ValueError, IndexError, OverflowError),
)
"""What `zipfile` raises where a file is damaged, encrypted, or packed in ways it does not know."""

ZIP, COMPOUND = b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


@dataclass(frozen=True)
class Sheet:
    """A sheet as it stands in a workbook.

    Attributes
    ----------
    name : its name.
    rows : its cells from the first row and column that have any to the last; None is an empty cell,
        and dates and times are texts such as 2024-12-31, 2024-12-31 08:30:00 and 08:30:00.
    first_row : number of the row that `rows[0]` is, counted from 1.
    notes : what a user should know about how it was read.
    """

    name: str
    rows: list[Row]
    first_row: int
    notes: tuple[str, ...] = ()


def is_workbook(data: bytes, path: Path | None) -> bool:
    """Whether bytes are those of a workbook; the path tells of damaged ones.

    >>> is_workbook(b"speed;line", Path("a.xlsx"))
    False
    """
    if data.startswith(COMPOUND):
        return True
    if not data.startswith(ZIP):
        return False
    if path is not None and path.suffix.lower() in SUFFIXES:
        return True
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as file:
            names = file.namelist()
    except BROKEN_ZIP:
        return False
    return any(name == "content.xml" or name.lower().startswith("xl/") for name in names)


def read_sheet(data: bytes, sheet: str | int | None, source: str) -> Sheet:
    """Read a sheet of a workbook.

    Parameters
    ----------
    data : bytes
        Of an xlsx, xlsm, xlsb, xls or ods file.
    sheet : str, int or None
        Its name, its number counted from 1, or None for the first visible one with a table: two
        rows of two cells or more.
    source : str
        What messages call the workbook.

    Raises
    ------
    TableError
        One sentence: what is wrong, and what to do.

    Examples
    --------
    >>> import numpy as np
    >>> path = getfixture("tmp_path") / "parts.xlsx"
    >>> write_excel({"speed": np.array([1.5, np.nan]), "line": Texts.of(["a", "b"])}, path)
    >>> read_sheet(path.read_bytes(), None, "'parts.xlsx'").rows
    [['speed', 'line'], [1.5, 'a'], [None, 'b']]
    """
    if find_spec("python_calamine") is None:
        raise MissingPackageError(NEEDED)
    with _steps(source, len(data)) as done:
        known = _surveyed(data, source)
        done("unpacked")
        if known.is_plain or not apart.is_possible():
            return _read(data, sheet, source, known, done)
        n_bytes = max(len(data), known.n_bytes)
        return Sheet(*apart.ask(n_bytes, (data, sheet, source), _too_much(known, source)))


def _too_much(known: Survey, source: str) -> str:
    rows, columns = known.spread
    far = f" (it has cells up to row {rows:,} and column {columns:,})"
    return (
        f"{source} is damaged, or takes far more memory or time than its size tells"
        f"{far if rows * columns > FREE_CELLS else ''}; save it anew as xlsx, or the sheet as CSV."
    )


def serve_apart() -> None:
    """Read the sheet that another process asks for."""
    apart.answer(_read_apart)


def _read_apart(data: bytes, sheet: str | int | None, source: str) -> tuple[Any, ...]:
    found = _read(data, sheet, source, _surveyed(data, source), lambda step: None)
    return found.name, found.rows, found.first_row, found.notes


def _surveyed(data: bytes, source: str) -> Survey:
    with _as_workbook(source):
        return survey(data, source) if data.startswith(ZIP) else Survey()


def _read(
    data: bytes, asked: str | int | None, source: str, known: Survey, done: Callable[[str], None]
) -> Sheet:
    from python_calamine import SheetVisibleEnum, load_workbook

    with _as_workbook(source), load_workbook(io.BytesIO(data)) as workbook:
        sheets = [
            SheetName(one.name, one.visible == SheetVisibleEnum.Visible)
            for one in workbook.sheets_metadata
        ]
        opened = cache(workbook.get_sheet_by_index)
        place, cells, notes = choose(sheets, asked, lambda one: opened(one).to_python(), source)
        done("parsed")
        return _finished(opened(place), cells, known.sheet(place), notes, source)


def _finished(
    sheet: "CalamineSheet", cells: list[list[Any]], part: Part, notes: list[str], source: str
) -> Sheet:
    """Return a sheet with what calamine does not tell: errors, merged cells, missing values."""
    top, left = sheet.start or (0, 0)
    show_errors(cells, part.errors, (top, left))
    rows = plain_rows(cells)
    if not rows:
        raise TableError(f"Sheet {quoted(sheet.name)} of {source} is empty; sheet= names another.")
    areas = sheet.merged_cell_ranges or ()
    moved = [((a - top, b - left), (c - top, d - left)) for (a, b), (c, d) in areas]
    if merged := fill_merged(rows, moved):
        notes.append(merged_note(merged, source))
    if part.no_value is not None:
        notes.append(
            f"{source} has formulas without a value, such as that in {part.no_value}, and they are "
            "read as empty; save it in Excel, which stores their values."
        )
    return Sheet(sheet.name, rows, top + 1, tuple(notes))


@contextmanager
def _steps(source: str, n_bytes: int) -> Iterator[Callable[[str], None]]:
    """Show how far reading a large workbook is, in percent: calamine tells nothing on its way."""
    percent = {"unpacked": 25, "parsed": 85}
    with progress_bar(f"Reading {source}", 100, shown=n_bytes > LARGE) as done:
        yield lambda step: done(percent[step])


@contextmanager
def _as_workbook(source: str) -> Iterator[None]:
    """Tell in one sentence what calamine cannot read."""
    from python_calamine import CalamineError, PasswordError

    damaged = f"{source} is damaged, or no workbook that can be read"
    try:
        yield
    except TableError:
        raise
    except PasswordError:
        raise TableError(f"{source} is encrypted; save it without a password.") from None
    except (CalamineError, *BROKEN_ZIP) as error:
        reason = shortened(" ".join(str(error).split()).rstrip("."), MAX_TEXT_LENGTH)
        raise TableError(f"{damaged} ({reason}); save it anew as xlsx, or as CSV.") from None
    except BaseException as error:
        if type(error).__name__ != "PanicException":  # of Rust, and no Exception
            raise
        raise TableError(f"{damaged}; save it anew as xlsx, or as CSV.") from None


def write_excel(columns: Mapping[str, Column], path: Path) -> None:
    r"""Write columns to the only sheet of an xlsx file, their names in its first row.

    No text becomes a formula; characters that no workbook can hold are shown as escapes.

    >>> path = getfixture("tmp_path") / "parts.xlsx"
    >>> write_excel({"line": Texts.of(["=1+1", "\0"])}, path)
    >>> read_sheet(path.read_bytes(), None, "'parts.xlsx'").rows
    [['line'], ['=1+1'], ['\\x00']]
    """
    if find_spec("openpyxl") is None:
        raise MissingPackageError(NEEDED)
    from openpyxl import Workbook

    refuse_large(columns)
    workbook = Workbook(write_only=True)
    sheet = workbook.create_sheet("Table")
    sheet.freeze_panes = "A2"
    sheet.append([_header_cell(sheet, name) for name in columns])
    for row in zip(*(_cells(sheet, column) for column in columns.values()), strict=True):
        sheet.append(row)
    workbook.save(path)


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
    cell.quotePrefix = text.startswith(
        ("=", "+", "-", "@")
    )  # it stays a text where somebody edits it
    return cell


def _header_cell(sheet: Any, name: str) -> Any:
    from openpyxl.styles import Font

    cell = _text_cell(sheet, storable(name))
    cell.font = Font(bold=True)
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
