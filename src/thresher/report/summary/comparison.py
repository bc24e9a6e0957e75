"""What did not help: a cut at 0.5, resampled classes, and a chosen threshold side by side."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from thresher.frames import take_rows
from thresher.judging.verdict import EVERYTHING, NOTHING, Setting
from thresher.report.summary.case import Case, Judged, Scored
from thresher.threshold.counts import Counts
from thresher.threshold.rules import LOWEST_COST, RULE_PARAMETERS, Costs, rule_words
from thresher.threshold.unseen import Rows
from thresher.tree.single_leaf import single_leaves_allowed
from thresher.wording import fixed, number, percent

SLACK = 0.005
"""F1 that differs by less, or a cost by less than this part of it, counts as equal."""


class Way(NamedTuple):
    """A way to treat a rare class: its name, what it does, and the decisions that it led to."""

    key: str
    words: str
    counts: Counts

    def as_data(self, costs: Costs | None) -> dict[str, Any]:
        """Return the way with its measures."""
        counts = self.counts
        measures = {
            "precision": counts.precision,
            "recall": counts.recall,
            "f1": counts.fbeta(),
            "alerts_per_1000": counts.alerts_per_1000,
        }
        money = None if costs is None else 1000.0 * float(costs.per_row(counts)[0])
        numbers = {name: float(values[0]) for name, values in measures.items()}
        return {"key": self.key, "words": self.words, **numbers, "cost_per_1000": money}


def comparison_data(
    case: Case, judged: Judged, rule: str, costs: Costs | None, *, resampling: bool, seed: int
) -> dict[str, Any]:
    """Return the ways, the model's own threshold last, and what they say in words.

    Rows are judged by models that have not seen them. The counts of the last way are those of the
    judgement, whose thresholds were chosen on other rows, so that it has no advantage over the
    rest.
    """
    ways = [Way("half", "Cut at 0.5", judged.scored.counts_at(0.5))]
    if resampling and not case.held_out:
        over, under = (_resampled(case, more=more, seed=seed) for more in (True, False))
        ways.append(Way("over", "Rare rows repeated, cut at 0.5", over))
        ways.append(Way("under", "Common rows left out, cut at 0.5", under))
    ways.append(Way("rule", rule, judged.judgement.counts))
    data = [way.as_data(costs) for way in ways]
    # Each rule is compared by what it is after.
    gaps = _gaps(data, rule, costs)
    return {
        "heading": "What else was tried" if gaps.helped else "What did not help",
        "words": f"On unseen rows, against the {lowered(rule)} with {gaps.words}.",
        "ways": data,
    }


class Gaps(NamedTuple):
    """How other ways differ from the last one, in words; whether one of them did better."""

    words: str
    helped: bool


def _gaps(ways: list[dict[str, Any]], rule: str, costs: Costs | None) -> Gaps:
    if rule.endswith(LOWEST_COST) and costs is not None:
        return cost_gaps(ways)
    is_f1 = rule.endswith(rule_words("f1")) or rule == Setting(0.5).words
    return f1_gaps(ways) if is_f1 else side_by_side(ways)


def side_by_side(ways: list[dict[str, Any]]) -> Gaps:
    """Tell what each way finds, for rules of which no one measure says which is best.

    >>> half = {"words": "Cut at 0.5", "recall": 0.4, "precision": 0.8}
    >>> tuned = {"recall": 0.9, "precision": 0.3}
    >>> print(side_by_side([half, tuned]).words.replace(chr(160), " "))
    recall 90.0 % and precision 30.0 %: cut at 0.5, 40.0 % and 80.0 %
    """
    *others, chosen = ways
    recall, precision = percent(chosen["recall"]), percent(chosen["precision"])
    told = [f"{percent(way['recall'])} and {percent(way['precision'])}" for way in others]
    return Gaps(f"recall {recall} and precision {precision}: {_listed(others, told)}", helped=True)


def f1_gaps(ways: list[dict[str, Any]]) -> Gaps:
    """Compare the F1 of each way with that of the last one.

    >>> found = f1_gaps([{"words": "Cut at 0.5", "f1": 0.5}, {"words": "Threshold", "f1": 0.62}])
    >>> found.words.partition(": ")[2], found.helped
    ('cut at 0.5, 12.0 points lower', False)
    """
    *others, chosen = ways
    gaps = [way["f1"] - chosen["f1"] for way in others]
    told = [
        "as good"
        if abs(gap) <= SLACK
        else f"{fixed(100.0 * abs(gap), 1)} points {'higher' if gap > 0 else 'lower'}"
        for gap in gaps
    ]
    words = f"F1 {percent(chosen['f1'])}: {_listed(others, told)}"
    return Gaps(words, any(gap >= -SLACK for gap in gaps))


def cost_gaps(ways: list[dict[str, Any]]) -> Gaps:
    """Compare the cost of each way with that of the last one.

    >>> dear, cheap = {"words": "Cut at 0.5", "cost_per_1000": 900.0}, {"cost_per_1000": 600.0}
    >>> found = cost_gaps([dear, cheap])
    >>> found.words, found.helped
    ('a cost of 600 per 1000: cut at 0.5, 300 more', False)
    """
    *others, chosen = ways
    least = chosen["cost_per_1000"]
    gaps = [way["cost_per_1000"] - least for way in others]
    told = [
        "as good"
        if abs(gap) <= SLACK * abs(least)
        else f"{number(abs(gap))} {'more' if gap > 0 else 'less'}"
        for gap in gaps
    ]
    words = f"a cost of {number(least)} per 1000: {_listed(others, told)}"
    return Gaps(words, any(gap <= SLACK * abs(least) for gap in gaps))


def _listed(ways: list[dict[str, Any]], told: list[str]) -> str:
    pairs = zip(ways, told, strict=True)
    return "; ".join(f"{lowered(way['words'])}, {words}" for way, words in pairs)


def lowered(words: str) -> str:
    """Return words without the capital of a sentence's start."""
    return words[:1].lower() + words[1:]


def read_setting(model: Any, scored: Scored | None = None) -> Setting:
    """Return how any fitted model decides."""
    threshold = float(getattr(model, "threshold_", 0.5))
    interval, rule = getattr(model, "threshold_interval_", None), getattr(model, "rule", None)
    alerts_on = None
    if scored is not None:
        is_alert = scored.probability > threshold
        alerts_on = EVERYTHING if is_alert.all() else None if is_alert.any() else NOTHING
    if rule is None:
        return Setting(threshold, None, interval, alerts_on)
    label = rule if isinstance(rule, str) else getattr(rule, "__name__", "own rule")
    parameters = {name: getattr(model, name) for name in RULE_PARAMETERS}
    promise, alert = getattr(model, "promise_", None), getattr(model, "threshold_alert_", None)
    return Setting(
        threshold,
        rule_words(str(label), **parameters),
        interval,
        alerts_on if alert is None else None,
        promise=None if promise is None else str(promise),
        threshold_alert=alert,
    )


def _resampled(case: Case, *, more: bool, seed: int) -> Counts:
    """Fit on rows of which both classes are of one size; judge the rows of the fold as they are."""
    problem, alerts, truths = case.problem, [], []
    for fold, (train, test) in enumerate(case.splits):
        rows = balanced(train, case.is_positive, more=more, seed=[seed, fold])
        with single_leaves_allowed():
            fitted = clone(problem.estimator).fit(take_rows(case.X, rows), case.labels[rows])
        alerts.append(problem.scores(fitted, take_rows(case.X, test)) > 0.5)
        truths.append(case.is_positive[test])
    return Counts.of(np.concatenate(alerts), np.concatenate(truths))


def balanced(
    rows: Rows, is_positive: NDArray[np.bool_], *, more: bool, seed: Any
) -> NDArray[np.intp]:
    """Repeat random rows of the smaller class, or drop of the larger, until both are of one size.

    >>> truth = np.array([True, False, False, False])
    >>> balanced(np.arange(4), truth, more=True, seed=0)
    array([1, 2, 3, 0, 0, 0])
    """
    random = np.random.default_rng(seed)
    few, many = sorted((rows[is_positive[rows]], rows[~is_positive[rows]]), key=len)
    if more:
        return np.concatenate([many, few, random.choice(few, size=len(many) - len(few))])
    return np.concatenate([random.choice(many, size=len(few), replace=False), few])
