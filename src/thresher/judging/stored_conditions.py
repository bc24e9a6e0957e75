"""Conditions read again from the data of a model's file."""

from collections.abc import Sequence
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.condition.clause import Clause, Interval, LevelSet
from thresher.condition.condition import Condition
from thresher.condition.evidence import Tally
from thresher.condition.table import HOLD_OUT, OUT_OF_FOLD, TRAINING_ROWS, ConditionTable
from thresher.frames import Columns
from thresher.model_file.record import Record, require

MAX_ROWS = 2**53
EVIDENCE = (HOLD_OUT, OUT_OF_FOLD, TRAINING_ROWS)


def read_conditions(record: Record, columns: Columns, n_nodes: int) -> ConditionTable:
    """Return the conditions that `ConditionTable.to_json` wrote; columns tell their levels."""
    rows = record.records("conditions")
    levels = dict(zip(columns.names or (), columns.levels, strict=True))
    found = tuple(
        Condition(
            tuple(_clause(clause, levels) for clause in row.records("clauses")),
            tuple(_leaves(row, n_nodes)),
        )
        for row in rows
    )
    whole = _count(record, "parts", 1), _count(record, "scrap", 1)
    evidence = record.text("evidence") if record.has("evidence") else None
    require(evidence is None or evidence in EVIDENCE, "its evidence is unknown")
    held = None
    if evidence is not None:
        # Version 0.1.0 counted unseen rows against the whole table.
        has_own = record.has("holdout_parts")
        unseen = [
            _count(record, name, 1) if has_own else usual
            for name, usual in zip(("holdout_parts", "holdout_scrap"), whole, strict=True)
        ]
        held = Tally(_counts(rows, "holdout_parts"), _counts(rows, "holdout_scrap"), *unseen)
    return ConditionTable(
        conditions=found,
        texts=tuple(row.text("text") for row in rows),
        training=Tally(_counts(rows, "parts"), _counts(rows, "scrap"), *whole),
        held=held,
        p_value=_numbers(rows, "p_value"),
        stability=_numbers(rows, "stability"),
        money=_numbers(rows, "money"),
        stations=tuple(row.text("station") if row.has("station") else None for row in rows),
        evidence=evidence,
        pos_label=record.text("positive_class"),
    )


def _clause(record: Record, levels: dict[str, Any]) -> Clause:
    column, missing = record.text("column"), record.truth("missing")
    require(column in levels, f"{record.place} names an unknown column")
    known = levels[column]
    if known is not None:
        return LevelSet(column, tuple(record.items("levels")), tuple(known), missing)
    if record.has("present") and not record.truth("present"):
        return Interval(column, inf, inf, missing)
    low, high = (record.number(end) if record.has(end) else None for end in ("above", "at_most"))
    return Interval(column, -inf if low is None else low, inf if high is None else high, missing)


def _leaves(record: Record, n_nodes: int) -> list[int]:
    leaves = record.items("leaves")
    is_sound = all(type(leaf) is int and 0 <= leaf < n_nodes for leaf in leaves)
    require(is_sound, f"{record.place} names a leaf that its tree does not have")
    return leaves


def _count(record: Record, name: str, low: int = 0) -> int:
    return record.integer(name, low, MAX_ROWS)


def _counts(rows: Sequence[Record], name: str) -> NDArray[np.int64]:
    return np.array([_count(row, name) if row.has(name) else 0 for row in rows], dtype=np.int64)


def _numbers(rows: Sequence[Record], name: str) -> NDArray[np.float64]:
    return np.array([row.number(name) if row.has(name) else np.nan for row in rows])
