"""The verdict, in a few plain sentences: for the terminal, JSON and the report alike."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtr

from thresher.answers import ALERT, PASS
from thresher.condition.table import CHANCE, CONFIRMED, NOT_MET, ConditionTable
from thresher.judging.hold_out import STEPS
from thresher.judging.judgement import LEFT_OUT, Fold, Interval, Judgement, reachable_f1
from thresher.threshold.rules import rule_words
from thresher.threshold.score_counts import ScoreCounts
from thresher.wording import counted, fixed, name, number, percent, plain, price, threshold, verb


def ranking_p(folds: Sequence[ScoreCounts]) -> float:
    """Return the one-sided p-value of the rank-sum test, its statistics added over folds.

    Folds are scored by different models, so ranks are compared inside a fold alone; ties count
    half.

    >>> scores = ScoreCounts.of([0.1, 0.2, 0.3, 0.4, 0.5, 0.6], [0, 0, 0, 0, 1, 1])
    >>> round(ranking_p([scores]), 3)
    0.032
    """
    excess, variance = 0.0, 0.0
    for fold in folds:
        over, spread = _rank_sum(fold)
        excess, variance = excess + over, variance + spread
    return 1.0 if variance <= 0.0 else float(ndtr(-excess / np.sqrt(variance)))


def _rank_sum(fold: ScoreCounts) -> tuple[float, float]:
    """Return the Mann-Whitney statistic less its mean, and its variance, corrected for ties."""
    negative, positive = fold.negative, fold.positive
    n, m = float(negative.sum()), float(positive.sum())
    below = np.concatenate([[0.0], np.cumsum(negative)[:-1]])
    statistic = float((positive * (below + 0.5 * negative)).sum())
    ties, total = negative + positive, n + m
    if total < 2:
        return 0.0, 0.0
    by_ties = float((ties**3 - ties).sum()) / (total * (total - 1.0))
    return statistic - 0.5 * n * m, n * m / 12.0 * (total + 1.0 - by_ties)


DOUBT = 0.01
"""Above this p-value the ranking of unseen rows may as well be chance."""
STRONG, FAIR = 0.7, 0.4
"""F1 from which a model is called strong, and of use."""

HEADINGS = {
    "strong": "Most of the {class_name} can be seen coming.",
    "fair": "Part of the {class_name} can be seen coming.",
    "weak": "Only a small part of the {class_name} can be seen coming.",
    "blind": "These columns do not tell the {class_name} from the rest.",
}
EVERYTHING, NOTHING = "everything", "nothing"
BEST_F1 = rule_words("f1")
PROMISED_ON = (
    "The promise counts its alerts on the rows that set the final threshold; the figures before it "
    "are of the folds, each with a threshold of its own."
)


class Setting(NamedTuple):
    """How a model decides.

    Attributes
    ----------
    threshold : an alert if the probability is above it.
    rule : what it was chosen for, in words; None where it was given.
    interval : hull of the 95 % confidence set of thresholds.
    alerts_on : "everything" or "nothing", where the threshold decides nothing.
    choice : which candidate the model is and what it was chosen over, in words.
    model : name of that candidate.
    promise : what the threshold promises, a sentence; None where nothing was asked for.
    cuts : what gives rows cuts of their own, in words.
    threshold_alert : above it rows alert, where those between are referred; otherwise None.
    leaks : sentences on columns that may give the target away: these come first.
    """

    threshold: float
    rule: str | None = None
    interval: Interval | None = None
    alerts_on: str | None = None
    choice: str | None = None
    model: str | None = None
    promise: str | None = None
    cuts: str | None = None
    threshold_alert: float | None = None
    leaks: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """The threshold as a remedy beside others."""
        return "Threshold of the model" if self.rule is None else f"Threshold by {self.rule}"


@dataclass(frozen=True, repr=False)
class Verdict:
    """Whether a model is of use and what it found.

    Attributes
    ----------
    level : "strong", "fair", "weak" or "blind".
    heading, sentences : in words.
    figures : what stands out, with labels and intervals.
    """

    level: str
    heading: str
    sentences: list[str]
    figures: list[dict[str, str]]

    def as_data(self) -> dict[str, Any]:
        """Return plain data."""
        return asdict(self)

    def __repr__(self) -> str:
        return f"<Verdict: {self.heading}>"

    def __str__(self) -> str:
        return "\n".join([self.heading, *self.sentences])


def make_verdict(
    judgement: Judgement,
    folds: Sequence[Fold],
    setting: Setting,
    conditions: ConditionTable | None,
    class_name: str,
) -> Verdict:
    """Say what a model is worth.

    The level goes by the F1 that is reached with a threshold chosen for it on other rows: what can
    be told at all. A threshold for low costs may have its reasons for another F1.
    """
    level = level_of(judgement, folds)
    sentences = [
        *_answered(judgement, class_name),
        found_words(judgement, class_name),
        *_measure_of_heading(level, folds, setting, judgement),
        alert_words(judgement),
    ]
    if level == "blind":
        sentences.insert(
            0,
            "Unseen rows were ranked no better than by chance. Do not stop rows on its word; look "
            "for other measurements.",
        )
    sentences += _how_it_decides(setting) + _other_choices(folds, setting, judgement)
    if folds and setting.promise is not None:
        sentences.append(PROMISED_ON)
    if level != "blind":
        sentences += _money(judgement)
        sentences += [] if setting.leaks else name_causes(conditions, class_name)
    sentences.append(judged_words(judgement))
    heading, *others = setting.leaks or [HEADINGS[level].format(class_name=class_name)]
    sentences = [*others, *sentences]
    figures = figures_of(judgement, class_name, with_money=level != "blind")
    return Verdict(level, heading, [plain(one) for one in sentences], figures)


def level_of(judgement: Judgement, folds: Sequence[Fold]) -> str:
    """Return "strong", "fair", "weak" or "blind"."""
    if folds and ranking_p([fold.outer for fold in folds]) > DOUBT:
        return "blind"
    f1 = reachable_f1(folds) if folds else judgement.f1
    return "strong" if f1 >= STRONG else "fair" if f1 >= FAIR else "weak"


def _measure_of_heading(
    level: str, folds: Sequence[Fold], setting: Setting, judgement: Judgement
) -> list[str]:
    """Say what the heading goes by where the threshold is after something else."""
    is_after_f1 = BEST_F1 in (setting.rule or BEST_F1) and not judgement.is_fixed
    if is_after_f1 or level == "blind" or not folds:
        return []
    return [
        "The heading goes by the F1 that a threshold chosen for it would reach, "
        f"{percent(reachable_f1(folds))}: it counts false alarms as well as misses."
    ]


def name_causes(conditions: ConditionTable | None, class_name: str) -> list[str]:
    """Return a sentence about the conditions that unseen rows confirm, or that there are none."""
    if conditions is None or not len(conditions):
        return []
    places = [place for place, state in enumerate(conditions.states) if state == CONFIRMED]
    if places:
        row = {key: values[places[0]] for key, values in conditions.columns().items()}
        where = "" if row["stage"] is None else f", known at {row['stage']}"
        it = "it" if conditions.evidence == "hold-out" else "conditions like it"
        return [
            f"{_confirmed_words(len(places), len(conditions), class_name)} "
            f"“{name(row['text'], 400)}”{where}: of the unseen rows that meet {it} "
            f"{percent(row['holdout_rate'])} ({percent(row['holdout_rate_low'])} to "
            f"{percent(row['holdout_rate_high'])}) are {class_name}, against "
            f"{percent(conditions.held.average if conditions.held else None)} of all."
        ]
    if set(conditions.states) == {NOT_MET}:
        return ["No unseen rows met the conditions that it found, so they cannot be judged."]
    if CHANCE in conditions.states:
        return [
            "None of the conditions that it found is confirmed by unseen rows: each may be chance, "
            "so change nothing for their sake."
        ]
    return []


def _confirmed_words(confirmed: int, found: int, class_name: str) -> str:
    """Say how many conditions are confirmed, and begin to name the first of them."""
    most = f"one behind most {class_name} is"
    if found == 1:
        return f"The {most}"
    words = f"{number(confirmed)} of {number(found)} conditions {verb(confirmed, 'are')} confirmed"
    if confirmed == 1:
        return f"{words}. It is"
    return f"{words}. {'The' if confirmed == found else 'Of the confirmed ones the'} {most}"


def found_words(judgement: Judgement, class_name: str) -> str:
    """Say how much is found, and how many alerts are right."""
    recall, precision, f1 = (
        f"{percent(getattr(judgement, measure))}{span(judgement.intervals[measure])}"
        for measure in ("recall", "precision", "f1")
    )
    rows = judgement.judged_rows
    if not judgement.alerts:
        return f"It raises no alert on {rows}, so it finds none of the {class_name}."
    return (
        f"On {rows} it finds {recall} of the {class_name} (recall), and {precision} of its "
        f"alerts are right (precision): F1 {f1}."
    )


def _answered(judgement: Judgement, class_name: str) -> list[str]:
    """Say how rows are answered where some are referred."""
    found = judgement.referral
    if found is None:
        return []
    rows = {answer: percent(n / judgement.rows) for answer, n in found.rows.items()}
    referred, miss, false_alarm = (
        f"{percent(found.shares[name])}{span(found.intervals[name])}"
        for name in ("referred", "miss", "false_alarm")
    )
    false = f"{false_alarm} of its alerts are false" if found.rows[ALERT] else "it never alerts"
    return [
        f"Of {judgement.judged_rows} it passes {rows[PASS]}, refers {referred} and alerts on "
        f"{rows[ALERT]}: {miss} of the {class_name} pass, and {false}. What follows counts a "
        "referral as an alert.",
    ]


def alert_words(judgement: Judgement) -> str:
    """Say how many alerts there are."""
    ends = judgement.intervals["alerts_per_1000"]
    between = "" if ends is None else f" ({fixed(ends[0], 1)} to {fixed(ends[1], 1)})"
    return f"It raises {fixed(judgement.alerts_per_1000, 1)}{between} alerts per 1000 rows."


def _how_it_decides(setting: Setting) -> list[str]:
    choice = [] if setting.choice is None else [setting.choice]
    promise = [] if setting.promise is None else [setting.promise]
    rule = "" if setting.rule is None else f" ({setting.rule}{_between(setting.interval)})"
    if setting.alerts_on is not None:
        return [
            *choice,
            f"Its final threshold{rule} alerts on {setting.alerts_on}, so it decides nothing about "
            "rows.",
            *promise,
        ]
    above = threshold(shown_threshold(setting.threshold))
    above = setting.cuts or above
    if setting.threshold_alert is not None:
        alert = threshold(shown_threshold(setting.threshold_alert))
        return [
            *choice,
            f"It alerts where the probability is above {alert}, passes rows where it is at most "
            f"{above}, and refers those between{rule}.",
            *promise,
        ]
    return [*choice, f"It alerts where the probability is above {above}{rule}.", *promise]


def _other_choices(folds: Sequence[Fold], setting: Setting, judgement: Judgement) -> list[str]:
    """Say what was judged, where the folds chose other models or thresholds."""
    found = [shown_threshold(fold.threshold) for fold in folds]
    if judgement.is_fixed:
        return []
    models = [fold.model for fold in folds if fold.model is not None]
    others = Counter(model for model in models if model != setting.model)
    if setting.model is not None and others:
        return [
            f"Of the {len(folds)} folds that judge it, {others.total()} chose another model "
            f"({_listed(others)}): the figures judge this way of choosing, not the one model alone."
        ]
    if len(set(found)) < 2:
        return []
    low, high = threshold(min(found)), threshold(max(found))
    return [f"The folds that judge it chose {low} to {high}, each without the rows that judge it."]


def _listed(models: Counter[str]) -> str:
    return "; ".join(
        f"the {model}" + (f", {times} times" if times > 1 and len(models) > 1 else "")
        for model, times in models.most_common()
    )


def _between(interval: Interval | None) -> str:
    if interval is None or interval[0] == interval[1]:
        return ""
    low, high = (threshold(shown_threshold(end)) for end in interval)
    return f"; 95 % interval {low} to {high}"


def _money(judgement: Judgement) -> list[str]:
    costs, spent, saved = judgement.costs, judgement.cost_per_1000, judgement.saved_per_1000
    if costs is None or spent is None or saved is None:
        return []
    silent, always = judgement.cost_without_alerts, judgement.cost_of_always
    at = f"At a cost of {price(costs.fp)} for a false alarm and {price(costs.fn)} for a miss"
    if judgement.money is not None:
        at = (
            f"At the costs of each row, {number(costs.fp)} for a false alarm and "
            f"{number(costs.fn)} for a miss on average,"
        )
    return [
        f"{at} it costs {number(spent)} per 1000 rows; without alerts it would be "
        f"{number(silent)}, with an alert on everything {number(always)}, so it "
        f"{'saves' if saved >= 0 else 'loses'} {number(abs(saved))}."
    ]


def judged_words(judgement: Judgement) -> str:
    """Say by which rows was judged."""
    never = judgement.never_judged
    left = "" if not never else f"; {counted(never, 'rows')} {verb(never, 'were')} never judged"
    fixed_by = " The threshold was fixed by the user." if judgement.is_fixed else ""
    first_step = ""
    if never and STEPS in judgement.how:
        # What no step judges came before the first; it may know less where groups are kept apart.
        first_step = (
            f" The first step could learn from {counted(never, 'rows')}, the shipped model from "
            f"{number(judgement.rows + never)}: early steps may judge it too low."
        )
    return (
        f"Judged on {counted(judgement.rows, 'rows')}: {judgement.how}{left}."
        f"{first_step}{fixed_by} {LEFT_OUT}"
    )


def span(ends: Interval | None) -> str:
    """Return an interval of shares in brackets."""
    return "" if ends is None else f" ({percent(ends[0])} to {percent(ends[1])})"


def figures_of(judgement: Judgement, class_name: str, *, with_money: bool) -> list[dict[str, str]]:
    """Return what stands out, with labels and intervals."""
    found = judgement.referral
    if found is None:
        intervals = judgement.intervals
        labels = {
            "recall": f"of {class_name} found (recall)",
            "precision": "of alerts right (precision)",
            "f1": "F1",
        }
        shares = {measure: getattr(judgement, measure) for measure in labels}
    else:
        shares, intervals = found.shares, found.intervals
        labels = {
            "referred": "of rows referred",
            "miss": f"of {class_name} pass (missed)",
            "false_alarm": "of alerts false",
        }
    figures = [
        _figure(percent(shares[measure]), label, span(intervals[measure]).strip(" ()"))
        for measure, label in labels.items()
    ]
    if found is not None:
        return [*figures, _figure(percent(shares["f1"]), "F1 of the rest")]
    ends = intervals["alerts_per_1000"]
    between = "" if ends is None else f"{fixed(ends[0], 1)} to {fixed(ends[1], 1)}"
    figures.append(_figure(fixed(judgement.alerts_per_1000, 1), "alerts per 1000 rows", between))
    if with_money and judgement.saved_per_1000 is not None:
        label = f"saved per 1000 rows, against {judgement.saved_against}"
        figures.append(_figure(number(judgement.saved_per_1000), label))
    return figures


def _figure(value: str, label: str, interval: str = "") -> dict[str, str]:
    return {"value": value, "label": label, "interval": interval}


def shown_threshold(threshold: float) -> float:
    """Return a threshold as people see it, in [0, 1]."""
    return min(1.0, max(0.0, threshold))
