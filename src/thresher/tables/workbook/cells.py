"""The cells of a sheet as plain values: numbers, texts, truth values, None where one is empty."""

from collections.abc import Callable, Iterable, Sequence
from datetime import date, datetime, time, timedelta
from typing import Any, TypeAlias

from thresher.wording import first_of

HEADER_ROWS = 20
"""Merged cells within so many rows at the top have their text in each of their cells."""

Cell: TypeAlias = float | str | bool | None
Row: TypeAlias = list[Cell]
Place: TypeAlias = tuple[int, int]


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


def show_errors(
    rows: list[list[Any]], errors: Iterable[tuple[int, int, str]], start: Place
) -> None:
    """Write errors into the cells that show them, which calamine leaves empty.

    >>> rows = [["", 1.0]]
    >>> show_errors(rows, [(3, 2, "#REF!"), (9, 9, "#N/A")], start=(2, 1))
    >>> rows
    [['#REF!', 1.0]]
    """
    top, left = start
    for row, column, text in errors:
        line, place = row - 1 - top, column - 1 - left
        if 0 <= line < len(rows) and 0 <= place < len(rows[line]) and rows[line][place] == "":
            rows[line][place] = text


def _moment(value: datetime) -> str:
    return value.date().isoformat() if value.time() == time() else value.isoformat(sep=" ")


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
    datetime: _moment,
    date: date.isoformat,
    time: time.isoformat,
    timedelta: _duration,
}
"""What becomes of a cell of each type; others stay as they are."""


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
    free = HEADER_ROWS * len(rows[0]) if rows else 0  # areas that overlap are no sheet's
    for (top, left), (bottom, right) in areas:
        right = min(right, len(rows[0]) - 1) if rows else 0
        is_header = 0 <= top <= bottom < min(HEADER_ROWS, len(rows))
        is_title = right - left + 1 > max(2, len(rows[0]) / 2) if rows else False
        if not is_header or is_title or not 0 <= left < right or free <= 0:
            continue
        text = rows[top][left]
        free -= (bottom - top + 1) * (right - left + 1)
        for row in rows[top : bottom + 1] if isinstance(text, str) else ():
            row[left : right + 1] = [text] * (right - left + 1)
        if isinstance(text, str):
            filled.append(text)
    return filled


def merged_note(texts: Sequence[str], source: str) -> str:
    """Say which texts stand in each of their merged cells."""
    return (
        f"Merged cells in the first rows of {source} have their text in each of their columns: "
        f"{first_of(map(repr, texts), 4)}."
    )
