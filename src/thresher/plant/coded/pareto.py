"""Rows by reason code, and what became of them: found under it, under another code, or missed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from thresher.judging.judgement import Judgement
from thresher.judging.referral import Interval, interval_of
from thresher.text_table import Cell, TextTable
from thresher.threshold.counts import Counts
from thresher.wording import name, percent, plain, price


class CodeCount(NamedTuple):
    """Judged rows of one code.

    Attributes
    ----------
    code : its name.
    rows : that have it.
    found : of them those on which the model of this code alerts.
    elsewhere : those on which only models of other codes alert.
    """

    code: str
    rows: int
    found: int
    elsewhere: int

    @property
    def missed(self) -> int:
        """Rows on which no model alerts."""
        return self.rows - self.found - self.elsewhere

    @property
    def interval(self) -> Interval | None:
        """The 95 % interval of the share found."""
        return interval_of(self.found, self.rows)


@dataclass(frozen=True)
class Pareto:
    """What became of judged rows, code by code; the codes that cost most stand first.

    Attributes
    ----------
    codes : bad rows by code.
    good_rows, false_alarms : rows without a code, and of them those on which a model alerts.
    costs : of a missed row by code, None where they are not known.
    """

    codes: tuple[CodeCount, ...]
    good_rows: int
    false_alarms: int
    costs: Mapping[str, float] | None = None

    @classmethod
    def of(
        cls,
        labels: NDArray[Any],
        is_alert: NDArray[np.bool_],
        codes: Sequence[str],
        good: str,
        costs: Mapping[str, float] | None = None,
    ) -> "Pareto":
        """Count rows by their label and by the codes that alert on them (second axis).

        >>> labels = np.array(["ok", "leak", "leak", "noise", "dent"])
        >>> alerts = np.array([[0, 0], [1, 1], [0, 1], [0, 0], [1, 0]], dtype=bool)
        >>> found = Pareto.of(labels, alerts, ["leak", "noise"], "ok")
        >>> found.codes[0], found.false_alarms, found.judgement("").tp
        (CodeCount(code='leak', rows=2, found=1, elsewhere=1), 0, 3)
        """
        any_alert, counts = np.logical_or.reduce(is_alert, axis=1), []
        others = [label for label in np.unique(labels).tolist() if label not in (good, *codes)]
        for place, code in enumerate([*codes, *others]):
            own = np.equal(labels, code)
            found = int(is_alert[own, place].sum()) if place < len(codes) else 0
            counts.append(CodeCount(code, int(own.sum()), found, int(any_alert[own].sum()) - found))
        counts.sort(key=lambda one: -one.rows * _cost(costs, one.code))
        is_good = np.equal(labels, good)
        alarms = int(any_alert[is_good].sum())
        return cls(tuple(counts), int(is_good.sum()), alarms, costs)

    def judgement(self, how: str, **others: Any) -> Judgement:
        """Judge all codes together: a bad row that any model alerts on is found."""
        found = sum(one.found + one.elsewhere for one in self.codes)
        missed = sum(one.missed for one in self.codes)
        counts = (self.good_rows - self.false_alarms, self.false_alarms, missed, found)
        return Judgement.of(Counts(*(np.array([float(n)]) for n in counts)), how, **others)

    @property
    def named(self) -> tuple[int, int]:
        """Bad rows found under their own code, and bad rows found at all."""
        own = sum(one.found for one in self.codes)
        return own, own + sum(one.elsewhere for one in self.codes)

    def cost_missed(self, one: CodeCount) -> float | None:
        """Return what the missed rows of a code cost, None where that is not known."""
        known = self.costs is not None and one.code in self.costs
        return one.missed * _cost(self.costs, one.code) if known else None

    def as_data(self) -> list[dict[str, Any]]:
        """Return plain data, code by code."""
        return [
            {
                **one._asdict(),
                "missed": one.missed,
                "share_found": one.found / one.rows if one.rows else None,
                "interval": None if one.interval is None else list(one.interval),
                "cost_missed": self.cost_missed(one),
            }
            for one in self.codes
        ]

    def as_table(self, unit: str = "rows") -> TextTable:
        """Return a table to print."""
        heads = ["code", unit, "found", "share found", "95 % interval", "under another", "missed"]
        has_costs = self.costs is not None
        return TextTable(
            "By code",
            [*heads, *(["cost of missed"] if has_costs else [])],
            [_cells(self, one) for one in self.codes],
            [NOTE],
        )


NOTE = (
    "Found: the model of the code alerts. Under another: only models of other codes alert, so that "
    "the row is stopped, but for another reason."
)


def _cells(pareto: Pareto, one: CodeCount) -> list[Cell | str | int]:
    share = percent(one.found / one.rows if one.rows else None)
    ends = "" if one.interval is None else " to ".join(percent(end) for end in one.interval)
    cells: list[Cell | str | int] = [name(one.code), one.rows, one.found, plain(share), plain(ends)]
    cost = pareto.cost_missed(one)
    money = [] if pareto.costs is None else ["" if cost is None else price(cost)]
    return [*cells, one.elsewhere, one.missed, *money]


def _cost(costs: Mapping[str, float] | None, code: str) -> float:
    """Return the cost of a missed row, 1 where it is not known."""
    return 1.0 if costs is None else costs.get(code, 1.0)
