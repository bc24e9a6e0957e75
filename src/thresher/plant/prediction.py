"""What a model says of the rows of a table, as columns beside it."""

from collections.abc import Callable
from typing import Any, NamedTuple

from thresher.answers import answers
from thresher.condition.firing import fired
from thresher.errors import TableError
from thresher.judging.drift import Drift
from thresher.plant.quiet import without_warnings
from thresher.tables.features import match_features
from thresher.tables.table import Column, Table
from thresher.texts import Texts
from thresher.threshold.unseen import positive_scores

ADDED = ("probability", "decision", "condition")
ANSWER = "answer"
"""The columns of a prediction; the last is there where rows are referred."""


class Prediction(NamedTuple):
    """The columns that a prediction adds to a table, notes on the table, and columns that drift."""

    columns: dict[str, Column]
    notes: list[str]
    drift: list[Drift]


def added_columns(estimator: Any) -> tuple[str, ...]:
    """Return the names of the columns that a prediction adds."""
    return ADDED if estimator.threshold_alert_ is None else (*ADDED, ANSWER)


def predict_columns(
    model: Any, table: Table, find_drift: Callable[[Table], list[Drift]]
) -> Prediction:
    """Return the columns that a model adds to a table, and what a user should know."""
    estimator = model.estimator
    names = added_columns(estimator)
    taken = [name for name in names if name in table.columns]
    if taken:
        raise TableError(f"{table.source} has a column {taken[0]!r} already; rename it.")
    features, notes = match_features(table, estimator.columns_)
    with without_warnings():
        probability = positive_scores(estimator, features.X, model.place)
        is_alert = probability > estimator.threshold_
        texts = fired(model.conditions, model.reader.apply(features.X), is_alert)
    negative, positive = (str(estimator.classes_[one]) for one in (1 - model.place, model.place))
    decision = Texts.of(positive if alert else negative for alert in is_alert.tolist())
    columns: list[Column] = [probability, decision, Texts.of(texts)]
    if ANSWER in names:
        found = answers(probability, estimator.threshold_, estimator.threshold_alert_)
        columns.append(Texts.of(found.tolist()))
    drift = find_drift(table)
    told = {one.column for one in drift if one.kind == "levels"}
    others = [note for name, note in notes.items() if name not in told]
    return Prediction(dict(zip(names, columns, strict=True)), others, drift)
