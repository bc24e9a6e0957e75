"""Scores of rows that a model had not seen, as counts: what a file keeps of them, no row itself."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from thresher.threshold.counts import Answered, Costs, Counts, Vector
from thresher.threshold.search import Cuts, counts_along, curve_columns, outer_edges

MAX_SCORES = 5000
"""Distinct scores that are kept; where there are more, neighbours share one."""


class ScoreCounts(NamedTuple):
    """Rows of both classes at each score, ascending.

    Attributes
    ----------
    score : the largest score of each group of rows.
    least : the smallest one; the same where no neighbours had to be put together.
    negative, positive : rows of either class.
    """

    score: Vector
    least: Vector
    negative: Vector
    positive: Vector

    @classmethod
    def of(cls, scores: Any, is_positive: Any, *cuts: float | None) -> "ScoreCounts":
        """Count scored rows: at these cuts exactly, however many scores there are.

        A cut may be None, as the second threshold of a rule that refers nothing is.

        >>> ScoreCounts.of([0.2, 0.2, 0.6], [0, 1, 1]).positive
        array([1., 1.])
        """
        truth = np.asarray(is_positive, dtype=np.float64)
        distinct, place = np.unique(np.asarray(scores, dtype=np.float64), return_inverse=True)
        negative, positive = (
            np.bincount(place, rows, minlength=len(distinct)).astype(np.float64)
            for rows in (1.0 - truth, truth)
        )
        known = [cut for cut in cuts if cut is not None]
        return cls(distinct, distinct, negative, positive).condensed(*known)

    def condensed(self, *cuts: float) -> "ScoreCounts":
        """Put neighbours together where there are too many, none on both sides of a cut."""
        size = len(self.score)
        if size <= MAX_SCORES:
            return self
        sides = np.searchsorted(self.score, cuts, side="right")
        starts = np.union1d(_even_above(size, MAX_SCORES - len(cuts)), sides[sides < size])
        return self.grouped(starts.astype(np.intp))

    def grouped(self, starts: NDArray[np.intp]) -> "ScoreCounts":
        """Put those scores together that begin at these places."""
        return ScoreCounts(
            np.maximum.reduceat(self.score, starts),
            np.minimum.reduceat(self.least, starts),
            np.add.reduceat(self.negative, starts),
            np.add.reduceat(self.positive, starts),
        )

    @property
    def share(self) -> float:
        """The share of positives."""
        return float(self.positive.sum() / (self.positive.sum() + self.negative.sum()))

    def cuts(self) -> Cuts:
        """Count the decisions of every threshold that no group of scores straddles."""
        edges = outer_edges(self.score, is_probability=True)
        edges[0] = outer_edges(self.least, is_probability=True)[0]
        ends = np.append(self.least, edges[-1])
        return Cuts(edges, counts_along(self.negative, self.positive), ends)

    def curve(self, costs: Costs | None) -> dict[str, Vector]:
        """Return all measures along the threshold, for people: in [0, 1]; costs where known."""
        columns = curve_columns(self.cuts(), costs or Costs())
        columns["threshold"] = columns["threshold"].clip(0.0, 1.0)
        if costs is None:
            del columns["expected_cost"]
        return columns

    def counts_at(self, threshold: float) -> Counts:
        """Count the decisions of one threshold; a group counts as its largest score."""
        above = self.score > threshold
        fp, tp = self.negative[above].sum(), self.positive[above].sum()
        tn, fn = self.negative.sum() - fp, self.positive.sum() - tp
        return Counts(*(np.array([value]) for value in (tn, fp, fn, tp)))

    def answered_at(self, low: float, high: float) -> Answered:
        """Count the answers of two thresholds; a group counts as its largest score."""
        return Answered(self.counts_at(low), self.counts_at(high))


def _even_above(size: int, most: int) -> NDArray[np.int64]:
    """Return where groups begin: the highest scores one by one, the others in groups that grow.

    Alerts on a rare class lie among the highest scores. Behind the first half of the groups each
    is the same share of all that lies above it, so that no threshold miscounts more of its alerts:
    0.3 % of them at most where there are five million scores.
    """
    single = most // 2
    ranks = single * (size / single) ** np.linspace(0.0, 1.0, most - single + 1)
    ends = np.concatenate([np.arange(1, single), np.round(ranks)]).astype(np.int64)
    return np.unique(size - ends)
