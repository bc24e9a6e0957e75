"""The table itself: what is missing, what never changes, what repeats."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from thresher.column import Matrix
from thresher.matrix import Columns
from thresher.text_table import TextTable
from thresher.wording import name

MAX_COLUMNS = 200
SPAN = (0.01, 0.99)
"""Quantiles between which most values lie; single values of rows are not shown."""


def quality_data(
    matrix: Matrix,
    columns: Columns,
    stages: Mapping[str, str],
    notes: Any,
    seed: int,
    reading: TextTable | None = None,
) -> dict[str, Any]:
    """Return what is to be known of the given columns and of the rows.

    Examples
    --------
    >>> data = quality_data(np.array([[1.0, np.nan], [2.0, np.nan]]), Columns(None, (None,) * 2),
    ...     stages={}, notes=["Two rows only."], seed=0)
    >>> [(column["missing"], column["remark"]) for column in data["columns"]]
    [(0.0, ''), (1.0, 'always missing')]
    """
    matrix = matrix[:, : len(columns)]
    gaps = np.isnan(matrix)
    known = zip(columns.given_names[:MAX_COLUMNS], columns.levels, strict=False)
    shown = [
        _column_data(matrix[:, place], column, levels, stages)
        for place, (column, levels) in enumerate(known)
    ]
    return {
        "columns": shown,
        "hidden": gaps.shape[1] - len(shown),
        "n_rows": gaps.shape[0],
        "n_columns": gaps.shape[1],
        "complete_rows": int((~gaps.any(axis=1)).sum()),
        "missing": float(gaps.mean()),
        "repeated_rows": repeated_rows(matrix, seed),
        "notes": [name(note, 400) for note in notes],
        "reading": None if reading is None else text_table_data(reading),
    }


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


def _column_data(
    values: Any, column: str, levels: Any, stages: Mapping[str, str]
) -> dict[str, Any]:
    """Return what is to be known of a column, and what is odd about it."""
    present = values[~np.isnan(values)]
    missing, distinct = 1.0 - len(present) / len(values), len(np.unique(present))
    low = high = None
    if len(present) and levels is None:
        low, high = map(float, np.quantile(present, SPAN))
    remark = "mostly missing" if missing > 0.5 else ""
    if distinct < 2:
        remark = "never changes" if distinct else "always missing"
    return {
        "name": name(column),
        "kind": "number" if levels is None else "category",
        "missing": missing,
        "distinct": distinct,
        "low": low,
        "high": high,
        "stage": name(stages[column], 40) if column in stages else None,
        "remark": remark,
    }
