"""What a model says of the rows of a table: cuts of rows, decisions, columns beside it."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from thresher.column import Texts
from thresher.condition.table import HOLD_OUT
from thresher.errors import ParameterError, TableError
from thresher.judging.drift import Drift
from thresher.judging.outside import Outside
from thresher.tables.features import Features, match_columns
from thresher.tables.table import Column, Table
from thresher.threshold.by_row import RowCosts
from thresher.threshold.counts import Vector
from thresher.threshold.groups import codes_of
from thresher.threshold.prior_shift import odds, scale_odds
from thresher.threshold.row_cuts import CostCuts, GroupCuts, RowCuts
from thresher.validation import why_not_amounts
from thresher.wording import first_of
from thresher.wording import threshold as shown

ADDED = ("probability", "decision", "condition")
ANSWER = "answer"
"""The columns of a prediction; the last is there where rows are referred."""
MOST_GROUPS = 6
"""Groups whose cuts a sentence lists."""


class Decided(NamedTuple):
    """A table as the model takes it, notes on its columns, and what decides about each row.

    `outside` are the columns with values outside the training range.
    """

    features: Features
    notes: dict[str, str]
    probability: Vector
    cuts: float | Vector
    outside: list[Outside]

    @property
    def is_alert(self) -> NDArray[np.bool_]:
        """The decision about each row."""
        is_alert: NDArray[np.bool_] = self.probability > self.cuts
        return is_alert


class UnseenRows(NamedTuple):
    """A table whose target is known, its features for a model, its labels, and what it is."""

    table: Table
    features: Features
    labels: NDArray[Any]
    evidence: str = HOLD_OUT


class Prediction(NamedTuple):
    """The columns that a prediction adds to a table, and what a user should know of the table.

    Attributes
    ----------
    columns : by name.
    notes : on the table.
    drift : columns that drift.
    outside : columns with values outside the training range.
    """

    columns: dict[str, Column]
    notes: list[str]
    drift: list[Drift]
    outside: list[Outside]


def reason_columns(estimator: Any, X: Any, count: int) -> list[Texts]:
    """Return a column for each of so many reasons, empty where a row has fewer."""
    if not count:
        return []
    if not hasattr(estimator, "reasons"):
        raise ParameterError(
            f"reasons= needs a model of trees, and this one is a {type(estimator).__name__}; leave "
            "it out."
        )
    rows = estimator.reasons(X, top=count)
    filled = [[*texts, *[""] * (count - len(texts))] for texts in rows]
    return [Texts.of(column) for column in zip(*filled, strict=True)]


# ------------------------------------------------------------------------------- cuts of rows


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
