"""Training rows by the smallest of their hashes: enough to know a table again, and no value."""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom

from thresher.column import Texts
from thresher.tables.table import Column

MAX_PRINTS = 256
"""Hashes that are kept: of a larger table the smallest ones, as good as drawn at random."""
DOUBT = 0.001
"""Below this probability, equal rows are no accident."""

Hashes = NDArray[np.uint64]
_MISSING = np.uint64(0x9E3779B97F4A7C15)
_FACTORS = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))


class Overlap(NamedTuple):
    """How many rows of a table are among earlier ones.

    Attributes
    ----------
    rows : of the table.
    compared : those that can be compared: whose hashes are not above the kept ones.
    equal : those of them that are among the earlier rows.
    is_odd : whether repeats in the table do not explain so many.
    """

    rows: int
    compared: int
    equal: int
    is_odd: bool

    def words(self, earlier: int) -> str:
        """Return how many rows of the table are among so many earlier ones.

        Where only some of the rows were compared their share stands for all, unless every one was
        found and both tables have as many rows: then it is the same table.

        >>> Overlap(10_000, 250, 250, True).words(10_000), Overlap(5000, 250, 120, True).words(900)
        ('10,000 of 10,000 rows', 'about 2,400 of 5,000 rows')
        """
        is_same = self.equal == self.compared and self.rows == earlier
        if is_same or self.compared == self.rows:
            return f"{self.rows if is_same else self.equal:,} of {self.rows:,} rows"
        about = self.rows * self.equal / self.compared
        return f"about {float(f'{about:.2g}'):,.0f} of {self.rows:,} rows"


@dataclass(frozen=True)
class RowPrints:
    """Hashes of earlier rows, label included where it is known.

    Attributes
    ----------
    hashes : the distinct ones, ascending.
    rows : rows behind them.
    repeated : rows among them that equal another one.
    most : hashes that are kept at most; so many stand for a larger table.
    """

    hashes: Hashes
    rows: int
    repeated: int
    most: int = MAX_PRINTS

    @classmethod
    def of(cls, hashes: Hashes) -> "RowPrints":
        """Keep the smallest hashes."""
        distinct, counts = np.unique(hashes, return_counts=True)
        distinct, counts = distinct[:MAX_PRINTS], counts[:MAX_PRINTS]
        return cls(distinct, int(counts.sum()), int(counts[counts > 1].sum()))

    def overlap(self, hashes: Hashes) -> Overlap:
        """Compare new rows with the earlier ones.

        As many of them may equal earlier rows as earlier rows equal each other: rows of few coarse
        columns repeat. More are odd.
        """
        comparable = hashes
        if len(self.hashes) == self.most:
            comparable = hashes[hashes <= self.hashes[-1]]
        equal = int(np.isin(comparable, self.hashes).sum())
        by_repeats = (self.repeated + 1.0) / (self.rows + 2.0)
        chance = float(binom.sf(equal - 1, len(comparable), by_repeats)) if equal else 1.0
        return Overlap(len(hashes), len(comparable), equal, chance < DOUBT)


def row_hashes(columns: Sequence[tuple[str, Column]], labels: Sequence[str | None]) -> Hashes:
    """Return a hash of each row; the order of columns matters, that of rows does not.

    >>> speed = np.array([1.0, -0.0, 0.0])
    >>> first, second, third = row_hashes([("speed", speed)], ["ok", "bad", "bad"])
    >>> bool(second == third), bool(first == second)
    (True, False)
    """
    result = _hashed(Texts.of(labels), "label")
    for name, column in columns:
        result = _mixed(result * _FACTORS[0] + _hashed(column, name))
    return result


def _hashed(column: Column, name: str) -> Hashes:
    start = _text_hash(name)
    if isinstance(column, Texts):
        of_level = np.array([*map(_text_hash, column.levels), _MISSING], dtype=np.uint64)
        return _mixed(of_level[column.codes] ^ start)
    numbers = np.asarray(column, dtype=np.float64) + 0.0  # turns -0.0 into 0.0
    bits = np.where(np.isnan(numbers), _MISSING, numbers.view(np.uint64))
    return _mixed(bits ^ start)


def _text_hash(text: str) -> np.uint64:
    digest = blake2b(text.encode("utf-8", errors="surrogatepass"), digest_size=8).digest()
    return np.uint64(int.from_bytes(digest, "little"))


def _mixed(values: Hashes) -> Hashes:
    """Spread differences of a few bits over all of them (the finisher of splitmix64)."""
    for shift, factor in zip((30, 27), _FACTORS, strict=True):
        values = (values ^ (values >> np.uint64(shift))) * factor
    return values ^ (values >> np.uint64(31))
