"""Conditions of a model that was grown on a lake: read from a tree, counted on all rows."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.column import Matrix
from thresher.condition.condition import Condition, members
from thresher.condition.evidence import Tally
from thresher.condition.readable_tree import read_model
from thresher.condition.station_order import known_at
from thresher.condition.table import ConditionTable
from thresher.forest.distillation import distil
from thresher.judging.recipe import MAX_LEAVES
from thresher.plant.reader import is_readable
from thresher.tree.classifier import ImbalancedTreeClassifier
from thresher.tree.pruning import node_counts
from thresher.tree.sample import Rows
from thresher.tree.structure import Tree


class ConditionCounts:
    """Rows that meet each of some conditions, and positives among them, as they come.

    Attributes
    ----------
    first : positives by the first condition that they meet; the last entry: by none.
    """

    def __init__(self, conditions: Sequence[Condition], names: Sequence[str]) -> None:
        self._conditions, self._names = conditions, names
        self._n, self._hits = np.zeros((2, len(conditions)), dtype=np.int64)
        self._all_n = self._all_hits = 0
        self.first = np.zeros(len(conditions) + 1, dtype=np.int64)

    def add(self, matrix: Matrix, is_positive: NDArray[np.bool_]) -> None:
        """Count some rows."""
        met = members(self._conditions, matrix, self._names)
        hit = met[:, is_positive]
        self._n += met.sum(axis=1)
        self._hits += hit.sum(axis=1)
        self._all_n += len(matrix)
        self._all_hits += hit.shape[1]
        place = np.where(hit.any(axis=0), hit.argmax(axis=0), len(met)) if len(met) else hit[:0]
        self.first += np.bincount(place.ravel(), minlength=len(self.first))

    def tally(self) -> Tally:
        """Return the counts."""
        return Tally(self._n, self._hits, self._all_n, self._all_hits)

    def together(self) -> list[float]:
        """Return the share of positives that meet the first condition, one of two, ..."""
        shares: list[float] = (np.cumsum(self.first[:-1]) / max(1, self._all_hits)).tolist()
        return shares


class NodeCounts:
    """The rows of a tree's nodes, as they come."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._rows = np.zeros((tree.n_nodes, 2), dtype=np.int64)

    def add(self, matrix: Matrix, is_positive: NDArray[np.bool_]) -> None:
        """Count some rows."""
        found = node_counts(self._tree, matrix, is_positive.astype(np.uint8))
        self._rows += found.astype(np.int64)

    def counted(self) -> Tree:
        """Return the tree with these rows."""
        return Tree.from_core(self._tree.arrays() | {"rows": self._rows})


def reader_on(
    estimator: Any, matrix: Matrix, is_positive: NDArray[np.bool_]
) -> ImbalancedTreeClassifier:
    """Return the tree that conditions are read from: the estimator, or one that imitates it."""
    if is_readable(estimator):
        tree: ImbalancedTreeClassifier = estimator
        return tree
    return distil(estimator, Rows(matrix, is_positive.astype(np.uint8), None), MAX_LEAVES)


def conditions_on(
    reader: ImbalancedTreeClassifier, matrix: Matrix, is_positive: NDArray[np.bool_]
) -> list[Condition]:
    """Read the conditions of a tree, without the clauses that some rows do not need."""
    return read_model(reader, MAX_LEAVES).short_conditions(matrix, is_positive)


def condition_table(
    conditions: Sequence[Condition],
    counts: Tally,
    complete: frozenset[str],
    stations: Mapping[str, str] | None,
    pos_label: Any,
) -> ConditionTable:
    """Return the conditions with their training counts, those with most positives first.

    A tree that imitates a forest has learnt made rows too; what no real row meets is left out.
    """
    unknown = np.full(len(conditions), np.nan)
    where = [
        None if stations is None else known_at(one.given_columns, stations) for one in conditions
    ]
    table = ConditionTable(
        conditions=tuple(conditions),
        texts=tuple(one.text(complete) for one in conditions),
        training=counts,
        held=None,
        p_value=unknown,
        stability=unknown,
        money=unknown,
        stations=tuple(where),
        evidence=None,
        pos_label=pos_label,
    )
    order = np.argsort(-counts.hits, kind="stable")
    return table.take(order[counts.n[order] > 0].tolist())
