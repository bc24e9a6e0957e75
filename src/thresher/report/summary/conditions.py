"""The conditions with what speaks for each, and how much of all scrap they explain together."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from thresher.column import Matrix
from thresher.condition.clause import Clause, Interval, joined
from thresher.condition.condition import Condition, Members, members
from thresher.condition.table import ConditionTable
from thresher.matrix import Columns
from thresher.wording import MAX_TEXT_LENGTH, finite, name, shortened

MAX_CONDITIONS = 40
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
    table: ConditionTable, matrix: Matrix, columns: Columns, is_positive: Any
) -> dict[str, Any]:
    """Return the rows of a table of conditions, and the scrap that the first so many cover."""
    names = columns.wide_names
    complete = {
        column for place, column in enumerate(names) if not np.isnan(matrix[:, place]).any()
    }
    met = members(table.conditions[:MAX_CONDITIONS], matrix, names)
    return counted_data(table, complete, covered_together(met, np.asarray(is_positive, bool)))


def counted_data(
    table: ConditionTable, complete: Collection[str], together: Sequence[float]
) -> dict[str, Any]:
    """Return the rows of a table of conditions whose rows are counted already.

    `complete` are columns without missing values; `together` the share of scrap that the first so
    many conditions cover.
    """
    shown = table.conditions[:MAX_CONDITIONS]
    numbers = table.columns()
    numbers["lift"], numbers["coverage"] = (values.tolist() for values in table.shown_shares)
    rows = [
        {
            "number": place + 1,
            "text": readable(condition, complete),
            "station": None if table.stations[place] is None else name(table.stations[place], 40),
            **{key: finite(numbers[key][place]) for key in NUMBERS},
            "state": table.states[place],
            "is_confirmed": bool(table.is_confirmed[place]),
        }
        for place, condition in enumerate(shown)
    ]
    for row, covered in zip(rows, together[:MAX_CONDITIONS], strict=True):
        row["together"] = covered
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


def readable(condition: Condition, complete: Collection[str]) -> str:
    """Return a condition in words, with names that cannot disturb what stands around them."""
    return shortened(
        joined(_readable(clause, complete) for clause in condition.clauses), MAX_TEXT_LENGTH
    )


def _readable(clause: Clause, complete: Any) -> Clause:
    missing = clause.missing and clause.column not in complete
    column = name(clause.column)
    if isinstance(clause, Interval):
        return replace(clause, column=column, missing=missing)
    levels, known = (_named(given) for given in (clause.levels, clause.known))
    return replace(clause, column=column, levels=levels, known=known, missing=missing)


def _named(levels: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(name(level, 30) if isinstance(level, str) else level for level in levels)
