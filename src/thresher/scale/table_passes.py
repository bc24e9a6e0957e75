"""Blocks of a table, wherever they are, on their way to bins: pure functions of one block.

Three passes: a survey of labels, weights and levels; a sketch, from which the edges of bins come;
the bins themselves. Where a column has more levels than codes, a fourth one follows the survey: it
counts the rows of each level.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from thresher import _core
from thresher.column import Levels, Matrix, count_levels, distinct, refuse_infinity
from thresher.frames import read_columns
from thresher.matrix import Columns
from thresher.seam.coded import CodedBlock
from thresher.validation import read_labels, read_weights

Sketch = tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.float64]]


class TableBlock(NamedTuple):
    """Some rows of a table: columns, target and weights (None: one each)."""

    X: Any
    y: Any
    weights: Any

    def __len__(self) -> int:
        return len(self.y)


class Survey(NamedTuple):
    """What must be known of all rows before any is binned.

    Attributes
    ----------
    n_rows : number of rows.
    labels, counts : the distinct labels, sorted, and how many rows have each.
    largest : the largest weight, 0 without weights.
    levels : all levels of each category column, sorted.
    """

    n_rows: int
    labels: NDArray[Any]
    counts: NDArray[np.int64]
    largest: float
    levels: tuple[Levels, ...]


def survey_block(block: TableBlock) -> Survey | None:
    """Survey a block whose columns are the category columns alone (None: there are none)."""
    if not len(block):
        return None
    labels, counts = np.unique(read_labels(block.y, "the target"), return_counts=True)
    weights = read_weights(block.weights, len(block), allow_zero=True)
    largest = 0.0 if weights is None else float(weights.max())
    return Survey(len(block), labels, counts, largest, _levels(block.X))


def _levels(X: Any) -> tuple[Levels, ...]:
    return () if X is None else tuple(distinct(column) for column in read_columns(X)[0])


def merge_surveys(one: Survey | None, other: Survey | None) -> Survey | None:
    """Return the survey of the rows of both."""
    if one is None or other is None:
        return one or other
    labels, place = np.unique(np.concatenate([one.labels, other.labels]), return_inverse=True)
    counts = np.zeros(len(labels), dtype=np.int64)
    np.add.at(counts, place, np.concatenate([one.counts, other.counts]))
    return Survey(
        one.n_rows + other.n_rows,
        labels,
        counts,
        max(one.largest, other.largest),
        tuple(_union(*pair) for pair in zip(one.levels, other.levels, strict=True)),
    )


def _union(one: Levels, other: Levels) -> Levels:
    if one and other and isinstance(one[0], str) != isinstance(other[0], str):
        raise ValueError(
            f"A category column holds text such as {one[0]!r} in one part of the table and numbers "
            f"such as {other[0]!r} in another; make it one or the other."
        )
    both: list[Any] = [*one, *other]
    # Sorting takes two sorted runs in one go, however many levels there are.
    return tuple(dict.fromkeys(sorted(both)))


@dataclass(frozen=True)
class Reader:
    """Turns blocks of a table into numbers.

    Attributes
    ----------
    columns : names and levels of the columns.
    second : the label that sorts last.
    digits : of the fixed-point weights, None where every row weighs one.
    """

    columns: Columns
    second: Any
    digits: int | None

    def matrix(self, block: TableBlock) -> Matrix:
        """Return the columns as floats."""
        matrix = self.columns.matrix(block.X, "the tree")
        if matrix is block.X:  # a plain array is handed on unread
            refuse_infinity(matrix)
        return matrix

    def is_second(self, block: TableBlock) -> NDArray[np.uint8]:
        """Return whether each row is of the class that sorts last."""
        labels: NDArray[np.uint8] = (read_labels(block.y, "the target") == self.second).view(
            np.uint8
        )
        return labels

    def weights(self, block: TableBlock) -> NDArray[np.int64] | None:
        """Return the weights in fixed point."""
        weights = read_weights(block.weights, len(block), allow_zero=True)
        if weights is None or self.digits is None:
            return None
        return _core.fixed_weights(weights, self.digits)


class Tally(NamedTuple):
    """Rows of each level by class, an array (2, levels) a category column; weight of the classes.

    The weight is in fixed point.
    """

    counts: tuple[NDArray[np.int64], ...]
    weight: NDArray[np.int64]


def tally_block(block: TableBlock, reader: Reader) -> Tally | None:
    """Count the rows of each level in a block whose columns are the category columns alone."""
    if not len(block):
        return None
    is_second, weights = reader.is_second(block), reader.weights(block)
    levels = [of_column for of_column in reader.columns.levels if of_column is not None]
    counts = tuple(
        count_levels(column, of_column, is_second)
        for column, of_column in zip(read_columns(block.X)[0], levels, strict=True)
    )
    return Tally(counts, np.array([half.sum() for half in _halves(is_second, weights)]))


def merge_tallies(one: Tally | None, other: Tally | None) -> Tally | None:
    """Return the tally of the rows of both."""
    if one is None or other is None:
        return one or other
    counts = tuple(a + b for a, b in zip(one.counts, other.counts, strict=True))
    return Tally(counts, one.weight + other.weight)


def _halves(
    labels: NDArray[np.uint8], weights: NDArray[np.int64] | None
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the fixed-point weights of the rows of either class."""
    counted = np.ones(len(labels), dtype=np.int64) if weights is None else weights
    is_second = labels.view(np.bool_)
    return counted[~is_second], counted[is_second]


Limits = tuple[int, int]
"""Hashes up to which the rows of either class are sketched."""

EVERY_HASH = 2**64 - 1


class Summary(NamedTuple):
    """Sketches, fixed-point weights and numbers of rows of the two classes."""

    sketches: tuple[Sketch, Sketch]
    weight: NDArray[np.int64]
    rows: NDArray[np.int64]

    def is_complete(self, limits: Limits) -> bool:
        """Whether rows above the limits would have found no place in the sketches."""
        return all(
            limit == EVERY_HASH or len(sketch[0]) == _core.SKETCH_SIZE
            for sketch, limit in zip(self.sketches, limits, strict=True)
        )


def summarize_block(block: TableBlock, reader: Reader, limits: Limits) -> Summary | None:
    """Sketch the rows of a block."""
    if not len(block):
        return None
    matrix, labels, weights = reader.matrix(block), reader.is_second(block), reader.weights(block)
    halves = _halves(labels, weights)
    return Summary(
        _core.sketch_rows(matrix, labels, weights, limits),
        np.array([half.sum() for half in halves]),
        np.array([np.count_nonzero(half) for half in halves]),
    )


def merge_summaries(one: Summary | None, other: Summary | None) -> Summary | None:
    """Return the summary of the rows of both."""
    if one is None or other is None:
        return one or other
    first, second = (
        _core.merge_sketches(a, b) for a, b in zip(one.sketches, other.sketches, strict=True)
    )
    return Summary((first, second), one.weight + other.weight, one.rows + other.rows)


@dataclass(frozen=True)
class Binning:
    """Turns blocks of a table into bins.

    Attributes
    ----------
    reader : how values are read.
    edges : where the bins of each column end.
    positive : place of the positive class, 0 or 1.
    """

    reader: Reader
    edges: list[NDArray[np.float64]]
    positive: int

    def __call__(self, block: TableBlock) -> CodedBlock:
        """Return the rows of a block as bins; those of weight zero are left out."""
        reader, is_category = self.reader, self.reader.columns.is_category
        if not len(block):
            weights = None if reader.digits is None else np.empty(0, np.int64)
            codes = np.empty((0, len(is_category)), np.uint8)
            return CodedBlock(codes, np.empty(0, np.uint8), weights)
        codes = _core.bin_rows(reader.matrix(block), self.edges, is_category)
        labels, weights = reader.is_second(block), reader.weights(block)
        if not self.positive:
            labels = 1 - labels
        coded = CodedBlock(codes, labels, weights)
        return coded if weights is None or weights.all() else coded.where(weights > 0)
