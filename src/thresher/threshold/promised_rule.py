"""A rule that promises what it aims at, with a confidence."""

from dataclasses import dataclass

import numpy as np

from thresher.statistics import mean_bound
from thresher.threshold.costs import Costs
from thresher.threshold.plain_rules import PlainRule
from thresher.threshold.promise import ALERTS, COST, HELD_OUT, PRECISION, RECALL, SURVIVING, Promise
from thresher.threshold.promised_cut import (
    alerts_along,
    budget_cut,
    precision_cut,
    recall_cut,
)
from thresher.threshold.search import Cuts

PROMISING = {
    "precision_at_recall": RECALL,
    "recall_at_precision": PRECISION,
    "budget": ALERTS,
    "cost": COST,
}
"""Rules that can promise, and what."""


@dataclass(frozen=True)
class PromisedRule:
    """The cut of the fewest misses, or alerts, that keeps a bound with a confidence.

    It needs rows that are counted, not weighted. The cut of "cost" is fixed by a formula; its
    promise is a bound of what it costs.

    Attributes
    ----------
    name : of the rule.
    plain : the rule without a promise.
    bound : least recall or precision, or most alerts per 1000 rows; None for "cost".
    confidence : of the promise.
    costs : of decisions.
    """

    name: str
    plain: PlainRule
    bound: float | None
    confidence: float
    costs: Costs

    @property
    def what(self) -> str:
        """What is promised."""
        return PROMISING[self.name]

    @property
    def needs_probabilities(self) -> bool:
        """Whether scores must be probabilities."""
        return self.plain.needs_probabilities

    def refuse_new_share(self) -> None:
        """Raise unless the promise holds where only the share of positives has changed."""
        if self.what not in SURVIVING:
            raise ValueError(
                f"rule={self.name!r} with a confidence promises for the share of positives it was "
                "fitted on only; fit it on rows of the new share, or take confidence=None."
            )

    def choose(self, cuts: Cuts, share: float | None = None) -> float:
        """Return the threshold; a RuleNotMetError where these rows cannot promise it."""
        if self.bound is None:
            return self.plain.choose(cuts, share)
        if self.what == PRECISION:
            return cuts.just_above(precision_cut(cuts, self.bound, self.confidence))
        if self.what == RECALL:
            return float(cuts.thresholds[recall_cut(cuts, self.bound, self.confidence)])
        return float(cuts.thresholds[budget_cut(cuts, self.bound / 1000.0, self.confidence)])

    def promise(
        self, cuts: Cuts, threshold: float, *, unseen: str, fixed: bool = True, seed: int = 0
    ) -> Promise:
        """Return what a threshold that this rule chose promises, and what that takes.

        Parameters
        ----------
        cuts : Cuts
            What it was chosen on.
        threshold : float
        unseen : str
            How the model came not to know these rows; what is held out makes an exact promise.
        fixed : bool, default=True
            Whether the threshold of a formula did not depend on these rows.
        seed : int, default=0
            Of the order in which costs are taken.
        """
        alerts = alerts_along(cuts)
        rows = float(alerts[0])
        at, without = (float(alerts[cuts.at(one)]) for one in (threshold, self.plain.choose(cuts)))
        return Promise(
            what=self.what,
            bound=self._cost_bound(cuts, threshold, seed) if self.bound is None else self.bound,
            confidence=self.confidence,
            rows=int(rows),
            positives=int(cuts.counts.tp[0]),
            unseen=unseen,
            exact=unseen == HELD_OUT and (fixed or self.bound is not None),
            alerts_per_1000=1000.0 * at / rows,
            alerts_per_1000_without=1000.0 * without / rows,
        )

    def _cost_bound(self, cuts: Cuts, threshold: float, seed: int) -> float:
        """Return an upper bound of what a row costs on average."""
        place = cuts.at(threshold)
        counts = [int(count[place]) for count in cuts.counts]
        prices = np.array(self.costs.by_outcome)
        least, reach = prices.min(), np.ptp(prices)
        if not reach:
            return float(least)
        scaled = np.repeat((prices - least) / reach, counts)
        return float(least + reach * mean_bound(scaled, self.confidence, seed))
