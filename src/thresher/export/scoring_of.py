"""A fitted model as a Scoring: one function a kind of model."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.utils.validation import check_is_fitted

from thresher.blend.boosted import BoostedTreesClassifier
from thresher.blend.classifier import ImbalancedBlendClassifier
from thresher.card.classifier import ScoreCardClassifier
from thresher.export.added_trees import AddedTrees
from thresher.export.blended import blended_score, boosted_score
from thresher.export.row_cut import read_row_cut
from thresher.export.scoring import (
    Clip,
    Complement,
    Floats,
    Line,
    Logistic,
    Odds,
    Score,
    Scoring,
    ScoringTree,
    Step,
    Trees,
)
from thresher.forest.alpha_trees import AlphaTreesClassifier
from thresher.forest.classifier import ImbalancedForestClassifier
from thresher.forest.structure import CATEGORY, COLUMN, MISSING_RIGHT, Forest
from thresher.linear import LeastSquaresClassifier
from thresher.matrix import Columns
from thresher.takeover.classifier import AdditiveTreesClassifier
from thresher.threshold.classifier import ThresholdClassifier
from thresher.tree.classifier import ImbalancedTreeClassifier
from thresher.tree.structure import Tree


def read_scoring(
    model: Any, cost_fp_column: str | None = None, cost_fn_column: str | None = None
) -> Scoring:
    """Return how a fitted model scores, and decides by costs in columns where it does so.

    Examples
    --------
    >>> from thresher import ImbalancedTreeClassifier
    >>> X, y = [[1.0], [2.0], [3.0], [4.0], [5.0], [6.0]], ["ok"] * 4 + ["scrap"] * 2
    >>> scoring = read_scoring(ImbalancedTreeClassifier("gini").fit(X, y))
    >>> scoring.classes, scoring.positive, scoring.threshold, scoring.score.trees[0].cut
    (('ok', 'scrap'), 1, 0.5, array([4.5, 0. , 0. ]))
    """
    for kind, read in _READERS.items():
        if isinstance(model, kind):
            check_is_fitted(model)
            scoring: Scoring = read(model)
            _refuse_other_labels(scoring)
            cut = read_row_cut(model, scoring.names, cost_fp_column, cost_fn_column)
            return replace(scoring, cut=cut)
    raise TypeError(
        f"{type(model).__name__} cannot be exported; a model is a tree, a forest, "
        "AlphaTreesClassifier, LeastSquaresClassifier, LogisticRegression, what take_over returns, "
        "boosted trees, a blend, a score card, or ThresholdClassifier around one of these."
    )


def _refuse_other_labels(scoring: Scoring) -> None:
    for label in scoring.classes:
        if not isinstance(label, str | bool | int | float):
            raise TypeError(f"The class {label!r} is no text, number or boolean; rename it.")


def _scoring(model: Any, score: Score, steps: tuple[Step, ...], **more: Any) -> Scoring:
    negative, positive = model.classes_.tolist()
    return Scoring(
        model.columns_,
        (negative, positive),
        model.positive_index_,
        score,
        steps,
        float(model.threshold_),
        threshold_alert=_alert(model),
        **more,
    )


def _alert(model: Any) -> float | None:
    return None if model.threshold_alert_ is None else float(model.threshold_alert_)


# ------------------------------------------------------------------------------------------- trees


def _of_tree(model: ImbalancedTreeClassifier) -> Scoring:
    return _scoring(model, Trees((_tree(model.tree_),), "only"), ())


def _tree(tree: Tree, value: Floats | None = None) -> ScoringTree:
    return ScoringTree(
        tree.feature.astype(np.int64),
        tree.cut,
        tree.left.astype(np.int64),
        tree.right.astype(np.int64),
        tree.missing_left,
        tree.category.astype(np.int64),
        _bits(tree.levels_left),
        tree.probability if value is None else value,
    )


def _bits(levels: NDArray[np.uint8]) -> NDArray[np.bool_]:
    return np.unpackbits(levels, axis=1, bitorder="little").astype(bool)


def _of_alpha_trees(model: AlphaTreesClassifier) -> Scoring:
    members = [member.tree_ for member in model.estimators_]
    if model.voting == "soft":
        return _scoring(model, Trees(tuple(map(_tree, members)), "counts"), ())
    votes = [
        (member.tree_.probability > member.threshold_).astype(np.float64)
        for member in model.estimators_
    ]
    trees = tuple(_tree(tree, vote) for tree, vote in zip(members, votes, strict=True))
    return _scoring(model, Trees(trees, "votes"), ())


def _of_forest(model: ImbalancedForestClassifier) -> Scoring:
    values = model.node_values()
    trees = tuple(_packed_tree(model.forest_, values, i) for i in range(len(model.forest_)))
    return _scoring(model, Trees(trees, "shares"), _odds(model.threshold_state_.factor))


def _packed_tree(forest: Forest, values: Floats, index: int) -> ScoringTree:
    nodes = forest.nodes[forest.begin[index] : forest.begin[index + 1]]
    left = nodes["left"].astype(np.int64)
    is_leaf = left == np.arange(len(nodes))
    by_level = (nodes["feature"] & CATEGORY) != 0
    sets = np.where(by_level, nodes["cut"], 0.0).astype(np.int64)[by_level]
    level_set = np.full(len(nodes), -1, dtype=np.int64)
    level_set[by_level] = np.arange(len(sets))
    return ScoringTree(
        np.where(is_leaf, -1, (nodes["feature"] & COLUMN).astype(np.int64)),
        np.where(is_leaf | by_level, 0.0, nodes["cut"]),
        np.where(is_leaf, -1, left),
        np.where(is_leaf, -1, left + 1),
        ~is_leaf & ((nodes["feature"] & MISSING_RIGHT) == 0),
        level_set,
        _bits(forest.levels_left[sets]),
        values[forest.begin[index] : forest.begin[index + 1]],
    )


def _odds(factor: float) -> tuple[Step, ...]:
    return () if factor == 1.0 else (Odds(float(factor)),)


def _of_boosted(model: BoostedTreesClassifier) -> Scoring:
    score = boosted_score(model)
    return _scoring(model, score, _odds(model.threshold_state_.factor))


def _of_blend(model: ImbalancedBlendClassifier) -> Scoring:
    forests: dict[str, Any] = {
        member.name: _of_forest(member.model).score
        for member in model.blended_
        if isinstance(member.model, ImbalancedForestClassifier)
    }
    steps = (Logistic(), *_odds(model.threshold_state_.factor))
    # Logarithms of other libraries differ in the last bit, which a steep curve makes larger.
    return _scoring(model, blended_score(model, forests), steps, is_rounded=True)


def _of_added(model: AdditiveTreesClassifier | ScoreCardClassifier) -> Scoring:
    added = AddedTrees(model.trees_, model.columns_)
    other_class = isinstance(model, AdditiveTreesClassifier) and not model.of_positive_
    scoring = _scoring(
        model,
        added.trees(other_class),
        added.steps(other_class),
        zero_is_missing=added.zero_is_missing,
        is_rounded=model.trees_.in_float32,
    )
    return replace(scoring, columns=added.columns)


# ------------------------------------------------------------------------------------------- lines


def _of_least_squares(model: LeastSquaresClassifier) -> Scoring:
    line = Line(model.coef_.astype(np.float64), float(model.intercept_))
    return _scoring(model, line, (Clip(),), decides_on_score=True)


def _of_logistic(model: LogisticRegression) -> Scoring:
    if len(model.classes_) != 2:
        raise ValueError(
            f"LogisticRegression knows {len(model.classes_)} classes; models of two are exported."
        )
    if getattr(model, "multi_class", None) == "multinomial":
        raise ValueError("LogisticRegression(multi_class='multinomial') cannot be exported.")
    if model.coef_.dtype != np.float64:
        raise ValueError(
            "LogisticRegression was fitted on 32-bit numbers and computes in 32 bits; fit it on "
            "64-bit numbers to export it."
        )
    names = tuple(model.feature_names_in_.tolist()) if hasattr(model, "feature_names_in_") else None
    columns = Columns(names, (None,) * model.n_features_in_)
    first, second = model.classes_.tolist()
    line = Line(model.coef_.ravel(), float(model.intercept_[0]))
    return Scoring(columns, (first, second), 1, line, (Logistic(),), 0.0, decides_on_score=True)


# ------------------------------------------------------------------------------ a threshold around


def _of_threshold(model: ThresholdClassifier) -> Scoring:
    inner = read_scoring(model.estimator_)
    turned: tuple[Step, ...] = () if inner.positive == model.positive_index_ else (Complement(),)
    more = turned + _odds(model.threshold_state_.factor)
    outer = replace(
        inner,
        positive=model.positive_index_,
        steps=inner.steps + more,
        threshold=float(model.threshold_),
        threshold_alert=_alert(model),
        decides_on_score=False,
    )
    if not isinstance(inner.score, Trees) or inner.score.combination != "only":
        return outer
    # Leaves say the final probability, bit for bit what the steps would make of it.
    tree = inner.score.trees[0]
    value = tree.value
    for step in more:
        value = step(value)
    return replace(outer, score=Trees((replace(tree, value=value),), "only"), steps=())


_READERS: dict[type, Any] = {
    ImbalancedTreeClassifier: _of_tree,
    ImbalancedForestClassifier: _of_forest,
    AlphaTreesClassifier: _of_alpha_trees,
    AdditiveTreesClassifier: _of_added,
    ScoreCardClassifier: _of_added,
    BoostedTreesClassifier: _of_boosted,
    ImbalancedBlendClassifier: _of_blend,
    LeastSquaresClassifier: _of_least_squares,
    LogisticRegression: _of_logistic,
    ThresholdClassifier: _of_threshold,
}
