"""The columns that a model learns from, as a table that the library reads."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from thresher.column import Texts, has_others
from thresher.errors import TableError
from thresher.matrix import Columns
from thresher.tables import arrow
from thresher.tables.table import Column, Table, texts_of
from thresher.wording import first_of

NEEDED = " that the model needs"


class Features(NamedTuple):
    """A table for `fit` and `predict`.

    Attributes
    ----------
    X : table of pyarrow, in which categories are dictionaries.
    names : its columns.
    """

    X: Any
    names: tuple[str, ...]


def make_features(table: Table) -> Features:
    """Return all columns of a table as features; infinite numbers are refused.

    >>> features = make_features(Table("'a.csv'", {"speed": np.array([1.5, 2.0])}))
    >>> features.names, features.X.shape
    (('speed',), (2, 1))
    """
    for name, column in table.columns.items():
        if not isinstance(column, Texts) and np.isinf(column).any():
            row = int(np.flatnonzero(np.isinf(column))[0]) + 1
            raise TableError(
                f"Column {name!r} has an infinite value in row {row}; leave it empty "
                "if it is unknown."
            )
    return Features(arrow.make_table(table.columns), tuple(table.columns))


class Match(NamedTuple):
    """Features for a fitted model, and what a user should know about some of them, by name."""

    features: Features
    notes: dict[str, str]


def match_features(table: Table, columns: Columns) -> Match:
    """Return the columns that a model needs, by name; others are left aside."""
    names = columns.names or ()
    matched = dict(match_columns(table, names, columns.levels))
    notes: dict[str, str] = {}
    for name, levels in zip(names, columns.levels, strict=True):
        texts = matched[name]
        if levels is None or has_others(levels) or not isinstance(texts, Texts):
            continue
        known = {str(level) for level in levels}
        new = [level for level in texts.used().levels if level not in known]
        if new:
            notes[name] = (
                f"Column {name!r} has values that the model has not seen ({first_of(new, 3)}); "
                "they count as missing."
            )
    return Match(make_features(Table(table.source, matched)), notes)


def match_columns(table: Table, names: Any, levels: Any) -> list[tuple[str, Column]]:
    """Return the columns of a model as they were when it was trained: numbers, or texts."""
    table = _with_names(table, names)
    table.need(names, NEEDED)
    found: list[tuple[str, Column]] = []
    for name, known in zip(names, levels, strict=True):
        column = table.columns[name]
        if known is None:
            found.append((name, _as_numbers(name, column)))
        else:
            # An all-number column of categories must stay text for a model that knows its levels.
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


def _as_numbers(name: str, column: Column) -> Column:
    if not isinstance(column, Texts):
        return column
    texts = column.used()
    numbers, wrong = [], []
    for code, level in enumerate(texts.levels):
        try:
            numbers.append(float(level))  # codes such as 007, too
        except ValueError:
            numbers.append(np.nan)
            wrong.append(code)
    rows = np.flatnonzero(np.isin(texts.codes, wrong))
    if len(rows):
        value = texts.levels[texts.codes[rows[0]]]
        raise TableError(
            f"Column {name!r} held numbers when the model was trained, but has the text {value!r} "
            f"in row {rows[0] + 1}; correct it or leave it empty."
        )
    return np.array([*numbers, np.nan])[texts.codes]
