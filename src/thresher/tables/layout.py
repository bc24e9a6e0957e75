"""How a CSV file is written: its delimiter, its header, and where its rows begin and end."""

import csv
import io
import re
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice

from thresher.errors import TableError
from thresher.tables.head import find_head, kind_of, unique_names, width_of, words_above
from thresher.tables.notation import COMMA, POINT
from thresher.tables.vocabulary import CLOSING
from thresher.text_table import unescape_csv
from thresher.wording import quoted

DELIMITERS = ",;\t|"
SAMPLE_LINES, SAMPLE_BYTES = 200, 2**20
MAX_FOOTER = 10
"""Lines at the end that may be no rows."""

_AROUND = re.compile(r"^[\s\ufeff]+|\s+$")
"""Spaces around a name, and byte order marks before it."""
_DECIMAL = re.compile(r"[+-]?[0-9]+([.,])[0-9]+")


@dataclass(frozen=True)
class Layout:
    """How a CSV file is written.

    Attributes
    ----------
    delimiter : between cells.
    names : of the columns.
    decimal : the decimal mark that the first rows have.
    begin, end : where the rows are, in bytes.
    first_line : number of the line of the first row.
    nameless : columns whose name was made.
    units : of the columns, where a line tells them.
    notes : what a user should know.
    is_loose : whether lines that are no rows may stand among the rows; not where a user said where
        they begin.
    """

    delimiter: str
    names: tuple[str, ...]
    decimal: str = POINT
    begin: int = 0
    end: int | None = None
    first_line: int = 2
    nameless: frozenset[str] = frozenset()
    units: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    is_loose: bool = True


def find_layout(
    data: bytes,
    source: str,
    *,
    delimiter: str | None = None,
    has_header: bool | None = None,
    skip_lines: int | None = None,
) -> Layout:
    r"""Look at the first and the last lines of a file in UTF-8.

    >>> layout = find_layout(b"speed;line\n1,5;a\n", "'a.csv'")
    >>> layout.delimiter, layout.names, layout.decimal
    (';', ('speed', 'line'), ',')
    """
    lines = _first_lines(data, skip_lines)
    if not any(line.strip() for line in lines):
        raise TableError(f"{source} is empty; its first line must name the columns.")
    mark = delimiter or max(DELIMITERS, key=lambda one: _agreement(lines, one))
    rows, ends = _parsed(lines, mark)
    head = find_head(rows, has_header=has_header, skip=0 if skip_lines is not None else None)
    skipped = skip_lines or 0
    first_line = skipped + (ends[head.first - 1] if head.first else 0)
    begin = _offset(data, first_line)
    given = [unescape_csv(_AROUND.sub("", name)) for name in head.names]
    if not head.is_told:
        given = [" ".join(name.split()) for name in given]
    names, notes = unique_names(given)
    before = skipped + (ends[head.skip - 1] if head.skip else 0)
    notes = [*words_above(head, before, names, "lines"), *notes]
    cells = (cell.strip() for row in rows[head.first :] for cell in row)
    marks = Counter(found[1] for cell in cells if (found := _DECIMAL.fullmatch(cell)))
    is_comma = mark != COMMA and marks[COMMA] > marks[POINT]
    is_loose, end = has_header is None or skip_lines is None, len(data)
    if is_loose:
        end, footer = _find_end(data, begin, mark, len(names))
        notes += footer
    return Layout(
        mark,
        tuple(names),
        COMMA if is_comma else POINT,
        begin,
        end,
        first_line + 1,
        frozenset(name for name, old in zip(names, given, strict=True) if not old),
        head.units,
        tuple(notes),
        is_loose,
    )


def _first_lines(data: bytes, skip: int | None) -> list[str]:
    """Return the first lines, whole, however long the first one is."""
    start = _offset(data, skip or 0)
    size = max(SAMPLE_BYTES, (data.find(b"\n", start) + 1 or len(data)) - start)
    found = io.BytesIO(data[start : start + size])
    lines = [line.decode("utf-8", errors="replace") for line in islice(found, SAMPLE_LINES)]
    if len(lines) > 1 and len(data) > start + size and len(lines) < SAMPLE_LINES:
        lines.pop()
    return lines


def _offset(data: bytes, lines: int) -> int:
    """Return where a line begins."""
    offset = 0
    for _ in range(lines):
        offset = data.find(b"\n", offset) + 1 or len(data)
    return offset


def _agreement(lines: list[str], delimiter: str) -> tuple[float, int]:
    """Tell how well the lines have one number of values; with more values where that is equal."""
    rows = [row for row in _parsed(lines, delimiter)[0] if row]
    width = width_of(rows)
    share = sum(len(row) == width for row in rows) / max(1, len(rows))
    return (share if width > 1 else 0.0), width


def _parsed(lines: list[str], delimiter: str) -> tuple[list[list[str]], list[int]]:
    """Return the rows, and the number of lines up to the end of each."""
    reader = csv.reader(lines, delimiter=delimiter)
    rows: list[list[str]] = []
    ends: list[int] = []
    with suppress(csv.Error):
        for row in reader:
            rows.append(row)
            ends.append(reader.line_num)
    return (rows, ends) if rows else ([lines[:1]], [1])


def _find_end(data: bytes, begin: int, delimiter: str, width: int) -> tuple[int, tuple[str, ...]]:
    """Return where the rows end, before lines that close an export."""
    end, cut, first = len(data), 0, ""
    while end > begin and cut <= MAX_FOOTER:
        stop = end
        while stop > begin and data[stop - 1] in b"\r\n \t":
            stop -= 1
        start = data.rfind(b"\n", begin, stop) + 1 or begin
        line = data[start:stop].decode("utf-8", errors="replace")
        cells = line.split(delimiter)
        filled = [cell.strip() for cell in cells if cell.strip()]
        is_total = bool(filled) and filled[0].lower().startswith(CLOSING) and len(filled) < width
        is_table = '"' in line or width < 2 or not (is_total or is_no_row(cells, width))
        if start <= begin or is_table:
            break
        end, cut, first = start, cut + 1, line.strip()
    if not cut or cut > MAX_FOOTER:
        return len(data), ()
    if cut == 1:
        return end, (f"The last line, {quoted(first)}, is no row.",)
    return end, (f"The last {cut} lines, from {quoted(first)} on, are no rows.",)


def is_no_row(cells: Sequence[str], width: int) -> bool:
    """Whether a line among rows is none: words in a cell or two, where rows have more.

    >>> is_no_row(["Page 2 of 3"], 8), is_no_row(["5", "6"], 3)
    (True, False)
    """
    filled = [cell.strip() for cell in cells if cell.strip()]
    is_short = len(cells) < width and width > 2
    if not is_short or not filled or any("\n" in cell for cell in cells):
        return False
    return len(cells) <= max(2, width // 2) and kind_of(filled[0]) in ("word", "empty")
