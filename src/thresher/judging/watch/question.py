"""What a watch asks: which rate, what it may be at most, and how much of the level it spends.

The reference is an estimate: a rate counted on rows of the training, or of its judgement. Its
limit is the end of its Clopper-Pearson interval, which lies on the wrong side of the true rate with
at most the probability `spent`; the e-process then spends as much again. With m questions that is
alpha / (2 m) each, so that alpha bounds a false alarm of any of them, at any look.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import exp, log
from typing import Any

import numpy as np

from thresher.errors import ModelFileError, ParameterError
from thresher.judging.facts import Facts
from thresher.judging.watch.e_process import log_e_values, strongest_start
from thresher.judging.watch.journal import Entry
from thresher.statistics import clopper_pearson
from thresher.threshold.counts import Vector
from thresher.validation import check_number
from thresher.wording import finite, number, two_digits

RATE, MISSES, ALERTS, FEWER = "rate", "misses", "alerts", "fewer alerts"
WATCHED = {RATE: (RATE,), MISSES: (MISSES,), ALERTS: (ALERTS, FEWER)}
"""What can be watched, and the questions that are asked of it."""
MIN_ALPHA, MAX_ALPHA = 1e-6, 0.5


@dataclass(frozen=True)
class Question:
    """Whether a rate has risen above that of a reference, or fallen below it.

    Attributes
    ----------
    name : "rate", "misses", "alerts" or "fewer alerts".
    hits, rows : the reference: rows that were counted, and those of the rate among them.
    spent : the level that its limit spends, and the e-process again.
    """

    name: str
    hits: int
    rows: int
    spent: float

    @property
    def is_low(self) -> bool:
        """Whether it asks for a rate that has fallen."""
        return self.name == FEWER

    @property
    def reference(self) -> float:
        """The rate of the reference; NaN where it has no rows."""
        return self.hits / self.rows if self.rows else float("nan")

    @cached_property
    def limit(self) -> float:
        """The rate that the true one of the reference is beyond with at most `spent`."""
        low, high = clopper_pearson(self.hits, self.rows, 1.0 - 2.0 * self.spent)
        return float(low if self.is_low else high)

    @property
    def bet_limit(self) -> float:
        """The limit of the e-process, which asks for more: of rows without an alert if fallen."""
        return 1.0 - self.limit if self.is_low else self.limit

    @property
    def line(self) -> float:
        """The e-value from which there is an alarm."""
        return 1.0 / self.spent

    def counts(self, entries: Sequence[Entry]) -> tuple[Vector, Vector]:
        """Return hits and rows of each entry."""
        pairs = {
            RATE: ("positives", "labelled"),
            MISSES: ("misses", "positives"),
            ALERTS: ("alerts", "rows"),
            FEWER: ("alerts", "rows"),
        }
        hits, rows = (
            np.array([getattr(entry, name) for entry in entries], dtype=np.float64)
            for name in pairs[self.name]
        )
        return hits, rows

    def bets(self, entries: Sequence[Entry]) -> tuple[Vector, Vector]:
        """Return what the e-process counts: rows that speak for a change, and all."""
        hits, rows = self.counts(entries)
        return (rows - hits if self.is_low else hits), rows


def ask(facts: Facts, watched: Sequence[str], alpha: float) -> tuple[Question, ...]:
    """Return the questions about what is watched; they share alpha equally."""
    check_number("alpha", alpha, MIN_ALPHA, MAX_ALPHA)
    names = [name for one in check_watched(watched) for name in WATCHED[one]]
    references = dict(_references(facts))
    spent = alpha / (2 * len(names))
    return tuple(Question(name, *references[name], spent) for name in names)


def check_watched(watched: Sequence[str]) -> tuple[str, ...]:
    """Return what is watched, each once and in the usual order."""
    given = [watched] if isinstance(watched, str) else list(watched)
    wrong = [one for one in given if one not in WATCHED]
    if wrong or not given:
        told = "is empty" if not given else f"has {wrong[0]!r}"
        raise ParameterError(f"watched= {told}; choose from {', '.join(WATCHED)}.")
    return tuple(one for one in WATCHED if one in given)


def _references(facts: Facts) -> Iterator[tuple[str, tuple[int, int]]]:
    """Return hits and rows of each reference, as the model knows them."""
    judged = facts.judgement
    if facts.rows is None or facts.positives is None or judged is None or facts.target is None:
        raise ModelFileError(
            "The file of this model does not record its training and its judgement, which a watch "
            "compares with; train it again with thresher.train."
        )
    yield RATE, (facts.positives, facts.rows)
    yield MISSES, (judged.fn, judged.fn + judged.tp)
    yield ALERTS, (judged.alerts, judged.rows)
    yield FEWER, (judged.alerts, judged.rows)


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
