"""Conditions in files: as CSV, and read again from the data of a model's file."""

import csv
import io
from collections.abc import Sequence
from dataclasses import replace
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.condition.clause import Clause, Interval, LevelSet
from thresher.condition.condition import Condition, members
from thresher.condition.evidence import Tally, money_at_stake, tally
from thresher.condition.table import ConditionTable
from thresher.frames import Columns, Matrix
from thresher.threshold.rules import Costs


def as_csv(table: ConditionTable) -> str:
    """Return one line a condition, all digits; nothing where a value is not known."""
    columns = table.columns()
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return file.getvalue()


def from_data(content: dict[str, Any], columns: Columns) -> ConditionTable:
    """Return the conditions that `ConditionTable.to_json` wrote; columns tell their levels."""
    rows = content["conditions"]
    levels = dict(zip(columns.names or (), columns.levels, strict=True))
    found = tuple(
        Condition(
            tuple(_clause(clause, levels) for clause in row["clauses"]),
            tuple(int(leaf) for leaf in row["leaves"]),
        )
        for row in rows
    )
    whole = int(content["parts"]), int(content["scrap"])
    held = None
    if content["evidence"] is not None:
        held = Tally(_whole(rows, "holdout_parts"), _whole(rows, "holdout_scrap"), *whole)
    return ConditionTable(
        conditions=found,
        texts=tuple(str(row["text"]) for row in rows),
        training=Tally(_whole(rows, "parts"), _whole(rows, "scrap"), *whole),
        held=held,
        p_value=_numbers(rows, "p_value"),
        stability=_numbers(rows, "stability"),
        money=_numbers(rows, "money"),
        stations=tuple(row["station"] for row in rows),
        evidence=content["evidence"],
        pos_label=content["positive_class"],
    )


def _clause(content: dict[str, Any], levels: dict[str, Any]) -> Clause:
    column, missing = str(content["column"]), bool(content["missing"])
    known = levels[column]
    if known is not None:
        return LevelSet(column, tuple(content["levels"]), tuple(known), missing)
    if not content.get("present", True):
        return Interval(column, inf, inf, missing)
    low, high = content["above"], content["at_most"]
    return Interval(
        column, -inf if low is None else float(low), inf if high is None else float(high), missing
    )


def _whole(rows: Sequence[dict[str, Any]], name: str) -> NDArray[np.int64]:
    return np.array([int(row[name] or 0) for row in rows], dtype=np.int64)


def _numbers(rows: Sequence[dict[str, Any]], name: str) -> NDArray[np.float64]:
    return np.array([np.nan if row[name] is None else float(row[name]) for row in rows])


def tested_on(
    table: ConditionTable,
    matrix: Matrix,
    columns: Columns,
    is_positive: NDArray[np.bool_],
    costs: Costs | None,
) -> ConditionTable:
    """Return conditions with evidence from rows that had no part in the training."""
    held = tally(members(table.conditions, matrix, columns.names or ()), is_positive)
    tested = replace(table, held=held, evidence="hold-out", p_value=held.holm_p)
    if costs is None:
        return tested
    rate = np.where(np.isnan(held.rate), table.training.rate, held.rate)
    return replace(tested, money=money_at_stake(table.training.n, rate, costs.fp, costs.fn))


def fired(table: ConditionTable, leaves: NDArray[Any], is_alert: NDArray[np.bool_]) -> list[str]:
    """Return the text of the condition behind each alert; empty where there is none.

    A forest may raise an alert that no condition of the tree that imitates it explains.
    """
    text_of = {
        leaf: text
        for text, condition in zip(table.texts, table.conditions, strict=True)
        for leaf in condition.leaves
    }
    pairs = zip(leaves.tolist(), is_alert.tolist(), strict=True)
    return [text_of.get(leaf, "") if alert else "" for leaf, alert in pairs]
