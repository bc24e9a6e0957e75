"""A cut of its own for each row, as exports write it: from its costs, or from its group."""

from dataclasses import dataclass
from typing import Any, TypeAlias

from thresher.threshold.groups import Group
from thresher.threshold.row_cuts import CostCuts, GroupCuts


@dataclass(frozen=True)
class CostCut:
    """The cut (fp + gain_tn + least_saving) / (fp + fn + gain_tp + gain_tn); 1 if that is 0 / 0.

    `fp` and `fn` are columns of the table to score, or numbers that hold for all of its rows. Sums
    are from left to right: their order decides the last bit.
    """

    fp: str | float
    fn: str | float
    gain_tp: float
    gain_tn: float
    least_saving: float

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns with costs."""
        return tuple(dict.fromkeys(one for one in (self.fp, self.fn) if isinstance(one, str)))


@dataclass(frozen=True)
class GroupCut:
    """The cut of the group that a column of the model names; others have the threshold."""

    place: int
    groups: tuple[Group, ...]
    cuts: tuple[float, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns beside those of the model."""
        return ()


RowCut: TypeAlias = CostCut | GroupCut


def read_row_cut(
    model: Any, names: tuple[str, ...], cost_fp: str | None, cost_fn: str | None
) -> RowCut | None:
    """Return how a fitted model cuts row by row; None where one threshold is for all.

    The columns with costs are those given, or else those that the model knows.
    """
    cuts = getattr(model, "row_cuts_", None)
    asked = cost_fp is not None or cost_fn is not None
    if isinstance(cuts, GroupCuts):
        if asked:
            raise ValueError("The model has a cut for each group, so it takes no cost columns.")
        return GroupCut(names.index(cuts.column), cuts.groups, cuts.cuts)
    if cuts is None and asked:
        cuts = _usual_cuts(model)
    if cuts is None or not (asked or cuts.fp_column or cuts.fn_column):
        return None
    if not asked:
        cost_fp, cost_fn = cuts.fp_column, cuts.fn_column
    usual = cuts.usual
    return CostCut(
        float(usual.fp) if cost_fp is None else cost_fp,
        float(usual.fn) if cost_fn is None else cost_fn,
        float(usual.gain_tp),
        float(usual.gain_tn),
        float(cuts.least_saving),
    )


def _usual_cuts(model: Any) -> CostCuts:
    if getattr(model, "rule", None) != "cost":
        raise ValueError(
            "cost_fp_column and cost_fn_column are for models that decide by costs: with "
            "rule='cost', or fitted with costs of rows."
        )
    return CostCuts(model.costs)
