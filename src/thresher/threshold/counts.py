"""The counts of two-class decisions, the metrics made of them, and what they cost."""

from typing import NamedTuple, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from thresher.validation import check_number

Vector: TypeAlias = NDArray[np.float64]


class Counts(NamedTuple):
    """Weights of rows by truth and decision, one entry for each threshold.

    A metric is 0 where it is undefined, as in scikit-learn with `zero_division=0`.

    Examples
    --------
    >>> counts = Counts(*(np.array([value]) for value in (88.0, 2.0, 4.0, 6.0)))
    >>> counts.precision, counts.recall
    (array([0.75]), array([0.6]))
    """

    tn: Vector
    fp: Vector
    fn: Vector
    tp: Vector

    @classmethod
    def of(cls, is_alert: object, is_positive: object) -> Self:
        """Count decisions by truth; one entry each.

        >>> Counts.of([True, True, False], [True, False, False]).precision
        array([0.5])
        """
        truth, alert = (np.asarray(one).astype(np.intp) for one in (is_positive, is_alert))
        return cls(*np.bincount(2 * truth + alert, minlength=4).astype(np.float64)[:, None])

    def plus(self, more: "Counts") -> "Counts":
        """Return the sums of two counts of as many entries."""
        return Counts(*(one + other for one, other in zip(self, more, strict=True)))

    @property
    def precision(self) -> Vector:
        """Share of true alerts among alerts."""
        return ratio(self.tp, self.tp + self.fp)

    @property
    def recall(self) -> Vector:
        """Share of the positives that are found (sensitivity)."""
        return ratio(self.tp, self.tp + self.fn)

    @property
    def specificity(self) -> Vector:
        """Share of the negatives that are left alone."""
        return ratio(self.tn, self.tn + self.fp)

    def fbeta(self, beta: float = 1.0) -> Vector:
        """F score: recall counts `beta` times as much as precision."""
        found = (1.0 + beta**2) * self.tp
        return ratio(found, found + beta**2 * self.fn + self.fp)

    @property
    def bcr(self) -> Vector:
        """Balanced classification rate: the mean of sensitivity and specificity."""
        return 0.5 * (self.recall + self.specificity)

    @property
    def gmean(self) -> Vector:
        """Geometric mean of sensitivity and specificity."""
        return np.sqrt(self.recall * self.specificity)

    @property
    def mcc(self) -> Vector:
        """Matthews' correlation of truth and decision."""
        alerts, positives = self.tp + self.fp, self.tp + self.fn
        silent, negatives = self.tn + self.fn, self.tn + self.fp
        # Roots before products: four counts of a million rows each would lose digits otherwise.
        scale = np.sqrt(alerts) * np.sqrt(positives) * np.sqrt(silent) * np.sqrt(negatives)
        return ratio(self.tp * self.tn - self.fp * self.fn, scale)

    @property
    def total(self) -> Vector:
        """Weight of all rows."""
        return self.tn + self.fp + self.fn + self.tp

    @property
    def alerts_per_1000(self) -> Vector:
        """Rows that are called positive, of every 1000."""
        return 1000.0 * ratio(self.tp + self.fp, self.total)


def ratio(part: Vector, whole: Vector) -> Vector:
    """Divide; 0 where the whole is 0.

    >>> ratio(np.array([1.0, 1.0]), np.array([4.0, 0.0]))
    array([0.25, 0.  ])
    """
    return np.divide(part, whole, out=np.zeros_like(whole), where=whole > 0)


class Costs(NamedTuple):
    """What a decision costs: of a false and of a missed alert; gains of the right decisions."""

    fp: float = 1.0
    fn: float = 1.0
    gain_tp: float = 0.0
    gain_tn: float = 0.0

    def check(self) -> None:
        """Raise unless costs and gains make a threshold."""
        for name, value in zip(("cost_fp", "cost_fn", *self._fields[2:]), self, strict=True):
            check_number(name, value, 0.0)
        if sum(self) <= 0:
            raise ValueError("cost_fp, cost_fn, gain_tp and gain_tn are all 0; raise one of them.")

    @property
    def threshold(self) -> float:
        """Elkan's threshold: above this probability an alert is worth its expected cost.

        >>> Costs(fp=1.0, fn=9.0).threshold
        0.1
        """
        return float((self.fp + self.gain_tn) / sum(self))

    def per_row(self, counts: Counts) -> Vector:
        """Return the mean cost of a row, gains taken off."""
        return self.of_all(counts) / counts.total

    def of_all(self, counts: Counts) -> Vector:
        """Return the cost of all rows, gains taken off."""
        tn, fp, fn, tp = counts
        return self.fp * fp + self.fn * fn - self.gain_tp * tp - self.gain_tn * tn

    @property
    def by_outcome(self) -> tuple[float, float, float, float]:
        """What a row costs, in the order of the four counts: tn, fp, fn, tp."""
        return -self.gain_tn, self.fp, self.fn, -self.gain_tp


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
