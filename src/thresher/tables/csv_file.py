"""CSV in UTF-8: what separates its values, and its columns by Python's own reader.

`arrow.py` reads the same much faster where pyarrow is installed; what it refuses comes here, for a
message with the number of the line.
"""

import csv
import io
from collections.abc import Collection
from dataclasses import dataclass

from thresher.errors import TableError
from thresher.tables.table import Column, best_column, cleaned
from thresher.texts import Texts

DELIMITERS = ",;\t|"
SAMPLE_LINES = 20


@dataclass(frozen=True)
class Layout:
    """How a CSV file is written: its delimiter, the names in its first line, its decimal mark."""

    delimiter: str
    names: tuple[str, ...]
    decimal: str


def find_layout(data: bytes, delimiter: str | None, source: str) -> Layout:
    r"""Look at the first lines of a file.

    >>> find_layout(b"speed;line\n1,5;a\n", None, "'a.csv'")
    Layout(delimiter=';', names=('speed', 'line'), decimal=',')
    """
    lines = _first_lines(data)
    if not lines or not lines[0].strip():
        raise TableError(f"{source} is empty; its first line must name the columns.")
    delimiter = delimiter or max(DELIMITERS, key=lambda one: _agreement(lines, one))
    header, *rows = _rows_of(lines, delimiter)
    names = tuple(name.strip() for name in header)
    _check_names(names, source)
    return Layout(delimiter, names, _decimal(rows, delimiter))


def _first_lines(data: bytes) -> list[str]:
    start = data[: 2**20].splitlines()[: SAMPLE_LINES + 1]
    if len(start) > 1 and len(data) > 2**20:
        start = start[:-1]
    return [line.decode("utf-8", errors="replace") for line in start]


def _agreement(lines: list[str], delimiter: str) -> tuple[float, int]:
    """Tell how well the lines have one number of values; with more values where that is equal."""
    counts = [len(row) for row in _rows_of(lines, delimiter)]
    width = counts[0]
    share = sum(count == width for count in counts) / len(counts)
    return (share if width > 1 else 0.0), width


def _rows_of(lines: list[str], delimiter: str) -> list[list[str]]:
    try:
        rows = [row for row in csv.reader(lines, delimiter=delimiter) if row]
    except csv.Error:
        rows = []
    return rows or [lines[:1]]


def _decimal(rows: list[list[str]], delimiter: str) -> str:
    if delimiter == ",":
        return "."
    values = [value.strip() for row in rows for value in row]
    with_comma = sum(_is_decimal(value, ",") for value in values)
    return "," if with_comma > sum(_is_decimal(value, ".") for value in values) else "."


def _is_decimal(value: str, mark: str) -> bool:
    before, found, after = value.removeprefix("-").partition(mark)
    return bool(found) and (before + after).isdecimal()


def _check_names(names: tuple[str, ...], source: str) -> None:
    for place, name in enumerate(names):
        if not name:
            raise TableError(
                f"{source} has no name for column {place + 1} in its first line; give it one, or "
                "remove the column."
            )
        if name in names[:place]:
            raise TableError(f"{source} has two columns {name!r}; rename one of them.")


def read_columns(
    data: bytes, layout: Layout, texts: Collection[str], source: str
) -> dict[str, Column]:
    r"""Read all columns; those in `texts` stay text.

    >>> layout = Layout(",", ("id", "speed"), ".")
    >>> read_columns(b"id,speed\n007,1.5\n", layout, ["id"], "'a.csv'")["speed"]
    array([1.5])
    """
    file = io.TextIOWrapper(io.BytesIO(data), encoding="utf-8", newline="")
    reader = csv.reader(file, delimiter=layout.delimiter)
    rows: list[list[str]] = []
    try:
        next(reader)
        for row in reader:
            if row:
                _check_width(row, len(layout.names), reader.line_num, source)
                rows.append(row)
    except csv.Error as error:
        line = reader.line_num + 1
        raise TableError(f"Line {line} of {source} cannot be read as CSV: {error}.") from None
    columns = zip(*rows, strict=True) if rows else ((),) * len(layout.names)
    return {
        name: cleaned(Texts.of(values)) if name in texts else best_column(Texts.of(values))
        for name, values in zip(layout.names, columns, strict=True)
    }


def _check_width(row: list[str], expected: int, line: int, source: str) -> None:
    if len(row) != expected:
        values = f"{len(row)} values" if len(row) != 1 else "1 value"
        raise TableError(
            f"Line {line} of {source} has {values}, and the header {expected}; quote values that "
            "contain the delimiter."
        )
