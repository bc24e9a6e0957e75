"""What a threshold promises as plain data, and back."""

from dataclasses import asdict
from math import inf
from typing import Any

from thresher.model_file.record import Record, require
from thresher.threshold.promise import ALERTS, COST, PRECISION, RECALL, SOURCES, Promise

MAX_ROWS = 2**53
MOST = {RECALL: 1.0, PRECISION: 1.0, ALERTS: 1000.0, COST: inf}
"""The largest bound of what can be promised; only a cost may be 0 or a gain."""


def describe_promise(promise: Promise | None) -> dict[str, Any] | None:
    """Return plain data, None where nothing is promised."""
    return None if promise is None else asdict(promise)


def promise_from(record: Record) -> Promise | None:
    """Return the promise of a record that has one; a DamagedModelError where it is not sound."""
    if not record.has("promise"):
        return None
    inside = record.record("promise")
    what = inside.text("what")
    require(what in MOST, "what is promised is unknown")
    rows = inside.integer("rows", 1, MAX_ROWS)
    bound = inside.number("bound")
    require(what == COST or 0.0 < bound <= MOST[what], "the bound of its promise is out of range")
    return Promise(
        what=what,
        bound=bound,
        confidence=inside.share("confidence"),
        rows=rows,
        positives=inside.integer("positives", 0, rows),
        unseen=unseen_from(inside),
        exact=inside.truth("exact"),
        alerts_per_1000=inside.within("alerts_per_1000", 0.0, 1000.0),
        alerts_per_1000_without=inside.within("alerts_per_1000_without", 0.0, 1000.0),
    )


def unseen_from(record: Record) -> str:
    """Return how a model came not to know the rows that it was settled on."""
    found = record.text("unseen")
    require(found in SOURCES, f"{record.place}.unseen is unknown")
    return found
