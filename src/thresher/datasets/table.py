"""A table with a target of two classes: read from gzipped CSV, written to it, hashed by content."""

import csv
import gzip
import hashlib
import io
import re
import zlib
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from thresher.text_table import write_rows

TARGET = "target"
EMPTY_CELL = re.compile(r"(?<![^,\n])(?=[,\n])")


@dataclass(frozen=True)
class Table:
    """Features by column, and 1 for the rare class, else 0.

    Examples
    --------
    >>> table = Table(("a",), np.array([[0.5], [np.nan]]), np.array([0, 1]))
    >>> table.sha256 == Table(("a",), -1.0 * table.X, table.y).sha256
    False
    """

    columns: tuple[str, ...]
    X: NDArray[np.float64]
    y: NDArray[np.int64]

    @property
    def sha256(self) -> str:
        """Hash of names and values; the text of a number and the bits of a NaN do not matter."""
        values = np.where(np.isnan(self.X), np.nan, self.X + 0.0)
        digest = hashlib.sha256("\n".join(self.columns).encode())
        digest.update(np.ascontiguousarray(values, dtype="<f8").tobytes())
        digest.update(np.ascontiguousarray(self.y, dtype="<i8").tobytes())
        return digest.hexdigest()


def unpack_csv(content: bytes) -> tuple[list[str], str]:
    r"""Split gzipped CSV into the names of its columns and the text below them.

    Examples
    --------
    >>> unpack_csv(gzip.compress(b"a,target\n0.5,1\n"))
    (['a', 'target'], '0.5,1\n')
    """
    try:
        text = gzip.decompress(content).decode()
    except (OSError, EOFError, zlib.error, UnicodeDecodeError):
        raise ValueError("it is not gzipped text") from None
    header, _, body = text.replace("\r\n", "\n").partition("\n")
    return next(csv.reader([header]), []), body


def parse_numbers(body: str, columns: range | None = None) -> NDArray[np.float64]:
    r"""Read lines of comma-separated numbers; an empty cell is NaN.

    Examples
    --------
    >>> parse_numbers("1,,0\n,2.5,1\n")
    array([[1. , nan, 0. ],
           [nan, 2.5, 1. ]])
    """
    framed = f"\n{body}\n"
    if any(pair in framed for pair in (",,", "\n,", ",\n")):
        body = EMPTY_CELL.sub("nan", body.rstrip("\n") + "\n")
    return np.loadtxt(io.StringIO(body), delimiter=",", comments=None, ndmin=2, usecols=columns)


def read_table(content: bytes) -> Table:
    r"""Read a table from gzipped CSV whose last column, `target`, is 1 for the rare class.

    Raises
    ------
    ValueError
        Where the bytes are something else; the message completes "cannot be read: ...".

    Examples
    --------
    >>> read_table(gzip.compress(b"a,b,target\n1,,0\n,2.5,1\n")).y
    array([0, 1])
    """
    names, body = unpack_csv(content)
    if names[-1:] != [TARGET] or not body.strip():
        raise ValueError(f"it is not a table whose last column is {TARGET}")
    try:
        numbers = parse_numbers(body)
    except ValueError:
        numbers = np.empty((0, 0))
    if numbers.shape[1] != len(names) or not np.isin(numbers[:, -1], (0, 1)).all():
        raise ValueError(f"it needs {len(names)} numbers in each row, the last of them 0 or 1")
    X = np.ascontiguousarray(numbers[:, :-1])
    return Table(tuple(names[:-1]), X, numbers[:, -1].astype(np.int64))


def write_table(table: Table) -> bytes:
    """Write what `read_table` reads, bit for bit; the same table always gives the same bytes.

    Examples
    --------
    >>> table = Table(("a",), np.array([[0.1], [np.nan]]), np.array([0, 1]))
    >>> read_table(write_table(table)).sha256 == table.sha256
    True
    """
    rows = (
        ["" if value != value else f"{value!r}" for value in row] + [label]
        for row, label in zip(table.X.tolist(), table.y.tolist(), strict=True)
    )
    text = io.StringIO()
    write_rows(chain([[*table.columns, TARGET]], rows), text)
    return gzip.compress(text.getvalue().encode(), compresslevel=9, mtime=0)
