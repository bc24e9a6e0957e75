"""Rules that choose a threshold, by name: what each needs, and what it is after, in words."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from thresher.errors import RuleNotMetError
from thresher.statistics import mean_bound
from thresher.threshold.counts import Answered, Costs, Counts, Vector
from thresher.threshold.promise import (
    ALERTS,
    COST,
    HELD_OUT,
    PRECISION,
    RECALL,
    SURVIVING,
    Promise,
    ReferPromise,
    alerts_along,
    budget_cut,
    precision_cut,
    recall_cut,
)
from thresher.threshold.search import SLACK, Cuts
from thresher.validation import check_choice, check_number

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
    """The cut with the largest objective among those that keep the limit."""

    name: str
    objective: Objective
    limit: Limit | None = None
    needs_probabilities = False

    def choose(self, cuts: Cuts, share: float | None = None) -> float:
        """Return the middle of the best interval; `share` does not matter here."""
        values = self.objective(cuts.counts)
        if self.limit is not None:
            values = np.where(self.limit.allows(cuts.counts), values, -np.inf)
        return cuts.best_threshold(values)


PlainRule: TypeAlias = FixedRule | SearchedRule


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
        bound = self.bound
        if bound is None:  # an upper bound of what a row costs on average
            counts = [int(count[cuts.at(threshold)]) for count in cuts.counts]
            prices = np.array(self.costs.by_outcome)
            least, reach = float(prices.min()), float(np.ptp(prices))
            bound = least
            if reach:
                scaled = np.repeat((prices - least) / reach, counts)
                bound = float(least + reach * mean_bound(scaled, self.confidence, seed))
        alerts = alerts_along(cuts)
        rows = float(alerts[0])
        at, without = (float(alerts[cuts.at(one)]) for one in (threshold, self.plain.choose(cuts)))
        return Promise(
            what=self.what,
            bound=bound,
            confidence=self.confidence,
            rows=int(rows),
            positives=int(cuts.counts.tp[0]),
            unseen=unseen,
            exact=unseen == HELD_OUT and (fixed or self.bound is not None),
            alerts_per_1000=1000.0 * at / rows,
            alerts_per_1000_without=1000.0 * without / rows,
        )


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
        plain = answered(cuts, ReferRule(self.miss, self.false_alarm).choose_pair(cuts))
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


RULE_NAMES = (
    "prior",
    "cost",
    "f1",
    "fbeta",
    "bcr",
    "gmean",
    "mcc",
    "precision_at_recall",
    "recall_at_precision",
    "budget",
    "refer",
)
RULE_PARAMETERS = (
    "beta",
    "floor",
    "per_1000",
    "confidence",
    "miss",
    "false_alarm",
    "price",
)
"""Parameters that say what a rule is after."""
LOWEST_COST = "lowest cost"
FLOOR_RULES = ("precision_at_recall", "recall_at_precision")

Rule: TypeAlias = PlainRule | PromisedRule | ReferRule


def rule_for(parameters: Mapping[str, Any]) -> str | None:
    """Return the rule that the parameters given are for; None where they are for none.

    A floor alone is one of recall. Costs come last, for they are shown with any rule.
    """
    given = {name for name, value in parameters.items() if value is not None}
    if "floor" in given:
        return "precision_at_recall"
    if "per_1000" in given:
        return "budget"
    if given & {"miss", "false_alarm", "price"}:
        return "refer"
    has_costs = given >= {"cost_fp", "cost_fn"} or given & {"cost_fp_column", "cost_fn_column"}
    return "cost" if has_costs else None


def make_rule(
    rule: Any,
    *,
    beta: float = 1.0,
    costs: Costs = Costs(),  # noqa: B008 - a tuple does not change
    floor: float | None = None,
    per_1000: float | None = None,
    confidence: float | None = None,
    miss: float | None = None,
    false_alarm: float | None = None,
    price: float | None = None,
) -> Rule:
    """Return the rule behind a name, or around a function of (tn, fp, fn, tp); None means 0.5.

    With a confidence it promises what it aims at.

    Examples
    --------
    >>> from thresher.threshold.search import ScoredRows
    >>> cuts = ScoredRows.of([0.1, 0.3, 0.5, 0.9], [0, 1, 0, 1]).cuts()
    >>> make_rule("prior").choose(cuts), make_rule("f1").choose(cuts)
    (0.5, 0.2)
    >>> make_rule("recall_at_precision", floor=0.9).choose(cuts)
    0.7
    """
    if not callable(rule) and rule is not None:
        check_choice("rule", rule, RULE_NAMES)
    check_number("beta", beta, 0.0, above=True)
    if beta != 1.0 and rule != "fbeta":
        raise ValueError(f"beta={beta!r} is for rule='fbeta' only, got rule={rule!r}.")
    _check_own("floor", floor, rule, FLOOR_RULES, "the least recall or precision", 1.0)
    _check_own("per_1000", per_1000, rule, ("budget",), "the most alerts per 1000 rows", 1000.0)
    costs.check()
    _check_referral(rule, miss, false_alarm, price)
    if confidence is not None:
        _check_confidence(rule, confidence, floor, miss, false_alarm, price)
    if rule == "refer":
        return ReferRule(miss, false_alarm, price, confidence, costs)
    plain: PlainRule
    if callable(rule):
        plain = SearchedRule("callable", _from_function(rule))
    elif rule is None:
        plain = FixedRule("none", lambda share: 0.5)
    elif rule == "prior":
        plain = FixedRule(rule, lambda share: share)
    elif rule == "cost":
        plain = FixedRule(rule, lambda share: costs.threshold)
    else:
        plain = SearchedRule(rule, _objective(rule, beta), _limit(rule, floor, per_1000))
    if confidence is None:
        return plain
    bound = per_1000 if floor is None else floor
    return PromisedRule(rule, plain, bound, float(confidence), costs)


def choose_pair(rule: Rule, cuts: Cuts, share: float | None = None) -> tuple[float, float | None]:
    """Return the threshold that a rule chooses, and above which rows alert, where it refers some.

    >>> from thresher.threshold.search import ScoredRows
    >>> cuts = ScoredRows.of([0.1, 0.3, 0.5, 0.9], [0, 1, 0, 1]).cuts()
    >>> choose_pair(make_rule("f1"), cuts)
    (0.2, None)
    >>> choose_pair(make_rule("refer", miss=0, false_alarm=0), cuts)
    Pair(low=0.2, high=0.7)
    """
    if isinstance(rule, ReferRule):
        return rule.choose_pair(cuts)
    return rule.choose(cuts, share), None


def rule_words(
    rule: str,
    beta: float = 1.0,
    floor: float | None = None,
    per_1000: float | None = None,
    confidence: float | None = None,
    miss: float | None = None,
    false_alarm: float | None = None,
    price: float | None = None,
) -> str:
    """Return what a rule is after, in words.

    >>> rule_words("f1"), rule_words("budget", per_1000=20)
    ('best F1', 'at most 20 alerts per 1000')
    """
    if price is not None:
        refer = f"{LOWEST_COST} at a price of {price:g} for a referred row"
    else:
        limits = f"at most {miss or 0:g} missed and {false_alarm or 0:g} of alerts false"
        refer = f"{limits}, others referred"
    named = {
        "f1": "best F1",
        "prior": "share of positives",
        "cost": LOWEST_COST,
        "fbeta": f"best F{beta:g}",
        "budget": f"at most {per_1000 or 0:g} alerts per 1000",
        "precision_at_recall": f"best precision at recall {floor or 0:g}",
        "recall_at_precision": f"best recall at precision {floor or 0:g}",
        "refer": refer,
    }
    promised = "" if confidence is None else f", promised with confidence {confidence:g}"
    return f"{named.get(rule, f'best {rule.upper()}')}{promised}"


def _check_confidence(
    rule: Any, confidence: Any, floor: float | None, miss: Any, false_alarm: Any, price: Any
) -> None:
    """Refuse a confidence that the rule cannot promise with."""
    check_number("confidence", confidence, 0.0, above=True)
    if confidence >= 1.0:
        raise ValueError(f"confidence must be below 1, got {confidence!r}; nothing is sure.")
    if callable(rule) or rule not in (*PROMISING, "refer"):
        listed = ", ".join(map(repr, (*PROMISING, "refer")))
        raise ValueError(f"confidence is for the rules {listed} only, got rule={rule!r}.")
    if floor is not None and floor >= 1.0:
        raise ValueError(f"floor must be below 1 with a confidence, got {floor!r}.")
    if price is not None:
        raise ValueError("confidence is for miss and false_alarm; a price promises nothing.")
    for name, value in (("miss", miss), ("false_alarm", false_alarm)):
        if value is not None and not 0.0 < value < 1.0:
            raise ValueError(
                f"{name} must be above 0 and below 1 with a confidence, got {value!r}."
            )


def _check_referral(rule: Any, miss: Any, false_alarm: Any, price: Any) -> None:
    """Refuse limits and prices that "refer" cannot use, or that are for it and not for the rule."""
    given = {"miss": miss, "false_alarm": false_alarm, "price": price}
    for name, value in given.items():
        if value is None:
            continue
        if callable(rule) or rule != "refer":
            raise ValueError(f"{name} is for the rule 'refer' only, got rule={rule!r}.")
        check_number(name, value, 0.0, np.inf if name == "price" else 1.0)
    if callable(rule) or rule != "refer":
        return
    n_limits = (miss is not None) + (false_alarm is not None)
    if n_limits != (2 if price is None else 0):
        raise ValueError(
            "rule='refer' needs miss and false_alarm, the largest shares of positives that pass "
            "and of alerts that are negative, or else price, of a referred row."
        )


def _check_own(
    name: str, value: Any, rule: Any, owners: tuple[str, ...], meaning: str, high: float
) -> None:
    is_owner = not callable(rule) and rule in owners
    if value is None:
        if is_owner:
            raise ValueError(f"rule={rule!r} needs {name}, {meaning}.")
        return
    if not is_owner:
        listed = " and ".join(repr(owner) for owner in owners)
        raise ValueError(f"{name} is for the rule {listed} only, got rule={rule!r}.")
    check_number(name, value, 0.0, high, above=True)


def _objective(rule: str, beta: float) -> Objective:
    by_name: dict[str, Objective] = {
        "f1": Counts.fbeta,
        "fbeta": lambda counts: counts.fbeta(beta),
        "bcr": lambda counts: counts.bcr,
        "gmean": lambda counts: counts.gmean,
        "mcc": lambda counts: counts.mcc,
        "precision_at_recall": lambda counts: counts.precision,
        "recall_at_precision": lambda counts: counts.recall,
        "budget": lambda counts: counts.tp,
    }
    return by_name[rule]


def _limit(rule: str, floor: float | None, per_1000: float | None) -> Limit | None:
    if rule == "precision_at_recall" and floor is not None:
        return Limit("reaches a recall of", lambda counts: counts.recall, floor, is_floor=True)
    if rule == "recall_at_precision" and floor is not None:
        return Limit(
            "reaches a precision of", lambda counts: counts.precision, floor, is_floor=True
        )
    if rule == "budget" and per_1000 is not None:
        promise = "keeps the alerts per 1000 rows at or below"
        return Limit(promise, lambda counts: counts.alerts_per_1000, per_1000, is_floor=False)
    return None


def _from_function(function: Callable[..., Any]) -> Objective:
    """Call a function of (tn, fp, fn, tp) with vectors, or cut by cut if it takes numbers only."""

    def objective(counts: Counts) -> Vector:
        with np.errstate(all="ignore"):
            try:
                values = np.asarray(function(*counts), dtype=np.float64)
            except (TypeError, ValueError):
                values = np.empty(0)
            if values.shape != counts.tp.shape:
                cuts = zip(*counts, strict=True)
                values = np.array([function(*cut) for cut in cuts], dtype=np.float64)
        if np.isnan(values).all():
            raise ValueError("The function given as rule is NaN for every threshold.")
        return np.where(np.isnan(values), -np.inf, values)

    return objective
