"""Rules that choose a threshold: a number that follows from a formula, or the best of all cuts.

A searched rule is an objective over the four counts, maximised, under a limit where it has one.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from thresher.errors import RuleNotMetError
from thresher.threshold.counts import Counts, Vector
from thresher.threshold.search import SLACK, Cuts
from thresher.threshold.smoothing import smoothed
from thresher.validation import check_choice, check_number, check_truth

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
)
METRIC_RULES = ("f1", "fbeta", "bcr", "gmean", "mcc")
LOWEST_COST = "lowest cost"
FLOOR_RULES = ("precision_at_recall", "recall_at_precision")

__all__ = [
    "LOWEST_COST",
    "RULE_NAMES",
    "Costs",
    "FixedRule",
    "Limit",
    "Rule",
    "RuleNotMetError",
    "SearchedRule",
    "make_rule",
    "rule_words",
]

Objective: TypeAlias = Callable[[Counts], Vector]


class Costs(NamedTuple):
    """What a decision costs: of a false and of a missed alert; gains of the right decisions."""

    fp: float = 1.0
    fn: float = 1.0
    gain_tp: float = 0.0
    gain_tn: float = 0.0

    def check(self) -> None:
        """Raise unless costs and gains make a threshold."""
        for name, value in zip(("cost_fp", "cost_fn", *self._fields[2:]), self, strict=True):
            check_number(name, value, 0.0)
        if sum(self) <= 0:
            raise ValueError("cost_fp, cost_fn, gain_tp and gain_tn are all 0; raise one of them.")

    @property
    def threshold(self) -> float:
        """Elkan's threshold: above this probability an alert is worth its expected cost.

        >>> Costs(fp=1.0, fn=9.0).threshold
        0.1
        """
        return float((self.fp + self.gain_tn) / sum(self))

    def per_row(self, counts: Counts) -> Vector:
        """Return the mean cost of a row, gains taken off."""
        tn, fp, fn, tp = counts
        cost = self.fp * fp + self.fn * fn - self.gain_tp * tp - self.gain_tn * tn
        return cost / counts.total


@dataclass(frozen=True)
class FixedRule:
    """A threshold on probabilities that needs no search; a function of the share of positives."""

    name: str
    formula: Callable[[float], float]

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

    def choose(self, cuts: Cuts, share: float | None = None) -> float:
        """Return the middle of the best interval; `share` does not matter here."""
        values = self.objective(smoothed(cuts).counts if self.smooth else cuts.counts)
        if self.limit is not None:
            values = np.where(self.limit.allows(cuts.counts), values, -np.inf)
        return cuts.best_threshold(values)


Rule: TypeAlias = FixedRule | SearchedRule


def make_rule(
    rule: Any,
    *,
    beta: float = 1.0,
    costs: Costs = Costs(),  # noqa: B008 - a tuple does not change
    floor: float | None = None,
    per_1000: float | None = None,
    smooth: bool = False,
) -> Rule:
    """Return the rule behind a name, or around a function of (tn, fp, fn, tp); None means 0.5.

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
    _check_parameters(rule, beta, floor, per_1000)
    _check_smooth(rule, smooth)
    costs.check()
    if callable(rule):
        return SearchedRule("callable", _from_function(rule), smooth=bool(smooth))
    if rule is None:
        return FixedRule("none", lambda share: 0.5)
    if rule == "prior":
        return FixedRule(rule, lambda share: share)
    if rule == "cost":
        return FixedRule(rule, lambda share: costs.threshold)
    limit = _limit(rule, floor, per_1000)
    return SearchedRule(rule, _objective(rule, beta), limit, bool(smooth))


def rule_words(
    rule: str, beta: float = 1.0, floor: float | None = None, per_1000: float | None = None
) -> str:
    """Return what a rule is after, in words.

    >>> rule_words("f1"), rule_words("budget", per_1000=20)
    ('best F1', 'at most 20 alerts per 1000')
    """
    named = {
        "f1": "best F1",
        "prior": "share of positives",
        "cost": LOWEST_COST,
        "fbeta": f"best F{beta:g}",
        "budget": f"at most {per_1000 or 0:g} alerts per 1000",
        "precision_at_recall": f"best precision at recall {floor or 0:g}",
        "recall_at_precision": f"best recall at precision {floor or 0:g}",
    }
    return named.get(rule, f"best {rule.upper()}")


def _check_parameters(rule: Any, beta: Any, floor: Any, per_1000: Any) -> None:
    """Refuse parameters that the rule cannot use, and rules that lack theirs."""
    check_number("beta", beta, 0.0, above=True)
    if beta != 1.0 and rule != "fbeta":
        raise ValueError(f"beta={beta!r} is for rule='fbeta' only, got rule={rule!r}.")
    _check_own("floor", floor, rule, FLOOR_RULES, "the least recall or precision", 1.0)
    _check_own("per_1000", per_1000, rule, ("budget",), "the most alerts per 1000 rows", 1000.0)


def _check_smooth(rule: Any, smooth: Any) -> None:
    check_truth("smooth", smooth)
    if smooth and not callable(rule) and rule not in METRIC_RULES:
        listed = ", ".join(map(repr, METRIC_RULES))
        raise ValueError(f"smooth=True is for the rules {listed} only, got rule={rule!r}.")


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
            values = _all_at_once(function, counts)
            if values is None:
                cuts = zip(*counts, strict=True)
                values = np.array([function(*cut) for cut in cuts], dtype=np.float64)
        if np.isnan(values).all():
            raise ValueError("The function given as rule is NaN for every threshold.")
        return np.where(np.isnan(values), -np.inf, values)

    return objective


def _all_at_once(function: Callable[..., Any], counts: Counts) -> Vector | None:
    try:
        values = np.asarray(function(*counts), dtype=np.float64)
    except (TypeError, ValueError):
        return None
    return values if values.shape == counts.tp.shape else None
