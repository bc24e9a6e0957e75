"""Which sheet of a workbook is read."""

from collections.abc import Callable, Sequence
from difflib import get_close_matches
from typing import Any, NamedTuple, TypeAlias

from thresher.errors import TableError
from thresher.wording import first_of, quoted

RawRows: TypeAlias = list[list[Any]]
"""Rows of cells as calamine gives them: an empty one is an empty text."""


COVER = 4
"""A sheet with so many times fewer rows than another is a cover, or notes."""


class SheetName(NamedTuple):
    """A sheet by its name, and whether it is shown."""

    name: str
    is_visible: bool


def choose(
    sheets: Sequence[SheetName],
    asked: str | int | None,
    rows_of: Callable[[int], RawRows],
    source: str,
) -> tuple[int, RawRows, list[str]]:
    """Return the place of a sheet, its rows, and a note where it was not asked for by its name.

    >>> sheets = [SheetName("Info", True), SheetName("Data", True), SheetName("Old", False)]
    >>> rows = [[["made in May"]], [["a", "b"], [1.0, 2.0]], []]
    >>> place, _, notes = choose(sheets, None, rows.__getitem__, "'a.xlsx'")
    >>> place, notes
    (1, ["'a.xlsx' has 3 sheets ('Old' is hidden); 'Data' was read; sheet= names another."])
    """
    if asked is not None:
        place = _find(sheets, asked, source)
        return place, rows_of(place), []
    found = _first_table(sheets, rows_of)
    if found is None:
        raise TableError(
            f"{source} has no visible sheet with cells{_hidden(sheets)}; sheet= names one."
        )
    place, rows = found
    note = (
        f"{source} has {len(sheets)} sheets{_hidden(sheets)}; {quoted(sheets[place].name)} was "
        "read; sheet= names another."
    )
    return place, rows, [note] if len(sheets) > 1 else []


def _first_table(
    sheets: Sequence[SheetName], rows_of: Callable[[int], RawRows]
) -> tuple[int, RawRows] | None:
    """Return the first visible sheet that is not far smaller than the largest one."""
    visible = [place for place, sheet in enumerate(sheets) if sheet.is_visible]
    found = [(place, rows) for place in visible if (rows := rows_of(place))]
    sizes = [_rows_of_table(rows) for _, rows in found]
    large = max(sizes, default=0) / COVER
    return next((one for one, size in zip(found, sizes, strict=True) if size >= large), None)


def _rows_of_table(rows: RawRows) -> int:
    """Return how many rows have two cells or more."""
    return sum(len(row) - row.count("") > 1 for row in rows)


def _hidden(sheets: Sequence[SheetName]) -> str:
    names = [quoted(sheet.name) for sheet in sheets if not sheet.is_visible]
    return f" ({first_of(names)} {'are' if len(names) > 1 else 'is'} hidden)" if names else ""


def _find(sheets: Sequence[SheetName], asked: str | int, source: str) -> int:
    """Return the place of a sheet by its name, in any case, or by its number."""
    names, wanted = [sheet.name for sheet in sheets], str(asked)
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
