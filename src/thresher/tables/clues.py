"""What is known of a column beside its cells, and a column as it was read."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from thresher.tables.cells import Cells
from thresher.tables.notation import POINT, Evidence
from thresher.tables.plan import ColumnPlan, Unread
from thresher.tables.table import Column

FEW = 0.05
"""Up to this share of other cells a column is of numbers; above it, somebody is asked."""

MIN_ROWS = 30
"""Below so many rows any column may look like part numbers."""

MAX_UNREAD = 20
"""Different unread texts that a plan keeps."""

NOTHING_KNOWN = Evidence()


class Read(NamedTuple):
    """A column as it was read, and how."""

    values: Column
    plan: ColumnPlan


@dataclass(frozen=True)
class Clues:
    """What is known of a column beside its cells.

    Attributes
    ----------
    name, source : for messages.
    others : what the numbers of all columns tell of their marks.
    decimal : the decimal mark where a user said it.
    default : the decimal mark where no number of the table tells; None: somebody is asked.
    given : what a user called the column.
    is_dated : whether the file itself calls it dates.
    has_sentinels : whether numbers such as -9999 may stand for "no value".
    place : where a row is, for messages.
    """

    name: str
    source: str
    others: Evidence = NOTHING_KNOWN
    decimal: str | None = None
    default: str | None = POINT
    given: str | None = None
    is_dated: bool = False
    has_sentinels: bool = True
    place: Callable[[int], str] = lambda row: f"row {row + 1}"


def unread_texts(
    cells: Cells, is_wrong: NDArray[np.bool_], place: Callable[[int], str]
) -> tuple[Unread, ...]:
    """Return the texts that could not be read, the most frequent first."""
    codes = sorted(np.flatnonzero(is_wrong).tolist(), key=lambda code: -int(cells.rows[code]))
    kept, others = codes[:MAX_UNREAD], codes[MAX_UNREAD:]
    found = [
        Unread(cells.texts.levels[code], int(cells.rows[code]), place(cells.first_row(code)))
        for code in kept
    ]
    if others:
        rows = int(cells.rows[others].sum())
        found.append(Unread("and others", rows, place(cells.first_row(others[0]))))
    return tuple(found)
