"""The table as it is learnt from: features, labels, times, groups, stages, and remarks."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from thresher.column import Column, Texts
from thresher.errors import TableError
from thresher.evaluation.leakage import Leakage, leakage_of
from thresher.plant.prediction import read_costs
from thresher.tables.plan import CATEGORY, DATE, ID, LABEL, NUMBER, Plan
from thresher.tables.planning import left_aside
from thresher.tables.source import read_table
from thresher.tables.table import Table, texts_of
from thresher.tables.target import Labels, positive_label, read_labels, with_target
from thresher.tables.times import read_times
from thresher.threshold.by_row import RowCosts, read_row_costs
from thresher.threshold.counts import Costs
from thresher.wording import counted, percent, plain


class Roles(NamedTuple):
    """Which columns are what.

    Attributes
    ----------
    target : the two classes.
    positive : the class to find, None for the rarer one.
    id : names of a row.
    time : when a row was made.
    group : rows that belong together.
    ignore : left out.
    stages : the stage of each column, or a table that tells it.
    costs : columns with the costs of a false alarm and of a miss.
    """

    target: str
    positive: str | None = None
    id: Collection[str] = ()
    time: str | None = None
    group: str | None = None
    ignore: Collection[str] = ()
    stages: Any = None
    costs: tuple[str | None, str | None] = (None, None)

    @property
    def not_learnt(self) -> list[str]:
        """The columns that are not learnt from."""
        special = [self.target, *self.id, self.time, self.group, *self.ignore, *self.costs]
        return [name for name in special if name is not None]

    @property
    def meanings(self) -> dict[str, str]:
        """What columns are by what they are used for."""
        found = {**dict.fromkeys(self.id, ID), self.target: LABEL}
        if self.time is not None:
            found[self.time] = DATE
        if self.group is not None:
            found[self.group] = CATEGORY
        return found | {name: NUMBER for name in self.costs if name is not None}

    @property
    def texts(self) -> list[str]:
        """The columns whose values stay as they are written."""
        as_read = {*self.ignore, *self.costs}
        return [name for name in self.not_learnt if name not in as_read]


@dataclass(frozen=True)
class TrainingTable:
    """The table as it is learnt from, in the order of time where there is one.

    `remarks` say what was left out, `leakage` what may give the target away.
    """

    features: Table
    labels: Labels
    positive: str
    times: NDArray[Any] | None
    groups: NDArray[Any] | None
    stages: Mapping[str, str] | None
    remarks: tuple[str, ...]
    leakage: Leakage
    plan: Plan | None = None
    costs: RowCosts | None = None

    @property
    def is_positive(self) -> NDArray[np.bool_]:
        """Whether each row is of the positive class."""
        return np.asarray(self.labels == self.positive)

    @property
    def dates(self) -> NDArray[Any] | None:
        """The times where they are dates."""
        is_dated = self.times is not None and self.times.dtype.kind == "M"
        return self.times if is_dated else None

    def __len__(self) -> int:
        return len(self.labels)

    def __str__(self) -> str:
        rare = int(self.is_positive.sum())
        share = plain(percent(rare / len(self)))
        return f"{counted(len(self), 'rows')}, {rare:,} of them {self.positive!r} ({share})"


def read_training_table(
    place: Any, roles: Roles, usual: Costs | None = None, *, seed: int = 0, n_threads: int = 1
) -> TrainingTable:
    """Read the table and tell apart what is learnt from and what is not.

    `usual` are the costs that no column holds.
    """
    table = read_table(place, texts=roles.texts)
    table.need([*roles.not_learnt, *(name for name in roles.costs if name is not None)])
    table = with_target(table, roles.target, roles.positive)
    labels = read_labels(table, roles.target)
    positive = positive_label(labels, roles.positive)
    times = None if roles.time is None else read_times(table, roles.time)
    if times is not None:
        order = np.argsort(times, kind="stable")
        table, times, labels = table.take(order), times[order], labels[order]
    features = table.without(roles.not_learnt)
    aside = left_aside(features)
    plans = {} if table.plan is None else table.plan.columns
    given = [name for name in features.columns if name in plans and plans[name].is_given]
    # What reading took for IDs is asked again, for the rates along them.
    ids = [name for name in aside if plans[name].meaning == ID and name not in given]
    features = features.without([name for name in aside if name not in ids])
    leakage = leakage_of(
        {name: Column(name, x, isinstance(x, Texts)) for name, x in features.columns.items()},
        np.asarray(labels == positive),
        target=roles.target,
        value=positive,
        keep=given,
        times=times,
        seed=seed,
        n_threads=n_threads,
    )
    said = {name: each.sentence for each in leakage.left_out for name in each.columns}
    features = features.without([*ids, *said])
    remarks = list(dict.fromkeys((aside | said).values()))
    if not features.columns:
        names, why = ", ".join(roles.not_learnt), " ".join(["", *remarks])
        raise TableError(f"{table.source} has no column to learn from beside {names}.{why}")
    if leakage.note is not None:
        remarks.append(leakage.note)
    groups = None
    if roles.group is not None:
        groups = np.array([text or "" for text in texts_of(table.columns[roles.group])])
    stages = stages_of(roles.stages, features.columns, table.columns)
    plan = None if table.plan is None else table.plan.with_roles(roles.meanings)
    costs = _row_costs(table, roles.costs, usual)
    notes = (*table.notes, *remarks)
    return TrainingTable(
        features, labels, positive, times, groups, stages, notes, leakage, plan, costs
    )


def _row_costs(
    table: Table, names: tuple[str | None, str | None], usual: Costs | None
) -> RowCosts | None:
    """Return the costs of the rows; None where no column holds any."""
    if names == (None, None):
        return None
    fp, fn = read_costs(table, names)
    return read_row_costs(fp, fn, usual or Costs(), len(table))


def stages_of(
    given: Any, features: Collection[str], others: Collection[str]
) -> Mapping[str, str] | None:
    """Return the stage of each column to learn from, as a mapping or a table tells it."""
    if given is None or isinstance(given, Mapping):
        return None if given is None else check_stages(given, features, others)
    return read_stages(given, features, others)


def read_stages(place: Any, features: Collection[str], others: Collection[str]) -> dict[str, str]:
    r"""Read a table with the columns `column` and `stage`.

    Parameters
    ----------
    place : path or data frame
        Anything that `read_table` takes.
    features : names
        The columns that a model learns from; each needs a stage.
    others : names
        Further columns of the table, which may be named too.

    Examples
    --------
    >>> path = getfixture("tmp_path") / "stages.csv"
    >>> _ = path.write_text("column,stage\nforce,press\nleak,test\n")
    >>> read_stages(str(path), ["force", "leak"], [])
    {'force': 'press', 'leak': 'test'}
    """
    table = read_table(place, texts=["column", "stage"])
    table.need(["column", "stage"])
    pairs = zip(texts_of(table.columns["column"]), texts_of(table.columns["stage"]), strict=True)
    stages: dict[str, str] = {}
    for row, (column, stage) in enumerate(pairs, start=1):
        if column is None or stage is None:
            raise TableError(f"{table.source} has an empty value in row {row}; fill it in.")
        if column in stages:
            raise TableError(f"{table.source} names the column {column!r} twice.")
        stages[column] = stage
    return check_stages(stages, features, others, table.source)


def check_stages(
    stages: Mapping[str, str],
    features: Collection[str],
    others: Collection[str],
    source: str = "stages",
) -> dict[str, str]:
    """Return the stages of the features; raise where one has none, or a name is unknown."""
    for row, column in enumerate(stages, start=1):
        if column not in features and column not in others:
            raise TableError(
                f"{source} names the column {column!r} in row {row}, which the table does not have."
            )
    missing = [name for name in features if name not in stages]
    if missing:
        raise TableError(
            f"{source} does not tell the stage of the column {missing[0]!r}; add it, or leave "
            f"the column out with ignore={missing[0]!r}."
        )
    return {column: stage for column, stage in stages.items() if column in features}
