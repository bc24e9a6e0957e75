"""Trials of the drift study: real tables, random splits, and drifts that are put into a column."""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.column import Levels, Numbers, Texts
from thresher.datasets import list_datasets
from thresher.datasets.assembly_line import dataset_columns
from thresher.datasets.catalog import TARGET, read_table
from thresher.judging.column_summary import ColumnSummary, summarize
from thresher.judging.drift import Drift, column_drift, column_level
from thresher.tables.table import Column

NEW_LEVEL = "a new level"
NO_LEVEL = "none of them"


@dataclass(frozen=True)
class RealTable:
    """The features of a table by name."""

    name: str
    columns: dict[str, Column]

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    @property
    def content(self) -> str:
        """A hash of names and values, whatever the order of rows."""
        digest = sha256("\n".join(self.columns).encode())
        for column in self.columns.values():
            values = column.values() if isinstance(column, Texts) else column.tolist()
            digest.update(repr(sorted(map(str, values))).encode())
        return digest.hexdigest()


def real_tables(names: list[str] | None = None) -> Iterator[RealTable]:
    """Yield the data sets at hand, each content once; files of other names are read as they are."""
    seen: set[str] = set()
    for name, load in _loaders().items():
        if names and name not in names:
            continue
        table = RealTable(name, load())
        if table.content not in seen:
            seen.add(table.content)
            yield table


def _loaders() -> dict[str, Callable[[], dict[str, Column]]]:
    known = list_datasets(available=True)
    found = {name: lambda name=name: _without_target(dataset_columns(name)) for name in known}
    folder = os.environ.get("THRESHER_DATA")
    for path in sorted(Path(folder).rglob("*.csv.gz")) if folder else []:
        found.setdefault(path.name.removesuffix(".csv.gz"), lambda path=path: _from_file(path))
    return found


def _without_target(columns: dict[str, Column]) -> dict[str, Column]:
    return {name: column for name, column in columns.items() if name != TARGET}


def _from_file(path: Path) -> dict[str, Column]:
    """Read a table whose indicator columns, `job=clerk` and so on, become one text each."""
    table = read_table(path.read_bytes())
    columns: dict[str, Column] = {}
    groups: dict[str, dict[str, Numbers]] = {}
    for name, values in zip(table.columns, table.X.T, strict=True):
        column, found, level = name.partition("=")
        if found:
            groups.setdefault(column, {})[level] = values
        else:
            columns[name] = values
    for column, indicators in groups.items():
        levels = [*indicators, NO_LEVEL]
        chosen = np.stack([*indicators.values(), np.full(len(table.y), 0.5)]).argmax(axis=0)
        columns[column] = Texts.of(levels[code] for code in chosen.tolist())
    return columns


# --------------------------------------------------------------------------------------- splits


@dataclass(frozen=True)
class Split:
    """A random part of a table as training, and another as new rows."""

    table: RealTable
    training: NDArray[np.int64]
    new: NDArray[np.int64]

    @classmethod
    def of(cls, table: RealTable, new: int, training: int | None, seed: int) -> "Split":
        """Draw new rows, and so many training rows of the others; all of them if None."""
        order = np.random.default_rng(seed).permutation(len(table))
        end = None if training is None else new + training
        return cls(table, order[new:end], order[:new])

    def columns(self) -> Iterator["SplitColumn"]:
        """Yield each column as a training would keep it, and its new rows."""
        for name, column in self.table.columns.items():
            old, new = taken(column, self.training), taken(column, self.new)
            levels: Levels | None = None
            if isinstance(old, Texts):
                old = old.used()
                levels = old.levels
            yield SplitColumn(name, new, levels, summarize(old, levels))


@dataclass(frozen=True)
class SplitColumn:
    """One column of a split."""

    name: str
    new: Column
    levels: Levels | None
    known: ColumnSummary

    def drift(self, new: Column, columns: int) -> Drift | None:
        """Return what is said of new rows in a table of so many columns."""
        return column_drift(self.name, new, self.levels, self.known, column_level(columns))


def taken(column: Column, rows: NDArray[Any]) -> Column:
    """Return some rows of a column."""
    return Texts(column.codes[rows], column.levels) if isinstance(column, Texts) else column[rows]


# --------------------------------------------------------------------------------------- drifts


def times(factor: float) -> Callable[[Numbers], Numbers]:
    """Return the drift to another unit."""
    return lambda values: factor * values


def shifted(deviations: float) -> Callable[[Numbers], Numbers]:
    """Return the drift by so many standard deviations of the new values."""

    def shift(values: Numbers) -> Numbers:
        present = values[~np.isnan(values)]
        return values + deviations * (present.std() if len(present) else 0.0)

    return shift


def new_level(texts: Texts) -> Texts:
    """Give every tenth row a level that no table has; missing ones stay missing."""
    codes = texts.codes.copy()
    codes[::10] = np.where(codes[::10] >= 0, len(texts.levels), -1)
    return Texts(codes, (*texts.levels, NEW_LEVEL))


NUMBER_DRIFTS: dict[str, Callable[[Numbers], Numbers]] = {
    "x 10": times(10.0),
    "x 100": times(100.0),
    "x 1000": times(1000.0),
    "x 25.4": times(25.4),
    "2 standard deviations more": shifted(2.0),
}
TEXT_DRIFTS: dict[str, Callable[[Texts], Texts]] = {"a new level in 10 % of the rows": new_level}


def drifted(column: Column) -> dict[str, Column]:
    """Return a column after each drift that its kind can have."""
    if isinstance(column, Texts):
        return {name: change(column) for name, change in TEXT_DRIFTS.items()}
    return {name: change(column) for name, change in NUMBER_DRIFTS.items()}


def changed_share(before: Column, after: Column) -> float:
    """Return the share of all rows whose value a drift has changed."""
    if isinstance(before, Texts) and isinstance(after, Texts):
        return float((before.codes != after.codes).mean())
    return float(((before != after) & ~(np.isnan(before) & np.isnan(after))).mean())
