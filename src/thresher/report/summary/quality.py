"""The table itself: what is missing, what never changes, what repeats."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from thresher.column import Matrix
from thresher.matrix import Columns
from thresher.text_table import TextTable
from thresher.wording import name

MAX_COLUMNS = 200
SPAN = (0.01, 0.99)
"""Quantiles between which most values lie; single values of rows are not shown."""


class ColumnQuality(NamedTuple):
    """What is to be known of a column.

    Attributes
    ----------
    name, kind : its name, and "number" or "category".
    missing : share of its values.
    distinct : how many different ones there are.
    low, high : between which most numbers lie; None where there are none.
    """

    name: str
    kind: str
    missing: float
    distinct: int
    low: float | None
    high: float | None

    def as_data(self, stations: Mapping[str, str]) -> dict[str, Any]:
        """Return the column as a report shows it."""
        station = name(stations[self.name], 40) if self.name in stations else None
        return {
            **self._asdict(),
            "name": name(self.name),
            "station": station,
            "remark": self.remark,
        }

    @property
    def remark(self) -> str:
        """What is odd about it, if anything is."""
        if self.missing == 1.0:
            return "always missing"
        if self.distinct == 1:
            return "never changes"
        return "mostly missing" if self.missing > 0.5 else ""


class TableQuality(NamedTuple):
    """What is to be known of a table.

    Attributes
    ----------
    columns : the first of its columns.
    n_columns, n_rows : how many it has.
    complete_rows : rows without a missing value.
    missing : share of all values.
    repeated_rows : rows that repeat an earlier one, None where they were not counted.
    """

    columns: Sequence[ColumnQuality]
    n_columns: int
    n_rows: int
    complete_rows: int
    missing: float
    repeated_rows: int | None

    def as_data(
        self, stations: Mapping[str, str], notes: Any, reading: TextTable | None = None
    ) -> dict[str, Any]:
        """Return the table as a report shows it."""
        return {
            "columns": [column.as_data(stations) for column in self.columns],
            "hidden": self.n_columns - len(self.columns),
            "n_rows": self.n_rows,
            "n_columns": self.n_columns,
            "complete_rows": self.complete_rows,
            "missing": self.missing,
            "repeated_rows": self.repeated_rows,
            "notes": [name(note, 400) for note in notes],
            "reading": None if reading is None else text_table_data(reading),
        }


def quality_data(
    matrix: Matrix,
    columns: Columns,
    stations: dict[str, str],
    notes: Any,
    seed: int,
    reading: TextTable | None = None,
) -> dict[str, Any]:
    """Return what is to be known of the given columns and of the rows.

    Examples
    --------
    >>> data = quality_data(np.array([[1.0, np.nan], [2.0, np.nan]]), Columns(None, (None,) * 2),
    ...     stations={}, notes=["Two rows only."], seed=0)
    >>> [(column["missing"], column["remark"]) for column in data["columns"]]
    [(0.0, ''), (1.0, 'always missing')]
    """
    matrix = matrix[:, : len(columns)]
    found = columns_quality(matrix, columns)
    gaps = np.isnan(matrix)
    complete = int((~gaps.any(axis=1)).sum())
    repeated = repeated_rows(matrix, seed)
    n_rows, n_columns = gaps.shape
    table = TableQuality(found, n_columns, n_rows, complete, float(gaps.mean()), repeated)
    return table.as_data(stations, notes, reading)


def columns_quality(matrix: Matrix, columns: Columns) -> list[ColumnQuality]:
    """Return what is to be known of the first columns."""
    pairs = zip(columns.given_names[:MAX_COLUMNS], columns.levels, strict=False)
    return [
        _column_quality(matrix[:, place], label, levels)
        for place, (label, levels) in enumerate(pairs)
    ]


def text_table_data(table: TextTable) -> dict[str, Any]:
    """Return the rows of a table as a report shows them."""
    rows = [
        [name(cell.text, 200) if cell.value else "" for cell in row]
        for row in table.cells[:MAX_COLUMNS]
    ]
    hidden = len(table.rows) - len(rows)
    headings = [name(heading, 80) if heading else "" for heading in table.columns]
    return {"headings": headings, "rows": rows, "hidden": hidden, "notes": list(table.notes)}


def repeated_rows(matrix: Matrix, seed: int) -> int:
    """Return how many rows stand in the table before in the same form.

    >>> repeated_rows(np.array([[1.0, 2.0], [2.0, 1.0], [1.0, 2.0]]), seed=0)
    1
    """
    factors = np.random.default_rng(seed).normal(size=matrix.shape[1])
    # A random sum stands for a row: two rows that differ share one with probability zero.
    sums = np.nan_to_num(matrix.astype(np.float64), nan=-np.pi) @ factors
    return len(sums) - len(np.unique(sums))


def _column_quality(values: Any, label: str, levels: Any) -> ColumnQuality:
    present = values[~np.isnan(values)]
    distinct = len(np.unique(present))
    low, high = np.quantile(present, SPAN) if len(present) and levels is None else (None, None)
    return ColumnQuality(
        label,
        "number" if levels is None else "category",
        1.0 - len(present) / len(values),
        distinct,
        None if low is None else float(low),
        None if high is None else float(high),
    )
