"""What the models of several codes say of the rows of a table, as columns beside it."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from thresher.condition.firing import fired, with_reasons
from thresher.errors import TableError
from thresher.judging.drift import Drift
from thresher.plant.quiet import without_warnings
from thresher.tables.table import Column, Table
from thresher.texts import Texts

if TYPE_CHECKING:
    from thresher.plant.model import PlantModel

SEPARATOR = "; "
"""Between the likely codes of a row."""


class CodedPrediction(NamedTuple):
    """The columns that a prediction adds, notes on the table, columns that drift, and the alerts.

    `is_alert` has a row for each of the table and a column for each code.
    """

    columns: dict[str, Column]
    notes: list[str]
    drift: list[Drift]
    is_alert: NDArray[np.bool_]


def added_columns(codes: Mapping[str, object]) -> tuple[str, ...]:
    """Return the names of the columns that a prediction adds."""
    return *(f"probability of {code}" for code in codes), "codes", "decision", "condition"


def predict_codes(models: Mapping[str, "PlantModel"], good: str, table: Table) -> CodedPrediction:
    """Return the columns that are added to a table, and what a user should know.

    The likely codes of a row are those that alert, the most probable first; the first of them is
    the decision, and its condition is told.
    """
    names = added_columns(models)
    taken = [name for name in names if name in table.columns]
    if taken:
        raise TableError(f"{table.source} has a column {taken[0]!r} already; rename it.")
    parts = [model.decided(table) for model in models.values()]
    scores = np.column_stack([part.probability for part in parts])
    is_alert = np.column_stack([part.is_alert for part in parts])
    order = np.argsort(np.where(is_alert, -scores, np.inf), axis=1, kind="stable")
    known = list(models)
    likely = [
        [known[code] for code in row[:count]]
        for row, count in zip(order.tolist(), is_alert.sum(axis=1).tolist(), strict=True)
    ]
    conditions = np.full(len(table), "", dtype=object)
    for place, (model, part) in enumerate(zip(models.values(), parts, strict=True)):
        leads = is_alert[:, place] & (order[:, 0] == place)
        X = part.features.X
        with without_warnings():
            texts = fired(model.conditions, model.reader.apply(X), leads)
            texts = with_reasons(texts, model.estimator, X, leads)
        conditions[leads] = np.array(texts, dtype=object)[leads]
    columns: list[Column] = [
        *scores.T,
        Texts.of(SEPARATOR.join(row) for row in likely),
        Texts.of(row[0] if row else good for row in likely),
        Texts.of(conditions.tolist()),
    ]
    drift = _once([one for model in models.values() for one in model.find_drift(table)])
    told = {one.column for one in drift if one.kind == "levels"}
    notes = {note: None for part in parts for name, note in part.notes.items() if name not in told}
    return CodedPrediction(dict(zip(names, columns, strict=True)), list(notes), drift, is_alert)


def _once(found: list[Drift]) -> list[Drift]:
    """Return what drifts, each column and kind once: codes share most of their columns."""
    return list({(one.column, one.kind): one for one in found}.values())
