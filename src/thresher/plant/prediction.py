"""What a model says of the rows of a table, as columns beside it."""

from collections.abc import Callable
from typing import Any, NamedTuple

from thresher.answers import answers
from thresher.condition.firing import fired, with_reasons
from thresher.errors import ParameterError, TableError
from thresher.judging.drift import Drift
from thresher.plant.quiet import without_warnings
from thresher.tables.table import Column, Table
from thresher.texts import Texts

ADDED = ("probability", "decision", "condition")
ANSWER = "answer"
"""The columns of a prediction; the last is there where rows are referred."""


class Prediction(NamedTuple):
    """The columns that a prediction adds to a table, notes on the table, and columns that drift."""

    columns: dict[str, Column]
    notes: list[str]
    drift: list[Drift]


def added_columns(estimator: Any, reasons: int = 0) -> tuple[str, ...]:
    """Return the names of the columns that a prediction adds, with so many reasons."""
    answer = () if estimator.threshold_alert_ is None else (ANSWER,)
    return *ADDED, *answer, *(f"reason_{number}" for number in range(1, reasons + 1))


def predict_columns(
    model: Any, table: Table, find_drift: Callable[[Table], list[Drift]], reasons: int = 0
) -> Prediction:
    """Return the columns that a model adds to a table, and what a user should know."""
    estimator = model.estimator
    names = added_columns(estimator, reasons)
    taken = [name for name in names if name in table.columns]
    if taken:
        raise TableError(f"{table.source} has a column {taken[0]!r} already; rename it.")
    features, notes, probability, is_alert = model.decided(table)
    with without_warnings():
        texts = fired(model.conditions, model.reader.apply(features.X), is_alert)
        texts = with_reasons(texts, estimator, features.X, is_alert)
        told_reasons = reason_columns(estimator, features.X, reasons)
    negative, positive = (str(estimator.classes_[one]) for one in (1 - model.place, model.place))
    decision = Texts.of(positive if alert else negative for alert in is_alert.tolist())
    columns: list[Column] = [probability, decision, Texts.of(texts)]
    if ANSWER in names:
        found = answers(probability, estimator.threshold_, estimator.threshold_alert_)
        columns.append(Texts.of(found.tolist()))
    columns += told_reasons
    drift = find_drift(table)
    told = {one.column for one in drift if one.kind == "levels"}
    others = [note for name, note in notes.items() if name not in told]
    return Prediction(dict(zip(names, columns, strict=True)), others, drift)


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
