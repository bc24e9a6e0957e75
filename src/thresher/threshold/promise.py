"""What a threshold promises of rows to come: as data, and as one sentence."""

from dataclasses import dataclass

from thresher.wording import digits, fixed, number

RECALL, PRECISION, ALERTS, COST = "recall", "precision", "alerts_per_1000", "cost"
PROMISED = (RECALL, PRECISION, ALERTS, COST)
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
        docs/promises-study.md).
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

    @property
    def survives_new_share(self) -> bool:
        """Whether it holds where only the share of positives has changed: that of recall does."""
        return self.what in SURVIVING

    def __str__(self) -> str:
        kind = "exact" if self.exact else "measured"
        count, of = (self.rows, "rows") if self.what in (ALERTS, COST) else (self.positives, "")
        counted = f"{number(count)} {of or 'positives'}, {self.unseen}"
        return (
            f"{self._bound_words} with confidence {digits(self.confidence)} ({kind}: {counted}); "
            f"{self._price_words}."
        )

    @property
    def _bound_words(self) -> str:
        bound = digits(self.bound)
        return {
            RECALL: f"Recall is at least {bound}",
            PRECISION: f"Precision is at least {bound}",
            ALERTS: f"There are at most {bound} alerts per 1000 rows",
            COST: f"The expected cost of a row is at most {bound}",
        }[self.what]

    @property
    def _price_words(self) -> str:
        """What the promise takes in alerts."""
        if self.alerts_on_everything:
            return "it alerts on everything"
        more = self.alerts_per_1000 - self.alerts_per_1000_without
        found = f"it makes {fixed(self.alerts_per_1000, 1)} alerts per 1000 rows"
        than = f"{fixed(abs(more), 1)} {'more' if more > 0 else 'fewer'} than"
        return f"{found}, {than if abs(more) >= 0.05 else 'as'} without the promise"
