"""New values outside the training range: noted, or refused where all values of a column are."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from thresher.column import Texts
from thresher.errors import OutsideRangeError
from thresher.tables.notation import COMMA, POINT
from thresher.tables.plan import TrainingRange
from thresher.tables.table import Column, Table
from thresher.wording import counted, verb

MIN_VALUES = 10
"""Fewer values may all lie far outside by chance."""

MOST_NOTES = 3
"""Columns that notes name."""


@dataclass(frozen=True)
class Outside:
    """A column with values outside the training range.

    Attributes
    ----------
    column : its name.
    values : values outside.
    present : all values of the column that are not missing.
    median : of these.
    training : the range in training.
    is_far : whether all values are beyond the range by more than a tenth of it.
    """

    column: str
    values: int
    present: int
    median: float
    training: TrainingRange
    is_far: bool

    @property
    def is_refused(self) -> bool:
        """Whether the model should not decide: enough values, and all of them far outside."""
        return self.is_far and self.present >= MIN_VALUES

    @property
    def words(self) -> str:
        """The column and its values in words, for a sentence."""
        low, high = _shown(self.training.low), _shown(self.training.high)
        return (
            f"all {self.present:,} values of {self.column!r} lie outside the training range {low} "
            f"to {high} (median {_shown(self.median)})"
        )

    @property
    def note(self) -> str:
        """The note for people."""
        low, high = _shown(self.training.low), _shown(self.training.high)
        return (
            f"Note: {self.column!r}: {counted(self.values, 'values')} {verb(self.values, 'lie')} "
            f"outside the training range {low} to {high}."
        )

    def as_data(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "column": self.column,
            "values": self.values,
            "present": self.present,
            "median": self.median,
            "low": self.training.low,
            "high": self.training.high,
            "is_far": self.is_far,
        }


def find_outside(
    columns: Iterable[tuple[str, Column]], ranges: Mapping[str, TrainingRange]
) -> list[Outside]:
    """Return the columns of a new table with values outside the training range.

    >>> found = find_outside([("speed", np.array([5.0, 12.0]))], {"speed": TrainingRange(1.0, 9.0)})
    >>> print(found[0].note)
    Note: 'speed': 1 value lies outside the training range 1 to 9.
    """
    found = []
    for name, column in columns:
        training = ranges.get(name)
        if training is None or isinstance(column, Texts):
            continue
        present = column[~np.isnan(column)]
        count = int(training.is_outside(present).sum())
        if count:
            is_far = bool(training.is_far_outside(present).all())
            median = float(np.median(present))
            found.append(Outside(name, count, len(present), median, training, is_far))
    return found


def outside_notes(found: Sequence[Outside], told: Collection[str] = ()) -> list[str]:
    """Return notes on the columns that no other message names: three, and how many others."""
    left = [one for one in found if one.column not in told]
    notes = [one.note for one in left[:MOST_NOTES]]
    if len(left) > MOST_NOTES:
        more = counted(len(left) - MOST_NOTES, "more columns")
        have = "has" if len(left) == MOST_NOTES + 1 else "have"
        notes.append(f"Note: {more} {have} values outside the training range.")
    return notes


def refuse_outside(found: Sequence[Outside], table: Table) -> None:
    """Raise where all values of a column, ten or more, are far outside the training range."""
    refused = [one for one in found if one.is_refused]
    if not refused:
        return
    first = refused[0]
    more = "" if len(refused) == 1 else f"; so do those of {len(refused) - 1} more columns"
    raise OutsideRangeError(
        f"{table.source}: {first.words}{more}. {_way_out(first, table)}, or add allow_drift=True."
    )


def _way_out(one: Outside, table: Table) -> str:
    """Return what to try: the other decimal mark where values are 1000 times as large or small."""
    others = np.array([1000.0 * one.median, one.median / 1000.0])
    if table.kind is not None or one.training.is_outside(others).all():
        return "Check its unit"
    plan = None if table.plan is None else table.plan.columns.get(one.column)
    mark = POINT if plan is not None and plan.notation.decimal == COMMA else COMMA
    return f"Try decimal={mark!r}"


def _shown(number: float) -> str:
    return f"{number:,.0f}" if 1000 <= abs(number) < 1e15 else f"{number:.4g}"
