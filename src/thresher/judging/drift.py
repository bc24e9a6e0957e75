"""Whether the columns of a new table are those that a model was trained on, one line a column."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from thresher.column import Levels
from thresher.judging.column_summary import ColumnSummary, NumbersSummary, TextsSummary
from thresher.judging.number_drift import NewNumbers
from thresher.judging.sign import Sign, Split, missing_sign
from thresher.judging.text_drift import NewTexts
from thresher.judging.unit_change import UnitChange, find_unit_change
from thresher.tables.table import Column
from thresher.texts import Texts

COLUMN_LEVEL, TABLE_LEVEL = 0.01, 0.05
"""A false message is at most so probable for a column, and for a whole table."""
KINDS = 4
"""Kinds of signs a column; each has its part of the level."""
CLEARER = 2.0
"""Another mix is told instead of what is more definite where its index is so many times that."""
MOST_TOLD = 20
"""Most lines that people are told."""


@dataclass(frozen=True)
class Drift:
    """A column that is not as it was in training.

    Attributes
    ----------
    column : its name.
    kind : "unit", "range", "value", "levels", "missing" or "mix".
    figures : what the sentence says, the stability index and the p-value.
    sentence : for people.
    """

    column: str
    kind: str
    figures: dict[str, Any]
    sentence: str

    def as_data(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "column": self.column,
            "kind": self.kind,
            "figures": self.figures,
            "sentence": self.sentence,
        }


def find_drift(
    columns: Sequence[tuple[str, Column]],
    levels: Sequence[Levels | None],
    summaries: Sequence[ColumnSummary],
) -> list[Drift]:
    """Compare the columns of a new table with those of the training, in the order of the model.

    >>> import numpy as np
    >>> from thresher.judging.column_summary import summarize
    >>> torque = np.random.default_rng(0).normal(40.0, 10.0, 3000)
    >>> known, new = summarize(torque[:2000], None), 100.0 * torque[2000:]
    >>> print(find_drift([("torque", new)], [None], [known])[0].sentence)
    Column 'torque': 100.0 % of the values are outside the range of training (1.006 to 70.66);
    they look 100 times as large, as if the unit had changed.
    """
    level = column_level(len(columns))
    found = [
        column_drift(name, column, of_column, summary, level)
        for (name, column), of_column, summary in zip(columns, levels, summaries, strict=True)
    ]
    return [one for one in found if one is not None]


def drift_sentences(found: Sequence[Drift]) -> list[str]:
    """Return the sentences for people: where there are many, those that have changed most."""
    if len(found) <= MOST_TOLD:
        return [one.sentence for one in found]
    most = sorted(found, key=lambda one: -one.figures["psi"])[:MOST_TOLD]
    others = len(found) - MOST_TOLD
    return [
        *(one.sentence for one in most),
        f"More columns that are not as in training: {others:,}; find_drift of the model and --json "
        "tell of all.",
    ]


def column_level(columns: int) -> float:
    """Return how probable a false message about one of so many columns may be."""
    return min(COLUMN_LEVEL, TABLE_LEVEL / columns)


def column_drift(
    name: str, column: Column, levels: Levels | None, known: ColumnSummary, level: float
) -> Drift | None:
    """Return the most telling sign of a column, None where all may be as it was."""
    new = _beside(column, levels, known)
    missing = Split(len(column) - new.present, len(column), known.missing, known.rows)
    told = [one for one in (missing_sign(missing), *new.signs()) if one.is_told(level / KINDS)]
    if not told:
        return None
    change = find_unit_change(new) if isinstance(new, NewNumbers) else None
    shapes = [one for one in told if one.kind in ("range", "mix")]
    if change is not None and shapes:
        return _drift(name, max(shapes, key=_telling), change)
    return _drift(name, max(told, key=_telling))


def _beside(column: Column, levels: Levels | None, known: ColumnSummary) -> NewNumbers | NewTexts:
    if isinstance(column, Texts):
        assert isinstance(known, TextsSummary)
        return NewTexts(column, levels or (), known)
    assert isinstance(known, NumbersSummary)
    return NewNumbers.of(column, known)


def _telling(sign: Sign) -> float:
    return sign.excess / CLEARER if sign.kind == "mix" else sign.excess


def _drift(name: str, sign: Sign, change: UnitChange | None = None) -> Drift:
    figures = {**sign.figures, "psi": sign.psi, "p_value": sign.p}
    words, kind = f"Column {name!r}: {sign.words}", sign.kind
    if change is not None:
        kind, figures = "unit", {**figures, **change.figures}
        words = f"{words}; they look {change.words}, as if the unit had changed"
    return Drift(name, kind, figures, f"{words}.")
