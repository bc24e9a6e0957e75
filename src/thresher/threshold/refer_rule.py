"""A rule with two thresholds: rows between them are referred to somebody who looks closer."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from thresher.errors import RuleNotMetError
from thresher.threshold.answered import Answered
from thresher.threshold.costs import Costs
from thresher.threshold.counts import Counts
from thresher.threshold.promise import HELD_OUT
from thresher.threshold.promised_cut import precision_cut, recall_cut
from thresher.threshold.refer_promise import ReferPromise
from thresher.threshold.search import SLACK, Cuts


class Pair(NamedTuple):
    """Two thresholds: rows at `low` or below pass, rows above `high` alert; low <= high."""

    low: float
    high: float


@dataclass(frozen=True)
class ReferRule:
    """As few referred rows as two limits allow, or the cheapest answers at a price of a referral.

    By limits, each threshold keeps one of them: `low` is the highest at which at most `miss` of the
    positives pass, `high` the lowest at which at most `false_alarm` of the alerts are negative.
    Where they cross, both are the upper one, which keeps both limits, and nothing is referred.
    With a confidence each limit is promised. With a price, all pairs of cuts are compared.

    Attributes
    ----------
    miss, false_alarm : the limits, None with a price.
    price : of a referred row, None with limits.
    confidence : with which each limit is promised, None for none.
    costs : of decisions, for a price.

    Examples
    --------
    >>> from thresher.threshold.search import ScoredRows
    >>> scores, truth = [0.1, 0.2, 0.4, 0.5, 0.8, 0.9], [0, 0, 1, 0, 1, 1]
    >>> cuts = ScoredRows.of(scores, truth).cuts()
    >>> [round(one, 2) for one in ReferRule(miss=0.0, false_alarm=0.0).choose_pair(cuts)]
    [0.3, 0.65]
    >>> [round(one, 2) for one in ReferRule(price=0.1).choose_pair(cuts)]
    [0.3, 0.65]
    """

    miss: float | None = None
    false_alarm: float | None = None
    price: float | None = None
    confidence: float | None = None
    costs: Costs = Costs()  # noqa: RUF009 - a tuple does not change
    name = "refer"
    needs_probabilities = False

    def choose(self, cuts: Cuts, share: float | None = None) -> float:
        """Return the lower threshold; `share` does not matter here."""
        return self.choose_pair(cuts).low

    def choose_pair(self, cuts: Cuts) -> Pair:
        """Return both thresholds; a RuleNotMetError where no alert keeps the limit."""
        if self.price is not None:
            pair = cheapest_pair(cuts, self.costs, self.price)
            return Pair(*(float(cuts.thresholds[place]) for place in pair))
        assert self.miss is not None
        assert self.false_alarm is not None
        if self.confidence is None:
            low = float(cuts.thresholds[miss_cut(cuts, self.miss)])
            high = float(cuts.thresholds[false_alarm_cut(cuts, self.false_alarm)])
        else:
            low = float(cuts.thresholds[recall_cut(cuts, 1.0 - self.miss, self.confidence)])
            high = cuts.just_above(precision_cut(cuts, 1.0 - self.false_alarm, self.confidence))
        return Pair(min(low, high), high)

    def refuse_new_share(self) -> None:
        """Raise where a promise would not hold for another share of positives."""
        if self.confidence is not None:
            raise ValueError(
                "rule='refer' with a confidence promises for the share of positives it was fitted "
                "on only; fit it on rows of the new share, or take confidence=None."
            )

    def promise(self, cuts: Cuts, pair: Pair, *, unseen: str) -> ReferPromise | None:
        """Return what a pair that this rule chose promises, None without a confidence.

        `unseen` tells how the model came not to know these rows; what is held out makes an exact
        promise.
        """
        if self.confidence is None or self.miss is None or self.false_alarm is None:
            return None
        found = answered(cuts, pair)
        rows = float(found.total[0])
        plain = answered(cuts, self._plain_pair(cuts))
        return ReferPromise(
            miss=self.miss,
            false_alarm=self.false_alarm,
            confidence=self.confidence,
            rows=int(rows),
            positives=int(cuts.counts.tp[0]),
            unseen=unseen,
            exact=unseen == HELD_OUT,
            alerts_per_1000=1000.0 * float(found.n_alerts[0]) / rows,
            referred_per_1000=1000.0 * float(found.referred[0]),
            referred_per_1000_without=1000.0 * float(plain.referred[0]),
        )

    def _plain_pair(self, cuts: Cuts) -> Pair:
        return ReferRule(self.miss, self.false_alarm).choose_pair(cuts)


def answered(cuts: Cuts, pair: Pair) -> Answered:
    """Count the answers of two thresholds."""
    low, high = (cuts.at(one) for one in pair)
    return Answered(*(Counts(*(one[[place]] for one in cuts.counts)) for place in (low, high)))


def miss_cut(cuts: Cuts, miss: float) -> int:
    """Return the last cut, of the most rows that pass, with at most this share of positives."""
    counts = cuts.counts
    # A limit that is missed by rounding alone is met.
    allowed = counts.fn <= miss * counts.fn[-1] * (1.0 + SLACK)
    return int(np.flatnonzero(allowed)[-1])


def false_alarm_cut(cuts: Cuts, false_alarm: float) -> int:
    """Return the first cut, of the most alerts, of which at most this share are negative."""
    # The last cut makes no alert.
    fp, tp = cuts.counts.fp[:-1], cuts.counts.tp[:-1]
    allowed = np.flatnonzero(fp <= false_alarm * (fp + tp) * (1.0 + SLACK))
    if not len(allowed):
        best = float((fp / (fp + tp)).min())
        raise RuleNotMetError(
            f"No threshold that makes an alert keeps the share of false ones at or below "
            f"{false_alarm:g} on these scores; the best attainable value is {best:.6g}."
        )
    return int(allowed[0])


def cheapest_pair(cuts: Cuts, costs: Costs, price: float) -> tuple[int, int]:
    """Return the two cuts, the first not behind the second, whose answers cost least.

    The cost of a pair is a term of its first cut and a term of its second, so that the running
    minimum of the former leaves one pass over the latter. Of pairs that cost the same (to `SLACK`)
    the one that refers least is taken, then the one with the fewest alerts.
    """
    tn, fp, fn, tp = cuts.counts
    before = costs.fn * fn - costs.gain_tn * tn - price * (tn + fn)
    after = costs.fp * fp - costs.gain_tp * tp + price * (tn + fn)
    running = np.minimum.accumulate(before)
    # Rounding grows with the terms, which may be far larger than the cost itself.
    slack = SLACK * float(np.abs(before).max() + np.abs(after).max())
    places = np.arange(len(before))
    first = np.maximum.accumulate(np.where(before <= running + slack, places, 0))
    cost = before[first] + after
    referred = (tn + fn) - (tn + fn)[first]
    referred[cost > cost.min() + slack] = np.inf
    second = int(places[-1] - np.argmin(referred[::-1]))
    return int(first[second]), second
