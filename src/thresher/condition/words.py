"""A condition in words that are safe to show: names that hide or turn nothing around them."""

from collections.abc import Collection
from dataclasses import replace
from typing import Any

from thresher.condition.clause import Clause, Interval, joined
from thresher.condition.condition import Condition
from thresher.wording import MAX_TEXT_LENGTH, name, shortened


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
