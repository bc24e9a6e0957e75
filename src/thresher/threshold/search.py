"""Every set of decisions that a threshold can make, and the best of them, in one sorted pass.

A row is positive if and only if its score is above the threshold, so all thresholds of an interval
[one score, the next score) decide alike. There is one interval more than distinct scores: the
first calls every row positive, the last none.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from thresher.threshold.counts import Costs, Counts, Vector
from thresher.validation import on_grid

SLACK = 1e-12
"""Values that differ by rounding alone, relatively, are equal."""
NEXT_TO = 2.0**-10
"""Part of an interval that lies next to its start."""


@dataclass(frozen=True)
class Cuts:
    """The decisions along the threshold, from "all positive" to "none positive".

    Attributes
    ----------
    edges : the distinct scores, ascending, between the ends of the two outer intervals.
    counts : the four counts of each interval.
    ends : where intervals end, if not at the next edge; interval i is [lower[i], upper[i]).
    is_probability : whether the scores are probabilities.
    """

    edges: Vector
    counts: Counts
    ends: Vector | None = None
    is_probability: bool = True

    @property
    def lower(self) -> Vector:
        """The first threshold of each interval."""
        return self.edges[:-1]

    @property
    def upper(self) -> Vector:
        """Where each interval ends: at the next edge, or before where several scores share one."""
        return self.edges[1:] if self.ends is None else self.ends

    @property
    def share(self) -> float:
        """The share of positives."""
        fn, tn = float(self.counts.fn[-1]), float(self.counts.tn[-1])
        return fn / (fn + tn)

    @cached_property
    def thresholds(self) -> Vector:
        """The middle of each interval."""
        return _middles(self.lower, self.upper)

    def at(self, threshold: float) -> int:
        """Return the cut that a threshold makes."""
        return int(np.searchsorted(self.edges[1:-1], threshold, side="right"))

    def just_above(self, place: int) -> float:
        """Return a threshold next to the start of a cut: the scores there are no alerts, for sure.

        What is no alert by a hair elsewhere, where probabilities are rounded otherwise, stays none.
        """
        low, high = float(self.lower[place]), float(self.upper[place])
        found = low + NEXT_TO * (high - low)
        return found if low <= found < high else low

    def best_threshold(self, values: Vector) -> float:
        """Return the middle of the interval in which `values` is largest.

        Neighbouring intervals that are equally good (to `SLACK`) are one interval. Of several such,
        the last is taken: it has the fewest alerts.

        Examples
        --------
        >>> rows = ScoredRows.of([0.1, 0.2, 0.6, 0.8], [0, 0, 1, 1])
        >>> rows.cuts().best_threshold(rows.cuts().counts.bcr)
        0.4
        """
        best = float(values.max())
        is_best = (values == best) | (values > best - SLACK * abs(best))
        last = len(is_best) - 1 - int(np.argmax(is_best[::-1]))
        others = np.flatnonzero(~is_best[:last])
        first = int(others[-1]) + 1 if len(others) else 0
        return float(_middles(self.lower[first : first + 1], self.upper[last : last + 1])[0])


@dataclass(frozen=True)
class ScoredRows:
    """Rows in ascending order of their score.

    Attributes
    ----------
    scores : the distinct scores.
    codes : for each row 2 * (index of its score) + (1 if it is positive).
    weights : the weight of each row, None where all are 1.
    is_probability : whether thresholds belong into [0, 1].
    """

    scores: Vector
    codes: NDArray[np.int64]
    weights: Vector | None
    is_probability: bool

    @classmethod
    def of(
        cls,
        scores: object,
        is_positive: object,
        weights: Vector | None = None,
        *,
        is_probability: bool = True,
    ) -> Self:
        """Sort rows by score. Rows of weight zero are left out."""
        score = np.asarray(scores, dtype=np.float64)
        positive = np.asarray(is_positive).astype(bool)
        if weights is not None:
            present = weights > 0
            score, positive, weights = score[present], positive[present], weights[present]
        _refuse(score, positive)
        order = np.argsort(score)
        score = score[order]
        is_new = np.concatenate([[True], score[1:] != score[:-1]])
        codes = 2 * (np.cumsum(is_new) - 1) + positive[order]
        sorted_weights = None if weights is None else on_grid(weights)[order]
        return cls(score[is_new], codes, sorted_weights, is_probability)

    def __len__(self) -> int:
        return len(self.codes)

    def cuts(self) -> Cuts:
        """Count the decisions of every threshold."""
        edges, counts = (
            outer_edges(self.scores, self.is_probability),
            counts_along(*self.by_class()),
        )
        return Cuts(edges, counts, is_probability=self.is_probability)

    def squares(self) -> NDArray[np.float64] | None:
        """Return sums of squared weights by class and score, None where rows are not weighted."""
        return None if self.weights is None else self.by_class(2)

    def by_class(self, power: int = 1) -> NDArray[Any]:
        """Return the sum of weights, to a power, of the negatives and of the positives by score."""
        weights = None if self.weights is None else self.weights**power
        return np.bincount(self.codes, weights, minlength=2 * len(self.scores)).reshape(-1, 2).T


def counts_along(negative: NDArray[Any], positive: NDArray[Any]) -> Counts:
    """Count the decisions of each interval from the rows of both classes at each score."""
    tn, fn = _running_sum(negative), _running_sum(positive)
    return Counts(tn, tn[-1] - tn, fn, fn[-1] - fn)


def _running_sum(values: NDArray[Any]) -> Vector:
    """Return the sum before each value, and the sum of all."""
    sums = np.zeros(len(values) + 1)
    np.cumsum(values, out=sums[1:])
    return sums


def _refuse(scores: Vector, is_positive: NDArray[np.bool_]) -> None:
    if not np.isfinite(scores).all():
        row = int(np.flatnonzero(~np.isfinite(scores))[0])
        raise ValueError(
            f"The scores must be finite to choose a threshold, but one is {scores[row]}; look at "
            "the estimator's predict_proba or decision_function."
        )
    if is_positive.all() or not is_positive.any():
        raise ValueError(
            "The rows with a score hold one class only, so that no threshold can be chosen; both "
            "classes are needed."
        )


def outer_edges(scores: Vector, is_probability: bool) -> Vector:
    """Put the outer ends around the distinct scores.

    For probabilities these are 0 and 1, so that thresholds stay in [0, 1]; only "all positive" with
    a score of 0 needs a threshold below 0, from [-1, 0). Other scores have no ends of their own:
    their outer intervals are as long as their range, or 1.
    """
    lowest, highest = float(scores[0]), float(scores[-1])
    if is_probability:
        ends = (0.0 if lowest > 0.0 else lowest - 1.0, max(1.0, highest))
    else:
        reach = highest - lowest or 1.0
        largest = np.finfo(np.float64).max
        ends = (max(lowest - reach, -largest), min(highest + reach, largest))
    return np.concatenate([ends[:1], scores, ends[1:]])


def _middles(lower: Vector, upper: Vector) -> Vector:
    """Return the middle of intervals [lower, upper); never the upper end, not even by rounding."""
    middle = 0.5 * lower + 0.5 * upper
    return np.where((lower <= middle) & (middle < upper), middle, lower)


def curve_columns(cuts: Cuts, costs: Costs) -> dict[str, Vector]:
    """Return one entry for each different set of decisions, from all positive to none.

    Examples
    --------
    >>> from thresher.threshold.search import ScoredRows
    >>> columns = curve_columns(ScoredRows.of([0.2, 0.6], [0, 1]).cuts(), Costs())
    >>> columns["threshold"], columns["f1"].round(3)
    (array([0.1, 0.4, 0.8]), array([0.667, 1.   , 0.   ]))
    """
    counts = cuts.counts
    return {
        "threshold": cuts.thresholds,
        "tp": counts.tp,
        "fp": counts.fp,
        "tn": counts.tn,
        "fn": counts.fn,
        "precision": counts.precision,
        "recall": counts.recall,
        "f1": counts.fbeta(),
        "bcr": counts.bcr,
        "gmean": counts.gmean,
        "mcc": counts.mcc,
        "expected_cost": costs.per_row(counts),
        "alerts_per_1000": counts.alerts_per_1000,
    }
