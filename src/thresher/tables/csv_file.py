"""CSV in UTF-8 as columns: by pyarrow where it is installed, otherwise by Python's own reader.

What pyarrow refuses is read by Python, for a message with the number of the line.
"""

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from thresher.errors import TableError
from thresher.tables import arrow
from thresher.tables.layout import Layout, is_no_row
from thresher.tables.raw_table import RawTable
from thresher.tables.table import Column, changed
from thresher.text_table import unescape_csv
from thresher.texts import Texts
from thresher.wording import counted, quoted

_KEPT = re.compile(r'="([^"]*)"')
"""A text that Excel was to keep as it is."""


def read_csv(data: bytes, layout: Layout, texts: Sequence[str], source: str) -> RawTable:
    r"""Read all columns; those in `texts` stay text.

    >>> layout = Layout(",", ("id", "speed"), begin=9)
    >>> read_csv(b"id,speed\n007,1.5\n", layout, ["id"], "'a.csv'").columns["id"].values()
    ['007']
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
        place=lambda row: f"line {_line_of(data, layout, row)}",
    )
    fast = arrow.read_csv(data, layout, texts) if arrow.is_installed() else None
    if fast is None:
        columns = _unescaped(read_cells(data, layout, source))
        return replace(raw, columns=columns, notes=(*raw.notes, *_aside(data, layout)))
    return replace(
        raw,
        columns=_unescaped(fast.columns),
        dated=frozenset(fast.dated),
        as_written=lambda names: _unescaped(arrow.read_as_texts(data, layout, names)),
    )


def read_cells(data: bytes, layout: Layout, source: str) -> dict[str, Texts]:
    r"""Read all columns as texts, by Python's own reader.

    >>> read_cells(b"007,1.5\n", Layout(",", ("id", "speed")), "'a.csv'")["speed"].levels
    ('1.5',)
    """
    rows = [row for _, row in _kept_rows(data, layout, source)]
    columns = zip(*rows, strict=True) if rows else ((),) * len(layout.names)
    return {name: Texts.of(values) for name, values in zip(layout.names, columns, strict=True)}


def _kept_rows(data: bytes, layout: Layout, source: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of the table, each with the number of its last line."""
    line, width = layout.first_line, len(layout.names)
    try:
        for line, row in _rows(data, layout):
            cells = _without_open_end(row, width)
            if not row or (layout.is_loose and is_no_row(cells, width)):
                continue
            _check_width(cells, width, line, source)
            yield line, cells
    except csv.Error as error:
        raise TableError(f"Line {line + 1} of {source} cannot be read as CSV: {error}.") from None


def _without_open_end(row: list[str], width: int) -> list[str]:
    """Return a row without empty cells beyond the header."""
    return row[:width] if len(row) > width and not any(row[width:]) else row


def _rows(data: bytes, layout: Layout) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows, each with the number of its last line."""
    file = io.TextIOWrapper(
        io.BytesIO(data[layout.begin : layout.end]), encoding="utf-8", newline=""
    )
    reader = csv.reader(file, delimiter=layout.delimiter)
    for row in reader:
        yield layout.first_line - 1 + reader.line_num, row


def _line_of(data: bytes, layout: Layout, row: int) -> int:
    """Return the number of the line of a row."""
    rows = _kept_rows(data, layout, "the file")
    return next(line for place, (line, _) in enumerate(rows) if place == row)


def _aside(data: bytes, layout: Layout) -> list[str]:
    """Return a sentence about lines among the rows that are no rows."""
    if not layout.is_loose:
        return []
    width = len(layout.names)
    found = [
        (line, row)
        for line, row in _rows(data, layout)
        if row and is_no_row(_without_open_end(row, width), width)
    ]
    if not found:
        return []
    line, row = found[0]
    are = "is no row" if len(found) == 1 else "are no rows"
    shown = quoted(layout.delimiter.join(row).strip())
    return [
        f"{counted(len(found), 'lines')} among the rows, the first {shown} (line {line}), {are}."
    ]


def _unescaped(columns: Mapping[str, Column]) -> dict[str, Any]:
    """Return columns without what was put around texts for the sake of spreadsheets."""
    return {name: _bare(column) for name, column in columns.items()}


def _bare(column: Column) -> Column:
    if not isinstance(column, Texts) or not any(level[:1] in ("'", "=") for level in column.levels):
        return column
    return changed(column, _bare_text)


def _bare_text(text: str) -> str:
    kept = _KEPT.fullmatch(text)
    return unescape_csv(text) if kept is None else kept[1]


def _check_width(row: list[str], expected: int, line: int, source: str) -> None:
    if len(row) != expected:
        values = f"{len(row)} values" if len(row) != 1 else "1 value"
        raise TableError(
            f"Line {line} of {source} has {values}, and the header {expected}; quote values that "
            "contain the delimiter."
        )
