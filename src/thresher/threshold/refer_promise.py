"""What two thresholds promise of rows to come: as data, and as one sentence."""

from dataclasses import dataclass

from thresher.wording import digits, fixed, number

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
    survives_new_share = False
    """The share of alerts that are negative depends on the share of positives."""

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
            f"{self.unseen}); {self._price_words}."
        )

    @property
    def _price_words(self) -> str:
        more = self.referred_per_1000 - self.referred_per_1000_without
        found = f"it takes {fixed(self.referred_per_1000, 1)} referred rows per 1000"
        than = f"{fixed(abs(more), 1)} {'more' if more > 0 else 'fewer'} than"
        return f"{found}, {than if abs(more) >= 0.05 else 'as'} without the promise"
