"""Signs that a column of numbers has changed: its range, one value of it, its mix, its unit."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from thresher.judging.column_summary import Counts, NumbersSummary, ranks_of
from thresher.judging.sign import Sign, Split, in_words
from thresher.statistics import tail_bound
from thresher.tables.table import as_text
from thresher.texts import Numbers

FAR_MORE = 2.0
"""A value is told of where it has at least this many times the share that it had."""


@dataclass(frozen=True, eq=False)
class NewNumbers:
    """The new values of a column, ascending and without missing ones, beside the training."""

    values: Numbers
    known: NumbersSummary

    @classmethod
    def of(cls, column: Numbers, known: NumbersSummary) -> "NewNumbers":
        """Take a column as it is."""
        return cls(np.sort(column[~np.isnan(column)]), known)

    @property
    def present(self) -> int:
        """Rows with a value."""
        return len(self.values)

    def signs(self) -> Iterator[Sign]:
        """Yield the signs, whether they are to be told or not."""
        if len(self.values) and self.known.present:
            yield self._range()
            yield self._value()
            yield self._mix()

    @cached_property
    def _below(self) -> Counts:
        """How many new values are below each quantile of the training."""
        return np.searchsorted(self.values, self.known.quantiles, side="left")

    @cached_property
    def _above(self) -> Counts:
        return len(self.values) - np.searchsorted(self.values, self.known.quantiles, side="right")

    @cached_property
    def rank_bounds(self) -> Numbers:
        """Bounds of the probability of so many new values below and above each quantile.

        So many above the value of a rank means: so many among those on top of both tables. Where
        values are equal, fewer are above than that, and the bound holds.
        """
        n, m = self.known.present, len(self.values)
        ranks = ranks_of(n)
        return np.stack(
            [
                tail_bound(self._below, ranks - 1 + self._below, m, n + m),
                tail_bound(self._above, n - ranks + self._above, m, n + m),
            ]
        )

    def _range(self) -> Sign:
        low, high = self.known.quantiles[[0, -1]].tolist()
        outside = int(self._below[0] + self._above[-1])
        split = Split(outside, len(self.values), 0, self.known.present)
        p = 2.0 * float(min(self.rank_bounds[0, 0], self.rank_bounds[1, -1]))
        words = (
            f"{in_words(outside / len(self.values))} of the values are outside the range of "
            f"training ({low:.4g} to {high:.4g})"
        )
        figures = {**split.shares, "low": low, "high": high}
        return Sign.of("range", p, split.cells, figures, words)

    def _value(self) -> Sign:
        """Return the sign of the value that has gained most rows.

        Each value has a part of the level by its rows in both tables, which add up to all of it.
        """
        n, m = self.known.present, len(self.values)
        distinct, counts = np.unique(self.values, return_counts=True)
        least, most = self.known.counts_of(distinct)
        place = int(np.argmax(counts / m - most / n))
        split = Split(int(counts[place]), m, int(most[place]), n)
        shares, part = split.shares, (counts[place] + least[place]) / (n + m)
        words = (
            f"{in_words(shares['share'])} of the values are exactly "
            f"{as_text(float(distinct[place]))}, in training "
            f"{'at most ' if least[place] < most[place] else ''}"
            f"{in_words(shares['training_share'])}"
        )
        is_far_more = shares["share"] >= FAR_MORE * shares["training_share"]
        if shares["share"] >= FAR_MORE * self.known.most_frequent / n:
            words += "; a sensor may stand still"
        p = split.more_p / float(part) if is_far_more else 1.0
        figures = {**shares, "value": float(distinct[place])}
        return Sign.of("value", p, split.cells, figures, words)

    def _mix(self) -> Sign:
        p = self.rank_bounds.size * float(self.rank_bounds.min())
        middle = float(self.values[len(self.values) // 2])
        figures = {"median": middle, "training_median": self.known.median}
        sign = Sign.of("mix", p, self._cells(), figures, "")
        words = (
            f"another mix of values than in training (PSI {sign.psi:.2f}; median {middle:.4g}, in "
            f"training {self.known.median:.4g})"
        )
        return sign._replace(words=words)

    def _cells(self) -> tuple[Numbers, Numbers]:
        """Return counts below, between and above the distinct quantiles."""
        edges, first = np.unique(self.known.quantiles, return_index=True)
        at_most = np.searchsorted(self.values, edges, side="right")
        new = [self._below[0], at_most[0] - self._below[0], *np.diff(at_most), self._above[-1]]
        known = self.known.at_most[first]
        return np.array(new), np.array([0, known[0], *np.diff(known), 0])

    @cached_property
    def distance(self) -> float:
        """The largest difference of the shares up to some value."""
        n, m = self.known.present, len(self.values)
        at_most = np.searchsorted(self.values, self.known.quantiles, side="right")
        return float(max(np.abs(at_most / m - self.known.at_most / n).max(), self._below[0] / m))
