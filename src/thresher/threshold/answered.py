"""Rows by truth and by three answers: two sets of counts, one for each threshold."""

from typing import NamedTuple

from thresher.threshold.costs import Costs
from thresher.threshold.counts import Counts, Vector, ratio


class Answered(NamedTuple):
    """The counts at the lower threshold, where rows pass, and at the upper one, where they alert.

    Every vector has an entry for each pair of thresholds. A share is 0 where it is undefined.

    Examples
    --------
    >>> import numpy as np
    >>> low, high = ((80.0, 10.0, 1.0, 9.0), (88.0, 2.0, 4.0, 6.0))
    >>> found = Answered(*(Counts(*(np.array([n]) for n in one)) for one in (low, high)))
    >>> found.referred, found.miss, found.false_alarm
    (array([0.11]), array([0.1]), array([0.25]))
    """

    low: Counts
    high: Counts

    @property
    def total(self) -> Vector:
        """All rows."""
        return self.low.total

    @property
    def n_passed(self) -> Vector:
        """Rows that pass."""
        return self.low.tn + self.low.fn

    @property
    def n_alerts(self) -> Vector:
        """Rows that are answered by an alert."""
        return self.high.tp + self.high.fp

    @property
    def n_referred(self) -> Vector:
        """Rows between."""
        return self.total - self.n_passed - self.n_alerts

    @property
    def referred(self) -> Vector:
        """Share of the rows that are referred."""
        return ratio(self.n_referred, self.total)

    @property
    def miss(self) -> Vector:
        """Share of the positives that pass."""
        return ratio(self.low.fn, self.low.fn + self.low.tp)

    @property
    def false_alarm(self) -> Vector:
        """Share of the alerts that are negative."""
        return ratio(self.high.fp, self.n_alerts)

    @property
    def decided(self) -> Counts:
        """The counts of the rows that are not referred."""
        return Counts(self.low.tn, self.high.fp, self.low.fn, self.high.tp)

    def cost_per_row(self, costs: Costs, price: float) -> Vector:
        """Return the mean cost of a row, gains taken off; a referred one has its price."""
        return ratio(costs.of_all(self.decided) + price * self.n_referred, self.total)
