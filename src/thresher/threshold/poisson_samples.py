"""Bootstrap samples of scored rows, as counts along the threshold."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from thresher.threshold.counts import Counts, Vector
from thresher.threshold.search import Cuts, counts_along

MAX_CUTS = 200
"""Cuts that are counted; of more, those that lie evenly between the rows of both classes."""


class PoissonSamples(NamedTuple):
    """Rows between neighbouring cuts, and samples in which a row counts as a Poisson law says.

    Attributes
    ----------
    cuts : all cuts of the rows.
    places : those that are counted, the first and the last among them.
    weight : weight of the negatives and of the positives between two of these.
    unit : what a draw of the law stands for there: 1, or of weighted rows as much as makes mean and
        variance of the weight those of drawn rows.
    """

    cuts: Cuts
    places: NDArray[np.intp]
    weight: NDArray[np.float64]
    unit: NDArray[np.float64]

    @classmethod
    def of(cls, cuts: Cuts, squares: NDArray[np.float64] | None = None) -> "PoissonSamples":
        """Put rows together where there are more cuts than can be counted.

        `squares` are sums of the squared weights of negatives and positives at each score; without
        them rows are counted, not weighted.
        """
        places = _evenly(cuts)
        weights = np.diff(np.stack([cuts.counts.tn, cuts.counts.fn]))
        squares = weights if squares is None else squares
        weight, square = (np.add.reduceat(one, places[:-1], axis=1) for one in (weights, squares))
        unit = np.divide(square, weight, out=np.ones_like(weight), where=weight > 0)
        return cls(cuts, places, weight, unit)

    @property
    def counts(self) -> Counts:
        """The counts of the rows themselves."""
        return counts_along(*self.weight)

    def hull(self, is_in: NDArray[np.bool_]) -> tuple[float, float]:
        """Return the thresholds from one end to the other of a set of cuts.

        What lies between such a cut and the next one that is counted belongs to it.
        """
        first, last = np.flatnonzero(is_in)[[0, -1]].tolist()
        cuts, places = self.cuts, self.places
        low = cuts.upper[places[first - 1]] if first else cuts.lower[0]
        high = cuts.lower[places[last + 1]] if last + 1 < len(places) else cuts.upper[-1]
        return float(low), float(high)

    def drawn(self, times: int, seed: int) -> list[Counts]:
        """Return the counts of so many samples."""
        random = np.random.default_rng(seed)
        mean = self.weight / self.unit
        return [counts_along(*(self.unit * random.poisson(mean))) for _ in range(times)]


def _evenly(cuts: Cuts) -> NDArray[np.intp]:
    """Return cuts between which lie about as many rows of both classes, each class counted as 1."""
    if len(cuts.lower) <= MAX_CUTS:
        return np.arange(len(cuts.lower))
    passed: Vector = cuts.counts.tn / cuts.counts.tn[-1] + cuts.counts.fn / cuts.counts.fn[-1]
    return np.unique(np.searchsorted(passed, np.linspace(0.0, passed[-1], MAX_CUTS)))
