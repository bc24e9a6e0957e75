"""A cut for each row instead of one threshold for all: by what the row costs, or by its group.

The decision stays the same everywhere: positive if and only if the score is above the row's cut.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NoReturn, TypeAlias

import numpy as np

from thresher.frames import read_column
from thresher.threshold.by_row import read_row_costs
from thresher.threshold.counts import Costs, Vector
from thresher.threshold.groups import Group, Groups, codes_of
from thresher.threshold.rules import Rule, SearchedRule
from thresher.threshold.search import ScoredRows
from thresher.threshold.state import ThresholdState

COST_RULES = ("cost", "budget")
"""The rules that costs of rows have a say in."""


@dataclass(frozen=True)
class CostCuts:
    """An alert where it is expected to save more than `least_saving`.

    Attributes
    ----------
    usual : costs of rows that come without their own, and the gains of all rows.
    least_saving : 0 for the rule "cost"; what keeps the alerts within a budget.
    fp_column, fn_column : columns of a table that hold the costs, where they are known.
    """

    usual: Costs
    least_saving: float = 0.0
    fp_column: str | None = None
    fn_column: str | None = None

    def of(self, cost_fp: Any, cost_fn: Any, n_rows: int) -> Vector | None:
        """Return the cut of each row; None where no costs are given."""
        costs = read_row_costs(cost_fp, cost_fn, self.usual, n_rows)
        return None if costs is None else costs.cuts(self.least_saving)

    def in_table(self, X: Any, names: Sequence[str] | None, common: float) -> float | Vector:
        """Return the common cut: a table of features holds no costs."""
        return common


@dataclass(frozen=True)
class GroupCuts:
    """A cut for each group; other rows have the common one.

    Attributes
    ----------
    column : the column that tells the group.
    groups : texts or numbers, sorted.
    cuts : of these groups.
    """

    column: str
    groups: tuple[Group, ...]
    cuts: tuple[float, ...]

    def in_table(self, X: Any, names: Sequence[str] | None, common: float) -> float | Vector:
        """Return the cut of each row of a table; `names` are those of columns without any."""
        codes = codes_of(read_column(X, self.column, names), self.groups)
        return np.array([*self.cuts, common])[codes]


RowCuts: TypeAlias = CostCuts | GroupCuts


def chosen_cuts(
    rule: Rule, state: ThresholdState, usual: Costs, threshold: float
) -> RowCuts | None:
    """Return what gives rows their cuts beside a chosen threshold; None where nothing does."""
    if state.groups is not None:
        groups = state.groups
        return GroupCuts(groups.column, groups.names, groups.cuts(threshold))
    if state.costs is None:
        return None
    return CostCuts(usual, least_saving(rule, state) if rule.name == "budget" else 0.0)


def least_saving(budget: Rule, state: ThresholdState) -> float:
    """Return the saving that an alert must exceed, so that a budget is kept.

    The largest expected savings come first; no alert is worth it that saves nothing.

    Examples
    --------
    >>> from thresher.threshold.by_row import ByRow
    >>> from thresher.threshold.by_row import RowCosts
    >>> from thresher.threshold.rules import make_rule
    >>> costs = RowCosts(np.ones(4), np.array([1.0, 9.0, 99.0, 1.0]))
    >>> scores, truth = np.array([0.9, 0.5, 0.5, 0.1]), np.array([True, True, True, False])
    >>> state = ThresholdState.of(scores, truth, None, 0.75, by_row=ByRow(costs))
    >>> least_saving(make_rule("budget", per_1000=250), state)
    26.5
    """
    assert isinstance(budget, SearchedRule)
    assert state.costs is not None
    savings = state.costs.savings(state.shifted(state.scores))
    rows = ScoredRows.of(savings, state.is_positive, state.moved_weights, is_probability=False)
    most = SearchedRule(budget.name, lambda counts: counts.tp + counts.fp, budget.limit)
    return max(0.0, most.choose(rows.cuts()))


def read_groups(X: Any, column: str) -> Groups:
    """Return the groups of the rows of a table to fit on."""
    return Groups.of(column, read_column(X, column))


def refuse_costs(rule: Any, known: RowCuts | None = None, *, by_group: bool = False) -> NoReturn:
    """Raise where costs of rows are given to a model that has no use for them."""
    if by_group or isinstance(known, GroupCuts):
        raise ValueError(
            "cost_fp and cost_fn of rows do not go with threshold_by; leave one of them out."
        )
    if rule == "budget":
        raise ValueError(
            "This budget was chosen without the costs of rows; give cost_fp or cost_fn to fit, too."
        )
    listed = " and ".join(map(repr, COST_RULES))
    raise ValueError(f"cost_fp and cost_fn of rows are for the rules {listed}, got rule={rule!r}.")
