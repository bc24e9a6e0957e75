"""What a column looked like in training: a few hundred numbers, however many rows there were."""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from thresher.column import Column as NamedColumn
from thresher.column import Levels, encode
from thresher.tables.table import Column
from thresher.texts import Numbers, Texts

Counts = NDArray[np.int64]

GRID = np.array([0, 1, 2, *range(5, 100, 5), 98, 99, 100]) / 100.0
"""Where quantiles are taken, finer at the ends; the first and the last are the extremes."""
MAX_VALUES = 32
"""Most exact values that are kept with their counts."""


@dataclass(frozen=True, eq=False)
class NumbersSummary:
    """A column of numbers in training.

    Attributes
    ----------
    missing, present : rows without and with a value.
    quantiles : values at the ranks of `GRID`, all 0 where no value is present.
    at_most : for each of them, how many values are at most as large.
    values : values that occur most often, more than once, ascending.
    counts : how often.
    next_count : how often any other value occurs at most.
    """

    missing: int
    present: int
    quantiles: Numbers
    at_most: Counts
    values: Numbers
    counts: Counts
    next_count: int

    @property
    def rows(self) -> int:
        """All rows."""
        return self.missing + self.present

    @property
    def median(self) -> float:
        """The middle of the values."""
        return float(self.quantiles[len(GRID) // 2])

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

    @property
    def most_frequent(self) -> int:
        """How often the most frequent value occurs."""
        return max(int(self.counts.max(initial=0)), self.next_count)

    def counts_of(self, values: Numbers) -> tuple[Counts, Counts]:
        """Return how often each of some values occurs: at least, and at most."""
        known, counts = np.append(self.values, np.nan), np.append(self.counts, 0)
        place = np.searchsorted(self.values, values)
        is_listed = known[place] == values
        return np.where(is_listed, counts[place], 0), np.where(
            is_listed, counts[place], self.next_count
        )


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
    >>> found.missing, found.quantiles[[0, -1]], found.counts_of(np.array([1.0, 2.0]))
    (1, array([1., 3.]), (array([2, 0]), array([2, 1])))
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
    return _summary_of_sorted(values, len(column) - len(values))


def _summary_of_sorted(values: Numbers, missing: int) -> NumbersSummary:
    if not len(values):
        nothing, none = np.zeros(len(GRID)), np.zeros(len(GRID), dtype=np.int64)
        return NumbersSummary(missing, 0, nothing, none, nothing[:0], none[:0], 0)
    quantiles = values[ranks_of(len(values)) - 1]
    at_most = np.searchsorted(values, quantiles, side="right").astype(np.int64)
    distinct, counts = np.unique(values, return_counts=True)
    order = np.lexsort((distinct, -counts))
    is_kept = np.zeros(len(distinct), dtype=bool)
    is_kept[order[:MAX_VALUES]] = True
    is_kept &= counts > 1
    next_count = int(counts[~is_kept].max(initial=0))
    kept = distinct[is_kept], counts[is_kept].astype(np.int64)
    return NumbersSummary(missing, len(values), quantiles, at_most, *kept, next_count)
