"""Sheets of workbooks (xlsx, xlsm, xlsb, xls, ods) as rows of cells, read in a process of its own.

calamine ends the process where a workbook makes it ask for more memory than there is, and reads
some damaged ones for ever; so it gets one with limits of memory and time. That process imports this
file, which therefore loads nothing heavy.

Formulas are read by the value that the program which saved the file has stored beside them.
"""

import io
import marshal
import posixpath
import re
import struct
import subprocess
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import date, datetime, time, timedelta
from difflib import get_close_matches
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias
from xml.parsers import expat

from thresher.errors import MissingPackageError, TableError
from thresher.progress import progress_bar
from thresher.wording import MAX_TEXT_LENGTH, first_of, quoted, shortened

SUFFIXES = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")
NEEDED = "Excel needs python-calamine and openpyxl: pip install 'thresher[excel]'."

LARGE = 4 * 2**20
"""Bytes; reading more is shown on a terminal."""

ZIP, COMPOUND = b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
BROKEN_ZIP = (
    *(zipfile.BadZipFile, zlib.error, struct.error),
    NotImplementedError,  # zipfile's word for a packing that it does not know
    *(RuntimeError, EOFError, OSError, ValueError, IndexError, OverflowError),
)
"""What `zipfile` raises where a file is damaged, encrypted, or packed in ways it does not know."""

MAX_RATIO, FREE_BYTES = 100, 2**20
"""A workbook may unpack to this many times its size, and to so many bytes in any case."""

FREE_MEMORY, MEMORY_PER_BYTE = 256 * 2**20, 32
FREE_SECONDS, BYTES_PER_SECOND = 5, 2**20
"""What reading may take beside the interpreter, and for each byte of the workbook unpacked."""

PATIENCE = 10
"""How many times the processor time may pass on a busy machine, or one that has no such limit."""

START = (
    "import sys; sys.path[:] = sys.argv[1:]; from thresher.tables.workbook import serve; serve()"
)

Cell: TypeAlias = float | str | bool | None
Row: TypeAlias = list[Cell]
Place: TypeAlias = tuple[int, int]


class Sheet(NamedTuple):
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


# -------------------------------------------------------------------------- a process of its own


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
    >>> from thresher.column import Texts
    >>> from thresher.tables.excel import write_excel
    >>> path = getfixture("tmp_path") / "parts.xlsx"
    >>> write_excel({"speed": np.array([1.5, np.nan]), "line": Texts.of(["a", "b"])}, path)
    >>> read_sheet(path.read_bytes(), None, "'parts.xlsx'").rows
    [['speed', 'line'], [1.5, 'a'], [None, 'b']]
    """
    if find_spec("python_calamine") is None:
        raise MissingPackageError(NEEDED)
    with _as_workbook(source):
        n_bytes = _unpacked_bytes(data, source)
    seconds = FREE_SECONDS + n_bytes // BYTES_PER_SECOND
    refusal = TableError(
        f"{source} is damaged, or takes far more memory or time than its size tells, as with a "
        "cell far away from all others; save it anew as xlsx, or the sheet as CSV."
    )
    try:
        if not sys.executable or getattr(sys, "frozen", False):
            raise OSError(0, "this interpreter cannot be started again")
        with progress_bar(f"Reading {source}", 1, shown=len(data) > LARGE):
            done = subprocess.run(
                [sys.executable, "-c", START, *map(str, sys.path)],
                input=marshal.dumps((n_bytes, seconds, (data, sheet, source))),
                capture_output=True,
                check=False,
                timeout=PATIENCE * seconds,
            )
    except subprocess.TimeoutExpired:
        raise refusal from None
    except OSError as error:
        raise TableError(
            f"No process could be started to read a workbook ({error.strerror}); save the sheet as "
            "CSV."
        ) from None
    if done.returncode != 0:
        raise refusal
    found, wrong = marshal.loads(done.stdout)
    if wrong is not None:
        raise TableError(wrong)
    return Sheet(*found)


def _unpacked_bytes(data: bytes, source: str) -> int:
    """Return the size that a workbook says it has unpacked; raise where that is far too much."""
    if not data.startswith(ZIP):
        return len(data)
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        entries = file.infolist()
    if any(one.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) for one in entries):
        raise zipfile.BadZipFile("it is packed as no workbook is")
    n_bytes = sum(one.file_size for one in entries)
    if n_bytes > FREE_BYTES + MAX_RATIO * len(data):
        raise TableError(
            f"{source} unpacks to more than {MAX_RATIO} times its size, which workbooks rarely do; "
            "save the sheet as CSV, if that is right."
        )
    return max(len(data), n_bytes)


def serve() -> None:
    """Read the sheet that another process asks for, within limits, and answer."""
    n_bytes, seconds, question = marshal.load(sys.stdin.buffer)
    with suppress(ImportError):  # on Windows
        import resource

        limits = {resource.RLIMIT_CORE: 0, resource.RLIMIT_CPU: seconds}
        with suppress(OSError):  # other systems than Linux tell it elsewhere
            pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
            most = pages * resource.getpagesize() + FREE_MEMORY + MEMORY_PER_BYTE * n_bytes
            limits[resource.RLIMIT_AS] = most
        for kind, most in limits.items():
            with suppress(OSError, ValueError):  # it is lower already
                resource.setrlimit(kind, (most, most))
    found: Any = None
    wrong: str | None = None
    try:
        found = tuple(read_here(*question))
    except TableError as error:
        wrong = str(error)
    marshal.dump((found, wrong), sys.stdout.buffer)


# ---------------------------------------------------------------------------------- in this process


def read_here(data: bytes, asked: str | int | None, source: str) -> Sheet:
    """Read a sheet as `read_sheet` does, in this process, which calamine may end."""
    from python_calamine import SheetVisibleEnum, load_workbook

    with _as_workbook(source), load_workbook(io.BytesIO(data)) as workbook:
        names = [one.name for one in workbook.sheets_metadata]
        opened = cache(workbook.get_sheet_by_index)
        if asked is None:
            kinds = [one.visible for one in workbook.sheets_metadata]
            seen = [place for place, one in enumerate(kinds) if one == SheetVisibleEnum.Visible]
            every = {place: opened(place).to_python() for place in seen}
            rows_of = {place: rows for place, rows in every.items() if rows}
            hidden = [quoted(name) for place, name in enumerate(names) if place not in every]
            place, notes = _first_table(names, hidden, rows_of, source)
            cells = rows_of[place]
        else:
            place, notes = _sheet_named(names, asked, source), []
            cells = opened(place).to_python()
        sheet = opened(place)
        top, left = sheet.start or (0, 0)
        # What calamine does not tell: errors, merged cells, missing values.
        errors, no_value = _formulas(data, place) if data.startswith(ZIP) else ([], None)
        for row, column, text in errors:
            line, index = row - 1 - top, column - 1 - left
            is_there = 0 <= line < len(cells) and 0 <= index < len(cells[line])
            if is_there and cells[line][index] == "":
                cells[line][index] = text
        plain = plain_rows(cells)
        if not plain:
            raise TableError(
                f"Sheet {quoted(sheet.name)} of {source} is empty; sheet= names another."
            )
        areas = sheet.merged_cell_ranges or ()
        moved = [((a - top, b - left), (c - top, d - left)) for (a, b), (c, d) in areas]
        if merged := fill_merged(plain, moved):
            notes.append(
                f"Merged cells in the first rows of {source} have their text in each of their "
                f"columns: {first_of(map(repr, merged), 4)}."
            )
        if no_value is not None:
            notes.append(
                f"{source} has formulas without a value, such as that in {no_value}, and they are "
                "read as empty; save it in Excel, which stores their values."
            )
        return Sheet(sheet.name, plain, top + 1, tuple(notes))


@contextmanager
def _as_workbook(source: str) -> Iterator[None]:
    """Tell in one sentence what calamine cannot read."""
    from python_calamine import CalamineError, PasswordError

    try:
        yield
    except TableError:
        raise
    except PasswordError:
        raise TableError(f"{source} is encrypted; save it without a password.") from None
    except BaseException as error:
        reason = f" ({shortened(' '.join(str(error).split()).rstrip('.'), MAX_TEXT_LENGTH)})"
        if type(error).__name__ == "PanicException":  # of Rust, and no Exception
            reason = ""
        elif not isinstance(error, (CalamineError, *BROKEN_ZIP)):
            raise
        raise TableError(
            f"{source} is damaged, or no workbook that can be read{reason}; save it anew as xlsx, "
            "or as CSV."
        ) from None


# ------------------------------------------------------------------------------ which sheet is read

COVER = 4
"""A sheet with so many times fewer rows than another is a cover, or notes."""


def _first_table(
    names: Sequence[str], hidden: Sequence[str], rows_of: Mapping[int, list[list[Any]]], source: str
) -> tuple[int, list[str]]:
    """Return the first visible sheet that is not far smaller than the largest one, with a note.

    Rows of cells are as calamine gives them: an empty one is an empty text.
    """
    are = "are" if len(hidden) > 1 else "is"
    told = f" ({first_of(hidden)} {are} hidden)" if hidden else ""
    if not rows_of:
        raise TableError(f"{source} has no visible sheet with cells{told}; sheet= names one.")
    # Rows that have two cells or more.
    sizes = [sum(len(row) - row.count("") > 1 for row in rows) for rows in rows_of.values()]
    large = max(sizes) / COVER
    place = next(place for place, size in zip(rows_of, sizes, strict=True) if size >= large)
    note = (
        f"{source} has {len(names)} sheets{told}; {quoted(names[place])} was read; sheet= names "
        "another."
    )
    return place, [note] if len(names) > 1 else []


def _sheet_named(names: Sequence[str], asked: str | int, source: str) -> int:
    """Return the place of a sheet by its name, in any case, or by its number."""
    wanted = str(asked)
    for same in (str, str.casefold):
        known = [same(name) for name in names]
        if isinstance(asked, str) and same(wanted) in known:
            return known.index(same(wanted))
    if wanted.isdecimal() and 1 <= int(wanted[:9]) <= len(names):
        return int(wanted) - 1
    near = get_close_matches(wanted, names, n=1, cutoff=0.6)
    hint = f"did you mean {quoted(near[0])}? Its" if near else "its"
    raise TableError(
        f"{source} has no sheet {quoted(asked)}; {hint} sheets are "
        f"{first_of(map(quoted, names), 24)}, and numbers count from 1."
    )


# ------------------------------------------------------------------------------------------ cells

_CELL = rb'<c r="([A-Z]{1,3})([0-9]{1,7})"'
_FORMULA = rb"(?:<f[^<>]*/>|<f[^<>]*>[^<]*</f>)"
_ERROR = re.compile(_CELL + rb'[^<>]* t="e"[^<>]*>' + _FORMULA + rb"?<v>(#[A-Z0-9/!?]{2,15})</v>")
_NO_VALUE = re.compile(_CELL + rb"(?![^<>]* t=)[^<>]*>" + _FORMULA + rb"(?:<v></v>|<v ?/>)?</c>")
FIRST_BYTES = 2**18
"""So far a sheet is searched for a formula without a value."""


def _formulas(data: bytes, place: int) -> tuple[list[tuple[int, int, str]], str | None]:
    """Return row, column and text of the errors in a sheet, and a cell whose formula has no value.

    Rows and columns count from 1; the sheet is looked through as XML, in xlsx alone.
    """
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        entries = {one.filename.replace("\\", "/").lower(): one for one in file.infolist()}
        entry = entries.get(_part_of_sheet(file, place))
        xml = b"" if entry is None else file.read(entry)
    errors = []
    for mark in re.finditer(rb' t="e"', xml):
        found = _ERROR.match(xml, max(0, xml.rfind(b"<c ", 0, mark.start())))
        if found is not None:
            column = 0
            for letter in found[1]:
                column = 26 * column + letter - ord("A") + 1
            errors.append((int(found[2]), column, found[3].decode()))
    without = _NO_VALUE.search(xml, 0, FIRST_BYTES)
    return errors, None if without is None else (without[1] + without[2]).decode()


def _part_of_sheet(file: zipfile.ZipFile, place: int) -> str:
    """Return the name of the part, in small letters, that a sheet is; "" where nobody knows."""

    def attributes_of(part: str, wanted: str) -> list[dict[str, str]]:
        found: list[dict[str, str]] = []

        def start(name: str, attributes: dict[str, str]) -> None:
            if name.rpartition("}")[2] == wanted:
                found.append(attributes)

        # A tree of all elements would take many times the memory of the XML.
        parser = expat.ParserCreate(namespace_separator="}")
        parser.StartElementHandler = start
        parser.Parse(file.read(part), True)
        return found

    try:
        links = attributes_of("xl/_rels/workbook.xml.rels", "Relationship")
        sheet = attributes_of("xl/workbook.xml", "sheet")[place]
    except (LookupError, ValueError, expat.ExpatError):
        return ""
    wanted = next((value for name, value in sheet.items() if name.endswith("}id")), "")
    target = {one.get("Id", ""): one.get("Target", "") for one in links}.get(wanted)
    if target is None:
        return ""
    # A target that starts with a slash is a path from the root of the zip.
    return posixpath.normpath(posixpath.join("/xl", target)).lstrip("/").lower()


def plain_rows(rows: Iterable[Sequence[Any]]) -> list[Row]:
    """Return rows of plain values, without empty ones at the end.

    >>> plain_rows([["day", 1, ""], [datetime(2024, 12, 31), True, 2.5], ["", "", ""]])
    [['day', 1.0, None], ['2024-12-31', True, 2.5]]
    """
    plain: list[Row] = [
        [_PLAIN[type(cell)](cell) if type(cell) in _PLAIN else cell for cell in row] for row in rows
    ]
    while plain and plain[-1].count(None) == len(plain[-1]):
        plain.pop()
    return plain


def _duration(value: timedelta) -> str:
    """Return a duration as a sheet shows it: hours, minutes and seconds.

    >>> _duration(timedelta(days=1, hours=5, seconds=7))
    '29:00:07'
    """
    whole = round(value.total_seconds())
    minutes, seconds = divmod(abs(whole), 60)
    return f"{'-' if whole < 0 else ''}{minutes // 60:02}:{minutes % 60:02}:{seconds:02}"


_PLAIN: dict[type, Callable[..., Cell]] = {
    str: lambda text: text or None,
    int: float,
    datetime: lambda value: value.isoformat(sep=" ").removesuffix(" 00:00:00"),
    date: date.isoformat,
    time: time.isoformat,
    timedelta: _duration,
}
"""What becomes of a cell of each type; others stay as they are."""

HEADER_ROWS = 20
"""Merged cells within so many rows at the top have their text in each of their cells."""


def fill_merged(rows: list[Row], areas: Iterable[tuple[Place, Place]]) -> list[str]:
    """Write the text of merged cells over several columns of the header into each of them.

    One over more than half of the columns is a title, and stays in its first cell.

    Parameters
    ----------
    rows : list of Row
        All of one length; they are changed.
    areas : pairs of places
        The first and the last cell of each merged area, as places in `rows`.

    Returns
    -------
    list of str
        The texts that stand in more cells now.

    Examples
    --------
    >>> rows = [["torque", None, "line"], ["min", "max", None]]
    >>> fill_merged(rows, [((0, 0), (0, 1)), ((0, 2), (1, 2))]), rows
    (['torque'], [['torque', 'torque', 'line'], ['min', 'max', None]])
    """
    filled: list[str] = []
    width = len(rows[0])
    free = HEADER_ROWS * width  # areas that overlap are no sheet's
    for (top, left), (bottom, right) in areas:
        right = min(right, width - 1)
        is_header = 0 <= top <= bottom < min(HEADER_ROWS, len(rows))
        is_title = right - left + 1 > max(2, width / 2)
        if not is_header or is_title or not 0 <= left < right or free <= 0:
            continue
        text = rows[top][left]
        free -= (bottom - top + 1) * (right - left + 1)
        if isinstance(text, str):
            filled.append(text)
            for row in rows[top : bottom + 1]:
                row[left : right + 1] = [text] * (right - left + 1)
    return filled
