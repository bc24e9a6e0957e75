"""Fitting a tree over blocks of a table, whatever engine holds them."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher import _core
from thresher.forest.classifier import ImbalancedForestClassifier
from thresher.forest.parameters import checked_rule_of
from thresher.forest.state import ForestState
from thresher.forest.training_rows import BinnedRows
from thresher.frames import Columns
from thresher.scale.table_passes import (
    EVERY_HASH,
    Binning,
    Reader,
    Summary,
    Survey,
    TableBlock,
    check_levels,
    merge_summaries,
    merge_surveys,
    summarize_block,
    survey_block,
)
from thresher.seam.coded import CodedBlock, by_slot, join_parts, take_block
from thresher.seam.engine import Blocks, Driver, cell_bytes, row_bytes
from thresher.seam.growing_tree import GrowingTree
from thresher.tree.classifier import ImbalancedTreeClassifier
from thresher.tree.growing import Growth
from thresher.tree.sample import Rows, Sample, describe
from thresher.tree.single_leaf import warn_of_single_leaf
from thresher.validation import (
    class_factors,
    draw_seed,
    positive_class,
    real_weights,
    thread_count,
    two_labels,
)

DEFAULT_MEMORY = 1 << 30
"""Bytes that counts and fetched rows may take in the driving process at a time."""


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

    def category_labels(self) -> list[str]:
        """Return the names of the category columns, for messages."""
        labels = [repr(name) for name in self.names or ()] or [str(i) for i in range(10**4)]
        return [label for label, is_one in zip(labels, self.is_category, strict=False) if is_one]


@dataclass(frozen=True)
class BinnedTable:
    """A table as bins, and what is known of it."""

    blocks: Blocks[CodedBlock]
    columns: Columns
    classes: NDArray[Any]
    positive: int
    digits: int | None
    edges: list[NDArray[np.float64]]
    weight: tuple[int, int]
    rows: tuple[int, int]

    @property
    def totals(self) -> tuple[float, float]:
        """Sample weight of the (negative, positive) class."""
        negative, positive = real_weights(np.array(self.weight), self.digits or 0).tolist()
        return negative, positive


def _need_bins(model: Any) -> None:
    if model.max_bins is None:
        raise ValueError("Over blocks of rows max_bins is needed, a number up to 255.")


@dataclass(frozen=True)
class Fit:
    """Fits trees of `ImbalancedTreeClassifier`'s parameters over blocks.

    Attributes
    ----------
    memory : bytes that counts and fetched rows may take in this process at a time.
    watch : called with a short text when a pass over the blocks begins.
    """

    memory: int = DEFAULT_MEMORY
    watch: Callable[[str], None] = field(default=lambda _text: None)

    def tree(self, model: ImbalancedTreeClassifier, table: TableBlocks) -> None:
        """Fit a tree; the same as `fit` with all rows in memory, byte for byte."""
        self.check(model)
        self.grow(model, self.bin(model, table))

    def forest(self, model: ImbalancedForestClassifier, table: TableBlocks) -> None:
        """Fit a forest; its trees share the bins, all of which are fetched.

        Rows are put in the order of a hash of their content, so that what a tree draws does not
        depend on where rows were.
        """
        _need_bins(model)
        if model.warm_start:
            raise ValueError("warm_start=True adds trees in memory only; set it to False.")
        rule = checked_rule_of(model)
        binned = self.bin(model, table)
        block = self._all_rows(binned)
        weights = None if block.weights is None else real_weights(block.weights, binned.digits or 0)
        codes: Any = block.codes  # in the place of numbers
        rows = Rows(codes, block.labels, weights)
        sample = Sample(binned.columns, binned.classes, binned.positive, rows, None, binned.totals)
        sample.describe(model)
        seed = draw_seed(model.random_state)
        state = ForestState.of(sample, model.class_weight, seed=seed, is_sorted=True)
        self.watch("growing trees")
        training = BinnedRows(*block, binned.digits, binned.edges)
        model.fit_sample(sample, training, rule, state)

    def _all_rows(self, table: BinnedTable) -> CodedBlock:
        size = sum(table.rows) * row_bytes(len(table.columns), weighted=table.digits is not None)
        if 4 * size > self.memory:
            raise ValueError(
                f"A forest keeps all binned rows in one process, {size / 1e9:.2f} GB, which may be "
                f"a quarter of memory={self.memory / 1e9:.2f} GB; raise memory, or fit a tree."
            )
        self.watch("fetching the rows")
        everything = GrowingTree(table.weight, table.rows).ask([0])
        parts = table.blocks.fold(partial(take_block, question=everything), join_parts)
        rows = by_slot(parts).rows
        order = np.argsort(_core.hash_rows(*rows), kind="stable")
        return rows.where(order)

    def check(self, model: ImbalancedTreeClassifier) -> None:
        """Raise where a parameter cannot be used over blocks."""
        _need_bins(model)
        if model.pruning_fraction is not None:
            raise ValueError(
                "pruning_fraction needs all rows in memory; leave it out to prune on the training "
                "rows, or set pruning=None."
            )
        model.check_parameters(None, None)

    def bin(self, model: Any, table: TableBlocks) -> BinnedTable:
        """Find the bins of a table, and put its rows into them."""
        self.watch("looking at labels and levels")
        survey = self._survey(table)
        columns = table.columns(survey.levels)
        digits = _core.weight_digits(survey.largest, survey.n_rows) if table.weighted else None
        reader = Reader(columns, survey.labels[1], digits)
        self.watch("looking for the edges of bins")
        summary = self._summary(table, reader, survey.counts)
        positive = self._positive(model, survey.labels, summary, digits)
        order = [1 - positive, positive]
        neg, pos = (summary.sketches[place] for place in order)
        edges = _core.find_edges(
            neg, pos, columns.is_category, model.max_bins, thread_count(model.n_jobs)
        )
        self.watch("putting values into bins")
        blocks = table.wide.map(Binning(reader, edges, positive))
        weight, rows = summary.weight[order].tolist(), summary.rows[order].tolist()
        return BinnedTable(
            blocks, columns, survey.labels, positive, digits, edges, tuple(weight), tuple(rows)
        )

    def _survey(self, table: TableBlocks) -> Survey:
        survey = table.narrow.fold(survey_block, merge_surveys)
        if survey is None:
            raise ValueError("The table is empty: it has no rows.")
        two_labels(survey.labels)
        if table.weighted and survey.largest <= 0.0:
            raise ValueError(
                "sample_weight is zero for every row; at least one must be above zero."
            )
        check_levels(table.category_labels(), survey.levels)
        return survey

    def _summary(self, table: TableBlocks, reader: Reader, counts: NDArray[np.int64]) -> Summary:
        """Sketch the classes: few rows of large ones, all where too many rows are alike."""
        first, second = counts.tolist()
        for limits in (
            (_core.sketch_limit(first), _core.sketch_limit(second)),
            (EVERY_HASH, EVERY_HASH),
        ):
            function = partial(summarize_block, reader=reader, limits=limits)
            summary = table.wide.fold(function, merge_summaries)
            if summary is not None and summary.is_complete(limits):
                return summary
        raise AssertionError("Every hash is below the largest one.")

    @staticmethod
    def _positive(model: Any, classes: NDArray[Any], summary: Summary, digits: int | None) -> int:
        lower, upper = real_weights(summary.weight, digits or 0).tolist()
        return positive_class(classes, lower, upper, model.pos_label)

    def grow(self, model: ImbalancedTreeClassifier, table: BinnedTable) -> None:
        """Grow a tree on binned rows, prune it and describe the model."""
        factors = class_factors(model.class_weight, table.classes, table.positive, table.totals)
        seed = draw_seed(model.random_state) if model.max_features is not None else 0
        n_features, weighted = len(table.columns), table.digits is not None
        options = Growth.of(model).core_options(n_features, factors, seed)
        is_category = table.columns.is_category
        growth = _core.BlockGrowth(options, table.edges, is_category, table.digits, table.weight)
        driver = Driver(
            table.blocks,
            growth,
            self.memory,
            cell_bytes(n_features, weighted=weighted),
            row_bytes(n_features, weighted=weighted),
            thread_count(model.n_jobs),
            self.watch,
        )
        tree = driver.grow(table.weight, table.rows, model.max_leaf_nodes)
        describe(model, table.columns, table.classes, table.positive)
        model.take_tree(tree, None)
        warn_of_single_leaf(model.tree_, model.unpruned_tree_, model.threshold_)
