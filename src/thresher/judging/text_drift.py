"""Signs that a column of texts has changed: levels that the model does not know, another mix."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import gammaln

from thresher.column import Levels, has_others
from thresher.judging.column_summary import Counts, TextsSummary
from thresher.judging.sign import Sign, Split, in_words
from thresher.statistics import Vector, tail_bound
from thresher.texts import Texts
from thresher.wording import first_of, quoted

TILTS = np.geomspace(1e-3, 1e2, 51)
"""Where Chernoff's bound is taken; the least of them is the bound."""
SHOWN = 3


@dataclass(frozen=True, eq=False)
class NewTexts:
    """The new values of a column of texts, beside the training."""

    texts: Texts
    levels: Levels
    known: TextsSummary

    def signs(self) -> Iterator[Sign]:
        """Yield the signs, whether they are to be told or not."""
        if self.present and self.known.present:
            yield self._unknown()
            yield self._mix()

    @cached_property
    def present(self) -> int:
        """Rows with a text."""
        return int((self.texts.codes >= 0).sum())

    @cached_property
    def _counts(self) -> tuple[Counts, dict[str, int]]:
        """Rows of each level of the model, and of each that it does not know."""
        used = self.texts.used()
        rows = np.bincount(used.codes[used.codes >= 0], minlength=len(used.levels))
        place = {str(level): code for code, level in enumerate(self.levels)}
        counts, unknown = np.zeros(len(self.levels), dtype=np.int64), {}
        for level, count in zip(used.levels, rows.tolist(), strict=True):
            if level in place:
                counts[place[level]] = count
            elif has_others(self.levels):
                counts[-1] += count
            else:
                unknown[level] = count
        return counts, unknown

    def _unknown(self) -> Sign:
        _, unknown = self._counts
        rows = sum(unknown.values())
        split = Split(rows, self.present, 0, self.known.present)
        often = sorted(unknown, key=lambda level: (-unknown[level], level))
        words = (
            f"{in_words(split.shares['share'])} of the values are ones that the model has not seen "
            f"({first_of(often, SHOWN)}); they count as missing"
        )
        p = unseen_bound(rows, self._both, self.present)
        return Sign.of("levels", p, split.cells, {**split.shares, "levels": often[:SHOWN]}, words)

    @cached_property
    def _both(self) -> Counts:
        """Rows of each level in both tables, those of unknown ones last."""
        counts, unknown = self._counts
        return np.append(counts + self.known.counts, [*unknown.values()]).astype(np.int64)

    def _mix(self) -> Sign:
        """Return the sign of the level whose share has changed most surely.

        Each level has a part of the probability by its rows in both tables, which add up to all.
        """
        counts, unknown = self._counts
        new = np.append(counts, [*unknown.values()]).astype(np.int64)
        known = np.append(self.known.counts, np.zeros(len(unknown), dtype=np.int64))
        m, n, both = self.present, self.known.present, self._both
        more = tail_bound(new, m, both, n + m)
        fewer = tail_bound(known, n, both, n + m)
        p = 2.0 * np.minimum(more, fewer) * (n + m) / np.maximum(both, 1)
        place = int(np.argmin(np.where(both > 0, p, np.inf)))
        level = [*self.levels, *unknown][place]
        split = Split(int(new[place]), m, int(known[place]), n)
        figures = {**split.shares, "level": level}
        sign = Sign.of("mix", float(p[place]), (new, known), figures, "")
        words = (
            f"another mix of values than in training (PSI {sign.psi:.2f}): {quoted(level)} is "
            f"{in_words(split.shares['share'])} of them, in training "
            f"{in_words(split.shares['training_share'])}"
        )
        return sign._replace(words=words)


def unseen_bound(unseen: int, both: Counts, new: int) -> float:
    """Return a bound of the probability that so many of the new rows have levels of their own.

    `both` counts the rows of each level in both tables. That all rows of a level are among the new
    ones makes it less likely of another, so that Chernoff's bound of independent levels holds.

    >>> unseen_bound(1, np.array([500, 500, 1]), 1) < 0.002, unseen_bound(0, np.array([5]), 1)
    (True, 1.0)
    """
    if not unseen:
        return 1.0
    total = int(both.sum())
    sizes, levels = np.unique(both[(both > 0) & (both <= new)], return_counts=True)
    alone: Vector = (
        gammaln(new + 1.0)
        - gammaln(new - sizes + 1.0)
        + gammaln(total - sizes + 1.0)
        - gammaln(total + 1.0)
    )
    with np.errstate(divide="ignore"):
        not_alone = np.log1p(-np.exp(np.minimum(alone, 0.0)))
    sums = np.logaddexp(not_alone, alone + TILTS[:, None] * sizes) @ levels
    return float(np.exp(min(0.0, float((sums - TILTS * unseen).min()))))
