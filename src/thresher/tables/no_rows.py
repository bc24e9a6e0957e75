"""Rows of a table that are none: repeated headers, empty ones, and those that sum up others."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.tables.raw_table import RawTable
from thresher.tables.table import Column, cleaned
from thresher.tables.vocabulary import CLOSING
from thresher.texts import Texts
from thresher.wording import counted, verb

MOST_TOTALS = 0.2
"""Where more rows than this seem to sum up others, they do not."""


def without_no_rows(raw: RawTable) -> RawTable:
    """Leave out what is no row, with a note for each kind."""
    return _without_totals(_without_empty_rows(_without_repeated_headers(raw)))


def _without_repeated_headers(raw: RawTable) -> RawTable:
    """Leave out rows that repeat the header, as exports of several pages have."""
    texts = {name: one for name, one in raw.columns.items() if isinstance(one, Texts)}
    if len(texts) < 2 or not raw.is_loose:
        return raw
    is_header = _all_of(raw, (_is(name, column) for name, column in texts.items()))
    if not is_header.any():
        return raw
    lines = int(is_header.sum())
    repeat, are = verb(lines, "repeat"), verb(lines, "are")
    note = f"{counted(lines, 'lines')} {repeat} the header and {are} left out."
    return _kept(raw, ~is_header, note)


def _without_empty_rows(raw: RawTable) -> RawTable:
    """Leave out rows in which every cell is missing."""
    if not raw.is_loose or len(raw.columns) < 2:
        return raw
    is_empty = _all_of(raw, map(is_missing, raw.columns.values()))
    if is_empty.all() or not is_empty.any():
        return raw
    rows = int(is_empty.sum())
    note = f"{counted(rows, 'rows')} without any value {verb(rows, 'are')} left out."
    return _kept(raw, ~is_empty, note)


def _is(text: str, column: Texts) -> NDArray[np.bool_]:
    code = column.levels.index(text) if text in column.levels else -2  # -1 is missing
    return np.asarray(column.codes == code)


def _all_of(raw: RawTable, masks: Iterable[NDArray[np.bool_]]) -> NDArray[np.bool_]:
    """Whether each row is in all masks; the others are not made where no row is left."""
    found = np.ones(_length(raw), dtype=bool)
    for mask in masks:
        found &= mask
        if not found.any():
            break
    return found


def _without_totals(raw: RawTable) -> RawTable:
    """Leave out rows that sum up others: a word for it, or stars, where most cells are empty."""
    if not raw.is_loose or len(raw.columns) < 3:
        return raw
    is_total = np.zeros(_length(raw), dtype=bool)
    for column in raw.columns.values():
        if isinstance(column, Texts):
            words = [level.strip().lower() for level in column.levels]
            sums = [word.startswith(CLOSING) or set(word) == {"*"} for word in words]
            if any(sums):
                is_total |= np.array([*sums, False])[column.codes]
    if not is_total.any():
        return raw
    gaps = np.sum([is_missing(column)[is_total] for column in raw.columns.values()], axis=0)
    is_total[is_total] = gaps >= len(raw.columns) / 3
    if not is_total.any() or is_total.mean() > MOST_TOTALS:
        return raw
    rows = int(is_total.sum())
    sum_up, are = verb(rows, "sum"), verb(rows, "are")
    note = f"{counted(rows, 'rows')} {sum_up} up others and {are} left out."
    return _kept(raw, ~is_total, note)


def is_missing(column: Column) -> NDArray[np.bool_]:
    """Whether each cell holds nothing, or a word for it."""
    if not isinstance(column, Texts):
        return np.isnan(column)
    return cleaned(column).codes < 0


def _kept(raw: RawTable, is_kept: NDArray[np.bool_], note: str) -> RawTable:
    rows = np.flatnonzero(is_kept)

    def take(column: Any) -> Any:
        if isinstance(column, Texts):
            return replace(column, codes=column.codes[rows]).used()
        return column[rows]

    again = raw.as_written
    return replace(
        raw,
        columns={name: take(column) for name, column in raw.columns.items()},
        notes=(*raw.notes, note),
        place=lambda row: raw.place(int(rows[row])),
        as_written=None
        if again is None
        else lambda names: {name: take(one) for name, one in again(names).items()},
    )


def _length(raw: RawTable) -> int:
    return len(next(iter(raw.columns.values()), ()))
