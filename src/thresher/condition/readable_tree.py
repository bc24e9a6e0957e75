"""A fitted model as a tree that can be read, and its positive leaves as conditions."""

from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from thresher.answers import ALERT
from thresher.boosted.classifier import BoostedTreesClassifier
from thresher.column import Matrix
from thresher.condition.clause import Clause, implies
from thresher.condition.condition import Condition
from thresher.condition.path import leaf_clauses
from thresher.condition.repeats import without_repeats
from thresher.condition.shortening import Shortener
from thresher.converters.classifier import ConvertedTreesClassifier
from thresher.forest.classifier import ImbalancedForestClassifier
from thresher.matrix import Columns
from thresher.statistics import Vector, wilson
from thresher.threshold.classifier import ThresholdClassifier
from thresher.threshold.imitated import ImitatedClassifier
from thresher.tree.classifier import ImbalancedTreeClassifier
from thresher.tree.structure import Tree

IMITATED = (ImbalancedForestClassifier, BoostedTreesClassifier)
"""Models of this library that are read through a tree which they make."""


@dataclass(frozen=True)
class Reading:
    """What conditions are read from.

    Attributes
    ----------
    tree : the tree.
    positive_leaves : its leaves whose rows the model calls positive.
    columns : names and levels of its columns.
    pos_label : the positive class.
    is_distilled : whether the tree imitates a model, so that its rows are not all real.
    """

    tree: Tree
    positive_leaves: NDArray[np.intp]
    columns: Columns
    pos_label: Any
    is_distilled: bool

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns that the tree asks, by position where the table had none."""
        return self.columns.wide_names

    def leaf_conditions(self) -> list[Condition]:
        """Return one condition for each positive leaf: its rows, and no others, meet it."""
        leaves = self.positive_leaves.tolist()
        clauses = leaf_clauses(self.tree, leaves, self.columns)
        return [Condition(clauses[leaf], (leaf,)) for leaf in leaves]

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
        short_ones = [Condition(clauses, leaves) for clauses, leaves in leaves_of.items()]
        if not self.is_distilled:
            return short_ones
        return without_repeats(short_ones, matrix, self.names, is_positive)

    def _leaf_counts(self, matrix: Matrix, is_positive: NDArray[np.bool_]) -> tuple[Vector, Vector]:
        """Return rows and positives in each positive leaf."""
        counts = self.tree.node_counts(matrix, is_positive.astype(np.uint8))
        negative, positive = counts[self.positive_leaves].T
        return negative + positive, positive


class TrainingRows(NamedTuple):
    """A table, its labels and weights, as somebody gave them."""

    X: Any
    y: Any
    sample_weight: Any


def is_taken_over(model: Any) -> bool:
    """Whether a model, or what is inside a ThresholdClassifier, came from another library."""
    inner = model.estimator if isinstance(model, ThresholdClassifier) else model
    return isinstance(inner, ConvertedTreesClassifier)


def is_foreign(model: Any) -> bool:
    """Whether a classifier is read through a tree that `ImitatedClassifier` makes."""
    own = (ImbalancedTreeClassifier, *IMITATED)
    inner = model.estimator if isinstance(model, ThresholdClassifier) else model
    if is_taken_over(model) or isinstance(model, own) or isinstance(inner, own[0]):
        return False
    has_scores = hasattr(inner, "predict_proba") or hasattr(inner, "decision_function")
    if has_scores and hasattr(inner, "fit"):
        return True
    raise TypeError(
        "conditions reads classifiers of two classes with fit and predict_proba or "
        f"decision_function, got {type(model).__name__}."
    )


def read_model(model: Any, max_leaf_nodes: int, training: TrainingRows | None = None) -> Reading:
    """Read a fitted tree; others through the tree of at most so many leaves that imitates them.

    Leaves that refer their rows lead to no alert, and are no conditions.

    For trees that were taken over the training rows are needed.
    """
    if isinstance(model, ImbalancedTreeClassifier):
        check_is_fitted(model)
        return _reading(model, model.node_answers == ALERT)
    if isinstance(model, (*IMITATED, ImitatedClassifier)):
        tree = model.to_tree(max_leaf_nodes=max_leaf_nodes, cv=None)
        return _reading(tree, tree.node_answers == ALERT, is_distilled=True)
    if is_taken_over(model):
        return _read_taken_over(model, max_leaf_nodes, training)
    check_is_fitted(model)
    shifted = model.threshold_state_.shifted(model.estimator_.tree_.probability)
    return _reading(model.estimator_, shifted > model.threshold_, pos_label=model.pos_label_)


def _read_taken_over(model: Any, max_leaf_nodes: int, training: TrainingRows | None) -> Reading:
    check_is_fitted(model)
    if training is None:
        raise ValueError(
            "Trees that were taken over are read through a tree that imitates them: give X and y, "
            "the rows that the original was fitted on."
        )
    decide, inner = None, model
    if isinstance(model, ThresholdClassifier):
        inner, decide = model.estimator_, partial(_decide, model)
        _refuse_other_class(inner, model.pos_label_)
    X, y, weights = training
    tree = inner.to_tree(max_leaf_nodes, X=X, y=y, sample_weight=weights, decide=decide)
    return _reading(tree, tree.tree_.probability > tree.threshold_, is_distilled=True)


def _decide(model: ThresholdClassifier, matrix: Matrix) -> NDArray[np.bool_]:
    scores = model.threshold_state_.shifted(model.estimator_.matrix_scores(matrix))
    is_positive: NDArray[np.bool_] = scores > model.threshold_
    return is_positive


def _refuse_other_class(inner: Any, pos_label: Any) -> None:
    if pos_label is not None and pos_label != inner.pos_label_:
        raise ValueError(
            f"The tree's positive class is {inner.pos_label_!r} and that of the model around it "
            f"{pos_label!r}; set the same pos_label in both."
        )


def _reading(
    fitted: ImbalancedTreeClassifier,
    is_positive: NDArray[np.bool_],
    *,
    pos_label: Any = None,
    is_distilled: bool = False,
) -> Reading:
    tree = fitted.tree_
    _refuse_other_class(fitted, pos_label)
    leaves = np.flatnonzero(tree.is_leaf & is_positive)
    return Reading(tree, leaves, fitted.columns_, fitted.pos_label_, is_distilled)
