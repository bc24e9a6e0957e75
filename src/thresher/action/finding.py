"""The public function: a fitted model in, what may be done about its conditions out."""

from collections.abc import Collection, Mapping, Sequence
from math import nan
from typing import Any, NamedTuple

import numpy as np

from thresher.action.avoided import unseen_rates
from thresher.action.confounders import Confounder, find_confounders
from thresher.action.limit import Limit, Window, limits_of, read_windows
from thresher.action.table import Action, ActionTable
from thresher.condition.clause import Clause, inside
from thresher.condition.counterparts import Counterparts
from thresher.condition.finding import make_findings
from thresher.condition.table import ConditionTable
from thresher.frames import frame_kind
from thresher.matrix import Columns
from thresher.threshold.counts import Costs
from thresher.validation import check_choice, check_number
from thresher.wording import first_of, listed

OUTPUTS = ("frame", "table", "text", "json")


def actions(
    model: Any,
    X: Any,
    y: Any,
    *,
    settings: str | Collection[str],
    limits: Mapping[str, Any] | None = None,
    costs: Any = None,
    X_test: Any = None,
    y_test: Any = None,
    output: str = "frame",
    **options: Any,
) -> Any:
    """Say for each condition which setting to hold where, and what that would bring.

    For each column of a condition that may be set: the limit that keeps the condition from coming
    true, how much scrap unseen rows say it would avoid, and which columns could be what counts
    instead. The figures are associations in past rows. They are what the limit brings only if the
    lever, and nothing that goes with it, is the cause.

    Parameters
    ----------
    model : classifier
        Fitted; whatever `thresher.find_conditions` reads.
    X, y : table and labels
        The rows that the model was fitted on.
    settings : names of columns
        What somebody can set on the line.
    limits : mapping, default=None
        What a setting may be: for numbers a pair (lowest, highest), None for an open end; for
        categories the allowed levels.
    costs : float or Costs, default=None
        What a positive row costs; of `Costs` its `fn`.
    X_test, y_test : table and labels, default=None
        Rows that had no part in the model. Without them models without each fold are fitted.
    output : {"frame", "table", "text", "json"}, default="frame"
    **options
        Further parameters of `thresher.find_conditions`: `stages`, `refit`, `cv`, ...

    Returns
    -------
    data frame
        One row a lever, what avoids most first. Columns: `condition` (its number), `text`,
        `state`, `lever`, `action` (the limit in words), `parts` and `scrap` of the table under
        the condition, its lever measured, `rate` of unseen rows under it, `kept_parts` and
        `kept_rate` of comparable ones that keep the limit, `avoided` scrap with a 95 % interval
        (`avoided_low`, `avoided_high`), `money` alike, `outside` (share of all rows that the limit
        would change if it held for all), `confounders` (columns that could be the reason instead),
        `moves_with` (columns that move with the lever and leave the difference), `test_parts` (of
        each group of a test on the line), `stage`.

    Notes
    -----
    Comparable rows meet the other clauses of the condition and keep the limit; of numbers the
    nearest to the limit are taken. Rates are of rows that did not choose the condition. The
    interval is one of prediction, for as many rows to come as there are under the condition.

    Examples
    --------
    >>> from thresher import ImbalancedTreeClassifier, actions
    >>> from thresher.datasets import make_assembly_line
    >>> line = make_assembly_line(random_state=0)
    >>> model = ImbalancedTreeClassifier(max_leaf_nodes=16).fit(line.X, line.y)
    >>> settings = ["press_force", "oven_temperature", "torque_3"]
    >>> found = actions(model, line.X, line.y, settings=settings, n_permutations=0, n_bootstrap=0)
    >>> print(found[["action", "scrap", "avoided"]].round().to_string(index=False))
                                                        action  scrap  avoided
       hold oven_temperature above 148.008 while shift = night    112    103.0
    hold press_force at or below 61.4912 while tool_age > 38.5    111    102.0
          hold torque_3 above 11.1993 while supplier in {B, D}     90     82.0
                    no limit: leak_rate and flow cannot be set    103      NaN
    """
    check_choice("output", output, OUTPUTS)
    found = make_findings(model, X, y, X_test=X_test, y_test=y_test, **options)
    assert found.seen is not None
    wishes = {"settings": settings, "limits": limits, "costs": costs}
    table = act_on(found.table, found.columns, found.seen, found.unseen, **wishes)
    if output == "table":
        return table
    return table.to_frame(frame_kind(X)) if output == "frame" else getattr(table, f"to_{output}")()


def act_on(
    table: ConditionTable,
    columns: Columns,
    seen: Counterparts,
    unseen: Sequence[Counterparts],
    *,
    settings: str | Collection[str],
    limits: Mapping[str, Any] | None = None,
    costs: Any = None,
) -> ActionTable:
    """Return what may be done about conditions that are found already.

    Parameters
    ----------
    table : the conditions.
    columns : of the model that they were read from.
    seen : the rows that limits are counted on, with the conditions.
    unseen : rows that did not choose the conditions, and what stands for these there.
    settings, limits, costs : as in `actions`.
    """
    names = [settings] if isinstance(settings, str) else list(settings)
    _check_settings(names, columns)
    levels = dict(zip(columns.given_names, columns.levels, strict=True))
    windows = read_windows(limits, names, levels)
    worker = _Worker(table, columns, seen, unseen, names, windows, _value(costs))
    rows = [action for place in range(len(table)) for action in worker.actions(place)]
    return ActionTable(
        tuple(sorted(rows, key=_order)), table.evidence, table.pos_label, table.class_name
    )


def _order(action: Action) -> float:
    """Sort by what is avoided; then come unknown gains, and conditions without a limit."""
    if action.limit is None:
        return np.inf
    return -float(np.nan_to_num(action.avoided[0], nan=-1.0))


def _check_settings(names: Sequence[str], columns: Columns) -> None:
    if not names:
        raise ValueError("settings is empty; name the columns that can be set on the line.")
    for name in names:
        if name not in columns.given_names:
            raise ValueError(
                f"settings names {name!r}, which is no column of the model; choose from "
                f"{first_of(columns.given_names)}."
            )


def _value(costs: Any) -> float:
    """Return what a positive row costs, NaN where nobody says."""
    if costs is None:
        return nan
    value = costs.fn if isinstance(costs, Costs) else costs
    check_number("costs", value, 0.0)
    return float(value)


class _Worker(NamedTuple):
    """What actions are made of."""

    table: ConditionTable
    columns: Columns
    seen: Counterparts
    unseen: Sequence[Counterparts]
    settings: Sequence[str]
    windows: Mapping[str, Window]
    value: float

    def actions(self, place: int) -> list[Action]:
        """Return what may be done about the condition of a place."""
        clauses = self.table.conditions[place].clauses
        found = [self._action(place, limit) for limit in self._limits(clauses)]
        # A way out of a clause that says "and not for another reason" leads to more scrap.
        useful = [action for action in found if not action.avoided[0] <= 0.0]
        if not useful:
            return [self._without(place, clauses, is_tried=bool(found))]
        return useful

    def _limits(self, clauses: Sequence[Clause]) -> list[Limit]:
        return [
            limit
            for clause in clauses
            if set(clause.given_columns) & set(self.settings)
            for limit in limits_of(
                clause,
                [other for other in clauses if other is not clause],
                self.windows,
                self.settings,
            )
        ]

    def _base(self, place: int) -> dict[str, Any]:
        table = self.table
        parts, scrap = self.seen.counted(place)
        return {
            "condition": place + 1,
            "text": table.texts[place],
            "state": table.states[place],
            "stage": table.stages[place],
            "parts": parts,
            "scrap": scrap,
            "value": self.value,
            "rows": len(self.seen.matrix),
        }

    def _without(self, place: int, clauses: Sequence[Clause], *, is_tried: bool) -> Action:
        asked = dict.fromkeys(name for clause in clauses for name in clause.given_columns)
        told = f"no limit: {listed(asked)} cannot be set" if asked else "no limit: it asks nothing"
        if is_tried:
            told = "no limit: unseen rows that keep one fare no better"
        return Action(**self._base(place), limit=None, sentence=told)

    def _action(self, place: int, limit: Limit) -> Action:
        sentence = limit.sentence(self._complete)
        met = self.seen.holds((limit.bad, *limit.context))
        scrap = int((met & self.seen.is_positive).sum())
        base = self._base(place) | {"parts": int(met.sum()), "scrap": scrap}
        if limit.good is None:
            return Action(**base, limit=limit, sentence=sentence)
        values = self.seen.values(limit.lever)
        is_kept = limit.is_kept(values)
        return Action(
            **base,
            limit=limit,
            sentence=sentence,
            rates=unseen_rates(limit, place, self.unseen),
            outside=float((~is_kept & ~np.isnan(values)).mean()),
            confounders=tuple(self._confounders(limit, values, is_kept)),
        )

    @property
    def _complete(self) -> frozenset[str]:
        gaps = np.count_nonzero(np.isnan(self.seen.matrix), axis=0)
        return frozenset(self.seen.names[place] for place in np.flatnonzero(gaps == 0).tolist())

    def _confounders(self, limit: Limit, values: Any, is_kept: Any) -> list[Confounder]:
        """Look among the rows that the limit is wanted for, beyond it and within."""
        is_beyond = inside(limit.bad, values)
        rows = np.flatnonzero(self.seen.holds(limit.context) & (is_beyond | is_kept))
        return find_confounders(
            values[rows],
            is_beyond[rows],
            self.seen.is_positive[rows],
            self.seen.matrix[rows].astype(np.float64),
            self.seen.names,
            self.columns.is_category.astype(bool).tolist(),
            [limit.lever, *limit.bad.given_columns],
        )
