"""Which candidate to take: the best on unseen rows, or a simpler one that is within the noise.

Candidates decide about the same rows, so their difference is less uncertain than either figure.
Its standard error comes from bootstrap samples of the rows, which fall into eight cells: truth,
one candidate's decision, the other's; into eighteen where there are three answers.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from thresher.threshold.by_row import RowCosts
from thresher.threshold.counts import Answered, Counts, Vector

SAMPLES = 500
COVERAGE = 0.95
MOST_BEHIND = 0.03
"""Share of the best value that a simpler candidate may be behind, however large the noise is."""
Values = Callable[[Any], Vector]
"""Of Counts, or of Answered where there are three answers."""


class Entry(NamedTuple):
    """A candidate in the contest.

    Attributes
    ----------
    complexity : how hard it is to read; the best of equals competes for its complexity.
    is_alert : its decision about each row.
    is_known : whether it has decided about a row without having seen it.
    is_sure : which of its alerts are not referred; None where there are two answers only.
    """

    complexity: int
    is_alert: NDArray[np.bool_]
    is_known: NDArray[np.bool_]
    is_sure: NDArray[np.bool_] | None = None

    @property
    def n_answers(self) -> int:
        """How many answers there are."""
        return 2 if self.is_sure is None else 3

    @property
    def answer(self) -> NDArray[np.intp]:
        """The answer to each row, in the order of rising scores."""
        alert = self.is_alert.astype(np.intp)
        return alert if self.is_sure is None else alert + self.is_sure


class Standing(NamedTuple):
    """What a candidate reaches: the value, its 95 % interval, the gap to the best and its error."""

    value: float
    low: float
    high: float
    gap: float
    noise: float


class Contest(NamedTuple):
    """Rows, by their truth, and what candidates are compared by; larger is better.

    `rows` tells how many rows each entry stands for, where that is not one.

    Examples
    --------
    >>> truth = np.array([True, False] * 50)
    >>> good, all_known = truth.copy(), np.ones(100, dtype=bool)
    >>> good[:2] = False, True
    >>> entries = [Entry(0, good, all_known), Entry(1, truth, all_known)]
    >>> contest = Contest(truth, Counts.fbeta)
    >>> [round(one.gap, 3) for one in contest.standings(entries)]
    [0.02, 0.0]
    >>> contest.winner(entries, contest.standings(entries))
    1
    """

    is_positive: NDArray[np.bool_]
    values: Values
    seed: int = 0
    rows: NDArray[np.int64] | None = None

    def standings(self, entries: Sequence[Entry]) -> list[Standing]:
        """Return what each candidate reaches on its unseen rows."""
        reached = [self._value(one) for one in entries]
        best = entries[int(np.argmax(reached))]
        return [self._standing(one, best) for one in entries]

    def winner(self, entries: Sequence[Entry], standings: Sequence[Standing]) -> int:
        """Return the place of the simplest candidate that is as good as the best.

        That is within one standard error of it, and hardly worse: where rows are few, the error is
        so large that everything is within it.
        """
        places = range(len(entries))
        most = MOST_BEHIND * abs(max(one.value for one in standings))
        within = [
            place for place in places if standings[place].gap <= min(standings[place].noise, most)
        ]
        simplest = min(entries[place].complexity for place in within)
        equals = [place for place in places if entries[place].complexity == simplest]
        return max(equals, key=lambda place: (standings[place].value, -place))

    def _value(self, one: Entry) -> float:
        return float(self.values(_counts(self._decided(one).reshape(1, 2, -1)))[0])

    def _decided(self, one: Entry) -> NDArray[np.int64]:
        """Return rows by truth and decision."""
        n = one.n_answers
        return self._counted(n * self.is_positive + one.answer, one.is_known, 2 * n)

    def _counted(
        self, cells: NDArray[Any], is_known: NDArray[np.bool_], size: int
    ) -> NDArray[np.int64]:
        rows = None if self.rows is None else self.rows[is_known]
        return np.bincount(cells[is_known], rows, minlength=size).astype(np.int64)

    def _standing(self, one: Entry, best: Entry) -> Standing:
        value = self._value(one)
        if one is best:
            low, high = self._interval(one)
            return Standing(value, low, high, 0.0, 0.0)
        both = one.is_known & best.is_known
        n = one.n_answers
        cells = n * n * self.is_positive + n * one.answer + best.answer
        drawn = self._samples(self._counted(cells, both, 2 * n * n)).reshape(-1, 2, n, n)
        own, other = (self.values(_counts(drawn.sum(axis=axis))) for axis in (3, 2))
        low, high = self._interval(one)
        return Standing(value, low, high, self._value(best) - value, float(np.std(other - own)))

    def _interval(self, one: Entry) -> tuple[float, float]:
        values = self.values(
            _counts(self._samples(self._decided(one)).reshape(-1, 2, one.n_answers))
        )
        tail = 0.5 * (1.0 - COVERAGE)
        low, high = np.quantile(values, [tail, 1.0 - tail]).tolist()
        return low, high

    def _samples(self, cells: NDArray[np.int64]) -> NDArray[np.int64]:
        random = np.random.default_rng(self.seed)
        return random.multinomial(int(cells.sum()), cells / cells.sum(), size=SAMPLES)


def _counts(cells: NDArray[np.int64]) -> Counts | Answered:
    """Return counts of samples from cells by truth and decision."""
    negative, positive = (cells[:, truth].T.astype(np.float64) for truth in (0, 1))
    if len(negative) == 2:
        return Counts(*negative, *positive)
    return Answered(*(_split(negative, positive, first) for first in (1, 2)))


def _split(negative: Vector, positive: Vector, first: int) -> Counts:
    """Count the answers from one on as alerts."""
    tn, fp, fn, tp = (
        part.sum(axis=0) for rows in (negative, positive) for part in (rows[:first], rows[first:])
    )
    return Counts(tn, fp, fn, tp)


Z = 1.959963984540054
"""Half the width of a 95 % interval in standard errors."""


class Money(NamedTuple):
    """Cost of some rows: as they were decided, without alerts, with an alert on everything.

    Examples
    --------
    >>> costs = RowCosts(np.array([1.0, 2.0]), np.array([10.0, 20.0]))
    >>> Money.of(costs, np.array([True, False]), np.array([True, True]))
    Money(spent=20.0, silent=30.0, always=0.0)
    """

    spent: float
    silent: float
    always: float

    @classmethod
    def of(
        cls, costs: RowCosts, is_alert: NDArray[np.bool_], is_positive: NDArray[np.bool_]
    ) -> "Money":
        """Count the cost of decisions."""
        decisions = (is_alert, np.zeros_like(is_alert), np.ones_like(is_alert))
        return cls(*(float(costs.spent(one, is_positive).sum()) for one in decisions))

    @classmethod
    def total(cls, parts: Sequence["Money | None"]) -> "Money | None":
        """Return the sums; None where a part is not known."""
        known = [part for part in parts if part is not None]
        if not known or len(known) < len(parts):
            return None
        return cls(*np.sum(known, axis=0).tolist())


class MoneyContest(NamedTuple):
    """Candidates compared by what their decisions cost a row: means, and their standard errors."""

    is_positive: NDArray[np.bool_]
    costs: RowCosts

    def standings(self, entries: Sequence[Entry]) -> list[Standing]:
        """Return what each candidate reaches on its unseen rows; the value is minus the cost."""
        spent = [self.costs.spent(one.is_alert, self.is_positive) for one in entries]
        means = [
            float(one[entry.is_known].mean()) for one, entry in zip(spent, entries, strict=True)
        ]
        best = int(np.argmin(means))
        return [
            self._standing(spent[place], spent[best], entries[place], entries[best])
            for place in range(len(entries))
        ]

    def _standing(
        self,
        own: NDArray[np.float64],
        other: NDArray[np.float64],
        one: Entry,
        best: Entry,
    ) -> Standing:
        value, error = _mean(own[one.is_known])
        if one is best:
            return Standing(-value, -value - Z * error, -value + Z * error, 0.0, 0.0)
        gap = value - _mean(other[best.is_known])[0]
        noise = _mean((own - other)[one.is_known & best.is_known])[1]
        return Standing(-value, -value - Z * error, -value + Z * error, gap, noise)

    def winner(self, entries: Sequence[Entry], standings: Sequence[Standing]) -> int:
        """Return the place of the simplest candidate that is as good as the best."""
        # The same rule as for counts, which are not looked at for it.
        return Contest(self.is_positive, lambda counts: counts.tp).winner(entries, standings)


def _mean(values: NDArray[np.float64]) -> tuple[float, float]:
    """Return the mean and its standard error."""
    return float(values.mean()), float(values.std() / np.sqrt(len(values)))
