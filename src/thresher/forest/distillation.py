"""One readable tree that imitates a forest.

The tree learns the forest's decisions on the training rows (out of bag, so that it does not learn
what the forest knows by heart) and on rows made of them by exchanging values between rows. It is
grown in full and cut back to the subtree of at most so many leaves that agrees best, by F1.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.metrics import f1_score
from sklearn.model_selection import StratifiedKFold

from thresher.frames import Matrix
from thresher.tree.classifier import ImbalancedTreeClassifier
from thresher.tree.growing import Growth
from thresher.tree.leaf_budget import best_subtree
from thresher.tree.pruning import node_counts
from thresher.tree.sample import Rows, describe
from thresher.tree.structure import Tree
from thresher.validation import thread_count

if TYPE_CHECKING:
    from thresher.forest.classifier import ImbalancedForestClassifier

CRITERION = "hellinger"
MIN_ROWS = 5
"""Least weight of a leaf; the rows of imitation are many, and weigh 1 on average."""

EXCHANGED = (0.1, 0.3)
"""Shares of the values that a made row takes from other rows, in equal parts of the made rows."""

MADE_PER_ROW = 4
MIN_MADE, MAX_MADE = 8_000, 100_000


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
    random = np.random.default_rng(forest.forest_state_.seed)
    made = exchanged_rows(rows.matrix, random)
    decisions = np.concatenate([_unseen_decisions(forest, rows), _decisions(forest, made)])
    imitated = Rows(
        np.concatenate([rows.matrix, made]),
        decisions.astype(np.uint8),
        _weights(rows, len(made)),
    )
    growth = Growth(CRITERION, min_samples_leaf=MIN_ROWS)
    whole = growth.grow(
        *imitated,
        class_weight=(1.0, 1.0),
        is_category=forest.columns_.is_category,
        seed=0,
        n_threads=thread_count(forest.n_jobs),
    )
    small = best_subtree(whole, max_leaf_nodes)
    return _estimator(forest, with_true_rows(small.tree, rows), small.threshold, max_leaf_nodes)


def kept_imitation(
    forest: "ImbalancedForestClassifier", max_leaf_nodes: int
) -> ImbalancedTreeClassifier:
    """Return the tree that a forest without its training rows has kept."""
    if not hasattr(forest, "imitation_"):
        raise ValueError(
            "This forest came from a file or a pickle, without its training rows: give X and y to "
            "to_tree, or set imitation_ before it is saved."
        )
    leaves = forest.imitation_.get_n_leaves()
    if leaves > max_leaf_nodes:
        raise ValueError(
            f"max_leaf_nodes={max_leaf_nodes} is less than the {leaves} leaves of the tree that "
            "this forest has kept; give X and y to to_tree for a smaller one."
        )
    return forest.imitation_


def exchanged_rows(matrix: Matrix, random: np.random.Generator) -> Matrix:
    """Return rows in which some values come from other rows of the same column."""
    n_rows, n_columns = matrix.shape
    count = int(np.clip(MADE_PER_ROW * n_rows, MIN_MADE, MAX_MADE))
    made = matrix[random.integers(n_rows, size=count)]
    share = np.resize(EXCHANGED, count)
    row, column = np.nonzero(random.random((count, n_columns)) < share[:, None])
    made[row, column] = matrix[random.integers(n_rows, size=len(row)), column]
    return made


def _decisions(forest: "ImbalancedForestClassifier", matrix: Matrix) -> NDArray[np.bool_]:
    return forest.matrix_scores(matrix) > forest.threshold_


def _unseen_decisions(forest: "ImbalancedForestClassifier", rows: Rows) -> NDArray[np.bool_]:
    """Return the decisions by the trees that did not see a row; by all trees where all saw it.

    By all trees as well where it is not known which votes belong to which row.
    """
    if forest.forest_state_.is_sorted:
        return _decisions(forest, rows.matrix)
    scores = forest.threshold_state_.shifted(forest.forest_state_.votes.probability)
    every_tree_saw = np.isnan(scores)
    scores[every_tree_saw] = forest.matrix_scores(rows.matrix[every_tree_saw])
    return scores > forest.threshold_


def _weights(rows: Rows, n_made: int) -> NDArray[np.float64]:
    """Return weights by which the training rows and the made rows count the same; mean 1."""
    real = np.ones(len(rows.matrix)) if rows.weights is None else rows.weights
    half = 0.5 * (len(real) + n_made)
    return np.concatenate([real * (half / real.sum()), np.full(n_made, half / n_made)])


def with_true_rows(tree: Tree, rows: Rows) -> Tree:
    """Return the tree with the training rows and their labels as the row counts of its nodes."""
    counts = node_counts(tree, rows.matrix, rows.is_positive, None, n_threads=1)
    return Tree.from_core(tree.arrays() | {"rows": counts.astype(np.int64)})


def _estimator(
    forest: "ImbalancedForestClassifier", tree: Tree, threshold: float, max_leaf_nodes: int
) -> ImbalancedTreeClassifier:
    model = ImbalancedTreeClassifier(
        CRITERION,
        max_leaf_nodes=max_leaf_nodes,
        min_samples_leaf=MIN_ROWS,
        pruning=None,
        threshold=threshold,
        categorical_features=forest.categorical_features,
        pos_label=forest.pos_label,
        n_jobs=forest.n_jobs,
    )
    describe(model, forest.columns_, forest.classes_, forest.positive_index_)
    model.tree_ = model.unpruned_tree_ = tree
    model.threshold_ = threshold
    return model


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
    direct = ImbalancedTreeClassifier(max_leaf_nodes=max_leaf_nodes, **shared)
    part = rows.where(train)
    labels = forest.classes_[
        np.where(part.is_positive, forest.positive_index_, 1 - forest.positive_index_)
    ]
    for model in (other, direct):
        model.fit(part.matrix, labels, part.weights)
    tree = distil(other, part, max_leaf_nodes)
    return [
        (name, model.predict(rows.matrix[test]) == forest.pos_label_)
        for name, model in (("forest", other), ("tree", tree), ("direct", direct))
    ]
