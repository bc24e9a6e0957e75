"""The columns that a prediction adds to a table."""

from typing import Any, NamedTuple

from thresher.errors import ParameterError
from thresher.judging.drift import Drift
from thresher.tables.table import Column
from thresher.texts import Texts

ADDED = ("probability", "decision", "condition")


class Prediction(NamedTuple):
    """The columns that a prediction adds to a table, notes on the table, and columns that drift."""

    columns: dict[str, Column]
    notes: list[str]
    drift: list[Drift]


def added_names(reasons: int = 0) -> tuple[str, ...]:
    """Return the names of the columns that a prediction adds, with so many reasons.

    >>> added_names(2)
    ('probability', 'decision', 'condition', 'reason_1', 'reason_2')
    """
    return *ADDED, *(f"reason_{number}" for number in range(1, reasons + 1))


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
