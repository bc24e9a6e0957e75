"""Conditions read again from the data of a model's file."""

from collections.abc import Sequence
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.column import OTHER_LEVELS, Levels, has_others, named
from thresher.condition.clause import Clause, Interval, LevelSet
from thresher.condition.condition import Condition
from thresher.condition.evidence import Tally
from thresher.condition.table import HOLD_OUT, OUT_OF_FOLD, TRAINING_ROWS, ConditionTable
from thresher.matrix import Columns
from thresher.model_file.record import Record, require
from thresher.model_file.values import is_label
from thresher.pair import NamedPair

MAX_ROWS, MAX_MONEY = 2**53, 1e100
EVIDENCE = (HOLD_OUT, OUT_OF_FOLD, TRAINING_ROWS)


def read_conditions(record: Record, columns: Columns, n_nodes: int) -> ConditionTable:
    """Return the conditions that `ConditionTable.to_json` wrote; columns tell their levels."""
    rows = record.records("conditions")
    evidence = record.text("evidence") if record.has("evidence") else None
    require(evidence is None or evidence in EVIDENCE, "its evidence is unknown")
    whole = _whole(record, "parts", "scrap")
    return ConditionTable(
        conditions=tuple(_condition(row, columns, n_nodes) for row in rows),
        texts=tuple(row.text("text") for row in rows),
        training=_training(rows, whole),
        held=None if evidence is None else _held(record, rows, whole),
        p_value=_numbers(rows, "p_value", 0.0, 1.0),
        stability=_numbers(rows, "stability", 0.0, 1.0),
        money=_numbers(rows, "money", -MAX_MONEY, MAX_MONEY),
        stations=tuple(row.text("station") if row.has("station") else None for row in rows),
        evidence=evidence,
        pos_label=record.text("positive_class"),
        permutations=record.integer("permutations", 0, MAX_ROWS)
        if record.has("permutations")
        else 0,
    )


# ---------------------------------------------------------------------------------------- clauses


def _condition(record: Record, columns: Columns, n_nodes: int) -> Condition:
    leaves = record.items("leaves")
    is_sound = all(type(leaf) is int and 0 <= leaf < n_nodes for leaf in leaves)
    require(is_sound, f"{record.place} names a leaf that its tree does not have")
    levels = dict(zip(columns.wide_names, columns.wide_levels, strict=True))
    clauses = tuple(
        _clause(clause, levels, columns.named_pairs) for clause in record.records("clauses")
    )
    return Condition(clauses, tuple(leaves))


def _clause(record: Record, levels: dict[str, Any], pairs: dict[str, NamedPair]) -> Clause:
    column, missing = record.text("column"), record.truth("missing")
    require(column in levels, f"{record.place} names an unknown column")
    known = levels[column]
    if known is not None:
        return LevelSet(column, _levels(record, known), known, missing)
    if record.has("present") and not record.truth("present"):
        return Interval(column, inf, inf, missing, pairs.get(column))
    low = record.number("above") if record.has("above") else -inf
    high = record.number("at_most") if record.has("at_most") else inf
    return Interval(column, low, high, missing, pairs.get(column))


def _levels(record: Record, known: Levels) -> tuple[Any, ...]:
    levels = record.items("levels")
    are_known = all(is_label(one) for one in levels) and set(levels) <= set(named(known))
    require(are_known, f"{record.place} names an unknown level")
    takes_others = has_others(known) and record.truth("unnamed_levels")
    return (*levels, OTHER_LEVELS) if takes_others else tuple(levels)


# ----------------------------------------------------------------------------------------- counts


def _training(rows: Sequence[Record], whole: tuple[int, int]) -> Tally:
    """Return the rows under each condition and of the whole table.

    A tree that imitates a model may have a leaf that no training row is in.
    """
    n, hits = (
        np.array([row.integer(name, 0, most) for row in rows], dtype=np.int64)
        for name, most in zip(("parts", "scrap"), whole, strict=True)
    )
    require((hits <= n).all(), "a condition has more positives than rows")
    return Tally(n, hits, *whole)


def _held(record: Record, rows: Sequence[Record], whole: tuple[int, int]) -> Tally:
    """Return the unseen rows under each condition; there may be none."""
    # Version 0.1.0 counted unseen rows against the whole table.
    if record.has("holdout_parts"):
        whole = _whole(record, "holdout_parts", "holdout_scrap")
    n, hits = (
        np.array([_count(row, name) if row.has(name) else 0 for row in rows], dtype=np.int64)
        for name in ("holdout_parts", "holdout_scrap")
    )
    require((hits <= n).all(), "a condition has more unseen positives than rows")
    return Tally(n, hits, *whole)


def _whole(record: Record, rows: str, positives: str) -> tuple[int, int]:
    n_rows = _count(record, rows, 1)
    return n_rows, record.integer(positives, 1, n_rows)


def _count(record: Record, name: str, low: int = 0) -> int:
    return record.integer(name, low, MAX_ROWS)


def _numbers(rows: Sequence[Record], name: str, low: float, high: float) -> NDArray[np.float64]:
    return np.array([row.within(name, low, high) if row.has(name) else np.nan for row in rows])
