"""Cuts of rows where a model decides about a table: their costs and groups are columns of it."""

from typing import Any

import numpy as np

from thresher.errors import TableError
from thresher.tables.features import match_columns
from thresher.tables.table import Table
from thresher.texts import Texts
from thresher.threshold.counts import Vector
from thresher.threshold.groups import codes_of
from thresher.threshold.prior_shift import odds, scale_odds
from thresher.threshold.row_costs import RowCosts
from thresher.threshold.row_cuts import CostCuts, GroupCuts, RowCuts
from thresher.validation import why_not_amounts
from thresher.wording import first_of
from thresher.wording import threshold as shown

MOST_GROUPS = 6
"""Groups whose cuts a sentence lists."""


def row_cuts_of(estimator: Any) -> RowCuts | None:
    """Return what gives rows cuts of their own, None where one threshold is for all."""
    cuts: RowCuts | None = getattr(estimator, "row_cuts_", None)
    return cuts


def read_costs(table: Table, names: tuple[str | None, str | None]) -> list[Vector | None]:
    """Return columns with costs as numbers; one sentence for what cannot be a cost."""
    table.need([name for name in names if name is not None], "; it holds the costs of rows")
    return [None if name is None else _amounts(table, name) for name in names]


def _amounts(table: Table, name: str) -> Vector:
    values = table.columns[name]
    if isinstance(values, Texts):
        raise TableError(f"Column {name!r} holds texts, and costs are numbers.")
    amounts = np.asarray(values, dtype=np.float64)
    why = why_not_amounts(amounts, f"Column {name!r}, the costs of rows,")
    if why is not None:
        raise TableError(why)
    return amounts


def row_costs_of(estimator: Any, table: Table) -> RowCosts | None:
    """Return the costs of the rows of a table, None where all have the same."""
    cuts = row_cuts_of(estimator)
    if not isinstance(cuts, CostCuts):
        return None
    fp, fn = read_costs(table, (cuts.fp_column, cuts.fn_column))
    usual, count = cuts.usual, len(table)
    return RowCosts(
        np.full(count, usual.fp) if fp is None else fp,
        np.full(count, usual.fn) if fn is None else fn,
        usual.gain_tp,
        usual.gain_tn,
    )


def cuts_in(estimator: Any, table: Table) -> float | Vector:
    """Return what the probability of each row of a table must exceed."""
    cuts, common = row_cuts_of(estimator), float(estimator.threshold_)
    costs = row_costs_of(estimator, table)
    if costs is not None:
        return costs.cuts()
    if not isinstance(cuts, GroupCuts):
        return common
    known = estimator.columns_
    columns = dict(match_columns(table, known.names or (), known.levels))
    codes = codes_of(columns[cuts.column], cuts.groups)
    return np.array([*cuts.cuts, common])[codes]


def on_one_scale(estimator: Any, probability: Vector, cuts: float | Vector) -> Vector:
    """Return probabilities with the odds of groups moved, so that one threshold decides as cuts do.

    Costs move no odds: a report shows probabilities.
    """
    common = float(estimator.threshold_)
    if not isinstance(row_cuts_of(estimator), GroupCuts) or not 0.0 < common < 1.0:
        return probability
    return scale_odds(probability, odds(common) / np.asarray(odds(cuts)))  # type: ignore[arg-type]


def cut_words(estimator: Any) -> str | None:
    """Return what the probability must exceed, in words; None where it is one number."""
    cuts = row_cuts_of(estimator)
    if cuts is None:
        return None
    common = shown(float(estimator.threshold_))
    if isinstance(cuts, CostCuts):
        fp = "the cost of a false alarm" if cuts.fp_column is None else repr(cuts.fp_column)
        fn = "the cost of a miss" if cuts.fn_column is None else repr(cuts.fn_column)
        return f"{fp} / ({fp} + {fn}) of its row, {common} at average costs"
    pairs = zip(cuts.groups, cuts.cuts, strict=True)
    listed = first_of([f"{shown(cut)} for {group!r}" for group, cut in pairs], MOST_GROUPS)
    return f"the cut of its group by {cuts.column!r} ({listed}; {common} for others)"
