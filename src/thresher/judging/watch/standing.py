"""How a question stands: the evidence after each batch, and since when there is an alarm."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import exp, log
from typing import Any

from thresher.judging.watch.e_process import log_e_values, strongest_start
from thresher.judging.watch.journal import Entry
from thresher.judging.watch.question import Question
from thresher.threshold.counts import Vector
from thresher.wording import finite, number, two_digits

LARGEST_LOG = 700.0
"""Logarithms of larger e-values have no finite exponential."""
MOST = 1e6
"""E-values above this are not told in digits."""


@dataclass(frozen=True, eq=False)
class Standing:
    """What the entries of a journal say to a question.

    Attributes
    ----------
    question : what is asked.
    entries : what was seen, in its order.
    """

    question: Question
    entries: Sequence[Entry]

    @cached_property
    def log_e(self) -> Vector:
        """The logarithm of the e-value after each entry."""
        return log_e_values(*self.question.bets(self.entries), self.question.bet_limit)

    @property
    def e_value(self) -> float:
        """The last e-value; 1 before the first entry."""
        return exp(min(self.log_e[-1], LARGEST_LOG)) if self.entries else 1.0

    @property
    def e_words(self) -> str:
        """The last e-value as people read it."""
        e = self.e_value
        return two_digits(e) if e < 10.0 else number(e) if e < MOST else f"over {number(MOST)}"

    @cached_property
    def alarm(self) -> int | None:
        """The place of the entry that raised the alarm, which stays; None without one."""
        is_over = self.log_e >= log(self.question.line)
        return int(is_over.argmax()) if is_over.any() else None

    @property
    def is_alarm(self) -> bool:
        """Whether the evidence has ever reached the line."""
        return self.alarm is not None

    @cached_property
    def start(self) -> int | None:
        """About where the change began: the bet that had earned most at the alarm."""
        if self.alarm is None:
            return None
        hits, rows = self.question.bets(self.entries[: self.alarm + 1])
        return strongest_start(hits, rows, self.question.bet_limit).place

    @property
    def hits(self) -> int:
        """Rows of the rate in question, among `rows`."""
        return int(self.question.counts(self.entries)[0].sum())

    @property
    def rows(self) -> int:
        """Rows that were counted."""
        return int(self.question.counts(self.entries)[1].sum())

    @property
    def rate(self) -> float | None:
        """The rate of all that was seen; None where nothing was."""
        return self.hits / self.rows if self.rows else None

    @property
    def rate_since(self) -> float | None:
        """The rate from `start` on; None without an alarm."""
        if self.start is None:
            return None
        hits, rows = self.question.counts(self.entries[self.start :])
        return float(hits.sum() / rows.sum())

    def when(self, place: int | None) -> str | None:
        """Return the day of an entry, or its number; None for none."""
        if place is None:
            return None
        return self.entries[place].day or f"batch {place + 1}"

    def as_data(self) -> dict[str, Any]:
        """Return plain data."""
        asked = self.question
        return {
            "question": asked.name,
            "hits": self.hits,
            "rows": self.rows,
            "rate": self.rate,
            "reference": finite(asked.reference),
            "limit": asked.limit,
            "e_value": self.e_value,
            "line": asked.line,
            "alarm": self.when(self.alarm),
            "since": self.when(self.start),
            "rate_since": self.rate_since,
        }
