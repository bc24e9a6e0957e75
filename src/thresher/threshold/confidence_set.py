"""How sure a threshold is: all cuts that may be the best, since none is surely better.

A bootstrap of the best cut itself is inconsistent, since that jumps from sample to sample. Here a
cut stays where its distance to the best one, on the same rows, is not significant: no larger than
a quantile of the largest such distance along the curve, each in units of its own spread (max-t).
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from thresher.threshold.counts import Counts, Vector
from thresher.threshold.rules import FixedRule, Limit, Objective, PlainRule, SearchedRule
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


COVERAGE = 0.95


def threshold_interval(
    cuts: Cuts,
    rule: PlainRule,
    n_bootstrap: int,
    seed: int,
    coverage: float = COVERAGE,
    squares: NDArray[np.float64] | None = None,
) -> tuple[float, float]:
    """Return the hull of the confidence set of a rule's best threshold.

    A formula of the share of positives has the central part of its values on bootstrap samples.

    Parameters
    ----------
    cuts : Cuts
        What the rule chooses on.
    rule : FixedRule or SearchedRule
        Labels are taken as they are, also where the rule smooths them.
    n_bootstrap, seed : int
        Number of bootstrap samples, and their seed.
    coverage : float, default=0.95
        How often such a set holds the best threshold, over samples of rows to choose on.
    squares : ndarray of shape (2, n_scores), default=None
        Sums of squared weights by class and score, of rows that are weighted.

    Examples
    --------
    >>> from thresher.threshold.search import ScoredRows
    >>> random = np.random.default_rng(0)
    >>> p = random.random(2000)
    >>> cuts = ScoredRows.of(p, random.random(2000) < p).cuts()
    >>> low, high = threshold_interval(cuts, SearchedRule("bcr", lambda one: one.bcr), 200, seed=0)
    >>> bool(0.3 < low < 0.5 < high < 0.7)  # 0.5, the share of positives, is the best one
    True
    """
    samples = PoissonSamples.of(cuts, squares)
    drawn = samples.drawn(n_bootstrap, seed)
    if isinstance(rule, FixedRule):
        return _of_formula(rule, drawn, coverage)
    low, high = samples.hull(plausible(samples.counts, drawn, rule, coverage))
    if cuts.is_probability:
        low = max(low, 0.0)
    chosen = rule.choose(cuts)
    return min(low, chosen), max(high, chosen)


def plausible(
    counts: Counts, drawn: Sequence[Counts], rule: SearchedRule, coverage: float
) -> NDArray[np.bool_]:
    """Return which cuts may be the best by a rule, from their counts on rows and on samples."""
    objective = _Along.of(rule.objective, counts, drawn)
    if rule.limit is None:
        return objective.lead_of(objective.best()).not_significant(coverage)
    limited = _Along.of(rule.limit.measure, counts, drawn)
    return _within(rule.limit, limited, objective, coverage)


def _within(
    limit: Limit, limited: "_Along", objective: "_Along", coverage: float
) -> NDArray[np.bool_]:
    """Return the cuts that may keep a limit, and do not fall behind one that surely keeps it."""
    margin = limited.margin_of(limit)
    keeps = margin.value >= 0.0
    best = objective.best(keeps) if keeps.any() else objective.best()
    critical = max(margin.critical(coverage), objective.lead_of(best).critical(coverage))
    may_be = margin.value >= -critical * margin.spread
    surely = margin.value > critical * margin.spread
    if surely.any():
        lead = objective.lead_of(objective.best(surely))
        may_be &= lead.value <= critical * lead.spread
    may_be[best] = True
    return may_be


class _Differences(NamedTuple):
    """A difference along the cuts, how it deviates in samples, and the spread of that."""

    value: Vector
    deviation: NDArray[np.float64]
    spread: Vector

    def critical(self, coverage: float, among: NDArray[np.bool_] | None = None) -> float:
        """Return a quantile over samples of the largest deviation in units of its spread."""
        moves = self.spread > 0.0
        moves = moves if among is None else moves & among
        if not moves.any():
            return 0.0
        return float(
            np.quantile((self.deviation[:, moves] / self.spread[moves]).max(axis=1), coverage)
        )

    def not_significant(self, coverage: float) -> NDArray[np.bool_]:
        """Return where the difference is not significant, step down.

        What is not significant among all is tested again among what is left, until nothing goes.
        """
        left = np.ones(len(self.value), dtype=np.bool_)
        while True:
            kept = left & (self.value <= self.critical(coverage, left) * self.spread)
            if kept.sum() == left.sum():
                return left
            left = kept


class _Along(NamedTuple):
    """A measure along the cuts, of the rows and of each sample."""

    value: Vector
    drawn: NDArray[np.float64]

    @classmethod
    def of(cls, measure: Objective, counts: Counts, drawn: Sequence[Counts]) -> "_Along":
        return cls(measure(counts), np.stack([measure(one) for one in drawn]))

    def best(self, among: NDArray[np.bool_] | None = None) -> int:
        """Return the best cut; of several the one with the fewest alerts."""
        value = self.value if among is None else np.where(among, self.value, -np.inf)
        return len(value) - 1 - int(np.argmax(value[::-1]))

    def lead_of(self, one: int) -> _Differences:
        """Return by how much one cut is better than each."""
        with np.errstate(invalid="ignore"):
            value = self.value[one] - self.value
            deviation = self.drawn[:, [one]] - self.drawn - value
        # A function that is NaN somewhere, which is never the best, has an infinite lead there.
        deviation[~np.isfinite(deviation)] = 0.0
        return _Differences(value, deviation, deviation.std(axis=0))

    def margin_of(self, limit: Limit) -> _Differences:
        """Return by how much each cut keeps a limit; either side of it counts."""
        sign = 1.0 if limit.is_floor else -1.0
        deviation = np.abs(self.drawn - self.value)
        spread = (self.drawn - self.value).std(axis=0)
        return _Differences(sign * (self.value - limit.bound), deviation, spread)


def _of_formula(rule: FixedRule, drawn: Sequence[Counts], coverage: float) -> tuple[float, float]:
    totals = [(float(one.fn[-1]), float(one.tn[-1])) for one in drawn]
    values = [rule.formula(fn / (fn + tn)) for fn, tn in totals if fn > 0.0 and tn > 0.0]
    if not values:
        return float("nan"), float("nan")
    tail = 0.5 * (1.0 - coverage)
    low, high = np.quantile(values, [tail, 1.0 - tail]).tolist()
    return low, high
