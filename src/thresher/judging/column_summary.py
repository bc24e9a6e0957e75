"""What a column looked like in training: a few numbers, however many rows, also in a file."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from thresher.column import MAX_LEVELS, Levels, Numbers, Texts, encode
from thresher.column import Column as NamedColumn
from thresher.model_file.fields import Record, require
from thresher.tables.plan import MOST_DECIMALS, TrainingRange, decimals_of
from thresher.tables.table import Column

Counts = NDArray[np.int64]

MAX_ROWS = 2**53
GRID = np.array([0, 1, 2, *range(5, 100, 5), 98, 99, 100]) / 100.0
"""Where quantiles are taken, finer at the ends; the first and the last are the extremes."""


@dataclass(frozen=True, eq=False)
class NumbersSummary:
    """A column of numbers in training.

    Attributes
    ----------
    missing, present : rows without and with a value.
    quantiles : values at the ranks of `GRID`, all 0 where no value is present.
    at_most : for each of them, how many values are at most as large.
    decimals : decimals that values have, at most 3.
    """

    missing: int
    present: int
    quantiles: Numbers
    at_most: Counts
    decimals: int

    @property
    def rows(self) -> int:
        """All rows."""
        return self.missing + self.present

    @property
    def median(self) -> float:
        """The middle of the values."""
        return float(self.quantiles[len(GRID) // 2])

    @property
    def range(self) -> TrainingRange | None:
        """The range of the values; None where no value is present."""
        if not self.present:
            return None
        low, high = self.quantiles[[0, -1]].tolist()
        return TrainingRange(low, high, self.decimals)

    @property
    def deviation(self) -> float:
        """About the standard deviation of the values: that of lines between the quantiles.

        >>> round(summarize(np.arange(1000.0), None).deviation, 1)
        288.2
        """
        low, high, shares = self.quantiles[:-1], self.quantiles[1:], np.diff(GRID)
        mean = float(shares @ (low + high)) / 2.0
        low, high = low - mean, high - mean
        return float(np.sqrt(shares @ (low**2 + low * high + high**2) / 3.0))


@dataclass(frozen=True, eq=False)
class TextsSummary:
    """A column of texts in training.

    Attributes
    ----------
    missing : rows without a text.
    counts : rows of each level, in the order of the model's levels.
    """

    missing: int
    counts: Counts

    @property
    def rows(self) -> int:
        """All rows."""
        return self.missing + self.present

    @property
    def present(self) -> int:
        """Rows with a text."""
        return int(self.counts.sum())


ColumnSummary: TypeAlias = NumbersSummary | TextsSummary


def ranks_of(present: int) -> Counts:
    """Return the ranks, from 1, of the quantiles of so many values.

    >>> ranks_of(200)[[0, 1, 12, -1]]
    array([  1,   3, 101, 200])
    """
    return 1 + np.floor(GRID * (present - 1) + 0.5).astype(np.int64)


def summarize(column: Column, levels: Levels | None) -> ColumnSummary:
    """Return what a column looks like; `levels` are the model's, None for numbers.

    >>> found = summarize(np.array([3.0, 1.0, 2.0, 1.0, np.nan]), None)
    >>> found.missing, found.quantiles[[0, -1]], found.decimals
    (1, array([1., 3.]), 0)
    >>> summarize(Texts.of(["b", "a", None, "b"]), ("a", "b")).counts
    array([1, 2])
    """
    if isinstance(column, Texts):
        codes = encode(NamedColumn("", column, True), levels or ())
        known = codes[~np.isnan(codes)].astype(np.int64)
        return TextsSummary(
            len(codes) - len(known), np.bincount(known, minlength=len(levels or ()))
        )
    values = np.sort(column[~np.isnan(column)]) + 0.0  # turns -0.0 into 0.0
    missing = len(column) - len(values)
    if not len(values):
        zeros = np.zeros(len(GRID))
        return NumbersSummary(missing, 0, zeros, zeros.astype(np.int64), 0)
    quantiles = values[ranks_of(len(values)) - 1]
    at_most = np.searchsorted(values, quantiles, side="right").astype(np.int64)
    return NumbersSummary(missing, len(values), quantiles, at_most, decimals_of(values))


# ------------------------------------------------------------------------------------ in a file


def columns_data(columns: Sequence[ColumnSummary]) -> dict[str, Any]:
    """Return plain data with arrays: those of numbers side by side, and those of texts.

    Names and levels are those of the model, in its order.
    """
    numbers = [one for one in columns if isinstance(one, NumbersSummary)]
    texts = [one for one in columns if isinstance(one, TextsSummary)]
    return {
        "is_text": np.array([isinstance(one, TextsSummary) for one in columns]),
        "missing": _whole([one.missing for one in columns]),
        "present": _whole([one.present for one in columns]),
        "quantiles": np.array([one.quantiles for one in numbers]).reshape(-1, len(GRID)),
        "at_most": _whole([one.at_most for one in numbers]).reshape(-1, len(GRID)),
        "decimals": _whole([one.decimals for one in numbers]),
        "levels": _whole([len(one.counts) for one in texts]),
        "level_counts": _whole([count for one in texts for count in one.counts.tolist()]),
    }


def _whole(values: Any) -> Counts:
    return np.array(values, dtype=np.int64)


def read_columns(record: Record) -> tuple[ColumnSummary, ...]:
    """Return what `columns_data` wrote; a DamagedModelError where it is not sound."""
    is_text = record.array("is_text", "b", (None,))
    missing, present = (_counts(record, name, (len(is_text),)) for name in ("missing", "present"))
    require(len(np.unique(missing + present)) == 1, f"{record.place} has columns of other lengths")
    numbers = _read_numbers(record, missing[~is_text], present[~is_text])
    texts = _read_texts(record, missing[is_text], present[is_text])
    return tuple(next(texts) if one else next(numbers) for one in is_text.tolist())


def _counts(record: Record, name: str, shape: tuple[int | None, ...]) -> Counts:
    found = record.array(name, "i", shape)
    is_sound = found.dtype == np.int64 and bool(((found >= 0) & (found <= MAX_ROWS)).all())
    require(is_sound, f"{record.place}.{name} is not made of counts")
    return found


def _read_numbers(record: Record, missing: Counts, present: Counts) -> Iterator[NumbersSummary]:
    columns = len(missing)
    quantiles = record.floats("quantiles", (columns, len(GRID)))
    at_most = _counts(record, "at_most", (columns, len(GRID)))
    decimals = _counts(record, "decimals", (columns,))
    require((decimals <= MOST_DECIMALS).all(), f"{record.place}.decimals is above 3")
    counts = (missing.tolist(), present.tolist(), quantiles, at_most, decimals.tolist())
    found = list(map(NumbersSummary, *counts))
    for one in found:
        require(_is_sound(one), f"{record.place} has quantiles or counts that no column has")
    return iter(found)


def _is_sound(one: NumbersSummary) -> bool:
    """Whether quantiles and counts are in order, and no more than there are values."""
    if not one.present:
        return not (one.quantiles.any() or one.at_most.any() or one.decimals)
    rises, counted = np.diff(one.quantiles), np.diff(one.at_most)
    return bool(
        (rises >= 0).all()
        and ((counted > 0) == (rises > 0)).all()
        and (counted >= 0).all()
        and (one.at_most >= ranks_of(one.present)).all()
        and one.at_most[-1] == one.present
    )


def _read_texts(record: Record, missing: Counts, present: Counts) -> Iterator[TextsSummary]:
    levels = _counts(record, "levels", (len(missing),))
    require((levels <= MAX_LEVELS).all(), f"{record.place}.levels is above {MAX_LEVELS}")
    counts = _counts(record, "level_counts", (int(levels.sum()),))
    parts = np.split(counts, np.cumsum(levels))[:-1]
    are_sound = [int(part.sum()) == some for part, some in zip(parts, present, strict=True)]
    require(all(are_sound), f"{record.place}.level_counts is not as many as there are texts")
    return iter([TextsSummary(int(none), part) for none, part in zip(missing, parts, strict=True)])
