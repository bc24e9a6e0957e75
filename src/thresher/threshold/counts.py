"""The four counts of a two-class decision, and the metrics that are made of them."""

from typing import NamedTuple, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

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
