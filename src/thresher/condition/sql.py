"""A condition as the WHERE clause of a query, in standard SQL."""

from collections.abc import Iterable
from math import inf
from typing import Any

from thresher.column import has_others, named
from thresher.condition.clause import Clause, Interval, LevelSet
from thresher.sql import identifier, number, readable, text


def where(clauses: Iterable[Clause]) -> str:
    """Return what follows WHERE: true for the rows that meet all clauses; NULL is missing.

    Examples
    --------
    >>> print(where([Interval("torque", high=11.2), LevelSet("line", ("B",), known=("A", "B"))]))
    "torque" <= 11.2E0 AND "line" IN ('B')
    >>> print(where([Interval("torque", low=0.5, missing=True)]))
    ("torque" > 0.5E0 OR "torque" IS NULL)
    >>> from thresher.column import OTHER_LEVELS
    >>> print(where([LevelSet("cavity", ("1", OTHER_LEVELS), known=("1", "2", OTHER_LEVELS))]))
    "cavity" NOT IN ('2')
    """
    return " AND ".join(_sql(clause) for clause in clauses) or "1 = 1"


def _sql(clause: Clause) -> str:
    name = identifier(clause.column)
    if isinstance(clause, Interval) and clause.pair is not None:
        name = readable(clause.pair)
    test = _interval(clause, name) if isinstance(clause, Interval) else _levels(clause, name)
    if not test:
        return f"{name} IS {'NULL' if clause.missing else 'NOT NULL'}"
    return f"({test} OR {name} IS NULL)" if clause.missing else test


def _interval(clause: Interval, name: str) -> str:
    if clause.is_empty:
        return ""
    above = [f"{name} > {_literal(clause.low)}"] if clause.low > -inf else []
    below = [f"{name} <= {_literal(clause.high)}"] if clause.high < inf else []
    test = " AND ".join(above + below)
    return f"({test})" if clause.missing and above and below else test


def _levels(clause: LevelSet, name: str) -> str:
    # A level that the model has never seen is one of the other levels, or counts as missing.
    takes_unknown = has_others(clause.levels) if has_others(clause.known) else clause.missing
    listed = ", ".join(map(_literal, named(clause.others if takes_unknown else clause.levels)))
    if not listed:
        return "" if takes_unknown or clause.missing else "1 = 0"
    return f"{name} {'NOT IN' if takes_unknown else 'IN'} ({listed})"


def _literal(value: Any) -> str:
    return text(value) if isinstance(value, str) else number(value)
