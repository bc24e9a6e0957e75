"""The conditions with what speaks for each, and how much of all scrap they explain together."""

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from thresher.column import Matrix
from thresher.condition.condition import Members, members
from thresher.condition.picture import over_time_data, picture_data
from thresher.condition.table import ConditionTable
from thresher.condition.words import readable
from thresher.matrix import Columns
from thresher.wording import finite, name

MAX_CONDITIONS = 40
SEEN = "those of the training, all of which the conditions were found on"
UNSEEN = "those of this report, which had no part in the training"
"""Whose rows pictures show."""
NUMBERS = (
    "parts",
    "scrap",
    "rate",
    "rate_low",
    "rate_high",
    "lift",
    "coverage",
    "holdout_parts",
    "holdout_scrap",
    "holdout_rate",
    "holdout_rate_low",
    "holdout_rate_high",
    "p_value",
    "stability",
    "money",
)


def condition_data(
    table: ConditionTable,
    matrix: Matrix,
    columns: Columns,
    is_positive: Any,
    times: Any = None,
) -> dict[str, Any]:
    """Return the rows of a table of conditions, and the scrap that the first so many cover."""
    names = columns.wide_names
    complete = {
        column for place, column in enumerate(names) if not np.isnan(matrix[:, place]).any()
    }
    shown, truth = table.conditions[:MAX_CONDITIONS], np.asarray(is_positive, bool)
    met = members(shown, matrix, names)
    pictures = [
        picture_data(condition, names, matrix, truth, complete) if condition.clauses else None
        for condition in shown
    ]
    over_time = None if times is None else [over_time_data(row, truth, times) for row in met]
    return counted_data(table, complete, covered_together(met, truth), pictures, over_time)


def counted_data(
    table: ConditionTable,
    complete: Collection[str],
    together: Sequence[float],
    pictures: Sequence[dict[str, Any] | None] = (),
    over_time: Sequence[dict[str, Any] | None] | None = None,
) -> dict[str, Any]:
    """Return the rows of a table of conditions whose rows are counted already.

    `complete` are columns without missing values; `together` the share of scrap that the first so
    many conditions cover; `pictures` their data, `over_time` their rates.
    """
    shown = table.conditions[:MAX_CONDITIONS]
    numbers = table.columns()
    numbers["lift"], numbers["coverage"] = (values.tolist() for values in table.shown_shares)
    rows: list[dict[str, Any]] = [
        {
            "number": place + 1,
            "text": readable(condition, complete),
            "station": None if table.stations[place] is None else name(table.stations[place], 40),
            **{key: finite(numbers[key][place]) for key in NUMBERS},
            "state": table.states[place],
            "is_confirmed": bool(table.is_confirmed[place]),
            "action": None,
        }
        for place, condition in enumerate(shown)
    ]
    for row, covered in zip(rows, together[:MAX_CONDITIONS], strict=True):
        row["together"] = covered
    for key, found in (("picture", pictures), ("over_time", over_time or ())):
        for row, one in zip(rows, found, strict=False):
            row[key] = one
    return {
        "rows": rows,
        "hidden": len(table) - len(rows),
        "evidence": table.evidence,
        "where_shares": table.where_shares,
        "least_p": table.least_p,
        "parts": table.training.all_n,
        "scrap": table.training.all_hits,
        "unseen_parts": None if table.held is None else table.held.all_n,
        "average": None if table.held is None else table.held.average,
        "confirmed": int(table.is_confirmed.sum()),
    }


def covered_together(met: Members, is_positive: Any) -> list[float]:
    """Return the share of positives that meet the first condition, one of the first two, ...

    >>> met = np.array([[True, True, False], [False, True, True]])
    >>> covered_together(met, np.array([True, True, True]))
    [0.6666666666666666, 1.0]
    """
    hit = np.logical_or.accumulate(met[:, is_positive], axis=0) if len(met) else met
    return [float(row.mean()) for row in hit]
