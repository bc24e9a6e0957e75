"""What a threshold promises of rows to come: as data, and as one sentence."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from thresher.errors import RuleNotMetError
from thresher.statistics import clopper_pearson, most_events, rows_for_one_event
from thresher.threshold.counts import Vector
from thresher.threshold.search import Cuts
from thresher.wording import digits, fixed, number

MOST_NUMBERS = 12
"""Numbers of alerts that a promise of precision tries; they share its risk."""


def recall_cut(cuts: Cuts, floor: float, confidence: float) -> int:
    """Return the last cut, of the fewest alerts, whose recall is promised to be `floor` or more.

    k is the largest number with P(Bin(positives, 1 - floor) <= k - 1) <= 1 - confidence. The cut
    ends at the k-th smallest score of a positive, which is an alert, and so are its ties.

    Examples
    --------
    >>> from thresher.threshold.search import ScoredRows
    >>> cuts = ScoredRows.of([0.1, 0.2, *[0.6] * 30], [0, 1, *[1] * 30]).cuts()
    >>> recall_cut(cuts, 0.9, 0.9), cuts.thresholds[recall_cut(cuts, 0.9, 0.9)].round(2)
    (1, np.float64(0.15))
    """
    positives, risk = int(cuts.counts.fn[-1]), 1.0 - confidence
    missed = most_events(positives, 1.0 - floor, risk)
    if missed < 0:
        needed = rows_for_one_event(1.0 - floor, risk)
        raise RuleNotMetError(
            f"To promise a recall of {floor:g} with confidence {confidence:g}, {needed} positives "
            f"are needed that chose nothing, but there are {positives}; take more rows, or a lower "
            "floor or confidence."
        )
    return int(np.flatnonzero(cuts.counts.fn <= missed)[-1])


def budget_cut(cuts: Cuts, share: float, confidence: float) -> int:
    """Return the first cut, of the most alerts, that is promised to alert on `share` at most.

    Labels play no part. The rows above it are at most a with P(Bin(rows, share) <= a) <=
    1 - confidence.
    """
    alerts, risk = alerts_along(cuts), 1.0 - confidence
    rows = int(alerts[0])
    most = rows if share >= 1.0 else most_events(rows, share, risk)
    promise = f"To promise at most {1000 * share:g} alerts per 1000 rows with confidence"
    if most < 0:
        needed = rows_for_one_event(share, risk)
        raise RuleNotMetError(
            f"{promise} {confidence:g}, {needed} rows are needed that chose nothing, but there "
            f"are {rows}; take more rows (X_unlabelled), a larger budget or a lower confidence."
        )
    if most < alerts[-2]:
        raise RuleNotMetError(
            f"{promise} {confidence:g}, at most {most} of {rows} rows may be alerts, but "
            f"{int(alerts[-2])} share the highest score; take more rows, or a larger budget."
        )
    return int(np.flatnonzero(alerts <= most)[0])


def precision_cut(cuts: Cuts, floor: float, confidence: float) -> int:
    """Return the cut of the most alerts whose precision is promised to be `floor` or more.

    The numbers of alerts that are tried follow from the number of rows alone, so that each has
    an exact bound (Clopper and Pearson), and all share the risk.
    """
    alerts = alerts_along(cuts)
    least = least_alerts(floor, confidence)
    positives = int(cuts.counts.tp[0])
    if positives < least:
        raise RuleNotMetError(
            f"To promise a precision of {floor:g} with confidence {confidence:g}, {least} "
            f"positives are needed that chose nothing, but there are {positives}; take more rows, "
            "or a lower floor or confidence."
        )
    tried = tried_cuts(alerts, least)
    bounds = precision_bounds(cuts.counts.tp[tried], alerts[tried], confidence)
    passes = np.flatnonzero(bounds >= floor)
    if not len(passes):
        best = int(np.argmax(bounds))
        raise RuleNotMetError(
            f"No number of alerts promises a precision of {floor:g} with confidence "
            f"{confidence:g}; the best bound is {bounds[best]:.3g}, at "
            f"{int(alerts[tried[best]])} alerts."
        )
    return int(tried[passes].min())


def least_alerts(floor: float, confidence: float) -> int:
    """Return how many alerts, all of them right, can promise a precision.

    >>> least_alerts(0.6, 0.9), least_alerts(0.9, 0.9)
    (10, 46)
    """
    return rows_for_one_event(1.0 - floor, (1.0 - confidence) / MOST_NUMBERS)


def tried_cuts(alerts: Vector, least: int) -> NDArray[np.intp]:
    """Return the cuts of at most 12 numbers of alerts, from the least to all, geometrically.

    A number inside a tie is rounded down to whole ties: given the first score that is no alert, the
    rows above it are then independent draws of all that lie above, so that the bound is exact.
    """
    numbers = np.geomspace(least, alerts[0], MOST_NUMBERS).round()
    places = np.searchsorted(-alerts, -numbers)
    return np.unique(places[alerts[places] > 0])


def precision_bounds(hits: Vector, alerts: Vector, confidence: float) -> Vector:
    """Return lower bounds of precision that hold together with a confidence."""
    return clopper_pearson(hits, alerts, 1.0 - 2.0 * (1.0 - confidence) / MOST_NUMBERS)[0]


def alerts_along(cuts: Cuts) -> Vector:
    """Return the number of alerts of each cut, all rows first."""
    return cuts.counts.tp + cuts.counts.fp


RECALL, PRECISION, ALERTS, COST = "recall", "precision", "alerts_per_1000", "cost"
SURVIVING = (RECALL,)
"""Promises that hold where only the share of positives has changed."""
HELD_OUT, OUT_OF_FOLD, OUT_OF_BAG, UNSEEN = "held out", "out of fold", "out of bag", "unseen"
SOURCES = (HELD_OUT, OUT_OF_FOLD, OUT_OF_BAG, UNSEEN)


@dataclass(frozen=True)
class Promise:
    """A bound that a threshold keeps with a confidence; `str` makes one sentence of it.

    Attributes
    ----------
    what : "recall" or "precision", which are at least the bound; "alerts_per_1000" or "cost" (of a
        row), which are at most the bound.
    bound : what was asked for; of a cost, what was found.
    confidence : the least share of samples of rows to choose on for which the promise holds.
    rows, positives : that it was made of, each counted once.
    unseen : how the model came not to know them: "held out", "out of fold", "out of bag", or
        "unseen" where several ways are mixed.
    exact : whether the confidence is a theorem: the rows were held out from the very model that
        decides. Otherwise other models scored them, and it is what has been measured (see
        studies/promises).
    alerts_per_1000, alerts_per_1000_without : on these rows, with the promise and by the same rule
        without it.

    Examples
    --------
    >>> print(Promise("recall", 0.95, 0.9, 4000, 212, "held out", True, 331.0, 273.0))
    Recall is at least 0.95 with confidence 0.9 (exact: 212 positives, held out); it makes 331.0
    alerts per 1000 rows, 58.0 more than without the promise.
    """

    what: str
    bound: float
    confidence: float
    rows: int
    positives: int
    unseen: str
    exact: bool
    alerts_per_1000: float
    alerts_per_1000_without: float

    @property
    def floor(self) -> float | None:
        """The least recall or precision, None where something else is promised."""
        return self.bound if self.what in (RECALL, PRECISION) else None

    @property
    def alerts_on_everything(self) -> bool:
        """Whether every row it was made of is an alert."""
        return self.alerts_per_1000 == 1000.0

    def __str__(self) -> str:
        kind = "exact" if self.exact else "measured"
        count, of = (self.rows, "rows") if self.what in (ALERTS, COST) else (self.positives, "")
        counted = f"{number(count)} {of or 'positives'}, {self.unseen}"
        bound = digits(self.bound)
        words = {
            RECALL: f"Recall is at least {bound}",
            PRECISION: f"Precision is at least {bound}",
            ALERTS: f"There are at most {bound} alerts per 1000 rows",
            COST: f"The expected cost of a row is at most {bound}",
        }[self.what]
        price = "it alerts on everything"
        if not self.alerts_on_everything:
            alerts, without = self.alerts_per_1000, self.alerts_per_1000_without
            made = f"it makes {fixed(alerts, 1)} alerts per 1000 rows"
            price = f"{made}, {_compared(alerts, without)} without the promise"
        return f"{words} with confidence {digits(self.confidence)} ({kind}: {counted}); {price}."


def _compared(count: float, without: float) -> str:
    """Return how many more or fewer there are, before "without the promise"."""
    more = count - without
    than = f"{fixed(abs(more), 1)} {'more' if more > 0 else 'fewer'} than"
    return than if abs(more) >= 0.05 else "as"


ANSWERS = "answers"


@dataclass(frozen=True)
class ReferPromise:
    """Two limits, each of which is kept with a confidence; `str` makes one sentence of them.

    Each holds with the confidence; both together with at least 2 * confidence - 1.

    Attributes
    ----------
    miss : the largest share of positives that pass.
    false_alarm : the largest share of alerts that are negative.
    confidence : the least share of samples of rows to choose on for which a limit is kept.
    rows, positives, unseen, exact : as in `Promise`.
    alerts_per_1000, referred_per_1000 : on these rows.
    referred_per_1000_without : by the same limits without the promise.

    Examples
    --------
    >>> print(ReferPromise(0.05, 0.2, 0.9, 4000, 212, "held out", True, 31.0, 331.0, 273.0))
    At most 0.05 of the positives pass, and at most 0.2 of the alerts are negative, each with
    confidence 0.9 (exact: 212 positives, held out); it takes 331.0 referred rows per 1000, 58.0
    more than without the promise.
    """

    miss: float
    false_alarm: float
    confidence: float
    rows: int
    positives: int
    unseen: str
    exact: bool
    alerts_per_1000: float
    referred_per_1000: float
    referred_per_1000_without: float

    what = ANSWERS

    @property
    def alerts_on_everything(self) -> bool:
        """Whether every row it was made of is an alert."""
        return self.alerts_per_1000 == 1000.0

    def __str__(self) -> str:
        kind = "exact" if self.exact else "measured"
        return (
            f"At most {digits(self.miss)} of the positives pass, and at most "
            f"{digits(self.false_alarm)} of the alerts are negative, each with confidence "
            f"{digits(self.confidence)} ({kind}: {number(self.positives)} positives, "
            f"{self.unseen}); it takes {fixed(self.referred_per_1000, 1)} referred rows per 1000, "
            f"{_compared(self.referred_per_1000, self.referred_per_1000_without)} without the "
            "promise."
        )
