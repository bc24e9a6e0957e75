"""The columns that a model learns from, as a table that the library reads."""

from collections.abc import Sequence
from dataclasses import replace
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np

from thresher.column import Levels, has_others
from thresher.errors import TableError
from thresher.frames import make_frame
from thresher.matrix import Columns
from thresher.tables import arrow
from thresher.tables.table import Column, Table, texts_of
from thresher.texts import Texts
from thresher.wording import first_of


class Features(NamedTuple):
    """A table for `fit` and `predict`.

    Attributes
    ----------
    X : data frame; without a library for such, an array of objects.
    names : its columns.
    categorical : what the estimator's `categorical_features` should be.
    """

    X: Any
    names: tuple[str, ...]
    categorical: Any

    @property
    def is_named(self) -> bool:
        """Whether X knows the names."""
        return isinstance(self.categorical, str)


def make_features(table: Table) -> Features:
    """Return all columns of a table as features; infinite numbers are refused.

    >>> features = make_features(Table("'a.csv'", {"speed": np.array([1.5, 2.0])}))
    >>> features.names, features.X.shape
    (('speed',), (2, 1))
    """
    for name, column in table.columns.items():
        _refuse_infinity(name, column)
    names = tuple(table.columns)
    if arrow.is_installed():
        return Features(arrow.make_table(table.columns), names, "from_dtype")
    for kind in ("polars", "pandas"):
        if find_spec(kind) is not None:
            plain = {name: _plain(column) for name, column in table.columns.items()}
            return Features(make_frame(plain, kind), names, "from_dtype")
    return _without_library(table, names)


def _refuse_infinity(name: str, column: Column) -> None:
    if isinstance(column, Texts):
        return
    infinite = np.flatnonzero(np.isinf(column))
    if len(infinite):
        raise TableError(
            f"Column {name!r} has an infinite value in row {infinite[0] + 1}; leave it empty if it "
            "is unknown."
        )


def _plain(column: Column) -> Any:
    return np.array(column.values(), dtype=object) if isinstance(column, Texts) else column


def _without_library(table: Table, names: tuple[str, ...]) -> Features:
    X = np.empty((len(table), len(names)), dtype=object)
    for place, column in enumerate(table.columns.values()):
        X[:, place] = _plain(column)
    columns = table.columns.values()
    texts = [place for place, column in enumerate(columns) if isinstance(column, Texts)]
    return Features(X, names, texts or None)


def name_columns(estimator: Any, features: Features) -> None:
    """Tell a fitted estimator the names of its columns, where X could not."""
    if not features.is_named:
        estimator.columns_ = replace(estimator.columns_, names=features.names)
        estimator.feature_names_in_ = np.array(features.names, dtype=object)


class Match(NamedTuple):
    """Features for a fitted model, and what a user should know about some of them, by name."""

    features: Features
    notes: dict[str, str]


def match_features(table: Table, columns: Columns) -> Match:
    """Return the columns that a model needs, by name; others are left aside."""
    names = columns.names or ()
    table = _with_names(table, names)
    table.need(names, " that the model needs")
    notes: dict[str, str] = {}
    matched = {
        name: _matched(name, table, levels, notes)
        for name, levels in zip(names, columns.levels, strict=True)
    }
    return Match(make_features(Table(table.source, matched)), notes)


def match_columns(table: Table, names: Any, levels: Any) -> list[tuple[str, Column]]:
    """Return the columns of a model as they were when it was trained: numbers, or texts."""
    table = _with_names(table, names)
    found: list[tuple[str, Column]] = []
    for name, known in zip(names, levels, strict=True):
        column = table.columns[name]
        if known is None:
            found.append((name, _as_numbers(name, column)))
        else:
            is_text = isinstance(column, Texts)
            found.append((name, column if is_text else Texts.of(texts_of(column))))
    return found


def _with_names(table: Table, names: Sequence[str]) -> Table:
    """Return a table whose columns are called as in a model; names there may have several lines."""
    lines = {" ".join(name.split()): name for name in names if name not in table.columns}
    if not lines.keys() & table.columns.keys():
        return table
    columns = {lines.get(name, name): column for name, column in table.columns.items()}
    return replace(table, columns=columns)


def _matched(name: str, table: Table, levels: Levels | None, notes: dict[str, str]) -> Column:
    column = table.columns[name]
    if levels is None:
        return _as_numbers(name, column)
    # An all-number column of categories must stay text for a model that knows its levels.
    texts = column if isinstance(column, Texts) else Texts.of(texts_of(column))
    known = {str(level) for level in levels}
    new = [level for level in texts.used().levels if level not in known]
    if new and not has_others(levels):
        notes[name] = (
            f"Column {name!r} has values that the model has not seen ({first_of(new, 3)}); they "
            "count as missing."
        )
    return texts


def _as_numbers(name: str, column: Column) -> Column:
    if not isinstance(column, Texts):
        return column
    if not (column.codes >= 0).any():
        return np.full(len(column), np.nan)
    places = _texts_that_are_no_numbers(column)
    if not places:  # codes such as 007, which an older version has learnt as numbers
        return np.array([*map(float, column.levels), np.nan])[column.codes]
    row = places[0]
    value = column.levels[column.codes[row]]
    raise TableError(
        f"Column {name!r} held numbers when the model was trained, but has the text {value!r} in "
        f"row {row + 1}; correct it or leave it empty."
    )


def _texts_that_are_no_numbers(column: Texts) -> Sequence[int]:
    wrong = []
    for code, level in enumerate(column.levels):
        try:
            float(level)
        except ValueError:
            wrong.append(code)
    return np.flatnonzero(np.isin(column.codes, wrong)).tolist()
