"""The table itself: what is missing, what never changes, what repeats."""

from typing import Any

import numpy as np

from thresher.frames import Columns, Matrix
from thresher.wording import name

MAX_COLUMNS = 200
SPAN = (0.01, 0.99)
"""Quantiles between which most values lie; single values of rows are not shown."""


def quality_data(
    matrix: Matrix, columns: Columns, stations: dict[str, str], notes: Any, seed: int
) -> dict[str, Any]:
    """Return what is to be known of the columns and of the rows.

    Examples
    --------
    >>> data = quality_data(np.array([[1.0, np.nan], [2.0, np.nan]]), Columns(None, (None,) * 2),
    ...     stations={}, notes=["Two rows only."], seed=0)
    >>> [(column["missing"], column["remark"]) for column in data["columns"]]
    [(0.0, ''), (1.0, 'always missing')]
    """
    names = columns.names or tuple(f"x[{place}]" for place in range(len(columns)))
    rows = [
        _column(matrix[:, place], names[place], columns.levels[place], stations)
        for place in range(min(len(names), MAX_COLUMNS))
    ]
    gaps = np.isnan(matrix)
    return {
        "columns": rows,
        "hidden": len(names) - len(rows),
        "n_rows": len(matrix),
        "n_columns": len(names),
        "complete_rows": int((~gaps.any(axis=1)).sum()),
        "missing": float(gaps.mean()),
        "repeated_rows": repeated_rows(matrix, seed),
        "notes": [name(note, 400) for note in notes],
    }


def repeated_rows(matrix: Matrix, seed: int) -> int:
    """Return how many rows stand in the table before in the same form.

    >>> repeated_rows(np.array([[1.0, 2.0], [2.0, 1.0], [1.0, 2.0]]), seed=0)
    1
    """
    factors = np.random.default_rng(seed).normal(size=matrix.shape[1])
    # A random sum stands for a row: two rows that differ share one with probability zero.
    sums = np.nan_to_num(matrix.astype(np.float64), nan=-np.pi) @ factors
    return len(sums) - len(np.unique(sums))


def _column(values: Any, label: str, levels: Any, stations: dict[str, str]) -> dict[str, Any]:
    present = values[~np.isnan(values)]
    distinct = len(np.unique(present))
    low, high = np.quantile(present, SPAN) if len(present) and levels is None else (None, None)
    return {
        "name": name(label),
        "station": name(stations[label], 40) if label in stations else None,
        "kind": "number" if levels is None else "category",
        "missing": 1.0 - len(present) / len(values),
        "distinct": distinct,
        "low": None if low is None else float(low),
        "high": None if high is None else float(high),
        "remark": _remark(len(present), len(values), distinct),
    }


def _remark(present: int, rows: int, distinct: int) -> str:
    if not present:
        return "always missing"
    if distinct == 1:
        return "never changes"
    return "mostly missing" if present < 0.5 * rows else ""
