"""The time of each row: dates in the usual ways of writing, or numbers that only tell an order."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.errors import TableError
from thresher.tables.table import Table, best_column
from thresher.texts import Texts

FORMATS = (
    "%d.%m.%Y %H:%M:%S",
    "%d.%m.%Y %H:%M",
    "%d.%m.%Y",
    "%Y/%m/%d %H:%M:%S",
    "%Y/%m/%d %H:%M",
    "%Y/%m/%d",
)


def read_times(table: Table, name: str) -> NDArray[Any]:
    """Return datetime64 values, or floats where the column has numbers.

    >>> table = Table("'a.csv'", {"at": Texts.of(["31.12.2024 08:00", "01.01.2025 09:30"])})
    >>> read_times(table, "at")
    array(['2024-12-31T08:00:00', '2025-01-01T09:30:00'], dtype='datetime64[s]')
    """
    table.need([name])
    column = table.columns[name]
    if not isinstance(column, Texts):
        return _complete(name, column, np.isnan(column))
    _complete(name, column.codes, column.codes < 0)
    numbers = best_column(column)
    if not isinstance(numbers, Texts):
        return numbers
    for parse in (_from_iso, *(_by_format(pattern) for pattern in FORMATS)):
        try:
            moments = [_utc(parse(level)) for level in column.levels]
        except ValueError:
            continue
        return np.array(moments, dtype="datetime64[s]")[column.codes]
    raise TableError(
        f"Column {name!r} holds no times that can be read, such as {column.levels[0]!r}; write "
        "them as 2024-12-31 08:00:00 or 31.12.2024 08:00."
    )


def _complete(name: str, values: NDArray[Any], is_missing: NDArray[np.bool_]) -> NDArray[Any]:
    if is_missing.any():
        row = int(np.flatnonzero(is_missing)[0]) + 1
        raise TableError(
            f"Column {name!r} has no value in row {row}; every row needs a time for time=."
        )
    return values


def _from_iso(text: str) -> datetime:
    return datetime.fromisoformat(text)


def _by_format(pattern: str) -> Callable[[str], datetime]:
    return lambda text: datetime.strptime(text, pattern)


def _utc(moment: datetime) -> datetime:
    """Return a moment without a time zone."""
    return moment if moment.tzinfo is None else moment.astimezone(UTC).replace(tzinfo=None)
