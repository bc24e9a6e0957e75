"""How far the cells of a sheet spread, from its XML as bytes and without parsing it."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

WINDOW = 24
"""Bytes from the bracket of a cell to the end of its reference, and some more."""

MOST_LETTERS, MOST_DIGITS = 3, 7
_BRACKET, _COLON, _QUOTE, _CELL = b'<:"c'
_HEAD = np.frombuffer(b' r="', dtype=np.uint8)
_ENDS_NAME = np.zeros(256, dtype=bool)
_ENDS_NAME[list(b"\t\n\r />")] = True

Bytes = NDArray[np.uint8]
Places = NDArray[np.intp]


class Spread(NamedTuple):
    """A number of cells, and the last row and column of any, counted from 1."""

    cells: int
    rows: int
    columns: int


def spread_of(block: bytes) -> Spread | None:
    """Return how far the cells in some XML spread; None where one is not written as by Excel.

    A cell must begin with its reference. Those in the last `WINDOW` bytes are not looked at.

    >>> spread_of(b'<row r="7"><c r="B7"><v>1</v></c><c r="AA7" s="1"/></row>' + b" " * WINDOW)
    Spread(cells=2, rows=7, columns=27)
    >>> spread_of(b'<row r="7"><c><v>1</v></c></row>' + b" " * WINDOW) is None
    True
    """
    data = np.frombuffer(block, dtype=np.uint8)
    places = _cells(data)
    if any((data[places + 1 + step] != letter).any() for step, letter in enumerate(_HEAD)):
        return None
    if (data[places - 1] != _BRACKET).any():
        return None
    start = places + 1 + len(_HEAD)
    columns, n_letters = _columns(data, start)
    rows, n_digits = _rows(data, start + n_letters)
    is_closed = data[start + n_letters + n_digits] == _QUOTE
    if not (is_closed & (n_letters > 0) & (n_digits > 0)).all():
        return None
    return Spread(len(places), int(rows.max(initial=0)), int(columns.max(initial=0)))


def column_number(letters: bytes) -> int:
    """Return the number of a column.

    >>> column_number(b"A"), column_number(b"AA")
    (1, 27)
    """
    number = 0
    for letter in letters:
        number = 26 * number + letter - ord("A") + 1
    return number


def _cells(data: Bytes) -> Places:
    """Return where the name "c" of an element stands, with a prefix or without."""
    before, letter = data[:-WINDOW], data[1 : 1 - WINDOW]
    is_name = (letter == _CELL) & ((before == _BRACKET) | (before == _COLON))
    places = np.flatnonzero(is_name) + 1
    return places[_ENDS_NAME[data[places + 1]]]


def _columns(data: Bytes, start: Places) -> tuple[NDArray[np.int32], Places]:
    """Return the numbers that letters stand for, and how many letters there are."""
    number = np.zeros(len(start), dtype=np.int32)
    count = np.zeros(len(start), dtype=np.intp)
    for step in range(MOST_LETTERS):
        letter = data[start + step] - np.uint8(ord("A") - 1)  # wraps around below "A"
        is_letter = (letter - np.uint8(1) < 26) & (count == step)
        number = np.where(is_letter, 26 * number + letter, number)
        count += is_letter
    return number, count


def _rows(data: Bytes, start: Places) -> tuple[NDArray[np.int32], Places]:
    """Return the numbers that digits stand for, and how many digits there are."""
    number = np.zeros(len(start), dtype=np.int32)
    count = np.zeros(len(start), dtype=np.intp)
    for step in range(MOST_DIGITS):
        digit = data[start + step] - np.uint8(ord("0"))
        is_digit = (digit < 10) & (count == step)
        if not is_digit.any():
            break
        number = np.where(is_digit, 10 * number + digit, number)
        count += is_digit
    return number, count
