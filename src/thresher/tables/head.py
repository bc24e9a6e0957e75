"""The first rows of a table: which of them names the columns, and what stands around it."""

from collections import Counter
from collections.abc import Sequence
from difflib import get_close_matches
from typing import NamedTuple

from thresher.errors import TableError
from thresher.tables import dates
from thresher.tables.notation import written
from thresher.tables.vocabulary import MISSING, NO_NUMBER, is_unit
from thresher.wording import counted, ends_of, first_of, verb

Row = Sequence[str]

NO_HEADER = "The first line holds data"
"""How the note begins that a table without a header was given names."""

NUMBER, DATE, WORD, EMPTY = "number", "date", "word", "empty"

FEWEST = 3
"""Rows that it takes to tell that the first one is of their kind."""

MOST = 0.8
"""A column is of a kind where so many of its cells are."""


class Head(NamedTuple):
    """What the first rows of a table are.

    Attributes
    ----------
    skip : rows before the header, or before the data where there is no header.
    names : of the columns; "" where a name is missing.
    first : the first row of the data.
    has_header : whether a row names the columns.
    units : of the columns, where a row tells them.
    notes : what a user should know.
    is_told : whether a user said where the header is; then nothing is made of it.
    """

    skip: int
    names: tuple[str, ...]
    first: int
    has_header: bool
    units: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    is_told: bool = False


def kind_of(cell: str) -> str:
    """Return what a single cell looks like.

    >>> [kind_of(cell) for cell in ("1,5", "2024-12-31", "speed", " ")]
    ['number', 'date', 'word', 'empty']
    """
    text = cell.strip()
    if text.lower() in MISSING or text.lower() in NO_NUMBER:
        return EMPTY
    if dates.written(text) is not None or dates.is_clock(text):
        return DATE
    number = written(text)
    is_number = number is not None and (not number.unit or is_unit(number.unit))
    return NUMBER if is_number else WORD


def width_of(rows: Sequence[Row]) -> int:
    """Return how many cells most rows have; the larger number where two are as frequent."""
    counts = Counter(len(row) for row in rows if any(cell.strip() for cell in row))
    return max(counts, key=lambda width: (counts[width] * (width > 1), width), default=0)


def find_head(
    rows: Sequence[Row], *, has_header: bool | None = None, skip: int | None = None
) -> Head:
    """Find the names of the columns.

    Parameters
    ----------
    rows : the first rows of a table.
    has_header, skip : what a user says; None to find out.

    Examples
    --------
    >>> rows = [["Line 3"], [], ["speed", "state"], ["1.5", "ok"], ["2.5", "scrap"]]
    >>> find_head(rows).names, find_head(rows).skip
    (('speed', 'state'), 2)
    """
    width = width_of(rows[skip or 0 :])
    is_told = has_header is not None and skip is not None
    if skip is None:
        start = _start(rows, width)
    else:
        filled = (place for place in range(skip, len(rows)) if any(rows[place]))
        start = next(filled, min(skip, len(rows) - 1))
    body = [row for row in rows[start + 1 :] if len(row) == width]
    if has_header is None:
        has_header = not _is_data(rows[start], body)
    if not has_header:
        return Head(start, ("",) * width, start, False)
    names = tuple(cell.strip() for cell in rows[start]) + ("",) * (width - len(rows[start]))
    head = Head(start, names[:width], start + 1, True, is_told=is_told)
    return head if is_told else _with_second_line(head, rows)


def _start(rows: Sequence[Row], width: int) -> int:
    """Return the first row of the table: as wide as most, like all that follow it."""
    start = len(rows) - 1
    for place in range(len(rows) - 1, -1, -1):
        row = rows[place]
        if len(row) == width and any(cell.strip() for cell in row):
            start = place
        elif any(cell.strip() for cell in row) and place < start:
            # A line of another width ends the preamble, unless it is the header of lines that end
            # with a delimiter; below the middle it is rather a line that is damaged.
            below = [line for line in rows[place + 1 :] if len(line) == width]
            is_open = bool(below) and not any(line[-1].strip() for line in below)
            if is_open and len(row) == width - 1 > 0:
                return place
            if place < len(rows) / 2 and start - place < len(rows):
                return _after_gap(rows, start)
    return _after_gap(rows, start)


def _after_gap(rows: Sequence[Row], start: int) -> int:
    """Return the start below a title: rows of few cells before one that has more are no header."""
    width = len(rows[start])
    for place in range(start, min(start + 20, len(rows) - 1)):
        filled = sum(bool(cell.strip()) for cell in rows[place])
        following = rows[place + 1 : place + 6]
        fuller = [sum(bool(cell.strip()) for cell in row) for row in following]
        if width > 2 and filled <= max(1, width // 3) and fuller and max(fuller) > 2 * filled:
            continue
        return place
    return start


def _is_data(first: Row, body: Sequence[Row]) -> bool:
    """Whether a row is one of data: like those below it in every column that tells."""
    cells = [cell.strip() for cell in first]
    # Cells that count the columns are names in some tables.
    counts = ([str(start + place) for place in range(len(cells))] for start in (0, 1))
    if len(body) < FEWEST or cells in counts:
        return False
    agreeing = 0
    for place, cell in enumerate(first):
        kind, below = kind_of(cell), _kind_below(body, place)
        if below in (NUMBER, DATE) and kind != EMPTY:
            if kind == WORD:
                return False
            agreeing += kind == below
    return agreeing > 0


def _kind_below(body: Sequence[Row], place: int) -> str:
    kinds = Counter(kind_of(row[place]) for row in body if place < len(row))
    kinds.pop(EMPTY, None)
    kind = max(kinds, key=lambda one: kinds[one], default=EMPTY)
    return kind if kinds[kind] >= MOST * kinds.total() else WORD


def _with_second_line(head: Head, rows: Sequence[Row]) -> Head:
    """Take a line of units, or a second line of names, into the header."""
    if len(rows) < head.first + 2:
        return head
    second, body = rows[head.first], rows[head.first + 1 :]
    if len(second) != len(head.names) or not any(cell.strip() for cell in second):
        return head
    body = [row for row in body if len(row) == len(head.names)]
    below = [_kind_below(body, place) for place in range(len(head.names))]
    told = [place for place, kind in enumerate(below) if kind in (NUMBER, DATE)]
    cells = [cell.strip() for cell in second]
    filled = [cell for cell in cells if cell and cell.lower() not in NO_NUMBER]
    if told and filled and sum(map(_is_unit, filled)) >= 0.6 * len(filled):
        units = tuple(cell.strip("[]() ") if _is_unit(cell) else "" for cell in cells)
        return head._replace(first=head.first + 1, units=units)
    if not told or not all(kind_of(cells[place]) == WORD for place in told):
        return head
    if len(set(head.names)) == len(head.names):
        note = "The line below the header describes the columns and is no row."
        return head._replace(first=head.first + 1, notes=(note,))
    # Two lines of names are joined where the first alone does not tell columns apart.
    names, top = [], ""
    for name, cell in zip(head.names, cells, strict=True):
        top = name or top
        names.append(" ".join(part for part in (top, cell) if part))
    note = "The names of the columns are in two lines, which were joined."
    return head._replace(first=head.first + 1, names=tuple(names), notes=(note,))


def _is_unit(cell: str) -> bool:
    bare = cell.strip("[]() ")
    in_brackets = cell[:1] in "[(" and cell[-1:] in ")]"
    return bool(bare) and (is_unit(bare) or in_brackets)


def unique_names(names: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return a name for each column, and sentences about those that had none or one of another.

    >>> unique_names(["a", "", "a"])[0]
    ['a', 'column 2', 'a (2)']
    """
    found: dict[str, None] = {}
    times: Counter[str] = Counter()
    notes: list[str] = []
    for place, name in enumerate(names, start=1):
        first = wanted = name or f"column {place}"
        while wanted in found:
            times[first] += 1
            wanted = f"{first} ({times[first] + 1})"
        if name and wanted != name:
            notes.append(f"Two columns are called {name!r}; column {place} is now {wanted!r}.")
        found[wanted] = None
    return list(found), notes


def words_above(head: Head, before: int, names: Sequence[str], unit: str) -> list[str]:
    """Return what a user should know of what stands above the rows; `before` so many of a unit."""
    notes = []
    if head.skip and before:
        notes.append(
            f"The first {counted(before, unit)} {verb(before, 'are')} no part of the table; "
            "skip_lines= says otherwise."
        )
    if not head.has_header:
        notes.append(
            f"{NO_HEADER}, so the columns are called {names[0]!r} to {names[-1]!r}; "
            "header=True says otherwise."
        )
    if any(head.units):
        notes.append("The line below the header holds units.")
    return [*notes, *head.notes]


def absent_columns(
    source: str,
    columns: Sequence[str],
    absent: Sequence[str],
    why: str = "",
    notes: Sequence[str] = (),
) -> TableError:
    """Return the error about columns that a table does not have.

    `why` they are needed; one of the `notes` may tell that names were made, for want of a header.
    """
    made = next((note for note in notes if note.startswith(NO_HEADER)), "")
    if made:
        return TableError(f"{source} has no column {absent[0]!r}{why}: {made[0].lower()}{made[1:]}")
    near = get_close_matches(absent[0], columns, n=1, cutoff=0.6)
    hint = f"did you mean {near[0]!r}? Its" if near else "its"
    also = f" (nor {first_of(map(repr, absent[1:]), 4)})" if absent[1:] else ""
    return TableError(
        f"{source} has no column {absent[0]!r}{also}{why}; {hint} columns are {ends_of(columns)}."
    )
