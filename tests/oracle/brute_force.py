"""A tree grown the slow, obvious way: every feature, every cut, both sides for missing values.

Plain NumPy and `thresher.criteria` only. A split arranges the present values of a feature into
ordered groups (distinct numbers, or category levels by their positive rate) and sends the first few
groups to the left; so numbers and categories are handled alike.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache, partial

import numpy as np
from numpy.typing import NDArray

from thresher.criteria import (
    dkm_impurity,
    find_alpha,
    gini_impurity,
    information_gain,
    renyi_entropy,
    shannon_entropy,
    split_information,
)

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]
BoolArray = NDArray[np.bool_]
Impurity = Callable[[FloatArray], FloatArray]

PRESENT_AGAINST_MISSING = sys.float_info.max  # the cut of "all present left, missing right"
MIN_GAIN = 1e-12
SAME_GAIN = 1e-12  # two computations of one gain agree so far


@dataclass(frozen=True)
class Table:
    """Rows with labels 0/1, weights, and which columns hold category levels; NaN is missing."""

    X: NDArray[np.floating]
    y: NDArray[np.uint8]
    weights: FloatArray
    categorical: BoolArray
    binned: bool = False  # numbers are those of bins; a cut is the bin below it

    def weighed_rows(self) -> IntArray:
        """Rows that count: weight 0 is as good as absent."""
        return np.flatnonzero(self.weights > 0)


@dataclass(frozen=True)
class Rules:
    """How to grow: the criterion and the limits, in units of sample weight."""

    criterion: str = "adaptive_renyi"
    alpha: float = 1.0
    tolerance: float = 0.5
    class_weight: tuple[float, float] = (1.0, 1.0)
    max_depth: int = -1
    min_leaf_weight: float = 1.0
    min_leaf_fraction: float = 0.0  # of the whole weight, class weights included
    min_split_weight: float = 2.0
    min_gain: float = 0.0


@dataclass(frozen=True)
class Groups:
    """The present rows of a feature in ordered groups; a cut sends the first few to the left."""

    feature: int
    values: FloatArray  # one per group, in order: a number or a level code
    of_row: IntArray  # group of each row of the node, -1 = missing
    is_category: bool
    is_binned: bool

    def goes_left(self, n_left: int, missing_left: bool) -> BoolArray:
        """Tell which rows go left when the first ``n_left`` groups do."""
        return np.where(self.of_row < 0, missing_left, self.of_row < n_left)

    def cut(self, n_left: int) -> float:
        """Return the midpoint of two neighbours, or the lower one if there is none (or of bins)."""
        if self.is_category:
            return 0.0
        if n_left == len(self.values):
            return PRESENT_AGAINST_MISSING
        low, high = self.values[n_left - 1], self.values[n_left]
        middle = low / 2 + high / 2
        return float(middle if low <= middle < high and not self.is_binned else low)

    def levels(self, n_left: int) -> frozenset[int] | None:
        """Return the category levels that go left."""
        return frozenset(int(v) for v in self.values[:n_left]) if self.is_category else None


@dataclass(frozen=True)
class Candidates:
    """All splits of a node that respect the leaf limit, feature by feature, in order of choice."""

    groups: list[Groups]
    feature: IntArray
    n_left: IntArray
    missing_left: BoolArray
    gain: FloatArray
    ratio: FloatArray  # gain / split information

    def goes_left(self, index: int) -> BoolArray:
        """Tell which rows of the node the candidate sends left."""
        groups: Groups = self.groups[self.feature[index]]
        return groups.goes_left(int(self.n_left[index]), bool(self.missing_left[index]))


@dataclass(frozen=True)
class Split:
    """A chosen split; ``gap`` is its lead, in gain or ratio, over any split into other parts."""

    feature: int
    cut: float
    levels_left: frozenset[int] | None
    missing_left: bool
    gain: float
    gap: float
    goes_left: BoolArray


@dataclass(frozen=True)
class Node:
    """A node of the grown tree: its rows, weighted (negative, positive) counts and split."""

    rows: IntArray
    weight: FloatArray
    impurity: float
    alpha: float
    split: Split | None = None
    left: Node | None = None
    right: Node | None = None


def grow(table: Table, rules: Rules) -> Node:
    """Grow the whole tree."""
    return _grow(table, rules, table.weighed_rows(), 0)


def _grow(table: Table, rules: Rules, rows: IntArray, depth: int) -> Node:
    leaf = describe(table, rules, rows)
    split = best_split(table, rules, rows) if may_split(leaf, rules, depth) else None
    if split is None:
        return leaf
    left = _grow(table, rules, rows[split.goes_left], depth + 1)
    right = _grow(table, rules, rows[~split.goes_left], depth + 1)
    return Node(leaf.rows, leaf.weight, leaf.impurity, leaf.alpha, split, left, right)


def describe(table: Table, rules: Rules, rows: IntArray) -> Node:
    """Return the node of these rows as a leaf."""
    weight = class_counts(table, rows)
    impurity, alpha = node_impurity(rules, weight)
    return Node(rows, weight, float(impurity(rare_share(rules, weight))), alpha)


def may_split(node: Node, rules: Rules, depth: int) -> bool:
    """Tell whether the limits let a node be split at all."""
    pure = node.weight.min() <= 0
    deep = 0 <= rules.max_depth <= depth
    return not pure and not deep and bool(node.weight.sum() >= rules.min_split_weight)


def best_split(table: Table, rules: Rules, rows: IntArray) -> Split | None:
    """Return the best admissible split of a node, or None."""
    candidates = all_candidates(table, rules, rows)
    best, gap = choose(candidates, rules)
    if best is None or not is_worth(candidates.gain[best], rules):
        return None
    return _as_split(table, rows, candidates, best, gap)


def is_worth(gain: float, rules: Rules) -> bool:
    """Tell whether a gain is large enough to split."""
    return bool(gain > MIN_GAIN and gain >= rules.min_gain)


def class_counts(table: Table, rows: IntArray) -> FloatArray:
    """Return the weights of the negatives and of the positives."""
    return np.bincount(table.y[rows], table.weights[rows], minlength=2).astype(np.float64)


def rare_share(rules: Rules, weight: FloatArray) -> FloatArray:
    """Return the share of the rarer class, with class weights; impurities are symmetric."""
    weighted = np.array(rules.class_weight) * weight
    return np.asarray(weighted.min() / weighted.sum())


def node_impurity(rules: Rules, weight: FloatArray) -> tuple[Impurity, float]:
    """Return the impurity that scores a node and its children, and its order (NaN if none)."""
    alpha = np.nan
    if rules.criterion == "renyi":
        alpha = rules.alpha
    if rules.criterion == "adaptive_renyi":
        alpha = adaptive_order(float(rare_share(rules, weight)), rules.tolerance)
    impurities: dict[str, Impurity] = {
        "renyi": partial(renyi_entropy, alpha=alpha),
        "adaptive_renyi": partial(renyi_entropy, alpha=alpha),
        "hellinger": dkm_impurity,
        "dkm": dkm_impurity,
        "entropy": shannon_entropy,
        "gain_ratio": shannon_entropy,
        "gini": gini_impurity,
    }
    return impurities[rules.criterion], alpha


@lru_cache(maxsize=1024)
def adaptive_order(share: float, tolerance: float) -> float:
    """Return the order of a node; its bisection is what takes the time in small nodes."""
    return float(find_alpha(share, tolerance))


# --- Candidates -----------------------------------------------------------------------------------


def all_candidates(table: Table, rules: Rules, rows: IntArray) -> Candidates:
    """Score every split of a node whose children both reach the leaf limit."""
    node = class_counts(table, rows)
    groups = [group_rows(table, rows, feature) for feature in range(table.X.shape[1])]
    listed = [_splits_of(table, rows, one) for one in groups]
    feature = np.repeat(np.arange(len(groups)), [len(n_left) for n_left, _, _ in listed])
    n_left, missing_left, left = (np.concatenate(parts) for parts in zip(*listed, strict=True))
    right = node - left
    fits = _large_enough(table, rules, left) & _large_enough(table, rules, right)
    feature, n_left, missing_left = feature[fits], n_left[fits], missing_left[fits]
    gain, ratio = _score(rules, node, left[fits], right[fits])
    return Candidates(groups, feature, n_left, missing_left, gain, ratio)


def _large_enough(table: Table, rules: Rules, child: FloatArray) -> BoolArray:
    enough: BoolArray = child.sum(axis=1) >= rules.min_leaf_weight
    if rules.min_leaf_fraction > 0:
        whole = class_counts(table, table.weighed_rows()) @ rules.class_weight
        enough &= child @ rules.class_weight >= rules.min_leaf_fraction * whole
    return enough


def group_rows(table: Table, rows: IntArray, feature: int) -> Groups:
    """Arrange the rows of a node by one feature."""
    column = table.X[rows, feature].astype(np.float64)
    present = ~np.isnan(column)
    values, inverse = np.unique(column[present], return_inverse=True)
    is_category = bool(table.categorical[feature])
    if is_category:
        weight = table.weights[rows[present]]
        positives = np.bincount(inverse, weight * table.y[rows[present]], len(values))
        rate = positives / np.bincount(inverse, weight, len(values))
        order = np.argsort(rate, kind="stable")  # equal rates: by level code
        values, inverse = values[order], np.argsort(order)[inverse]
    of_row = np.full(len(rows), -1)
    of_row[present] = inverse
    return Groups(feature, values, of_row, is_category, table.binned)


def _splits_of(
    table: Table, rows: IntArray, groups: Groups
) -> tuple[IntArray, BoolArray, FloatArray]:
    # Number of groups left, side of missing values, and counts of the left child.
    n_groups = len(groups.values)
    is_missing = groups.of_row < 0
    missing = class_counts(table, rows[is_missing])
    counts = np.zeros((n_groups, 2))
    present = rows[~is_missing]
    np.add.at(counts, (groups.of_row[~is_missing], table.y[present]), table.weights[present])
    upto = counts.cumsum(axis=0)
    if not is_missing.any():
        inner = np.arange(1, n_groups)
        return inner, np.zeros(len(inner), dtype=bool), upto[:-1]
    # Lowest cut first, then missing right before left; at last, all present against missing.
    n_left = np.repeat(np.arange(1, n_groups + 1), 2)[:-1]
    missing_left = np.arange(len(n_left)) % 2 == 1
    return n_left, missing_left, upto[n_left - 1] + missing_left[:, None] * missing


def _score(
    rules: Rules, node: FloatArray, left: FloatArray, right: FloatArray
) -> tuple[FloatArray, FloatArray]:
    left, right = left * rules.class_weight, right * rules.class_weight
    impurity, _ = node_impurity(rules, node)
    gain = information_gain(left[:, 0], left[:, 1], right[:, 0], right[:, 1], impurity)
    return gain, gain / split_information(left.sum(axis=1), right.sum(axis=1))


# --- Choice ---------------------------------------------------------------------------------------


def choose(candidates: Candidates, rules: Rules) -> tuple[int | None, float]:
    """Return the index of the chosen candidate and its lead over other parts of the rows."""
    if len(candidates.gain) == 0:
        return None, np.inf
    if rules.criterion == "gain_ratio":
        return _choose_by_ratio(candidates)
    return _first_and_gap(candidates, np.arange(len(candidates.gain)), candidates.gain)


def _first_and_gap(candidates: Candidates, among: IntArray, score: FloatArray) -> tuple[int, float]:
    # Features that part the rows alike score alike, whatever rounding says: the first of them wins.
    by_score = among[np.argsort(-score[among], kind="stable")]
    parts = candidates.goes_left(by_score[0])
    chosen = by_score[0]
    for index in by_score[1:]:
        if not _same_parts(parts, candidates.goes_left(index)):
            return int(chosen), float(score[by_score[0]] - score[index])
        chosen = min(chosen, index)
    return int(chosen), np.inf


def _same_parts(one: BoolArray, other: BoolArray) -> bool:
    return bool(np.all(one == other) or np.all(one != other))


def feature_bests(candidates: Candidates) -> Iterator[IntArray]:
    """For each feature with a candidate: the candidates whose gain is its best, up to rounding."""
    for feature in np.unique(candidates.feature):
        own = np.flatnonzero(candidates.feature == feature)
        gain = candidates.gain[own]
        yield own[gain >= gain.max() - SAME_GAIN]


def _choose_by_ratio(candidates: Candidates) -> tuple[int, float]:
    # C4.5: each feature's best cut; among those of at least average gain, the best ratio.
    leaders, gaps = [], []
    for bests in feature_bests(candidates):
        own = np.flatnonzero(candidates.feature == candidates.feature[bests[0]])
        leader, gap = _first_and_gap(candidates, own, candidates.gain)
        leaders.append(leader)
        gaps.append(gap)
    eligible = np.array(leaders)
    gain = candidates.gain[eligible]
    behind = gain.mean() - SAME_GAIN - gain
    chosen, ratio_gap = _first_and_gap(candidates, eligible[behind <= 0], candidates.ratio)
    doubt = [*gaps, ratio_gap, *behind[behind > 0]]
    return chosen, float(min(doubt))


def _as_split(
    table: Table, rows: IntArray, candidates: Candidates, index: int, gap: float
) -> Split:
    groups = candidates.groups[candidates.feature[index]]
    n_left = int(candidates.n_left[index])
    goes_left = candidates.goes_left(index)
    missing_left = bool(candidates.missing_left[index])
    if np.all(groups.of_row >= 0):
        missing_left = left_is_heavier(table, rows, goes_left)
    return Split(
        feature=groups.feature,
        cut=groups.cut(n_left),
        levels_left=groups.levels(n_left),
        missing_left=missing_left,
        gain=float(candidates.gain[index]),
        gap=gap,
        goes_left=goes_left,
    )


def left_is_heavier(table: Table, rows: IntArray, goes_left: BoolArray) -> bool:
    """Tell where an unknown value goes: to the child with more weight, left on a tie."""
    weights = table.weights[rows]
    return bool(weights[goes_left].sum() >= weights[~goes_left].sum())
