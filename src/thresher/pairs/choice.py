"""Which pairs of columns may matter: a few that trees ask for when all are offered."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm, rankdata, t
from sklearn.model_selection import StratifiedKFold

from thresher.column import Matrix
from thresher.forest.classifier import ImbalancedForestClassifier
from thresher.matrix import Columns
from thresher.pair import Pair
from thresher.tree.sample import Rows


class Meaning(NamedTuple):
    """What is known of columns beside their values, by name.

    Attributes
    ----------
    names : the names of the columns.
    units : the unit of some of them.
    stages : the stage of some of them.
    """

    names: Sequence[str]
    units: Mapping[str, str]
    stages: Mapping[str, str]

    def allow(self, pair: Pair) -> bool:
        """Whether an operation makes sense with the units of its parts.

        Products and ratios always do; a difference does unless two units disagree; a sum and
        a distance do where two units agree.
        """
        if pair.operation in ("product", "ratio"):
            return True
        left, right = (self.units.get(self.names[part]) for part in pair.parts)
        if pair.operation == "difference":
            return left is None or right is None or left == right
        return left is not None and left == right

    def are_together(self, pair: Pair) -> bool:
        """Whether both parts are known to come from one stage."""
        left, right = (self.stages.get(self.names[part]) for part in pair.parts)
        return left is not None and left == right


def candidates(
    matrix: Matrix, places: Sequence[int], operations: Sequence[str], meaning: Meaning
) -> list[Pair]:
    """Return the pairs of some columns, the simplest operations first.

    >>> meaning = Meaning(["a", "b"], units={"a": "mm", "b": "s"}, stages={})
    >>> matrix = np.array([[1.0, 2.0], [3.0, 0.0]])
    >>> candidates(matrix, [0, 1], ("difference", "ratio", "product"), meaning)
    [Pair(left=0, operation='product', right=1), Pair(left=1, operation='ratio', right=0)]
    """
    found = []
    # 1 or -1 where all numbers of a column are above or below 0, otherwise 0.
    ends = {place: (np.nanmin(matrix[:, place]), np.nanmax(matrix[:, place])) for place in places}
    sign = {place: int(low > 0.0) - int(high < 0.0) for place, (low, high) in ends.items()}
    for operation in sorted(operations, key=SIMPLEST.index):
        for left, right in combinations(sorted(places), 2):
            # Of numbers of one sign, one ratio falls as the other one rises, so that one is
            # enough: that whose denominator is never 0.
            if operation != "ratio" or sign[right] or not sign[left]:
                found.append(Pair(left, operation, right))
            if operation == "ratio" and not (sign[left] and sign[right]):
                found.append(Pair(right, operation, left))
    return [pair for pair in found if meaning.allow(pair)]


SIMPLEST = ("difference", "sum", "product", "distance", "ratio")
"""Of two pairs that are equally good, the one whose operation comes first is simpler."""


FEW = 5
"""A column of numbers with at most so many different values is none to compute with."""
RANKING_TREES, SCREENING_TREES, DROPPING_TREES = 25, 15, 12
LEAVES = 16
"""Of a tree that all pairs are offered to: few, so that it asks for what matters most."""
LEAF_ROWS = 5
"""In a leaf of trees that are offered pairs, or compared with and without them."""
BAGGED: dict[str, Any] = {"max_features": None, "min_samples_leaf": LEAF_ROWS}
"""Trees that look at all columns in each node: others would gain by any copy of a column."""
LEAST_SHARE = 0.03
"""Of the gain of these trees, that a pair must have."""
SHORTLIST = 7
"""Pairs that are dropped one by one where trees do as well without them."""
NEEDED = 1.0
"""Standard errors by which votes must be worse without a pair for it to stay."""
AS_GOOD = 0.5
"""Share of the gain of another pair like it at which a simpler one is taken."""
ALIKE = 0.98
"""Rank correlation from which on a column is taken for a monotone function of another."""
OTHERS = 6
"""Columns beside those that make pairs, which trees are given with them: the conditions under
which a pair matters may lie there."""
RANKED_ROWS = 10_000
"""Rows that rank correlations are computed on at most."""


@dataclass(frozen=True)
class Chooser:
    """Chooses pairs on some rows.

    Attributes
    ----------
    columns : the given columns.
    operations, max_columns, max_pairs : as in `PairFeatures`.
    meaning : names, units and stages.
    seed, n_jobs : of the forests.
    """

    columns: Columns
    operations: Sequence[str]
    max_columns: int
    max_pairs: int
    meaning: Meaning
    seed: int
    n_jobs: int | None

    def choose(self, rows: Rows) -> tuple[list[int], tuple[Pair, ...]]:
        """Return the columns that matter most, and pairs of those that can be computed with."""
        ranking = self.forest(rows, RANKING_TREES, range(len(self.columns))).feature_importances_
        order = np.argsort(-ranking, kind="stable").tolist()
        able = [place for place in order if self._is_able(rows.matrix[:, place], place)]
        able = able[: self.max_columns]
        base = sorted({*able, *[place for place in order if place not in able][:OTHERS]})
        offered = candidates(rows.matrix, able, self.operations, self.meaning)
        if not offered:
            return base, ()
        return base, self._best(rows, base, offered)

    def forest(
        self, rows: Rows, n_trees: int, base: Sequence[int], **more: Any
    ) -> ImbalancedForestClassifier:
        """Return a fitted forest of a few trees; `base` are the given columns, which come first."""
        forest = ImbalancedForestClassifier(
            n_trees,
            random_cuts=0.0,
            rule=None,
            n_bootstrap=0,
            categorical_features=np.flatnonzero(self.columns.is_category[base]).tolist() or None,
            pos_label=1,
            random_state=self.seed,
            n_jobs=self.n_jobs,
            **more,
        )
        return forest.fit(rows.matrix, rows.is_positive.astype(np.int64), rows.weights)

    def _is_able(self, values: NDArray[Any], place: int) -> bool:
        """Whether a column holds enough different numbers to compute with."""
        if self.columns.levels[place] is not None:
            return False
        present = values[~np.isnan(values)]
        # A look at the first rows settles it for most columns.
        return len(np.unique(present[:100])) > FEW or len(np.unique(present)) > FEW

    def _best(self, rows: Rows, base: list[int], offered: list[Pair]) -> tuple[Pair, ...]:
        """Return the pairs with the largest gain, none of which says the same as another."""
        values = [pair.values(rows.matrix) for pair in offered]
        likeness = _likeness(rows.matrix, offered, values)
        new = [place for place in range(len(offered)) if not likeness.is_part[place]]
        if not new:
            return ()
        gains = np.zeros(len(offered))
        # Each pair's share in the gain of trees that are offered all of them.
        wide = rows._replace(
            matrix=np.column_stack([rows.matrix[:, base], *(values[place] for place in new)])
        )
        forest = self.forest(wide, SCREENING_TREES, base, **BAGGED, max_leaf_nodes=LEAVES)
        gains[new] = forest.feature_importances_[len(base) :]
        # Pairs within a stage first.
        order = sorted(
            (place for place in new if gains[place] >= LEAST_SHARE),
            key=lambda place: (not self.meaning.are_together(offered[place]), -gains[place]),
        )
        chosen: list[int] = []
        for place in order:
            if len(chosen) < SHORTLIST and not likeness.is_like(place, chosen):
                chosen.append(likeness.simplest(place, gains))
        needed = self._needed(rows, base, {place: values[place] for place in chosen})
        return tuple(offered[place] for place in needed[: self.max_pairs])

    def _needed(
        self, rows: Rows, base: list[int], values: dict[int, NDArray[np.float64]]
    ) -> list[int]:
        """Drop pairs, the last one first, without which out-of-bag votes are not worse."""

        def errors(places: list[int]) -> NDArray[np.float64]:
            columns = [rows.matrix[:, base], *(values[place] for place in places)]
            wide = rows._replace(matrix=np.column_stack(columns))
            forest = self.forest(wide, DROPPING_TREES, base, **BAGGED)
            votes = forest.oob_decision_function_[:, 1]
            return np.nan_to_num((votes - rows.is_positive) ** 2)

        kept = list(values)
        before = errors(kept) if len(kept) > 1 else np.zeros(0)
        for place in reversed(list(values)):
            if len(kept) == 1:
                break
            without = errors([one for one in kept if one != place])
            worse = without - before
            if worse.mean() <= NEEDED * worse.std() / np.sqrt(len(worse)):
                kept, before = [one for one in kept if one != place], without
        return kept


# --------------------------------------------------------------------------------------- likeness


@dataclass(frozen=True)
class _Likeness:
    """Which pairs say about the same as one of their parts, and which as each other."""

    is_part: NDArray[np.bool_]
    of_pairs: NDArray[np.float64]

    def is_like(self, place: int, others: list[int]) -> bool:
        return bool((self.of_pairs[place, others] > ALIKE).any())

    def simplest(self, place: int, gains: NDArray[np.float64]) -> int:
        """Return the first of the pairs like one, simple ones being first, that gains as well."""
        is_like = self.of_pairs[place] > ALIKE
        is_good = gains >= AS_GOOD * gains[place]
        return int(np.flatnonzero(is_like & is_good & ~self.is_part)[0])


def _likeness(matrix: Matrix, pairs: list[Pair], values: list[NDArray[np.float64]]) -> _Likeness:
    rows = np.linspace(0, len(matrix) - 1, min(len(matrix), RANKED_ROWS)).astype(np.intp)
    parts = sorted({part for pair in pairs for part in pair.parts})
    ranks = np.array(
        [
            *(_ranks(matrix[rows, part]) for part in parts),
            *(_ranks(column[rows]) for column in values),
        ]
    )
    likeness = np.abs(ranks @ ranks.T)
    of_parts = likeness[len(parts) :, : len(parts)]
    is_part = np.array(
        [
            (of_pair[[parts.index(part) for part in pair.parts]] > ALIKE).any()
            for pair, of_pair in zip(pairs, of_parts, strict=True)
        ]
    )
    return _Likeness(is_part, likeness[len(parts) :, len(parts) :])


def _ranks(values: NDArray[Any]) -> NDArray[np.float64]:
    """Return ranks of mean 0 and length 1; missing values are in the middle."""
    ranks = rankdata(values, nan_policy="omit").astype(np.float64)
    ranks -= np.nanmean(ranks) if not np.isnan(ranks).all() else 0.0
    ranks = np.nan_to_num(ranks)
    unit: NDArray[np.float64] = ranks / (np.linalg.norm(ranks) or 1.0)
    return unit


FOLDS = 5
TREES = 20
LEVEL = 0.05
"""Of the test."""
MIN_RARE = 10
"""Rows of the rarer class below which nothing can be shown."""

Vector = NDArray[np.float64]


class Proof(NamedTuple):
    """What unseen rows say of pairs.

    Attributes
    ----------
    gain : share of the Brier score of unseen rows that the pairs save; below 0 where they harm.
    p_value : how likely such a gain, or a larger one, is without an effect of pairs.
    """

    gain: float
    p_value: float

    @property
    def is_earned(self) -> bool:
        """Whether the pairs may stay."""
        return self.p_value <= LEVEL


def prove(chooser: Chooser, rows: Rows) -> Proof:
    """Choose pairs without each fold, and compare scores of its rows with and without them.

    Where nothing is saved so far, from the second fold on, the others are not asked.
    """
    labels = rows.is_positive.astype(np.int64)
    splitter = StratifiedKFold(FOLDS, shuffle=True, random_state=chooser.seed % 2**32)
    without, saved = np.zeros(len(labels)), np.zeros(len(labels))
    fold_of = np.zeros(len(labels), dtype=np.intp)
    for fold, (train, test) in enumerate(splitter.split(rows.matrix, labels)):
        errors = _errors(replace(chooser, seed=chooser.seed + fold), rows, train, test)
        without[test], saved[test], fold_of[test] = errors[0], errors[0] - errors[1], fold
        if fold and _total(saved, rows) <= 0.0:
            break
    total = _total(saved, rows)
    if total <= 0.0:
        return Proof(total / (_total(without, rows) or 1.0), 1.0)
    weights = np.ones(len(labels)) if rows.weights is None else rows.weights
    return Proof(total / _total(without, rows), p_value(saved, weights, fold_of))


def _total(values: Vector, rows: Rows) -> float:
    return float(values.sum() if rows.weights is None else values @ rows.weights)


def _errors(
    chooser: Chooser, rows: Rows, train: NDArray[np.intp], test: NDArray[np.intp]
) -> tuple[Vector, Vector]:
    """Return the squared errors of unseen rows without pairs and with them."""
    known = rows.where(train)
    base, pairs = chooser.choose(known)
    truth = rows.is_positive[test]

    def errors(made: tuple[Pair, ...]) -> Vector:
        columns = [rows.matrix[:, base], *(pair.values(rows.matrix) for pair in made)]
        matrix = np.column_stack(columns)
        forest = chooser.forest(known._replace(matrix=matrix[train]), TREES, base, **BAGGED)
        squares: Vector = (forest.predict_proba(matrix[test])[:, 1] - truth) ** 2
        return squares

    without = errors(())
    return without, errors(pairs) if pairs else without


def p_value(saved: Vector, weights: Vector, fold_of: NDArray[np.intp]) -> float:
    """Return how likely so much is saved by chance: the larger of two one-sided tests.

    One takes rows for independent (z), the other one folds (t): the rows of a fold share their
    pairs and their trees.

    >>> random = np.random.default_rng(0)
    >>> fold_of = np.arange(1000) % 5
    >>> p_value(random.normal(0.5, 1.0, 1000), np.ones(1000), fold_of) < 0.01
    True
    """
    mean = np.average(saved, weights=weights)
    error = np.sqrt((weights**2 * (saved - mean) ** 2).sum()) / weights.sum()
    masks = [fold_of == fold for fold in np.unique(fold_of)]
    folds = np.array([np.average(saved[mask], weights=weights[mask]) for mask in masks])
    spread = folds.std(ddof=1) / np.sqrt(len(folds))
    if not (error > 0.0 and spread > 0.0):
        return 0.0 if mean > 0.0 else 1.0
    return float(max(norm.sf(mean / error), t.sf(folds.mean() / spread, len(folds) - 1)))
