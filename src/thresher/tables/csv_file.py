"""CSV in UTF-8 as columns: pyarrow reads the rows.

Rows that it refuses or would misread are split by Python, which tells the number of a line.
"""

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import islice, product
from typing import Any

import numpy as np

from thresher.column import MAX_LEVELS, Texts
from thresher.errors import TableError
from thresher.tables.arrow import arrow_buffer, as_column, as_numbers, as_texts
from thresher.tables.layout import Layout, is_no_row
from thresher.tables.table import Column, RawTable, changed
from thresher.tables.text_file import has_lone_returns
from thresher.tables.vocabulary import MISSING
from thresher.text_table import unescape_csv
from thresher.wording import counted, quoted

MANY_COLUMNS, BYTES_PER_COLUMN = 256, 4096
"""Pyarrow takes some 50 KB for each column of CSV, so that Python reads wide tables of few rows."""

BYTE_ORDER_MARK = b"\xef\xbb\xbf"

LONGEST = 15
"""Digits of the longest whole numbers that are surely told apart as floats."""

BLOCK, MOST_BLOCKS = 2**15, 64
"""Bytes that are searched for codes at once, and how often in a large file."""

_HEXADECIMAL = re.compile(rb"""(?:^|[\s,;|"+-])0"*[xX]"*[0-9a-fA-F]""")
"""The start of a hexadecimal number, whichever part of it is quoted."""

_KEPT = re.compile(r'="([^"]*)"')
"""A text that Excel was to keep as it is."""


def read_csv(data: bytes, layout: Layout, texts: Sequence[str], source: str) -> RawTable:
    r"""Read all columns; those in `texts` stay text.

    >>> layout = Layout(",", ("id", "speed"), begin=9)
    >>> raw = read_csv(b"id,speed\n007,1.5\n", layout, ["id"], "'a.csv'")
    >>> raw.columns["id"].values(), raw.columns["speed"]
    (['007'], array([1.5]))
    """
    raw = RawTable(
        source,
        {},
        delimiter=layout.delimiter,
        decimal=layout.decimal,
        nameless=layout.nameless,
        units=dict(zip(layout.names, layout.units, strict=False)),
        is_loose=layout.is_loose,
        notes=layout.notes,
        place=lambda row: (
            f"line {next(islice(_kept_rows(data, layout, 'the file'), row, None))[0]}"
        ),
    )
    found = None if _is_misread(data, layout) else read_rows(data, layout, texts)
    if found is None:
        rows = [row for _, row in _kept_rows(data, layout, source)]
        cells = zip(*rows, strict=True) if rows else ((),) * len(layout.names)
        texts_by_name = dict(zip(layout.names, map(Texts.of, cells), strict=True))
        notes = (*raw.notes, *_lines_left_out(data, layout))
        return replace(raw, columns=_unescaped(texts_by_name), notes=notes)
    columns, dated, marked = found
    return replace(
        raw,
        columns=_unescaped(columns),
        dated=frozenset(dated),
        marked=frozenset(marked),
        as_written=lambda names: _unescaped(
            {name: as_texts(column) for name, column in _parsed(data, layout, names, only=names)}
        ),
    )


def _unescaped(columns: Mapping[str, Column]) -> dict[str, Any]:
    """Return columns without what was put around texts for the sake of spreadsheets."""

    def bare(text: str) -> str:
        kept = _KEPT.fullmatch(text)
        return unescape_csv(text) if kept is None else kept[1]

    return {
        name: changed(column, bare)
        if isinstance(column, Texts) and any(level[:1] in ("'", "=") for level in column.levels)
        else column
        for name, column in columns.items()
    }


# ---------------------------------------------------------------------------------------- pyarrow


def _is_misread(data: bytes, layout: Layout) -> bool:
    """Whether pyarrow would read cells as what they are not, or take too much memory."""
    if len(layout.names) > MANY_COLUMNS and len(data) < BYTES_PER_COLUMN * len(layout.names):
        return True
    has_letter = data.find(b"x", layout.begin) >= 0 or data.find(b"X", layout.begin) >= 0
    if has_letter and _HEXADECIMAL.search(data, max(0, layout.begin - 1)):
        return True  # a number for pyarrow, and a text for Python
    # Pyarrow skips the one, and takes the other for the end of a line.
    return data.startswith(BYTE_ORDER_MARK, layout.begin) or has_lone_returns(data)


def read_rows(
    data: bytes, layout: Layout, texts: Sequence[str]
) -> tuple[dict[str, Column], list[str], list[str]] | None:
    """Read all rows with pyarrow, None where it refuses them.

    Returned are the columns, of which those that are not numbers throughout stay as written; those
    that pyarrow took for dates; and numbers with a decimal mark.
    """
    import pyarrow as pa
    from pyarrow import types

    try:
        table = dict(_parsed(data, layout, [name for name in layout.names if name in texts]))
        numbers = {
            name: as_numbers(column)
            for name, column in table.items()
            if types.is_integer(column.type) or types.is_floating(column.type)
        }
        dated = [name for name, column in table.items() if types.is_temporal(column.type)]
        # Read again as written: dates, names of rows whose numbers are so long that floats may not
        # tell them apart, and codes such as 007.
        again = [*dated]
        has_codes = bool(numbers) and _has_leading_zero(data, layout)
        for name, values in numbers.items():
            largest = max(np.fmax.reduce(values), -np.fmin.reduce(values)) if len(values) else 0
            present = values[~np.isnan(values)] if has_codes else values[:0]
            is_whole = has_codes and bool((present == np.floor(present)).all())
            if largest >= 10**LONGEST or is_whole:
                again.append(name)
        written = dict(_parsed(data, layout, again, only=again)) if again else {}
    except (pa.ArrowInvalid, pa.ArrowKeyError):
        return None
    columns = {
        name: numbers[name]
        if name in numbers and name not in written
        else as_column(written.get(name, table[name]))
        for name in layout.names
    }
    # Whole numbers that pyarrow does not call so have a mark, as in 1.000.
    marked = [name for name, column in table.items() if types.is_floating(column.type)]
    return columns, dated, marked


def _parsed(
    data: bytes, layout: Layout, texts: Sequence[str], only: Sequence[str] = ()
) -> Iterator[tuple[str, Any]]:
    """Yield some columns, all by default; `texts` as text."""
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    has_quotes = data.find(b'"', layout.begin) >= 0
    table = arrow_csv.read_csv(
        pa.BufferReader(arrow_buffer(data, layout.begin, layout.end)),
        arrow_csv.ReadOptions(column_names=list(layout.names)),
        arrow_csv.ParseOptions(delimiter=layout.delimiter, newlines_in_values=has_quotes),
        arrow_csv.ConvertOptions(
            column_types=dict.fromkeys(texts, pa.string()),
            include_columns=list(only),
            null_values=_missing_words(),
            strings_can_be_null=True,
            true_values=[],
            false_values=[],
            decimal_point=layout.decimal,
            auto_dict_encode=True,
            auto_dict_max_cardinality=MAX_LEVELS,
        ),
    )
    return zip(table.column_names, table.columns, strict=True)


@cache
def _missing_words() -> list[str]:
    """Return the words for "missing" in every mixture of cases, as pyarrow compares exactly."""
    return sorted(
        "".join(letters)
        for word in MISSING
        for letters in product(*({letter, letter.upper()} for letter in word))
    )


def _has_leading_zero(data: bytes, layout: Layout) -> bool:
    """Whether a cell is of digits that begin with a zero, in blocks all over the file."""
    mark = re.escape(layout.delimiter.encode())
    pattern = re.compile(rb"(?:^|[%s\n\"+ -])0[0-9]+(?:[%s\r\n\" ]|$)" % (mark, mark))
    begin, end = max(0, layout.begin - 1), layout.end or len(data)
    if pattern.match(data[layout.begin : layout.begin + BLOCK]):
        return True
    step = max(BLOCK, (end - begin) // MOST_BLOCKS)
    starts = range(begin, end, step)
    return any(pattern.search(data, start, min(end, start + BLOCK + 2)) for start in starts)


# ------------------------------------------------------------------------------------------ Python


def _rows(data: bytes, layout: Layout) -> Iterator[tuple[int, list[str], bool]]:
    """Yield the rows without empty cells beyond the header.

    Each has the number of its last line, and whether it is a line among the rows that is no row.
    """
    width = len(layout.names)
    lines = io.BytesIO(data[layout.begin : layout.end])
    reader = csv.reader(
        io.TextIOWrapper(lines, encoding="utf-8", newline=""), delimiter=layout.delimiter
    )
    for row in reader:
        cells = row[:width] if len(row) > width and not any(row[width:]) else row
        is_aside = layout.is_loose and is_no_row(cells, width)
        yield layout.first_line - 1 + reader.line_num, cells, is_aside


def _kept_rows(data: bytes, layout: Layout, source: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of the table, each with the number of its last line."""
    line, width = layout.first_line, len(layout.names)
    try:
        for line, row, is_aside in _rows(data, layout):
            if not row or is_aside:
                continue
            if len(row) != width:
                values = f"{len(row)} values" if len(row) != 1 else "1 value"
                raise TableError(
                    f"Line {line} of {source} has {values}, and the header {width}; quote values "
                    "that contain the delimiter."
                )
            yield line, row
    except csv.Error as error:
        raise TableError(f"Line {line + 1} of {source} cannot be read as CSV: {error}.") from None


def _lines_left_out(data: bytes, layout: Layout) -> list[str]:
    """Return a sentence about lines among the rows that are no rows."""
    found = [(line, row) for line, row, is_aside in _rows(data, layout) if is_aside]
    if not found:
        return []
    line, row = found[0]
    are = "is no row" if len(found) == 1 else "are no rows"
    shown = quoted(layout.delimiter.join(row).strip())
    return [
        f"{counted(len(found), 'lines')} among the rows, the first {shown} (line {line}), {are}."
    ]
