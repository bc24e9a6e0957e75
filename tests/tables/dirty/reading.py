"""What a reader made of a file, and which of its columns and rows are those of the table."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from warnings import WarningMessage

from tests.tables.dirty.cells import is_missing
from tests.tables.dirty.corpus import DirtyTable


@dataclass(frozen=True)
class Reading:
    """What a reader made of a file.

    Attributes
    ----------
    names, columns : in the order of the reader; values are Python objects.
    notes : what it says about how it read; each speaks of the columns that it names.
    warnings : what it warns of; one that names no column speaks of all.
    """

    names: Sequence[str]
    columns: Sequence[Sequence[Any]]
    notes: Sequence[str] = ()
    warnings: Sequence[str] = ()

    def __len__(self) -> int:
        return max(map(len, self.columns), default=0)

    def is_blank(self, row: int) -> bool:
        """Whether all of a row is missing."""
        return all(row >= len(column) or is_missing(column[row]) for column in self.columns)

    def tells_of_rows(self) -> bool:
        """Whether anything is said about rows that were left out."""
        return any(map(_LEFT_OUT.search, (*self.notes, *self.warnings)))

    def tells_of_column(self, name: str) -> bool:
        """Whether a note or a warning speaks of a column."""
        if any(not any(_contains(text, other) for other in self.names) for text in self.warnings):
            return True
        return any(_contains(text, name) for text in (*self.notes, *self.warnings))


def warned(caught: Sequence[WarningMessage]) -> list[str]:
    """Return what was warned of, apart from changes that a package plans for itself."""
    own = (DeprecationWarning, PendingDeprecationWarning, FutureWarning)
    return [str(one.message) for one in caught if not issubclass(one.category, own)]


_LEFT_OUT = re.compile(
    r"\b(row|line)s?\b.*\b(left out|skipped|dropped|ignored)\b|"
    r"\b(left out|skipped|dropped|ignored)\b.*\b(row|line)s?\b",
    re.IGNORECASE | re.DOTALL,
)


@dataclass(frozen=True)
class Found:
    """Where a column is among the reader's, and whether by its position alone."""

    place: int
    is_misnamed: bool = False


def match_columns(table: DirtyTable, reading: Reading) -> list[Found | None]:
    """Find each column of the table among those of the reader."""
    found: dict[int, Found] = {}
    free = list(range(len(reading.names)))
    for is_same in (str.__eq__, _contains):
        for place, column in enumerate(table.columns):
            if column.name is None or place in found:
                continue
            hits = [n for n in free if is_same(reading.names[n].strip(), column.name)]
            if hits:
                found[place] = Found(hits[0])
                free.remove(hits[0])
    for place, other in _by_position(table, found, free, reading):
        found[place] = Found(other, table.columns[place].name is not None)
    return [found.get(place) for place in range(len(table.columns))]


def _contains(text: str, name: str) -> bool:
    """Whether a text has a name among its words."""
    name = name.strip()
    return bool(name) and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None


def _by_position(
    table: DirtyTable, found: dict[int, Found], free: list[int], reading: Reading
) -> list[tuple[int, int]]:
    """Pair what is left: by place if both have as many columns, else in turn if as many are."""
    left = [place for place in range(len(table.columns)) if place not in found]
    needed = [place for place in left if not table.columns[place].is_optional]
    if len(reading.names) == len(table.columns):
        return [(place, place) for place in left if place in free]
    filled = [place for place in free if not all(map(is_missing, reading.columns[place]))]
    for places, others in ((left, free), (needed, free), (needed, filled)):
        if len(places) == len(others):
            return list(zip(places, others, strict=True))
    return []


def match_rows(table: DirtyTable, reading: Reading) -> dict[int, int]:
    """Find each row of the table among those of the reader."""
    wanted = next(column for column in table.columns if column.meaning == "id")
    best: dict[int, int] = {}
    for column in reading.columns:
        place = {_key(value): row for row, value in reversed(list(enumerate(column)))}
        hits = {n: place[_key(one)] for n, one in enumerate(wanted.values) if _key(one) in place}
        best = max(best, hits, key=len)
    if len(best) < len(table) / 2:
        return {row: row for row in range(min(len(table), len(reading)))}
    return best


def _key(value: Any) -> str:
    """Return what an id is found by; leading zeros may be lost."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value).strip().lstrip("0")
