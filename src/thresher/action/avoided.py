"""Scrap that a limit would avoid, if parts that keep it fared as comparable parts do now.

Of the parts that meet a condition, unseen rows tell the rate. Comparable are unseen parts that meet
its other clauses and keep the limit, those nearest to it: where a setting is held at its limit,
parts come to lie there, and not in the middle of its range. The difference of the two rates times
the parts that meet the condition is the scrap avoided, as far as the lever, and nothing that goes
with it, makes the difference. The interval is one of prediction, for as many parts to come: those
parts have an accident of their own, beside that of the rows that the rates were counted on.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from thresher.action.limit import Limit
from thresher.condition.clause import Interval, inside
from thresher.condition.counterparts import Counterparts
from thresher.statistics import difference_interval

LEAST, TIMES = 100, 1
"""Comparable parts in one set of rows, those nearest to the limit: at least so many, and so many
times the parts that meet the condition."""


class Rates(NamedTuple):
    """Unseen parts under a condition and comparable ones that keep the limit, with their scrap."""

    parts: int
    scrap: int
    comparable_parts: int
    comparable_scrap: int

    def __add__(self, other: Any) -> "Rates":
        return Rates(*(one + two for one, two in zip(self, other, strict=True)))

    @property
    def rate(self) -> float:
        """Under the condition, NaN without parts."""
        return self.scrap / self.parts if self.parts else float("nan")

    @property
    def comparable_rate(self) -> float:
        """Of comparable parts, NaN without any."""
        return (
            self.comparable_scrap / self.comparable_parts if self.comparable_parts else float("nan")
        )

    def avoided(self, parts: int) -> tuple[float, float, float]:
        """Return scrap avoided among so many parts to come, and both ends of its 95 % interval.

        The variance p q / n of a rate that was counted and p q / m of one to come add up to that of
        a rate counted on n m / (n + m) parts; Newcombe's interval is taken for these.
        """
        unknown = float("nan")
        if not (parts and self.parts and self.comparable_parts):
            return unknown, unknown, unknown
        n, other = (
            count * parts / (count + parts) for count in (self.parts, self.comparable_parts)
        )
        low, high = difference_interval(self.rate * n, n, self.comparable_rate * other, other)
        difference = self.rate - self.comparable_rate
        return parts * difference, parts * float(low), parts * float(high)


NO_RATES = Rates(0, 0, 0, 0)


def unseen_rates(limit: Limit, place: int, sets: Sequence[Counterparts]) -> Rates:
    """Count parts for the condition of a place on all sets of unseen rows."""
    return sum((_rates(limit, place, rows) for rows in sets), start=NO_RATES)


def _rates(limit: Limit, place: int, rows: Counterparts) -> Rates:
    condition = rows.conditions.get(place)
    clauses = () if condition is None else condition.clauses
    own = next((clause for clause in clauses if clause.column == limit.lever), None)
    if own is None:  # no condition like it here, or one without the lever
        return NO_RATES
    context = [clause for clause in clauses if clause.column != limit.lever]
    here, values = rows.holds(context), rows.values(limit.lever)
    met = here & inside(replace(own, missing=False), values)
    kept = here & ~met & limit.is_kept(values)
    near = _nearest(np.flatnonzero(kept), values, limit, max(LEAST, TIMES * int(met.sum())))
    hit = rows.is_positive
    return Rates(int(met.sum()), int((met & hit).sum()), len(near), int(hit[near].sum()))


def _nearest(
    places: NDArray[np.intp], values: NDArray[Any], limit: Limit, most: int
) -> NDArray[np.intp]:
    """Return the rows nearest to the end of the limit that the condition lies behind."""
    bad, good = limit.bad, limit.good
    if not (isinstance(bad, Interval) and isinstance(good, Interval)) or len(places) <= most:
        return places
    end = good.high if good.high <= bad.low or bad.high == np.inf else good.low
    far = np.abs(values[places] - end)
    return places[np.argsort(far, kind="stable")[:most]]
