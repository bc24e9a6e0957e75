"""What a threshold promises as plain data, and back."""

from dataclasses import asdict
from math import inf
from typing import Any

from thresher.model_file.record import Record, require
from thresher.threshold.promise import ALERTS, COST, PRECISION, RECALL, SOURCES, Promise
from thresher.threshold.refer_promise import ANSWERS, ReferPromise

MAX_ROWS = 2**53
MOST = {RECALL: 1.0, PRECISION: 1.0, ALERTS: 1000.0, COST: inf}
"""The largest bound of what can be promised; only a cost may be 0 or a gain."""


def describe_promise(promise: Promise | ReferPromise | None) -> dict[str, Any] | None:
    """Return plain data, None where nothing is promised."""
    return None if promise is None else {"what": promise.what, **asdict(promise)}


def promise_from(record: Record) -> Promise | ReferPromise | None:
    """Return the promise of a record that has one; a DamagedModelError where it is not sound."""
    if not record.has("promise"):
        return None
    inside = record.record("promise")
    what = inside.text("what")
    require(what in (*MOST, ANSWERS), "what is promised is unknown")
    if what == ANSWERS:
        return _of_answers(inside)
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


def _of_answers(record: Record) -> ReferPromise:
    rows = record.integer("rows", 1, MAX_ROWS)
    per_1000 = ("alerts_per_1000", "referred_per_1000", "referred_per_1000_without")
    return ReferPromise(
        **{name: record.share(name) for name in ("miss", "false_alarm", "confidence")},
        rows=rows,
        positives=record.integer("positives", 0, rows),
        unseen=unseen_from(record),
        exact=record.truth("exact"),
        **{name: record.within(name, 0.0, 1000.0) for name in per_1000},
    )


def unseen_from(record: Record) -> str:
    """Return how a model came not to know the rows that it was settled on."""
    found = record.text("unseen")
    require(found in SOURCES, f"{record.place}.unseen is unknown")
    return found
