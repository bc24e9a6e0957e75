"""How a threshold was chosen, as plain data, and back: scored rows, cuts of rows, the promise."""

from dataclasses import asdict
from math import inf, isnan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.model_file.fields import Record, is_number, require
from thresher.threshold.by_row import RowCosts
from thresher.threshold.counts import Costs
from thresher.threshold.groups import MAX_GROUPS, Groups
from thresher.threshold.prior_shift import odds
from thresher.threshold.promise import (
    ALERTS,
    ANSWERS,
    COST,
    PRECISION,
    RECALL,
    SOURCES,
    Promise,
    ReferPromise,
)
from thresher.threshold.row_cuts import CostCuts, GroupCuts, RowCuts
from thresher.threshold.state import ThresholdState

FRAMES = (None, "pandas", "polars", "pyarrow")


def describe_choice(model: Any, *, with_scores: bool) -> dict[str, Any]:
    """Return what `ThresholdedMixin` keeps; a forest's scores follow from its votes."""
    state, interval = model.threshold_state_, model.threshold_interval_
    found = {
        "prior": float(state.prior),
        "fit_prior": float(state.fit_prior),
        "correction": float(state.correction),
        "factor": float(state.factor),
        "seed": int(state.seed),
        "frame": state.frame_kind if state.frame_kind in FRAMES else None,
        "interval": None if interval is None else [_known(end) for end in interval],
        "unseen": state.unseen,
        "promise": describe_promise(model.promise_),
        "is_positive": state.is_positive,
        "weights": state.weights,
        **describe_by_row(state),
    }
    return found | {"scores": state.scores} if with_scores else found


def _known(end: float) -> float | None:
    return None if isnan(end) else float(end)


def restore_choice(model: Any, record: Record, scores: NDArray[np.float64] | None = None) -> None:
    """Set what `ThresholdedMixin` keeps."""
    if scores is None:
        scores = record.floats("scores", (None,))
        in_range = bool(((scores >= 0.0) & (scores <= 1.0)).all())
        require(in_range and len(scores), "the scores of the training rows are not probabilities")
    is_positive = record.array("is_positive", "b", (len(scores),))
    require(not len(scores) or 0 < is_positive.sum() < len(scores), "one class has no scored row")
    state = ThresholdState(
        scores,
        is_positive,
        _weights(record, is_positive),
        prior=record.share("prior"),
        fit_prior=record.share("fit_prior"),
        correction=record.positive("correction"),
        factor=record.positive("factor"),
        seed=record.integer("seed", 0, 2**64 - 1),
        frame_kind=record["frame"],
        unseen=unseen_from(record),
        **restore_by_row(record, len(scores), model.row_cuts_),
    )
    require(state.frame_kind in FRAMES, "the library of its data frames is unknown")
    model.threshold_state_ = state
    model.threshold_interval_ = _interval(record)
    model.promise_ = promise_from(record)
    # A rule that is out of range would only be noticed when the prior changes.
    model.checked_rule()
    require(odds(state.prior) > 0.0, "the share of positives is out of range")


def _weights(record: Record, is_positive: NDArray[np.bool_]) -> NDArray[np.float64] | None:
    if not record.has("weights"):
        return None
    weights = record.floats("weights", is_positive.shape)
    of_classes = [weights[is_positive].sum(), weights[~is_positive].sum()]
    are_there = min(of_classes) > 0.0 or not len(weights)
    is_sound = bool((weights >= 0.0).all()) and are_there and sum(of_classes) < 1e300
    require(is_sound, "the weights of the scored rows are out of range")
    return weights


def _interval(record: Record) -> tuple[float, float] | None:
    if not record.has("interval"):
        return None
    ends = record.items("interval")
    require(
        len(ends) == 2 and all(one is None or is_number(one) for one in ends),
        "its interval is wrong",
    )
    low, high = (np.nan if one is None else float(one) for one in ends)
    return low, high


# ----------------------------------------------------------------------- cuts of rows and of groups

LARGEST_COST = 1e300


def describe_cuts(cuts: RowCuts | None) -> dict[str, Any]:
    """Return the field `cuts`; none where one threshold is for all rows."""
    if cuts is None:
        return {}
    if isinstance(cuts, GroupCuts):
        data: dict[str, Any] = {
            "by": "group",
            "column": cuts.column,
            "groups": list(cuts.groups),
            "cuts": list(cuts.cuts),
        }
    else:
        data = {
            "by": "costs",
            **{name: float(value) for name, value in cuts.usual._asdict().items()},
            "least_saving": float(cuts.least_saving),
            "fp_column": cuts.fp_column,
            "fn_column": cuts.fn_column,
        }
    return {"cuts": data}


def restore_cuts(record: Record) -> RowCuts | None:
    """Return what `describe_cuts` described; None where the field is missing."""
    if "cuts" not in record.data:
        return None
    inside = record.record("cuts")
    by = inside.text("by")
    require(by in ("group", "costs"), f"{inside.place}.by is unknown")
    return _group_cuts(inside) if by == "group" else _cost_cuts(inside)


def _cost_cuts(record: Record) -> CostCuts:
    usual = Costs(*(record.within(name, 0.0, LARGEST_COST) for name in Costs._fields))
    require(sum(usual) > 0.0, f"{record.place} are all 0")
    names = [record.text(name) if record.has(name) else None for name in ("fp_column", "fn_column")]
    return CostCuts(usual, record.within("least_saving", 0.0, LARGEST_COST), *names)


def _group_cuts(record: Record) -> GroupCuts:
    groups, cuts = record.items("groups"), record.items("cuts")
    are_numbers = all(is_number(one) and type(one) is float for one in groups)
    are_groups = are_numbers or all(type(one) is str for one in groups)
    is_sound = (
        0 < len(groups) == len(cuts) <= MAX_GROUPS
        and are_groups
        and groups == sorted(set(groups))
        and all(is_number(one) for one in cuts)
    )
    require(is_sound, f"{record.place} are no cuts of groups")
    return GroupCuts(record.text("column"), tuple(groups), tuple(map(float, cuts)))


# ------------------------------------------------------------------------------- of the scored rows


def describe_by_row(state: ThresholdState) -> dict[str, Any]:
    """Return costs and groups of the scored rows, where they have such."""
    found: dict[str, Any] = {}
    if state.costs is not None:
        found["costs"] = {"fp": state.costs.fp, "fn": state.costs.fn}
    if state.groups is not None:
        codes = state.groups.codes.astype(np.int32)
        found["groups"] = {"codes": codes, "factors": state.groups.factors}
    return found


def restore_by_row(record: Record, n_rows: int, cuts: RowCuts | None) -> dict[str, Any]:
    """Return the fields of a ThresholdState; they must fit the cuts of the model."""
    found: dict[str, Any] = {}
    if "costs" in record.data:
        require(isinstance(cuts, CostCuts), "costs of rows are there without cuts by them")
        assert isinstance(cuts, CostCuts)
        found["costs"] = _row_costs(record.record("costs"), n_rows, cuts.usual)
    if isinstance(cuts, GroupCuts) and "groups" in record.data:
        found["groups"] = _groups(record.record("groups"), n_rows, cuts)
    return found


def _row_costs(record: Record, n_rows: int, usual: Costs) -> RowCosts:
    fp, fn = (record.floats(name, (n_rows,)) for name in ("fp", "fn"))
    is_sound = bool(((fp >= 0.0) & (fp <= LARGEST_COST) & (fn >= 0.0) & (fn <= LARGEST_COST)).all())
    require(is_sound, f"{record.place} are out of range")
    return RowCosts(fp, fn, usual.gain_tp, usual.gain_tn)


def _groups(record: Record, n_rows: int, cuts: GroupCuts) -> Groups:
    codes = record.array("codes", "i", (n_rows,)).astype(np.intp)
    factors = record.floats("factors", (len(cuts.groups),))
    is_sound = bool(((codes >= -1) & (codes < len(factors))).all()) and bool((factors > 0.0).all())
    require(is_sound, f"{record.place} are out of range")
    return Groups(cuts.column, cuts.groups, codes, factors)


# -------------------------------------------------------------------------------------- the promise

MAX_ROWS = 2**53
LARGEST_BOUND = {RECALL: 1.0, PRECISION: 1.0, ALERTS: 1000.0, COST: inf}
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
    require(what in (*LARGEST_BOUND, ANSWERS), "what is promised is unknown")
    if what == ANSWERS:
        return _of_answers(inside)
    rows = inside.integer("rows", 1, MAX_ROWS)
    bound = inside.number("bound")
    require(
        what == COST or 0.0 < bound <= LARGEST_BOUND[what],
        "the bound of its promise is out of range",
    )
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
