"""Cuts of rows and of groups as plain data, and back; and costs and groups of scored rows."""

from typing import Any

import numpy as np

from thresher.model_file.record import Record, is_number, require
from thresher.threshold.groups import MAX_GROUPS, Groups
from thresher.threshold.row_costs import RowCosts
from thresher.threshold.row_cuts import CostCuts, GroupCuts, RowCuts
from thresher.threshold.rules import Costs
from thresher.threshold.state import ThresholdState

MOST = 1e300


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
    usual = Costs(*(record.within(name, 0.0, MOST) for name in Costs._fields))
    require(sum(usual) > 0.0, f"{record.place} are all 0")
    names = [record.text(name) if record.has(name) else None for name in ("fp_column", "fn_column")]
    return CostCuts(usual, record.within("least_saving", 0.0, MOST), *names)


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


# ----------------------------------------------------------------------------- of the scored rows


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
    is_sound = bool(((fp >= 0.0) & (fp <= MOST) & (fn >= 0.0) & (fn <= MOST)).all())
    require(is_sound, f"{record.place} are out of range")
    return RowCosts(fp, fn, usual.gain_tp, usual.gain_tn)


def _groups(record: Record, n_rows: int, cuts: GroupCuts) -> Groups:
    codes = record.array("codes", "i", (n_rows,)).astype(np.intp)
    factors = record.floats("factors", (len(cuts.groups),))
    is_sound = bool(((codes >= -1) & (codes < len(factors))).all()) and bool((factors > 0.0).all())
    require(is_sound, f"{record.place} are out of range")
    return Groups(cuts.column, cuts.groups, codes, factors)
