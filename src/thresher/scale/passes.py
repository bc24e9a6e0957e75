"""A table in blocks on its way to bins: passes of pure functions of one block.

Three passes: a survey of labels, weights and levels; a sketch, from which the edges of bins come;
the bins themselves. Where a column has more levels than codes, a fourth one follows the survey: it
counts the rows of each level.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from thresher import _core
from thresher.column import (
    MAX_LEVELS,
    Levels,
    Matrix,
    count_levels,
    distinct,
    named_first,
    refuse_infinity,
)
from thresher.frames import read_columns
from thresher.matrix import Columns
from thresher.scale.engine import Blocks, CodedBlock, plus, row_bytes
from thresher.validation import (
    are_whole,
    positive_class,
    read_labels,
    read_weights,
    real_weights,
    thread_count,
    two_labels,
)

Sketch = tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.float64]]
Watch = Callable[[str], None]
"""Called with a short text when a pass over the blocks begins."""


@dataclass(frozen=True)
class Roles:
    """What the columns of a table are for.

    Attributes
    ----------
    target, weight : names of columns; `weight` is None where every row weighs one.
    ignore : columns to leave out.
    categorical_features : the parameter of the estimator.
    """

    target: str
    weight: str | None
    ignore: tuple[str, ...]
    categorical_features: Any

    @property
    def others(self) -> list[str]:
        """Target and weights."""
        return [self.target, *([] if self.weight is None else [self.weight])]

    def features(self, known: Sequence[Any]) -> list[Any]:
        """Return the columns to learn from."""
        known = list(known)
        for name in (*self.others, *self.ignore):
            if name not in known:
                raise ValueError(f"The table has no column {name!r}; its columns are {known}.")
        names = [name for name in known if name not in {*self.others, *self.ignore}]
        if not names:
            raise ValueError("The table has no column to learn from.")
        return names


class TableBlock(NamedTuple):
    """Some rows of a table: columns (None: there are none), target and weights (None: one each)."""

    X: Any
    y: Any
    weights: Any

    def __len__(self) -> int:
        return len(self.y)


@dataclass(frozen=True)
class TableBlocks:
    """A table in blocks.

    Attributes
    ----------
    narrow : blocks of the target, the weights and the category columns alone.
    wide : blocks of all columns.
    names : names of the columns, None where there are none.
    is_category : whether each column is a category column.
    weighted : whether the blocks have weights.
    """

    narrow: Blocks[TableBlock]
    wide: Blocks[TableBlock]
    names: tuple[str, ...] | None
    is_category: tuple[bool, ...]
    weighted: bool

    def columns(self, levels: tuple[Any, ...]) -> Columns:
        """Return the columns, given the levels of those that are categories."""
        left = iter(levels)
        of_each = tuple(next(left) if is_one else None for is_one in self.is_category)
        return Columns(self.names, of_each)


# ---------------------------------------------------------------------------------- the first pass


class Survey(NamedTuple):
    """What must be known of all rows before any is binned.

    Attributes
    ----------
    n_rows : number of rows.
    labels, counts : the distinct labels, sorted, and how many rows have each.
    largest : the largest weight, 0 without weights.
    are_whole : whether all weights are whole numbers.
    levels : all levels of each category column, sorted.
    """

    n_rows: int
    labels: NDArray[Any]
    counts: NDArray[np.int64]
    largest: float
    are_whole: bool
    levels: tuple[Levels, ...]

    def plus(self, other: "Survey") -> "Survey":
        """Return the survey of the rows of both."""
        labels, index = np.unique(np.concatenate([self.labels, other.labels]), return_inverse=True)
        counts = np.zeros(len(labels), dtype=np.int64)
        np.add.at(counts, index, np.concatenate([self.counts, other.counts]))
        return Survey(
            self.n_rows + other.n_rows,
            labels,
            counts,
            max(self.largest, other.largest),
            self.are_whole and other.are_whole,
            tuple(_union(*pair) for pair in zip(self.levels, other.levels, strict=True)),
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


def survey_block(block: TableBlock) -> Survey | None:
    """Survey a block whose columns are the category columns alone."""
    if not len(block):
        return None
    labels, counts = np.unique(read_labels(block.y, "the target"), return_counts=True)
    weights = read_weights(block.weights, len(block), allow_zero=True)
    largest, whole = (0.0, True) if weights is None else (float(weights.max()), are_whole(weights))
    columns = [] if block.X is None else read_columns(block.X)[0]
    levels = tuple(distinct(column) for column in columns)
    return Survey(len(block), labels, counts, largest, whole, levels)


# -------------------------------------------------------------------------------- the later passes


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

    def plus(self, other: "Tally") -> "Tally":
        """Return the tally of the rows of both."""
        counts = tuple(a + b for a, b in zip(self.counts, other.counts, strict=True))
        return Tally(counts, self.weight + other.weight)


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

    def plus(self, other: "Summary") -> "Summary":
        """Return the summary of the rows of both."""
        first, second = (
            _core.merge_sketches(a, b) for a, b in zip(self.sketches, other.sketches, strict=True)
        )
        return Summary((first, second), self.weight + other.weight, self.rows + other.rows)


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


@dataclass(frozen=True)
class Binning:
    """Turns blocks of a table into bins.

    Attributes
    ----------
    reader : how values are read.
    edges : where the bins of each column end.
    positive : index of the positive class, 0 or 1.
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


# -------------------------------------------------------------------------------- all of them


@dataclass(frozen=True)
class BinnedTable:
    """A table as bins.

    Attributes
    ----------
    blocks : the bins.
    columns : names and levels of the columns.
    classes : the sorted classes.
    positive : index of the positive class among them.
    digits : of the fixed-point weights, None where every row weighs one.
    edges : where the bins of each column end.
    weight, rows : fixed-point weight and number of the rows, (negative, positive).
    are_whole : whether all weights are whole numbers.
    """

    blocks: Blocks[CodedBlock]
    columns: Columns
    classes: NDArray[Any]
    positive: int
    digits: int | None
    edges: list[NDArray[np.float64]]
    weight: tuple[int, int]
    rows: tuple[int, int]
    are_whole: bool

    @property
    def totals(self) -> tuple[float, float]:
        """Sample weight of the (negative, positive) class."""
        negative, positive = real_weights(np.array(self.weight), self.digits or 0).tolist()
        return negative, positive

    @property
    def row_weight(self) -> float:
        """The sample weight that counts as one row, as `validation.weight_of_row` has it."""
        return 1.0 if self.are_whole else sum(self.totals) / sum(self.rows)

    @property
    def n_bytes(self) -> int:
        """Size of all bins with labels and weights."""
        return sum(self.rows) * row_bytes(len(self.columns), weighted=self.digits is not None)


def bin_table(model: Any, table: TableBlocks, watch: Watch) -> BinnedTable:
    """Find the bins of a table, and put its rows into them."""
    watch("looking at labels and levels")
    survey = table.narrow.fold(survey_block, plus)
    if survey is None:
        raise ValueError("The table is empty: it has no rows.")
    two_labels(survey.labels)
    if table.weighted and survey.largest <= 0.0:
        raise ValueError("sample_weight is zero for every row; at least one must be above zero.")
    digits = _core.weight_digits(survey.largest, survey.n_rows) if table.weighted else None
    reader = Reader(table.columns(survey.levels), survey.labels[1], digits)
    width = len(table.is_category)
    size = survey.n_rows * row_bytes(width, weighted=table.weighted) / 1e9
    watch(f"{survey.n_rows:,} rows x {width} columns are {size:.2f} GB of bins")

    def positive_index(weight: NDArray[np.int64]) -> int:
        lower, upper = real_weights(weight, digits or 0).tolist()
        return positive_class(survey.labels, lower, upper, model.pos_label)

    if any(len(levels) > MAX_LEVELS for levels in survey.levels):
        # The levels that `fit` would name in memory.
        watch("looking at the rows of each level")
        tally = table.narrow.fold(partial(tally_block, reader=reader), plus)
        assert tally is not None, "The survey found rows."
        step = 1 if positive_index(tally.weight) == 1 else -1
        levels = tuple(
            named_first(every, counts[::step]) if len(every) > MAX_LEVELS else every
            for every, counts in zip(survey.levels, tally.counts, strict=True)
        )
        reader = replace(reader, columns=table.columns(levels))

    watch("looking for the edges of bins")
    summary = _summary(table, reader, survey.counts)
    positive = positive_index(summary.weight)
    order = [1 - positive, positive]
    neg, pos = (summary.sketches[index] for index in order)
    is_category, threads = reader.columns.is_category, thread_count(model.n_jobs)
    edges = _core.find_edges(neg, pos, is_category, model.max_bins, threads)
    watch("putting values into bins")
    return BinnedTable(
        table.wide.map(Binning(reader, edges, positive)),
        reader.columns,
        survey.labels,
        positive,
        digits,
        edges,
        tuple(summary.weight[order].tolist()),
        tuple(summary.rows[order].tolist()),
        survey.are_whole,
    )


def _summary(table: TableBlocks, reader: Reader, counts: NDArray[np.int64]) -> Summary:
    """Sketch the classes: few rows of large ones, all where too many rows are alike."""
    first, second = counts.tolist()
    few = _core.sketch_limit(first), _core.sketch_limit(second)
    for limits in (few, (EVERY_HASH, EVERY_HASH)):
        function = partial(summarize_block, reader=reader, limits=limits)
        summary: Summary | None = table.wide.fold(function, plus)
        if summary is not None and summary.is_complete(limits):
            return summary
    raise AssertionError("Every hash is below the largest one.")
