"""What a look found: how each question stands, in figures and in words, and what to do."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from thresher.judging.outside import Outside
from thresher.judging.watch.journal import Entry
from thresher.judging.watch.question import ALERTS, FEWER, MISSES, RATE, Standing
from thresher.threshold.counts import Vector
from thresher.wording import counted, listed, number, percent, plain, verb

COLUMNS, SHARE, THRESHOLD, REFIT = "columns", "share", "threshold", "refit"
ADVICE = {
    COLUMNS: "Check units and decimal marks: the rows of this table were not counted; "
    "allow_drift=True counts them.",
    SHARE: "Move the share: the rate of {class_name} has risen, and misses have no alarm; give "
    "the new share to adjust_prior, or choose the threshold again.",
    THRESHOLD: "Choose the threshold again: it does not raise as many alerts as it was judged by. "
    "The models that judged it may have alerted more or less often than this one, as an alarm in "
    "the first batches says; otherwise look whether columns have changed (thresher predict tells), "
    "and label some rows.",
    REFIT: "Refit: the model misses more {class_name} than it was judged by; train it again with "
    "the new rows.",
}
"""What to do, by what rose."""
WORDS = {
    RATE: "the rate of {class_name}",
    MISSES: "the share of missed {class_name}",
    ALERTS: "the alert rate",
    FEWER: "the alert rate",
}
REFERENCES = {RATE: "in training", MISSES: "judged", ALERTS: "judged", FEWER: "judged"}


@dataclass(frozen=True, eq=False)
class Look:
    """How a watch stands after a look.

    Attributes
    ----------
    new : what this look added, an entry a batch.
    repeated : rows of the table that the watch had seen before, and that brought nothing.
    standings : how each question stands.
    batches : what is known of each batch so far.
    class_name : what people call positive rows.
    outside : columns of the table whose values all lie far outside the training range; where there
        are any, its rows are not counted.
    """

    new: tuple[Entry, ...]
    repeated: int
    standings: tuple[Standing, ...]
    batches: tuple[Entry, ...]
    class_name: str
    outside: tuple[Outside, ...] = ()

    @property
    def alarms(self) -> tuple[Standing, ...]:
        """The questions whose evidence has reached the line, now or before."""
        return tuple(one for one in self.standings if one.is_alarm)

    @property
    def is_alarm(self) -> bool:
        """Whether there is an alarm; one about a rate stays for the life of the watch."""
        return bool(self.alarms or self.outside)

    @property
    def advice(self) -> str | None:
        """One of "columns", "share", "threshold" and "refit"; None without an alarm."""
        if self.outside:
            return COLUMNS
        risen = {one.question.name for one in self.alarms}
        if not risen:
            return None
        return REFIT if MISSES in risen else SHARE if RATE in risen else THRESHOLD

    @property
    def advice_words(self) -> str | None:
        """What to do, in words."""
        return (
            None if self.advice is None else ADVICE[self.advice].format(class_name=self.class_name)
        )

    @cached_property
    def sentence(self) -> str:
        """How it stands, in one sentence."""
        if self.is_alarm:
            rates = [_alarm_words(one, self.class_name) for one in self.alarms]
            told = "; ".join([*(one.words for one in self.outside), *rates])
            return plain(f"Alarm: {told}.")
        rows = sum(one.rows for one in self.batches)
        seen = f"{counted(len(self.batches), 'batches')} ({counted(rows, 'rows')})"
        if not self.standings or not self.batches:
            return "Nothing was seen yet."
        figures = [one for one in self.standings if one.question.name != FEWER and one.rows]
        told = listed([_figure_words(one, self.class_name) for one in figures])
        most = max(self.standings, key=lambda one: one.e_value / one.question.line)
        line = number(most.question.line)
        return plain(
            f"No alarm in {seen}: {told}; the largest e-value is {most.e_words}, alarm from {line}."
        )

    @cached_property
    def chart(self) -> dict[str, Any]:
        """The p-chart of all batches: of labelled rows, or of alerts where there are none."""
        return p_chart(self.standings, self.batches)

    @property
    def words(self) -> list[str]:
        """The sentence, what to do, and what the p-chart says."""
        were, count = verb(self.repeated, "were"), verb(self.repeated, "count")
        again = f"{counted(self.repeated, 'rows')} {were} seen before and {count} once."
        found = [self.sentence, self.advice_words, self.chart_words]
        return [one for one in [*found, again if self.repeated else None] if one]

    @property
    def chart_words(self) -> str | None:
        """What the p-chart says; None where it has no batch."""
        rows = self.chart["rows"]
        if not rows:
            return None
        out = [row["day"] for row in rows if row["out"]]
        last = f", the last one {out[-1]}" if out else ""
        return (
            f"The p-chart of {self.chart['of']} has {number(len(out))} of "
            f"{counted(len(rows), 'batches')} out of control{last}; it promises no level."
        )

    def as_data(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "alarm": self.is_alarm,
            "advice": self.advice,
            "sentence": self.sentence,
            "words": self.words,
            "questions": [one.as_data() for one in self.standings],
            "new": [one.as_data() for one in self.new],
            "repeated": self.repeated,
            "batches": len(self.batches),
            "outside": [one.as_data() for one in self.outside],
            "p_chart": self.chart,
        }

    def __repr__(self) -> str:
        return f"<Look: {self.sentence}>"


SIGMAS = 3.0
"""How far the control limits of a p-chart are from its center."""


def control_limits(center: float, parts: Vector) -> tuple[Vector, Vector]:
    """Return the limits of a p-chart around a rate, for so many parts each.

    >>> low, high = control_limits(0.1, np.array([400.0]))
    >>> low.round(3), high.round(3)
    (array([0.055]), array([0.145]))
    """
    reach = SIGMAS * np.sqrt(center * (1.0 - center) / parts)
    return np.maximum(center - reach, 0.0), np.minimum(center + reach, 1.0)


def p_chart(standings: Sequence[Standing], batches: Sequence[Entry]) -> dict[str, Any]:
    """Return rates and control limits of batches with rows, around the reference."""
    by_name = {one.question.name: one.question for one in standings}
    labelled = RATE in by_name and any(one.labelled for one in batches)
    asked = by_name.get(RATE if labelled else ALERTS)
    if asked is None:
        return {"rows": [], "center": None, "of": None}
    hits, parts = asked.counts(batches)
    low, high = control_limits(asked.reference, np.maximum(parts, 1.0))
    rows = []
    for place in np.flatnonzero(parts).tolist():
        rate = float(hits[place] / parts[place])
        rows.append(
            {
                "day": batches[place].day or f"batch {place + 1}",
                "parts": int(parts[place]),
                "scrap": int(hits[place]),
                "rate": rate,
                "low": float(low[place]),
                "high": float(high[place]),
                "out": bool(rate < low[place] or rate > high[place]),
            }
        )
    of = "positives" if labelled else "alerts"
    return {"rows": rows, "center": asked.reference, "of": of}


def _alarm_words(one: Standing, class_name: str) -> str:
    asked = one.question
    end, moved = ("at least", "fallen") if asked.is_low else ("at most", "risen")
    return (
        f"{_name(one, class_name)} has {moved}: {percent(one.rate_since)} since about "
        f"{one.when(one.start)}, against {percent(asked.reference)} {REFERENCES[asked.name]} "
        f"({end} {percent(asked.limit)}); e-value {one.e_words}, alarm from "
        f"{number(asked.line)}, raised at {one.when(one.alarm)}"
    )


def _figure_words(one: Standing, class_name: str) -> str:
    asked = one.question
    return (
        f"{_name(one, class_name)} is {percent(one.rate)} ({percent(asked.reference)} "
        f"{REFERENCES[asked.name]})"
    )


def _name(one: Standing, class_name: str) -> str:
    return WORDS[one.question.name].format(class_name=class_name)
