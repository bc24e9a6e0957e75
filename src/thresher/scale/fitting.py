"""Fitting a tree or a forest over blocks of a table, whatever engine holds them."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher import _core
from thresher.column import MAX_LEVELS, named_first
from thresher.forest.classifier import ImbalancedForestClassifier
from thresher.forest.parameters import AUTO, checked_rule_of
from thresher.matrix import Columns
from thresher.scale.binned_table import BinnedTable
from thresher.scale.forest_growth import grow_forest
from thresher.scale.table_passes import (
    EVERY_HASH,
    Binning,
    Reader,
    Summary,
    Survey,
    TableBlock,
    merge_summaries,
    merge_surveys,
    merge_tallies,
    summarize_block,
    survey_block,
    tally_block,
)
from thresher.seam.engine import Blocks, Driver, cell_bytes, row_bytes
from thresher.tree.classifier import ImbalancedTreeClassifier
from thresher.tree.growing import Growth
from thresher.tree.sample import describe
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


def _need_bins(model: Any) -> None:
    if model.max_bins in (None, AUTO):
        raise ValueError("Over blocks of rows max_bins is needed, a number up to 255.")
    if model.derive is not None:
        raise ValueError("derive needs all rows in memory; set derive=None over blocks of rows.")


@dataclass(frozen=True)
class Fit:
    """Fits trees and forests over blocks.

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
        """Fit a forest; it does not depend on how rows are dealt to blocks."""
        _need_bins(model)
        if model.warm_start:
            raise ValueError("warm_start=True adds trees in memory only; set it to False.")
        if model.threshold_by is not None:
            raise ValueError("threshold_by needs all rows in memory; leave it out.")
        rule = checked_rule_of(model)
        grow_forest(model, self.bin(model, table), rule, self.memory, self.watch)

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
        digits = _core.weight_digits(survey.largest, survey.n_rows) if table.weighted else None
        reader = Reader(table.columns(survey.levels), survey.labels[1], digits)
        if any(len(levels) > MAX_LEVELS for levels in survey.levels):
            reader = self._with_named_levels(model, table, survey, reader)
        columns = reader.columns
        self.watch("looking for the edges of bins")
        summary = self._summary(table, reader, survey.counts)
        positive = self._positive(model, survey.labels, summary.weight, digits)
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
        return survey

    def _with_named_levels(
        self, model: Any, table: TableBlocks, survey: Survey, reader: Reader
    ) -> Reader:
        """Return the reader with the levels that `fit` would name in memory."""
        self.watch("looking at the rows of each level")
        tally = table.narrow.fold(partial(tally_block, reader=reader), merge_tallies)
        assert tally is not None, "The survey found rows."
        positive = self._positive(model, survey.labels, tally.weight, reader.digits)
        levels = tuple(
            named_first(every, counts if positive == 1 else counts[::-1])
            if len(every) > MAX_LEVELS
            else every
            for every, counts in zip(survey.levels, tally.counts, strict=True)
        )
        return replace(reader, columns=table.columns(levels))

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
    def _positive(
        model: Any, classes: NDArray[Any], weight: NDArray[np.int64], digits: int | None
    ) -> int:
        lower, upper = real_weights(weight, digits or 0).tolist()
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
