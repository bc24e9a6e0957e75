"""A fitted model as a tree that can be read, and its positive leaves as conditions."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from thresher.condition.clause import Clause, implies
from thresher.condition.condition import Condition
from thresher.condition.path import leaf_clauses
from thresher.condition.shortening import Shortener
from thresher.forest.classifier import ImbalancedForestClassifier
from thresher.frames import Columns, Matrix
from thresher.statistics import Vector, wilson
from thresher.threshold.classifier import ThresholdClassifier
from thresher.tree.classifier import ImbalancedTreeClassifier
from thresher.tree.pruning import node_counts
from thresher.tree.structure import Tree


@dataclass(frozen=True)
class Reading:
    """What conditions are read from.

    Attributes
    ----------
    tree : the tree.
    positive_leaves : its leaves whose rows the model calls positive.
    columns : names and levels of its columns.
    pos_label : the positive class.
    is_distilled : whether the tree imitates a forest, so that its rows are not all real.
    """

    tree: Tree
    positive_leaves: NDArray[np.intp]
    columns: Columns
    pos_label: Any
    is_distilled: bool

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns, by position where the table had none."""
        return self.columns.names or tuple(f"x[{place}]" for place in range(len(self.columns)))

    def leaf_conditions(self) -> list[Condition]:
        """Return one condition for each positive leaf: its rows, and no others, meet it."""
        return [
            Condition(leaf_clauses(self.tree, leaf, self.names, self.columns.levels), (leaf,))
            for leaf in self.positive_leaves.tolist()
        ]

    def short_conditions(self, matrix: Matrix, is_positive: NDArray[np.bool_]) -> list[Condition]:
        """Return the conditions without the clauses that these rows do not need.

        A leaf all of whose rows meet the condition of a leaf with a more reliable rate joins it.
        """
        leaves_of: dict[tuple[Clause, ...], tuple[int, ...]] = {}
        n, hits = self._leaf_counts(matrix, is_positive)
        # What the model calls positive in its worst leaf, a short condition may be as well.
        least_rate = float((hits[n > 0] / n[n > 0]).min(initial=1.0))
        shortener = Shortener(matrix, self.names, is_positive, least_rate)
        found = self.leaf_conditions()
        for place in np.argsort(-np.nan_to_num(wilson(hits, n)[0]), kind="stable"):
            clauses = {clause.column: clause for clause in found[place].clauses}
            wide = next((known for known in leaves_of if implies(clauses, known)), None)
            short = shortener.shortened(clauses.values()) if wide is None else wide
            leaves_of[short] = leaves_of.get(short, ()) + found[place].leaves
        return [Condition(clauses, leaves) for clauses, leaves in leaves_of.items()]

    def _leaf_counts(self, matrix: Matrix, is_positive: NDArray[np.bool_]) -> tuple[Vector, Vector]:
        """Return rows and positives in each positive leaf."""
        counts = node_counts(self.tree, matrix, is_positive.astype(np.uint8))
        negative, positive = counts[self.positive_leaves].T
        return negative + positive, positive


def read_model(model: Any, max_leaf_nodes: int) -> Reading:
    """Read a fitted tree; a forest through the tree of at most so many leaves that imitates it."""
    if isinstance(model, ImbalancedTreeClassifier):
        check_is_fitted(model)
        return _reading(model, model.tree_.probability > model.threshold_)
    if isinstance(model, ImbalancedForestClassifier):
        check_is_fitted(model, "forest_")
        tree = model.to_tree(max_leaf_nodes=max_leaf_nodes, cv=None)
        return _reading(tree, tree.tree_.probability > tree.threshold_, is_distilled=True)
    if isinstance(model, ThresholdClassifier) and isinstance(
        model.estimator, ImbalancedTreeClassifier
    ):
        check_is_fitted(model)
        shifted = model.threshold_state_.shifted(model.estimator_.tree_.probability)
        return _reading(model.estimator_, shifted > model.threshold_, pos_label=model.pos_label_)
    raise TypeError(
        "conditions reads an ImbalancedTreeClassifier, alone or inside a ThresholdClassifier, or "
        f"an ImbalancedForestClassifier, got {type(model).__name__}."
    )


def _reading(
    fitted: ImbalancedTreeClassifier,
    is_positive: NDArray[np.bool_],
    *,
    pos_label: Any = None,
    is_distilled: bool = False,
) -> Reading:
    tree = fitted.tree_
    if pos_label is not None and pos_label != fitted.pos_label_:
        raise ValueError(
            f"The tree's positive class is {fitted.pos_label_!r} and that of the model around it "
            f"{pos_label!r}; set the same pos_label in both."
        )
    leaves = np.flatnonzero(tree.is_leaf & is_positive)
    return Reading(tree, leaves, fitted.columns_, fitted.pos_label_, is_distilled)
