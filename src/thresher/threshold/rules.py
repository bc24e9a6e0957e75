"""Rules that choose a threshold, by name: what each needs, and what it is after, in words."""

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np

from thresher.errors import RuleNotMetError
from thresher.threshold.costs import Costs
from thresher.threshold.counts import Counts, Vector
from thresher.threshold.plain_rules import FixedRule, Limit, Objective, PlainRule, SearchedRule
from thresher.threshold.promised_rule import PROMISING, PromisedRule
from thresher.threshold.refer_rule import ReferRule
from thresher.threshold.search import Cuts
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
    "refer",
)
METRIC_RULES = ("f1", "fbeta", "bcr", "gmean", "mcc")
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

__all__ = [
    "LOWEST_COST",
    "RULE_NAMES",
    "RULE_PARAMETERS",
    "Costs",
    "FixedRule",
    "Limit",
    "PromisedRule",
    "ReferRule",
    "Rule",
    "RuleNotMetError",
    "SearchedRule",
    "choose_pair",
    "make_rule",
    "rule_for",
    "rule_words",
]

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
    smooth: bool = False,
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
    _check_parameters(rule, beta, floor, per_1000)
    _check_smooth(rule, smooth)
    costs.check()
    _check_referral(rule, miss, false_alarm, price)
    _check_confidence(rule, confidence, floor)
    if rule == "refer":
        _check_promised_limits(confidence, miss, false_alarm, price)
        return ReferRule(miss, false_alarm, price, confidence, costs)
    plain = _plain_rule(rule, beta, costs, floor, per_1000, smooth)
    if confidence is None:
        return plain
    bound = per_1000 if floor is None else floor
    return PromisedRule(rule, plain, bound, float(confidence), costs)


def _plain_rule(
    rule: Any,
    beta: float,
    costs: Costs,
    floor: float | None,
    per_1000: float | None,
    smooth: bool,
) -> PlainRule:
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
    named = {
        "f1": "best F1",
        "prior": "share of positives",
        "cost": LOWEST_COST,
        "fbeta": f"best F{beta:g}",
        "budget": f"at most {per_1000 or 0:g} alerts per 1000",
        "precision_at_recall": f"best precision at recall {floor or 0:g}",
        "recall_at_precision": f"best recall at precision {floor or 0:g}",
        "refer": _refer_words(miss, false_alarm, price),
    }
    promised = "" if confidence is None else f", promised with confidence {confidence:g}"
    return f"{named.get(rule, f'best {rule.upper()}')}{promised}"


def _refer_words(miss: float | None, false_alarm: float | None, price: float | None) -> str:
    if price is not None:
        return f"{LOWEST_COST} at a price of {price:g} for a referred row"
    return f"at most {miss or 0:g} missed and {false_alarm or 0:g} of alerts false, others referred"


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


def _check_confidence(rule: Any, confidence: Any, floor: float | None) -> None:
    if confidence is None:
        return
    check_number("confidence", confidence, 0.0, above=True)
    if confidence >= 1.0:
        raise ValueError(f"confidence must be below 1, got {confidence!r}; nothing is sure.")
    if callable(rule) or rule not in (*PROMISING, "refer"):
        listed = ", ".join(map(repr, (*PROMISING, "refer")))
        raise ValueError(f"confidence is for the rules {listed} only, got rule={rule!r}.")
    if floor is not None and floor >= 1.0:
        raise ValueError(f"floor must be below 1 with a confidence, got {floor!r}.")


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


def _check_promised_limits(confidence: Any, miss: Any, false_alarm: Any, price: Any) -> None:
    if confidence is None:
        return
    if price is not None:
        raise ValueError("confidence is for miss and false_alarm; a price promises nothing.")
    for name, value in (("miss", miss), ("false_alarm", false_alarm)):
        if not 0.0 < value < 1.0:
            raise ValueError(
                f"{name} must be above 0 and below 1 with a confidence, got {value!r}."
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
