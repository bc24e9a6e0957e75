"""Conditions with their evidence: as a data frame, text, JSON, or WHERE clauses of SQL."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from math import isnan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.condition.condition import Condition
from thresher.condition.evidence import Tally
from thresher.condition.sql import where
from thresher.frames import make_frame
from thresher.statistics import Vector

LEVEL = 0.05
"""From this p-value on a condition may be chance."""


@dataclass(frozen=True)
class ConditionTable:
    """Conditions, those with most scrap first, and what speaks for each.

    Attributes
    ----------
    conditions : the conditions.
    texts : their words.
    training : counts on the rows that grew the tree.
    held : counts on rows that did not, None where there are none.
    p_value : adjusted p-values, NaN where they are not known.
    stability : share of bootstrap trees with a similar condition, NaN where it is not known.
    money : what is at stake, NaN without costs.
    stations : where each is known, None without stations.
    evidence : "hold-out" or "out of fold", where `held` comes from; None without it.
    pos_label : the class that they lead to.
    """

    conditions: tuple[Condition, ...]
    texts: tuple[str, ...]
    training: Tally
    held: Tally | None
    p_value: Vector
    stability: Vector
    money: Vector
    stations: tuple[str | None, ...]
    evidence: str | None
    pos_label: Any

    def __len__(self) -> int:
        return len(self.conditions)

    @property
    def may_be_chance(self) -> NDArray[np.bool_]:
        """Whether each has a p-value that is not small; False where none is known."""
        return np.asarray(self.p_value >= LEVEL)

    def columns(self) -> dict[str, list[Any]]:
        """Return the columns by name; what is not known is None."""
        numbers = self._counted("", self.training)
        numbers |= {"lift": self.training.lift, "coverage": self.training.coverage}
        numbers |= self._counted("holdout_", self.held)
        numbers |= {"p_value": self.p_value, "stability": self.stability, "money": self.money}
        return {
            "condition": list(range(1, len(self) + 1)),
            "text": list(self.texts),
            **{name: _known(values) for name, values in numbers.items()},
            "station": list(self.stations),
            "leaves": [", ".join(map(str, condition.leaves)) for condition in self.conditions],
            "sql": [where(condition.clauses) for condition in self.conditions],
        }

    def _counted(self, prefix: str, counts: Tally | None) -> dict[str, Any]:
        names = [f"{prefix}{name}" for name in ("parts", "scrap", "rate", "rate_low", "rate_high")]
        if counts is None:
            return dict.fromkeys(names, np.full(len(self), np.nan))
        return dict(zip(names, (counts.n, counts.hits, counts.rate, *counts.interval), strict=True))

    def to_frame(self, kind: str | None = None) -> Any:
        """Return a data frame ("pandas", "polars", "pyarrow"); what is not known is null."""
        columns = self.columns()
        arrays = {
            name: _array(values, is_text=name in ("text", "station", "leaves", "sql"))
            for name, values in columns.items()
        }
        frame = make_frame(arrays, kind)
        return frame.fill_nan(None) if kind == "polars" else frame

    def to_json(self) -> str:
        """Return a JSON object: the whole table's counts, and the conditions with their clauses."""
        columns = self.columns()
        rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
        for row, condition in zip(rows, self.conditions, strict=True):
            row["leaves"] = list(condition.leaves)
            row["clauses"] = [clause.as_data() for clause in condition.clauses]
        whole = {
            "positive_class": str(self.pos_label),
            "parts": self.training.all_n,
            "scrap": self.training.all_hits,
            "evidence": self.evidence,
        }
        return json.dumps({**whole, "conditions": rows}, ensure_ascii=False, indent=2)

    def to_sql(self) -> str:
        """Return one WHERE clause that holds where any of the conditions does."""
        return "\n   OR ".join(f"({where(found.clauses)})" for found in self.conditions) or "1 = 0"

    def to_text(self, unit: str = "parts", event: str = "scrap") -> str:
        """Return a few lines for each condition; a row is a `unit`, a positive one an `event`."""
        if not self.conditions:
            return f"No condition leads to {self.pos_label}.\n"
        return "\n".join(self._lines(place, unit, event) for place in range(len(self))) + "\n"

    def _lines(self, place: int, unit: str, event: str) -> str:
        row = {name: values[place] for name, values in self.columns().items()} | {"unit": unit}
        facts = [
            f"{row['parts']} {unit}, {row['scrap']} {event}: {_percent(row['rate'])} "
            f"({_percent(row['rate_low'])} to {_percent(row['rate_high'])})",
            f"{row['lift']:.1f} times the average, {_percent(row['coverage'])} of all {event}",
        ]
        proof = [words(row) for name, words in PROOF.items() if row[name] is not None]
        source = "" if self.evidence is None else f"{self.evidence}: "
        lines = [f"{row['condition']}. {row['text']}", "; ".join(facts)]
        return "\n   ".join(lines + ([source + "; ".join(proof)] if proof else []))


PROOF: dict[str, Callable[[dict[str, Any]], str]] = {
    "holdout_rate": lambda row: (
        f"{_percent(row['holdout_rate'])} of {row['holdout_parts']} {row['unit']}"
    ),
    "p_value": lambda row: (
        f"p = {row['p_value']:.2g}{', may be chance' if row['p_value'] >= LEVEL else ''}"
    ),
    "stability": lambda row: f"found again in {_percent(row['stability'])} of bootstrap samples",
    "money": lambda row: f"money at stake {row['money']:,.0f}",
    "station": lambda row: f"known at {row['station']}",
}
"""The words for what is known beyond the training counts, in their order."""


def _percent(share: float) -> str:
    return f"{100.0 * share:.0f} %"


def _known(values: Any) -> list[Any]:
    """Return numbers of Python, None where they are NaN."""
    return [None if isnan(value) else value for value in np.asarray(values).tolist()]


def _array(values: list[Any], *, is_text: bool) -> Any:
    if is_text:
        return values if None in values else np.array(values, dtype=object)
    is_whole = bool(values) and all(isinstance(value, int) for value in values)
    return np.array(values, dtype=np.int64 if is_whole else np.float64)
