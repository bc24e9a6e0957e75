"""Training rows by their hashes: enough to know them again, and no value of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom

from thresher.tables.table import Column
from thresher.texts import Texts

MAX_PRINTS = 50_000
"""Hashes that are kept: of a larger table the smallest ones, as good as drawn at random."""
DOUBT = 0.001
"""Below this probability, equal rows are no accident."""

Hashes = NDArray[np.uint64]
_MISSING = np.uint64(0x9E3779B97F4A7C15)
_FACTORS = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))


class Overlap(NamedTuple):
    """Rows that were compared with the training rows, how many equal one, and if that is odd."""

    compared: int
    equal: int
    is_odd: bool


@dataclass(frozen=True)
class RowPrints:
    """Hashes of training rows, label included.

    Attributes
    ----------
    hashes : the distinct ones, ascending.
    rows : training rows behind them.
    repeated : rows among them that equal another one.
    most : hashes that are kept at most, MAX_PRINTS by default; so many stand for a larger table.
    """

    hashes: Hashes
    rows: int
    repeated: int
    most: int | None = None

    @classmethod
    def of(cls, hashes: Hashes) -> "RowPrints":
        """Keep the smallest hashes."""
        distinct, counts = np.unique(hashes, return_counts=True)
        distinct, counts = distinct[:MAX_PRINTS], counts[:MAX_PRINTS]
        return cls(distinct, int(counts.sum()), int(counts[counts > 1].sum()))

    def overlap(self, hashes: Hashes) -> Overlap:
        """Compare new rows with the training rows.

        As many of them may equal training rows as training rows equal each other: rows of few
        coarse columns repeat. More are odd.
        """
        if not len(self.hashes):
            return Overlap(0, 0, False)
        comparable = hashes
        if len(self.hashes) == (self.most or MAX_PRINTS):
            comparable = hashes[hashes <= self.hashes[-1]]
        equal = int(np.isin(comparable, self.hashes).sum())
        by_repeats = (self.repeated + 1.0) / (self.rows + 2.0)
        chance = float(binom.sf(equal - 1, len(comparable), by_repeats)) if equal else 1.0
        return Overlap(len(comparable), equal, chance < DOUBT)


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
