"""What a model is worth on rows that had no part in it: counts, measures, intervals, words."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from thresher.answers import ALERT, PASS, REFER
from thresher.errors import RuleNotMetError
from thresher.figures.figure import html_table, in_notebook
from thresher.figures.svg import element
from thresher.judging.contest import Money
from thresher.statistics import wilson
from thresher.threshold.counts import Answered, Costs, Counts
from thresher.threshold.rules import ReferRule, Rule, choose_pair, make_rule
from thresher.threshold.score_counts import ScoreCounts
from thresher.wording import fixed, percent
from thresher.wording import threshold as threshold_words

COVERAGE = 0.95
Interval = tuple[float, float]


class Referral(NamedTuple):
    """Rows by answer, and the shares that the rule "refer" is after.

    Attributes
    ----------
    rows : by answer.
    shares : "miss" (positives that passed), "false_alarm" (alerts that were negative), "referred"
        (rows that were referred), and "f1" of the rows that were not.
    intervals : Wilson's of the first three.
    """

    rows: dict[str, int]
    shares: dict[str, float]
    intervals: dict[str, Interval | None]

    @classmethod
    def of(cls, found: Answered) -> "Referral":
        """Count answers; the first pair of thresholds is taken."""
        low, high = ([int(part[0]) for part in counts] for counts in found)
        passed, alerts = low[0] + low[2], high[1] + high[3]
        total = sum(low)
        ends = {
            "miss": interval_of(low[2], low[2] + low[3]),
            "false_alarm": interval_of(high[1], alerts),
            "referred": interval_of(total - passed - alerts, total),
        }
        shares = {name: float(getattr(found, name)[0]) for name in ends}
        shares["f1"] = float(found.decided.fbeta()[0])
        return cls({PASS: passed, REFER: total - passed - alerts, ALERT: alerts}, shares, ends)

    def words(self, threshold: float | None) -> str:
        """Say above which threshold rows alert, what is referred, and what is answered wrongly."""
        above = "" if threshold is None else f"alerts above {threshold_words(threshold)}; "
        referred, miss, false_alarm = (
            percent(self.shares[name]) for name in ("referred", "miss", "false_alarm")
        )
        return (
            f"{above}{referred} of rows referred, {miss} of positives passed, {false_alarm} of "
            "alerts false."
        )

    def as_data(self) -> dict[str, Any]:
        """Return plain data."""
        ends = {name: None if one is None else list(one) for name, one in self.intervals.items()}
        return {**self.rows, **self.shares, "intervals": ends}


def interval_of(hits: int, n: int) -> Interval | None:
    """Return Wilson's interval, None where there are no rows."""
    low, high = wilson(hits, n, COVERAGE)
    return (float(low), float(high)) if n else None


DRAWS = 2000
"""Bootstrap samples behind the interval of F1."""
MEASURES = ("precision", "recall", "f1", "alerts_per_1000")
LEFT_OUT = "The intervals leave out how much another training on other rows would differ."


@dataclass(frozen=True)
class Fold:
    """One outer fold: every choice was made without its judged rows.

    Attributes
    ----------
    threshold : chosen on `inner`.
    model : name of the candidate chosen on `inner`; None where no model was chosen there.
    inner : unseen scores of the fold's training rows, from inside these.
    outer : scores of the judged rows.
    share : share of positives among the fold's training rows.
    decided : the decisions about the judged rows, where each of them has a cut of its own.
    money : what they cost, where each row has its own costs.
    threshold_alert : above it rows alert, where those between are referred; otherwise None.
    """

    threshold: float
    model: str | None
    inner: ScoreCounts
    outer: ScoreCounts
    share: float
    decided: Counts | None = None
    money: Money | None = None
    threshold_alert: float | None = None

    @property
    def counts(self) -> Counts:
        """The decisions about the judged rows; a referred row counts as an alert."""
        return self.outer.counts_at(self.threshold) if self.decided is None else self.decided

    @property
    def answered(self) -> Answered | None:
        """The answers to the judged rows, None where none is referred."""
        if self.threshold_alert is None:
            return None
        return self.outer.answered_at(self.threshold, self.threshold_alert)

    def by_rule(self, rule: Rule) -> "Fold":
        """Return the fold with the threshold that another rule chooses without its judged rows.

        Where no threshold keeps the rule there, none alerts; where rows can be referred, all are.
        """
        try:
            threshold, alert = choose_pair(rule, self.inner.cuts(), self.share)
        except RuleNotMetError:
            threshold, alert = (-1.0, 1.0) if isinstance(rule, ReferRule) else (1.0, None)
        moved = replace(self, threshold=threshold, threshold_alert=alert)
        return replace(moved, decided=None, money=None)


TRAINED_ON = "the model was trained on them"
"""How a judgement was made that flatters the model."""


@dataclass(frozen=True)
class Judgement:
    """The decisions of a whole procedure about rows that chose nothing of it.

    Attributes
    ----------
    tn, fp, fn, tp : rows by truth and decision.
    how : how the rows were held out, in words.
    never_judged : rows of the table that no fold judged.
    is_fixed : whether the threshold was fixed by the user instead of chosen in each fold.
    costs : cost of a false alarm and of a miss, None where they are not known.
    money : what the decisions cost, where each row has its own costs; `costs` are their means then.
    alert_fp, alert_tp : of `fp` and `tp` the rows that were not referred; None where none is.
    price : of a referred row, None where it is not known.
    """

    tn: int
    fp: int
    fn: int
    tp: int
    how: str
    never_judged: int | None = 0
    is_fixed: bool = False
    costs: Costs | None = None
    money: Money | None = None
    alert_fp: int | None = None
    alert_tp: int | None = None
    price: float | None = None

    @classmethod
    def of(
        cls, counts: Counts, how: str, answered: Answered | None = None, **others: Any
    ) -> "Judgement":
        """Return the judgement of some decisions, and of three answers where there are."""
        tn, fp, fn, tp = (int(values[0]) for values in counts)
        if answered is not None:
            others["alert_fp"] = int(answered.high.fp[0])
            others["alert_tp"] = int(answered.high.tp[0])
        return cls(tn, fp, fn, tp, how, **others)

    @property
    def judged_rows(self) -> str:
        """What the judged rows are to the model, in words."""
        return "rows of its training" if self.how == TRAINED_ON else "unseen rows"

    @cached_property
    def answered(self) -> Answered | None:
        """The answers, None where no row is referred."""
        if self.alert_fp is None or self.alert_tp is None:
            return None
        tn, fn = self.tn + self.fp - self.alert_fp, self.fn + self.tp - self.alert_tp
        return Answered(self.counts, _counts(tn, self.alert_fp, fn, self.alert_tp))

    @cached_property
    def counts(self) -> Counts:
        """The four counts as one entry each."""
        return _counts(self.tn, self.fp, self.fn, self.tp)

    @property
    def rows(self) -> int:
        """Rows that were judged."""
        return self.tn + self.fp + self.fn + self.tp

    @property
    def alerts(self) -> int:
        """Rows that are called positive."""
        return self.fp + self.tp

    @property
    def precision(self) -> float:
        """Share of alerts that are right."""
        return float(self.counts.precision[0])

    @property
    def recall(self) -> float:
        """Share of positives that are found."""
        return float(self.counts.recall[0])

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall."""
        return float(self.counts.fbeta()[0])

    @property
    def alerts_per_1000(self) -> float:
        """Alerts among 1000 rows."""
        return float(self.counts.alerts_per_1000[0])

    @property
    def cost_per_1000(self) -> float | None:
        """Cost of 1000 rows; None without costs. A referred row has its price, where it has one."""
        if self.money is not None:
            return 1000.0 * self.money.spent / self.rows
        if self.costs is None:
            return None
        if self.answered is not None and self.price is not None:
            return 1000.0 * float(self.answered.cost_per_row(self.costs, self.price)[0])
        return 1000.0 * float(self.costs.per_row(self.counts)[0])

    @property
    def saved_per_1000(self) -> float | None:
        """What 1000 rows save against the cheaper of no alert and an alert on everything."""
        spent, silent, always = self.cost_per_1000, self.cost_without_alerts, self.cost_of_always
        if spent is None or silent is None or always is None:
            return None
        return min(silent, always) - spent

    @property
    def saved_against(self) -> str | None:
        """Which of the two is the cheaper one."""
        silent, always = self.cost_without_alerts, self.cost_of_always
        if silent is None or always is None:
            return None
        return "no alert" if silent <= always else "an alert on everything"

    @property
    def cost_of_always(self) -> float | None:
        """Cost of 1000 rows if everything were alerted on."""
        if self.money is not None:
            return 1000.0 * self.money.always / self.rows
        loud = _counts(0, self.tn + self.fp, 0, self.fn + self.tp)
        return None if self.costs is None else 1000.0 * float(self.costs.per_row(loud)[0])

    @property
    def cost_without_alerts(self) -> float | None:
        """Cost of 1000 rows if nothing were ever alerted on."""
        if self.money is not None:
            return 1000.0 * self.money.silent / self.rows
        silent = _counts(self.tn + self.fp, 0, self.fn + self.tp, 0)
        return None if self.costs is None else 1000.0 * float(self.costs.per_row(silent)[0])

    @cached_property
    def intervals(self) -> dict[str, Interval | None]:
        """95 % intervals by measure: Wilson's for shares, bootstrap over judged rows for F1."""
        alerts = interval_of(self.alerts, self.rows)
        return {
            "precision": interval_of(self.tp, self.alerts),
            "recall": interval_of(self.tp, self.tp + self.fn),
            "f1": self._f1_interval(),
            "alerts_per_1000": None if alerts is None else (1000 * alerts[0], 1000 * alerts[1]),
        }

    @cached_property
    def referral(self) -> Referral | None:
        """How rows were answered, None where none is referred."""
        return None if self.answered is None else Referral.of(self.answered)

    def _f1_interval(self) -> Interval | None:
        counts = np.array([self.tn, self.fp, self.fn, self.tp], dtype=np.float64)
        if not counts.sum():
            return None
        drawn = np.random.default_rng(0).multinomial(
            int(counts.sum()), counts / counts.sum(), DRAWS
        )
        f1 = Counts(*drawn.T.astype(np.float64)).fbeta()
        tail = 0.5 * (1.0 - COVERAGE)
        low, high = np.quantile(f1, [tail, 1.0 - tail]).tolist()
        return low, high

    def _repr_html_(self) -> str:
        """Return counts and measures for a notebook."""
        words = {"alerts_per_1000": "alerts per 1000", "f1": "F1"}
        rows = []
        for measure in MEASURES:
            is_share, ends = measure != "alerts_per_1000", self.intervals[measure]
            shown = [getattr(self, measure), *(ends or ())]
            value, *interval = [percent(one) if is_share else fixed(one, 1) for one in shown]
            rows.append([words.get(measure, measure), value, " to ".join(interval) or "-"])
        counts = (
            f"{self.tp:,} found, {self.fn:,} missed, {self.fp:,} false alarms, "
            f"{self.tn:,} left alone"
        )
        table = html_table(["Measure", "unseen rows", "95 % interval"], rows)
        return in_notebook(f"Judged on {self.rows:,} rows: {self.how}", table, element("p", counts))

    def as_data(self) -> dict[str, Any]:
        """Return counts, measures and intervals as plain data."""
        counts = {name: getattr(self, name) for name in Counts._fields}
        measures = {name: getattr(self, name) for name in MEASURES}
        if self.costs is not None:
            measures["cost_per_1000"] = self.cost_per_1000
        answers = {} if self.referral is None else {"answers": self.referral.as_data()}
        return {
            **counts,
            **measures,
            **answers,
            "intervals": {
                name: None if ends is None else list(ends) for name, ends in self.intervals.items()
            },
            "how": self.how,
            "never_judged": self.never_judged,
            "is_fixed": self.is_fixed,
        }


def judged_by(folds: Sequence[Fold], how: str, **others: Any) -> Judgement:
    """Judge the folds at their own thresholds."""
    counts, found = _total([fold.counts for fold in folds]), [fold.answered for fold in folds]
    others["money"] = Money.total([fold.money for fold in folds])
    answered = [one for one in found if one is not None]
    if not answered:
        return Judgement.of(counts, how, **others)
    together = Answered(counts, _total([one.high for one in answered]))
    return Judgement.of(counts, how, together, **others)


def reachable_f1(folds: Sequence[Fold]) -> float:
    """Return the F1 where each fold chose its threshold for F1, whatever the rule is after.

    The rows are those of the judgement; for the rule "f1" it is the judged F1.
    """
    rule = make_rule("f1")
    return judged_by([fold.by_rule(rule) for fold in folds], "").f1


def judged_at(folds: Sequence[Fold], threshold: float, how: str, **others: Any) -> Judgement:
    """Judge the folds at one threshold that the user has fixed."""
    counts = _total([fold.outer.counts_at(threshold) for fold in folds])
    return Judgement.of(counts, how, is_fixed=True, **others)


def _counts(tn: int, fp: int, fn: int, tp: int) -> Counts:
    return Counts(*(np.array([float(one)]) for one in (tn, fp, fn, tp)))


def _total(parts: Sequence[Counts]) -> Counts:
    return Counts(*np.sum(parts, axis=0))
