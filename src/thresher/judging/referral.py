"""How unseen rows were answered where some are referred: counts, shares, intervals, words."""

from typing import Any, NamedTuple

from thresher.answers import ALERT, PASS, REFER
from thresher.statistics import wilson
from thresher.threshold.answered import Answered
from thresher.wording import percent
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
