"""What decisions cost where every row has a price of its own, and candidates compared by it."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from thresher.judging.contest import Contest, Entry, Standing
from thresher.threshold.row_costs import RowCosts

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
