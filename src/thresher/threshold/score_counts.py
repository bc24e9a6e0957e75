"""Scores of rows that a model had not seen, as counts: what a file keeps of them, no row itself."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from thresher.threshold.answered import Answered
from thresher.threshold.counts import Counts, Vector
from thresher.threshold.curve import curve_columns
from thresher.threshold.rules import Costs
from thresher.threshold.search import Cuts, counts_along, outer_edges

MAX_SCORES = 5000
"""Distinct scores that are kept; neighbours share one where there are more."""


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
    def of(cls, scores: Any, is_positive: Any) -> "ScoreCounts":
        """Count scored rows.

        >>> ScoreCounts.of([0.2, 0.2, 0.6], [0, 1, 1]).positive
        array([1., 1.])
        """
        truth = np.asarray(is_positive, dtype=np.float64)
        return cls._grouped(np.asarray(scores, dtype=np.float64), 1.0 - truth, truth)

    @classmethod
    def joined(cls, parts: Sequence["ScoreCounts"]) -> "ScoreCounts":
        """Return the rows of several counts as one; a group of scores counts as its largest."""
        score, _, negative, positive = (np.concatenate(one) for one in zip(*parts, strict=True))
        return cls._grouped(score, negative, positive)

    @classmethod
    def _grouped(cls, scores: Vector, negative: Vector, positive: Vector) -> "ScoreCounts":
        distinct, place = np.unique(scores, return_inverse=True)
        least = distinct
        if len(distinct) > MAX_SCORES:
            place = place * MAX_SCORES // len(distinct)
            ends = -(-np.arange(MAX_SCORES + 1) * len(distinct) // MAX_SCORES)
            least, distinct = distinct[ends[:-1]], distinct[ends[1:] - 1]
        by_class = [
            np.bincount(place, weights, minlength=len(distinct)).astype(np.float64)
            for weights in (negative, positive)
        ]
        return cls(distinct, least, *by_class)

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
