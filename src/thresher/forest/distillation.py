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

from thresher.answers import REFER, Referred
from thresher.column import Matrix
from thresher.tree.classifier import ImbalancedTreeClassifier
from thresher.tree.imitation import imitate
from thresher.tree.sample import Rows

if TYPE_CHECKING:
    from thresher.forest.classifier import ImbalancedForestClassifier


DECIDED = ("forest", "tree", "direct", "referred")
"""Who decides about rows, and whether the tree refers them."""


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
    joint_f1 : F1 where the forest decides about the rows that the tree refers; the other figures
        take these for alerts. None for a tree that refers nothing.
    referred : share of the rows that the tree refers, with an interval; None alike.
    """

    fidelity: float
    agreement_f1: float
    f1: float
    forest_f1: float
    direct_f1: float
    folds: int
    joint_f1: float | None = None
    referred: Referred | None = None

    def __str__(self) -> str:
        if self.referred is not None:
            return (
                f"{self.referred}. F1 in {self.folds}-fold cross-validation: {self.joint_f1:.3f} "
                f"where the forest decides about these rows, {self.f1:.3f} where they are alerts, "
                f"forest {self.forest_f1:.3f}, a tree of as many leaves grown directly "
                f"{self.direct_f1:.3f}."
            )
        return (
            f"The tree decides as the forest does for {self.fidelity:.1%} of the rows (F1 of its "
            f"alerts against the forest's {self.agreement_f1:.3f}). F1 in {self.folds}-fold cross-"
            f"validation: tree {self.f1:.3f}, forest {self.forest_f1:.3f}, a tree of as many "
            f"leaves grown directly {self.direct_f1:.3f}."
        )


def distil(
    forest: "ImbalancedForestClassifier", rows: Rows, max_leaf_nodes: int, refer: float = 0.0
) -> ImbalancedTreeClassifier:
    """Return a tree that imitates the forest, which was fitted on these rows."""
    state, frame = forest.forest_state_, forest.threshold_state_.frame_kind
    above = unseen_scores(forest, rows) - forest.threshold_
    above_of = partial(_above, forest)
    return imitate(
        forest, rows, above, above_of, max_leaf_nodes, state.seed, refer=refer, frame=frame
    )


def _above(forest: "ImbalancedForestClassifier", matrix: Matrix) -> NDArray[np.float64]:
    return forest.matrix_scores(matrix) - forest.threshold_


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
    forest: "ImbalancedForestClassifier",
    rows: Rows,
    max_leaf_nodes: int,
    refer: float,
    folds: int,
) -> Distillation:
    """Fit forest, distilled tree and direct tree without each fold, and compare them on it."""
    labels = rows.is_positive.astype(int)
    decided = {name: np.zeros(len(labels), dtype=bool) for name in DECIDED}
    splitter = StratifiedKFold(folds, shuffle=True, random_state=forest.forest_state_.seed % 2**32)
    for train, test in splitter.split(rows.matrix, labels):
        for name, flags in _fold(forest, rows, max_leaf_nodes, refer, train, test).items():
            decided[name][test] = flags

    def f1(truth: Any, flags: NDArray[np.bool_]) -> float:
        return float(f1_score(truth, flags, sample_weight=rows.weights, zero_division=0))

    tree, by_forest, is_referred = (decided[name] for name in ("tree", "forest", "referred"))
    more: dict[str, Any] = {}
    if refer > 0.0:
        more["joint_f1"] = f1(labels, np.where(is_referred, by_forest, tree))
        more["referred"] = Referred.of(is_referred, rows.weights)
    return Distillation(
        fidelity=float(np.average(tree == by_forest, weights=rows.weights)),
        agreement_f1=f1(by_forest, tree),
        f1=f1(labels, tree),
        forest_f1=f1(labels, by_forest),
        direct_f1=f1(labels, decided["direct"]),
        folds=folds,
        **more,
    )


def _fold(
    forest: "ImbalancedForestClassifier",
    rows: Rows,
    max_leaf_nodes: int,
    refer: float,
    train: NDArray[np.intp],
    test: NDArray[np.intp],
) -> dict[str, NDArray[np.bool_]]:
    shared = {
        "categorical_features": np.flatnonzero(forest.columns_.is_category).tolist() or None,
        "pos_label": forest.pos_label_,
    }
    quiet = {"warm_start": False, "verbose": 0, "n_bootstrap": 0, "importance": "impurity"}
    other = clone(forest).set_params(
        **shared, **quiet, random_state=forest.forest_state_.seed % 2**32
    )
    if forest.pairs is not None:
        _choose_again(other, forest)
    direct = ImbalancedTreeClassifier(max_leaf_nodes=max_leaf_nodes, **shared)
    part = rows.where(train)
    labels = forest.classes_[
        np.where(part.is_positive, forest.positive_index_, 1 - forest.positive_index_)
    ]
    other.fit(_given(forest, part.matrix), labels, part.weights)
    # The direct tree has the columns of the forest, derived ones too.
    given = _given(forest, part.matrix)
    part = part._replace(matrix=other.columns_.widened(given, to_learn=True))
    direct.fit(part.matrix, labels, part.weights)
    tree = distil(other, part, max_leaf_nodes, refer)
    unseen = _given(forest, rows.matrix[test])
    tables = (unseen, unseen, other.columns_.widened(unseen))
    models = (("forest", other), ("tree", tree), ("direct", direct))
    decided = {
        name: model.predict(table) == forest.pos_label_
        for (name, model), table in zip(models, tables, strict=True)
    }
    return decided | {"referred": tree.decide(unseen) == REFER}


def _given(forest: "ImbalancedForestClassifier", matrix: Matrix) -> Matrix:
    """Return a matrix without the derived columns."""
    return matrix[:, : len(forest.columns_)]


def _choose_again(other: "ImbalancedForestClassifier", forest: Any) -> None:
    """Let a forest choose derived columns anew where the first one has some, without their test."""
    other.pairs = forest.pairs.untested(forest.columns_) if forest.columns_.derived else None
