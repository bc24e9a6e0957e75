"""A fitted model as a Scoring: one function a kind of model."""

from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.utils.validation import check_is_fitted

from thresher.boosted.classifier import BoostedTreesClassifier
from thresher.column import OTHER_LEVELS
from thresher.converters.classifier import ConvertedTreesClassifier
from thresher.export.scoring import (
    Clip,
    Complement,
    CostCut,
    Floats,
    GroupCut,
    Line,
    Logistic,
    Odds,
    RowCut,
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
from thresher.threshold.classifier import ThresholdClassifier
from thresher.threshold.row_cuts import CostCuts, GroupCuts
from thresher.tree.additive import AdditiveTrees
from thresher.tree.classifier import ImbalancedTreeClassifier
from thresher.tree.structure import Tree


class AddedTrees:
    """Trees whose leaves are added up, in the terms of exports.

    A column of numbers that splits ask for levels gets those that any split names, and others
    where a level that is in no split and a missing value may go to different sides.
    """

    def __init__(self, trees: AdditiveTrees, columns: Columns) -> None:
        self._trees = trees
        self.zero_is_missing = frozenset(np.flatnonzero(trees.zero_is_missing).tolist())
        # The numbers that splits name as levels, for columns without levels.
        named: dict[int, set[int]] = {}
        for node in np.flatnonzero(trees.level_set >= 0).tolist():
            place = int(trees.feature[node])
            if columns.wide_levels[place] is None:
                named.setdefault(place, {0}).update(trees.members(trees.level_set[node]).tolist())
        self._members = {place: np.array(sorted(numbers)) for place, numbers in named.items()}
        levels = list(columns.levels)
        for place, numbers in self._members.items():
            asked = (trees.level_set >= 0) & (trees.feature == place)
            others = (OTHER_LEVELS,) if trees.missing_left[asked].any() else ()
            levels[place] = (*numbers.astype(np.float64).tolist(), *others)
        self.columns = replace(columns, levels=tuple(levels))
        self._combination = "sum"
        if trees.is_mean or trees.slope is None:
            self._combination = "votes" if trees.is_mean else "only"

    def steps(self, other_class: bool) -> tuple[Step, ...]:
        """Return the steps from the score to the probability of the second class, or the first."""
        slope = self._trees.slope
        link: tuple[Step, ...] = () if slope is None else (Logistic(slope),)
        turned = other_class and self._combination != "only"
        return (*link, Complement()) if turned else link

    def trees(self, other_class: bool) -> Trees:
        """Return the trees; one alone tells the final probability."""
        begin = self._trees.begin
        found = [self._tree(*pair) for pair in pairwise(begin.tolist())]
        if self._combination == "only" and other_class:
            found = [ScoringTree(**(vars(tree) | {"value": 1.0 - tree.value})) for tree in found]
        return Trees(tuple(found), self._combination, float(self._trees.base))

    def _tree(self, first: int, last: int) -> ScoringTree:
        trees, here = self._trees, slice(first, last)
        is_inner = ~trees.is_leaf[here]
        left = np.where(is_inner, 2 * np.cumsum(is_inner) - 1, -1)
        by_level = np.flatnonzero(trees.level_set[here] >= 0)
        level_set = np.full(len(left), -1, dtype=np.int64)
        level_set[by_level] = np.arange(len(by_level))
        width = max((len(levels or ()) for levels in self.columns.levels), default=0)
        levels_left = np.zeros((len(by_level), width), dtype=bool)
        for row, node in enumerate((first + by_level).tolist()):
            codes: Any = trees.members(trees.level_set[node])
            place = int(trees.feature[node])
            if place in self._members:
                codes = np.searchsorted(self._members[place], codes)
            levels_left[row, codes] = True
        return ScoringTree(
            feature=trees.feature[here].astype(np.int64),
            cut=trees.cut[here],
            left=left,
            right=np.where(is_inner, left + 1, -1),
            missing_left=trees.missing_left[here],
            level_set=level_set,
            levels_left=levels_left,
            value=trees.value[here],
        )


# --------------------------------------------------------------------------------------- every kind


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
            for label in scoring.classes:
                if not isinstance(label, str | bool | int | float):
                    raise TypeError(
                        f"The class {label!r} is no text, number or boolean; rename it."
                    )
            cut = _row_cut(model, scoring.names, cost_fp_column, cost_fn_column)
            return replace(scoring, cut=cut)
    raise TypeError(
        f"{type(model).__name__} cannot be exported; a model is a tree, a forest, "
        "AlphaTreesClassifier, LeastSquaresClassifier, LogisticRegression, what convert returns, "
        "boosted trees, or ThresholdClassifier around one of these."
    )


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


# -------------------------------------------------------------------------------------------- trees


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
    added = AddedTrees(model.trees_, model.columns_)
    steps = added.steps(False) + _odds(model.threshold_state_.factor)
    return _scoring(model, added.trees(False), steps)


def _of_added(model: ConvertedTreesClassifier) -> Scoring:
    added = AddedTrees(model.trees_, model.columns_)
    other_class = not model.of_positive_
    scoring = _scoring(
        model,
        added.trees(other_class),
        added.steps(other_class),
        zero_is_missing=added.zero_is_missing,
        is_rounded=model.trees_.in_float32,
    )
    return replace(scoring, columns=added.columns)


# -------------------------------------------------------------------------------------------- lines


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


# ------------------------------------------------------------------------------- a threshold around


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
    ImbalancedTreeClassifier: lambda model: _scoring(
        model, Trees((_tree(model.tree_),), "only"), ()
    ),
    ImbalancedForestClassifier: _of_forest,
    AlphaTreesClassifier: _of_alpha_trees,
    ConvertedTreesClassifier: _of_added,
    BoostedTreesClassifier: _of_boosted,
    LeastSquaresClassifier: _of_least_squares,
    LogisticRegression: _of_logistic,
    ThresholdClassifier: _of_threshold,
}


# ----------------------------------------------------------------------------------- cuts of rows


def _row_cut(
    model: Any, names: tuple[str, ...], cost_fp: str | None, cost_fn: str | None
) -> RowCut | None:
    """Return how a fitted model cuts row by row; None where one threshold is for all.

    The columns with costs are those given, or else those that the model knows.
    """
    cuts = getattr(model, "row_cuts_", None)
    asked = cost_fp is not None or cost_fn is not None
    if isinstance(cuts, GroupCuts):
        if asked:
            raise ValueError("The model has a cut for each group, so it takes no cost columns.")
        return GroupCut(names.index(cuts.column), cuts.groups, cuts.cuts)
    if cuts is None and asked:
        if getattr(model, "rule", None) != "cost":
            raise ValueError(
                "cost_fp_column and cost_fn_column are for models that decide by costs: with "
                "rule='cost', or fitted with costs of rows."
            )
        cuts = CostCuts(model.costs)
    if cuts is None or not (asked or cuts.fp_column or cuts.fn_column):
        return None
    if not asked:
        cost_fp, cost_fn = cuts.fp_column, cuts.fn_column
    usual = cuts.usual
    return CostCut(
        float(usual.fp) if cost_fp is None else cost_fp,
        float(usual.fn) if cost_fn is None else cost_fn,
        float(usual.gain_tp),
        float(usual.gain_tn),
        float(cuts.least_saving),
    )
