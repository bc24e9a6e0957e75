"""A forest on bins, whatever engine holds them."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from thresher.forest.classifier import ImbalancedForestClassifier
from thresher.forest.state import ForestState
from thresher.forest.training_rows import BinnedRows, Training
from thresher.scale.binned_table import BinnedTable
from thresher.scale.dealt_trees import Bins, DealtTrees
from thresher.scale.mapped_rows import MappedRows
from thresher.seam.coded import CodedBlock
from thresher.seam.engine import Joined
from thresher.threshold.rules import Rule
from thresher.tree.sample import Rows, Sample
from thresher.validation import draw_seed, real_weights


class Truth(NamedTuple):
    """Labels and fixed-point weights of all rows, without their bins."""

    labels: NDArray[np.uint8]
    weights: NDArray[np.int64] | None


def truth(rows: CodedBlock, _item: None) -> Truth:
    """Leave the bins behind."""
    return Truth(rows.labels, rows.weights)


def either(one: Truth, _other: Truth) -> Truth:
    """Return one of two that are the same."""
    return one


def grow_forest(
    model: ImbalancedForestClassifier,
    table: BinnedTable,
    rule: Rule,
    memory: int,
    watch: Callable[[str], None],
) -> None:
    """Fit a forest; its trees share the bins, all of which whoever grows trees is sent.

    Rows are put in the order of a hash of their content, so that what a tree draws does not
    depend on where rows were.
    """
    _check_size(table, memory)
    watch("sorting the rows")
    rows = table.blocks.joined()
    sample = _sample(table, rows.fold(truth, [None], either))
    sample.describe(model)
    seed = draw_seed(model.random_state)
    state = ForestState.of(sample, model.class_weight, seed=seed, is_sorted=True)
    watch("growing trees")
    model.fit_sample(sample, _training(table, rows, memory), rule, state)


def _check_size(table: BinnedTable, memory: int) -> None:
    if 4 * table.n_bytes > memory and not table.blocks.spills:
        raise ValueError(
            f"A forest needs all binned rows in each process, {table.n_bytes / 1e9:.2f} GB, which "
            f"may be a quarter of memory={memory / 1e9:.2f} GB; raise memory, or fit a tree."
        )


def _sample(table: BinnedTable, known: Truth) -> Sample:
    weights = None if known.weights is None else real_weights(known.weights, table.digits or 0)
    # Nothing here reads values: one number stands for all of them.
    values = np.broadcast_to(np.zeros(1), (len(known.labels), len(table.columns)))
    rows = Rows(values, known.labels, weights)
    return Sample(table.columns, table.classes, table.positive, rows, None, table.totals)


def _training(table: BinnedTable, rows: Joined, memory: int) -> Training:
    bins = Bins(table.digits, table.edges)
    if rows.here is None:
        return DealtTrees(rows, bins)
    if 4 * table.n_bytes > memory:
        return MappedRows(*rows.here, *bins, memory)
    return BinnedRows(*rows.here, *bins)
