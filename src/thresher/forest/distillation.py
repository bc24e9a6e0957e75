"""One readable tree that imitates a forest.

The tree learns the forest's decisions on the training rows out of bag, so that it does not learn
what the forest knows by heart.
"""

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.metrics import f1_score
from sklearn.model_selection import StratifiedKFold

from thresher.column import Matrix
from thresher.tree.classifier import ImbalancedTreeClassifier
from thresher.tree.imitation import imitate
from thresher.tree.sample import Rows

if TYPE_CHECKING:
    from thresher.forest.classifier import ImbalancedForestClassifier


@dataclass(frozen=True)
class Distillation:
    """How well a tree imitates its forest, on training rows that neither had seen.

    Attributes
    ----------
    fidelity : share of the rows on which tree and forest decide alike.
    agreement_f1 : F1 of the tree's decisions with the forest's as the truth.
    f1 : F1 of the tree with the labels as the truth.
    forest_f1, direct_f1 : the same of the forest, and of a tree of as many leaves that is grown
        on the labels directly.
    folds : number of folds of the cross-validation.
    """

    fidelity: float
    agreement_f1: float
    f1: float
    forest_f1: float
    direct_f1: float
    folds: int

    def __str__(self) -> str:
        return (
            f"The tree decides as the forest does for {self.fidelity:.1%} of the rows (F1 of its "
            f"alerts against the forest's {self.agreement_f1:.3f}). F1 in {self.folds}-fold cross-"
            f"validation: tree {self.f1:.3f}, forest {self.forest_f1:.3f}, a tree of as many "
            f"leaves grown directly {self.direct_f1:.3f}."
        )


def distil(
    forest: "ImbalancedForestClassifier", rows: Rows, max_leaf_nodes: int
) -> ImbalancedTreeClassifier:
    """Return a tree that imitates the forest, which was fitted on these rows."""
    return imitate(
        forest,
        rows,
        unseen_scores(forest, rows) > forest.threshold_,
        partial(_decisions, forest),
        max_leaf_nodes,
        forest.forest_state_.seed,
    )


def _decisions(forest: "ImbalancedForestClassifier", matrix: Matrix) -> NDArray[np.bool_]:
    return forest.matrix_scores(matrix) > forest.threshold_


def unseen_scores(forest: "ImbalancedForestClassifier", rows: Rows) -> NDArray[np.float64]:
    """Return the scores by the trees that did not see a row; by all trees where all saw it.

    By all trees as well where it is not known which votes belong to which row.
    """
    if forest.forest_state_.is_sorted:
        return forest.matrix_scores(rows.matrix)
    scores = forest.threshold_state_.shifted(forest.forest_state_.votes.probability)
    every_tree_saw = np.isnan(scores)
    scores[every_tree_saw] = forest.matrix_scores(rows.matrix[every_tree_saw])
    return scores


def cross_validated(
    forest: "ImbalancedForestClassifier", rows: Rows, max_leaf_nodes: int, folds: int
) -> Distillation:
    """Fit forest, distilled tree and direct tree without each fold, and compare them on it."""
    labels = rows.is_positive.astype(int)
    decided = {name: np.zeros(len(labels), dtype=bool) for name in ("forest", "tree", "direct")}
    splitter = StratifiedKFold(folds, shuffle=True, random_state=forest.forest_state_.seed % 2**32)
    for train, test in splitter.split(rows.matrix, labels):
        for name, decisions in _fold(forest, rows, max_leaf_nodes, train, test):
            decided[name][test] = decisions

    def f1(truth: Any, name: str) -> float:
        return float(f1_score(truth, decided[name], sample_weight=rows.weights, zero_division=0))

    alike = decided["tree"] == decided["forest"]
    return Distillation(
        fidelity=float(np.average(alike, weights=rows.weights)),
        agreement_f1=f1(decided["forest"], "tree"),
        f1=f1(labels, "tree"),
        forest_f1=f1(labels, "forest"),
        direct_f1=f1(labels, "direct"),
        folds=folds,
    )


def _fold(
    forest: "ImbalancedForestClassifier",
    rows: Rows,
    max_leaf_nodes: int,
    train: NDArray[np.intp],
    test: NDArray[np.intp],
) -> list[tuple[str, NDArray[np.bool_]]]:
    shared = {
        "categorical_features": np.flatnonzero(forest.columns_.is_category).tolist() or None,
        "pos_label": forest.pos_label_,
    }
    quiet = {"warm_start": False, "verbose": 0, "n_bootstrap": 0, "importance": "impurity"}
    other = clone(forest).set_params(
        **shared, **quiet, random_state=forest.forest_state_.seed % 2**32
    )
    if forest.derive is not None:
        _choose_again(other, forest)
    direct = ImbalancedTreeClassifier(max_leaf_nodes=max_leaf_nodes, **shared)
    part = rows.where(train)
    labels = forest.classes_[
        np.where(part.is_positive, forest.positive_index_, 1 - forest.positive_index_)
    ]
    other.fit(_given(forest, part.matrix), labels, part.weights)
    # The direct tree has the columns of the forest, derived ones too.
    part = part._replace(matrix=other.columns_.widened(_given(forest, part.matrix)))
    direct.fit(part.matrix, labels, part.weights)
    tree = distil(other, part, max_leaf_nodes)
    unseen = _given(forest, rows.matrix[test])
    tables = (unseen, unseen, other.columns_.widened(unseen))
    models = (("forest", other), ("tree", tree), ("direct", direct))
    return [
        (name, model.predict(table) == forest.pos_label_)
        for (name, model), table in zip(models, tables, strict=True)
    ]


def _given(forest: "ImbalancedForestClassifier", matrix: Matrix) -> Matrix:
    """Return a matrix without the derived columns."""
    return matrix[:, : len(forest.columns_)]


def _choose_again(other: "ImbalancedForestClassifier", forest: Any) -> None:
    """Let a forest choose derived columns anew where the first one has some, without their test."""
    other.derive = forest.derive.untested(forest.columns_) if forest.columns_.derived else None
