"""The time of each row: dates in the usual ways of writing, or numbers that only tell an order."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.errors import QuestionError, TableError
from thresher.tables import dates
from thresher.tables.cells import Cells
from thresher.tables.notation import Notation
from thresher.tables.table import Table
from thresher.texts import Texts


def read_times(table: Table, name: str) -> NDArray[Any]:
    """Return datetime64 values, or floats where the column has numbers.

    >>> table = Table("'a.csv'", {"at": Texts.of(["31.12.2024 08:00", "01.01.2025 09:30"])})
    >>> read_times(table, "at")
    array(['2024-12-31T08:00:00.000000', '2025-01-01T09:30:00.000000'],
          dtype='datetime64[us]')
    """
    table.need([name])
    column = table.columns[name]
    if not isinstance(column, Texts):
        return _complete(name, column, np.isnan(column))
    _complete(name, column.codes, column.codes < 0)
    moments = _moments(name, column)
    if moments is not None:
        return moments[column.codes]
    cells = Cells.of(column)
    if cells.number_share == 1.0:
        return cells.values(Notation())[column.codes]
    raise TableError(
        f"Column {name!r} holds no times that can be read, such as {column.levels[0]!r}; write "
        "them as 2024-12-31 08:00:00 or 31.12.2024 08:00."
    )


def _moments(name: str, column: Texts) -> NDArray[np.datetime64] | None:
    """Return the moment of each level, None where one is no date."""
    found = [date for level in column.levels if (date := dates.written(level)) is not None]
    if len(found) < len(column.levels):
        return None
    _refuse_mixed_zones(name, column, found)
    order = dates.find_order(found, column.codes)
    if order == dates.UNCLEAR:
        raise QuestionError(
            f"Column {name!r} may have the day or the month first, as in {column.levels[0]!r}, and "
            "no row tells; write it as 2024-12-31, and name it with time= then."
        )
    return dates.moments_of(found, order)


def _refuse_mixed_zones(name: str, column: Texts, found: list[dates.Written]) -> None:
    """Raise where some cells tell their zone and others do not: hours may lie between them."""
    told = {date.has_zone: level for date, level in zip(found, column.levels, strict=True)}
    if len(told) == 2:
        raise QuestionError(
            f"Column {name!r} has times with a zone, as in {told[True]!r}, and without, as in "
            f"{told[False]!r}; write all of them with a zone, or none."
        )


def _complete(name: str, values: NDArray[Any], is_missing: NDArray[np.bool_]) -> NDArray[Any]:
    if is_missing.any():
        row = int(np.flatnonzero(is_missing)[0]) + 1
        raise TableError(
            f"Column {name!r} has no value in row {row}; every row needs a time for time=."
        )
    return values
