"""The time of each row: dates in the usual ways of writing, or numbers that only tell an order."""

from collections.abc import Callable
from datetime import datetime
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.column import Numbers, Texts
from thresher.errors import QuestionError, TableError
from thresher.tables import dates
from thresher.tables.cells import FEW, Cells, Clues, Read, unread_texts
from thresher.tables.notation import Notation
from thresher.tables.plan import DATE, ColumnPlan
from thresher.tables.table import Table


def read_times(table: Table, name: str) -> NDArray[Any]:
    """Return datetime64 values, or floats where the column has numbers.

    >>> table = Table("'a.csv'", {"at": Texts.of(["31.12.2024 08:00", "01.01.2025 09:30"])})
    >>> read_times(table, "at")
    array(['2024-12-31T08:00:00.000000', '2025-01-01T09:30:00.000000'],
          dtype='datetime64[us]')
    """
    table.need([name])
    column = table.columns[name]
    is_missing = column.codes < 0 if isinstance(column, Texts) else np.isnan(column)
    if is_missing.any():
        row = int(np.flatnonzero(is_missing)[0]) + 1
        raise TableError(
            f"Column {name!r} has no value in row {row}; every row needs a time for time=."
        )
    if not isinstance(column, Texts):
        return column
    found = [date for level in column.levels if (date := dates.written(level)) is not None]
    if len(found) == len(column.levels):
        # Hours may lie between cells that tell their zone and others that do not.
        zones = [bool(date.fields.get("zone")) for date in found]
        told = dict(zip(zones, column.levels, strict=True))
        if len(told) == 2:
            raise QuestionError(
                f"Column {name!r} has times with a zone, as in {told[True]!r}, and without, as in "
                f"{told[False]!r}; write all of them with a zone, or none."
            )
        order = dates.find_order(found, column.codes)
        if order == dates.UNCLEAR:
            raise QuestionError(
                f"Column {name!r} may have the day or the month first, as in {column.levels[0]!r}, "
                "and no row tells; write it as 2024-12-31, and name it with time= then."
            )
        moments = dates.moments_of(found, order)
        if moments is not None:
            return moments[column.codes]
    cells = Cells.of(column)
    if cells.number_share == 1.0:
        return cells.values(Notation())[column.codes]
    raise TableError(
        f"Column {name!r} holds no times that can be read, such as {column.levels[0]!r}; write "
        "them as 2024-12-31 08:00:00 or 31.12.2024 08:00."
    )


PARTS: dict[str, Callable[[datetime], int]] = {
    "hour": attrgetter("hour"),
    "weekday": datetime.isoweekday,
    "month": attrgetter("month"),
}
"""Weekdays count from 1, a Monday, to 7."""


def calendar_columns(name: str, texts: Texts, order: str) -> dict[str, Numbers]:
    """Return the parts of each date by the names of their columns.

    >>> days = Texts.of(["2024-12-31 08:00", "2024-12-30 08:00", None])
    >>> calendar_columns("made", days, dates.YEAR_FIRST)["made weekday"]
    array([ 2.,  1., nan])
    """
    written = [dates.written(level) for level in texts.levels]
    moments = [None if one is None else one.moment(order) for one in written]
    return {
        f"{name} {part}": np.array(
            [*(np.nan if one is None else get(one) for one in moments), np.nan]
        )[texts.codes]
        for part, get in PARTS.items()
    }


def as_dates(cells: Cells, clues: Clues) -> Read:
    """Keep dates as they are written; their order is in the plan, and what is none is missing."""
    levels = cells.texts.levels
    if cells.clock_share > 1 - FEW:
        order, wrong = dates.TIME_OF_DAY, [not dates.is_clock(level) for level in levels]
    else:
        known = [date for date in cells.dates if date is not None]
        are_dates = np.array([*(date is not None for date in cells.dates), False])
        index = np.where(are_dates, np.cumsum(are_dates) - 1, -1)[cells.texts.codes]
        order = dates.find_order(known, index[index >= 0]) if known else dates.YEAR_FIRST
        read_as = dates.DAY_FIRST if order == dates.UNCLEAR else order
        wrong = [date is None or date.moment(read_as) is None for date in cells.dates]
    unread = unread_texts(cells, np.array(wrong, dtype=bool), clues.place)
    codes = np.where(np.array([*wrong, False])[cells.texts.codes], np.int32(-1), cells.texts.codes)
    return Read(Texts(codes, levels).used(), ColumnPlan(DATE, order=order, unread=unread))
