"""Rules without a promise: a formula, or the best of all cuts.

A searched rule is an objective over the four counts, maximised, under a limit where it has one.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from thresher.errors import RuleNotMetError
from thresher.threshold.counts import Counts, Vector
from thresher.threshold.search import SLACK, Cuts
from thresher.threshold.smoothing import smoothed

Objective: TypeAlias = Callable[[Counts], Vector]


@dataclass(frozen=True)
class FixedRule:
    """A threshold on probabilities that needs no search; a function of the share of positives."""

    name: str
    formula: Callable[[float], float]
    needs_probabilities = True

    def choose(self, cuts: Cuts, share: float | None = None) -> float:
        """Return the threshold; `share` of positives is that of the cuts by default."""
        return self.formula(cuts.share if share is None else share)


@dataclass(frozen=True)
class Limit:
    """A bound on one of the measures, a floor or a ceiling; `promise` puts it into words."""

    promise: str
    measure: Objective
    bound: float
    is_floor: bool

    def allows(self, counts: Counts) -> Any:
        """Whether each cut keeps the limit; raise if none does that makes an alert."""
        values = self.measure(counts)
        # A limit that is missed by rounding alone is met.
        if self.is_floor:
            allowed = values >= self.bound * (1.0 - SLACK)
        else:
            allowed = values <= self.bound * (1.0 + SLACK)
        # The last cut makes no alert.
        if not allowed[:-1].any():
            best = values[:-1].max() if self.is_floor else values[:-1].min()
            raise RuleNotMetError(
                f"No threshold that makes an alert {self.promise} {self.bound:g} on these scores; "
                f"the best attainable value is {best:.6g}."
            )
        return allowed


@dataclass(frozen=True)
class SearchedRule:
    """The cut with the largest objective among those that keep the limit.

    With `smooth`, the objective is that of labels shrunk to a smooth curve.
    """

    name: str
    objective: Objective
    limit: Limit | None = None
    smooth: bool = False
    needs_probabilities = False

    def choose(self, cuts: Cuts, share: float | None = None) -> float:
        """Return the middle of the best interval; `share` does not matter here."""
        values = self.objective(smoothed(cuts).counts if self.smooth else cuts.counts)
        if self.limit is not None:
            values = np.where(self.limit.allows(cuts.counts), values, -np.inf)
        return cuts.best_threshold(values)


PlainRule: TypeAlias = FixedRule | SearchedRule
