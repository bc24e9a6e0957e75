"""Scores of rows that a model had not seen, counted: what thresholds are chosen and judged by."""

from typing import Any, NamedTuple

import numpy as np

from thresher.tables.errors import BadDataError
from thresher.threshold.counts import Counts, Vector
from thresher.threshold.curve import curve_columns
from thresher.threshold.rules import Costs
from thresher.threshold.search import Cuts, ScoredRows

MOST_SCORES = 5000
"""Distinct scores that a model file keeps; neighbours share one where there are more."""


class Scores(NamedTuple):
    """Rows of both classes at each distinct score, ascending."""

    score: Vector
    negative: Vector
    positive: Vector

    @classmethod
    def of(cls, scores: Any, is_positive: Any) -> "Scores":
        """Count scored rows.

        >>> Scores.of([0.2, 0.2, 0.6], [0, 1, 1]).positive
        array([1., 1.])
        """
        distinct, place = np.unique(np.asarray(scores, dtype=np.float64), return_inverse=True)
        truth = np.asarray(is_positive, dtype=np.float64)
        if len(distinct) > MOST_SCORES:
            place = place * MOST_SCORES // len(distinct)
            # Rows of a bin count as its largest score, so that a cut between bins is exact.
            ends = np.arange(1, MOST_SCORES + 1) * len(distinct)
            distinct = distinct[-(-ends // MOST_SCORES) - 1]
        by_class = [
            np.bincount(place, weights, minlength=len(distinct)).astype(np.float64)
            for weights in (1.0 - truth, truth)
        ]
        return cls(distinct, *by_class)

    @classmethod
    def from_data(cls, content: Any) -> "Scores":
        """Read what `as_data` wrote."""
        try:
            found = cls(*(np.array(content[name], dtype=np.float64) for name in cls._fields))
            is_sound = (
                len({len(values) for values in found}) == 1
                and bool((np.diff(found.score) > 0).all())
                and all(bool((values >= 0).all()) for values in found)
                and min(found.negative.sum(), found.positive.sum()) > 0
            )
        except (KeyError, TypeError, ValueError):
            is_sound = False
        if not is_sound:
            raise BadDataError("The model has no scores to choose a threshold on; train it again.")
        return found

    def as_data(self) -> dict[str, list[float]]:
        """Return plain data for the model's file."""
        return {
            "score": self.score.tolist(),
            "negative": self.negative.astype(int).tolist(),
            "positive": self.positive.astype(int).tolist(),
        }

    @property
    def share(self) -> float:
        """The share of positives."""
        return float(self.positive.sum() / (self.positive.sum() + self.negative.sum()))

    def cuts(self) -> Cuts:
        """Count the decisions of every threshold."""
        both, n_scores = np.concatenate([self.score, self.score]), len(self.score)
        is_positive = np.arange(2 * n_scores) >= n_scores
        return ScoredRows.of(both, is_positive, np.concatenate(self[1:])).cuts()

    def curve(self, costs: Costs | None) -> dict[str, Vector]:
        """Return all measures along the threshold; costs only where they are known."""
        columns = curve_columns(self.cuts(), costs or Costs())
        if costs is None:
            del columns["expected_cost"]
        return columns

    def counts_at(self, threshold: float) -> Counts:
        """Count the decisions of one threshold."""
        above = self.score > threshold
        fp, tp = self.negative[above].sum(), self.positive[above].sum()
        tn, fn = self.negative.sum() - fp, self.positive.sum() - tp
        return Counts(*(np.array([value]) for value in (tn, fp, fn, tp)))


def measures(counts: Counts, costs: Costs | None = None) -> dict[str, float]:
    """Return one threshold's counts and what people ask of them, as plain numbers."""
    numbers = {name: int(values[0]) for name, values in zip(counts._fields, counts, strict=True)}
    rates = {
        "precision": counts.precision,
        "recall": counts.recall,
        "f1": counts.fbeta(),
        "alerts_per_1000": counts.alerts_per_1000,
    }
    if costs is not None:
        rates["cost_per_1000"] = 1000.0 * costs.per_row(counts)
    return numbers | {name: float(values[0]) for name, values in rates.items()}
