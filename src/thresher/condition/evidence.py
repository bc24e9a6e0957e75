"""What speaks for conditions: counts where they were found, and where they were not."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from thresher.condition.condition import Members
from thresher.statistics import Vector, fisher_p, holm_adjusted, wilson

Integers = NDArray[np.int64]


class Tally(NamedTuple):
    """Rows and positives under each condition, and of the whole table."""

    n: Integers
    hits: Integers
    all_n: int
    all_hits: int

    def reordered(self, order: NDArray[np.intp]) -> "Tally":
        """Return the conditions in another order."""
        return self._replace(n=self.n[order], hits=self.hits[order])

    def extended(self, n: Integers, hits: Integers) -> "Tally":
        """Return the counts with those of more conditions on the same rows."""
        return self._replace(n=np.append(self.n, n), hits=np.append(self.hits, hits))

    @property
    def rate(self) -> Vector:
        """Share of positives under each condition, NaN without rows."""
        return _ratio(self.hits, self.n)

    @property
    def interval(self) -> tuple[Vector, Vector]:
        """Wilson's 95 % interval of the rate."""
        return wilson(self.hits, self.n)

    @property
    def average(self) -> float:
        """The rate of all rows."""
        return self.all_hits / self.all_n

    @property
    def lift(self) -> Vector:
        """The rate as a multiple of that of all rows."""
        return self.rate / self.average

    @property
    def coverage(self) -> Vector:
        """Share of all positives."""
        return self.hits / self.all_hits

    @property
    def holm_p(self) -> Vector:
        """Fisher's p-values, adjusted by Holm's method; for rows that did not choose the tree."""
        return holm_adjusted(fisher_p(self.hits, self.n, self.all_hits, self.all_n))


def tally(met: Members, is_positive: NDArray[np.bool_]) -> Tally:
    """Count rows that meet conditions.

    >>> tally(np.array([[True, True, False]]), np.array([True, False, False])).rate
    array([0.5])
    """
    hits = (met & is_positive).sum(axis=1)
    return Tally(met.sum(axis=1), hits, len(is_positive), int(is_positive.sum()))


def tree_tally(rows: Integers, leaves: NDArray[np.intp]) -> Tally:
    """Count the rows that grew a tree; `rows` are its (negative, positive) rows by node."""
    negative, positive = rows[leaves].T
    return Tally(negative + positive, positive, int(rows[0].sum()), int(rows[0, 1]))


def money_at_stake(
    n: Integers, rate: Vector, cost_fp: float | Vector, cost_fn: float | Vector
) -> Vector:
    """Return what is saved if every part under a condition is stopped.

    A part that would be scrapped saves `cost_fn`, a good one costs `cost_fp`.

    >>> money_at_stake(np.array([100]), np.array([0.8]), cost_fp=5.0, cost_fn=80.0)
    array([6300.])
    """
    return n * (rate * cost_fn - (1.0 - rate) * cost_fp)


def _ratio(part: Integers, whole: Integers) -> Vector:
    ratio: Vector = np.divide(part, whole, out=np.full(len(whole), np.nan), where=whole > 0)
    return ratio
