"""Which pairs of columns may matter: a few that trees ask for when all are offered."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from thresher.column import Matrix
from thresher.forest.classifier import ImbalancedForestClassifier
from thresher.matrix import Columns
from thresher.pair import Pair
from thresher.pairs.candidates import Meaning, candidates
from thresher.tree.sample import Rows

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
    meaning : names, units and stations.
    seed, n_jobs : of the forests.
    """

    columns: Columns
    operations: Sequence[str]
    max_columns: int
    max_pairs: int
    meaning: Meaning
    seed: int
    n_jobs: int | None

    def with_seed(self, seed: int) -> "Chooser":
        """Return the chooser with another seed."""
        return replace(self, seed=seed)

    def choose(self, rows: Rows) -> tuple[list[int], tuple[Pair, ...]]:
        """Return the columns that matter most, and pairs of those that can be computed with."""
        order = np.argsort(-self._ranking(rows), kind="stable").tolist()
        able = [place for place in order if self._is_able(rows.matrix[:, place], place)]
        able = able[: self.max_columns]
        base = sorted({*able, *[place for place in order if place not in able][:OTHERS]})
        offered = candidates(rows.matrix, able, self.operations, self.meaning)
        if not offered:
            return base, ()
        return base, self._best(rows, base, offered)

    def _is_able(self, values: NDArray[Any], place: int) -> bool:
        """Whether a column holds enough different numbers to compute with."""
        if self.columns.levels[place] is not None:
            return False
        present = values[~np.isnan(values)]
        # A look at the first rows settles it for most columns.
        return len(np.unique(present[:100])) > FEW or len(np.unique(present)) > FEW

    def _ranking(self, rows: Rows) -> NDArray[np.float64]:
        categories = np.flatnonzero(self.columns.is_category).tolist()
        forest = small_forest(rows, RANKING_TREES, categories, self.seed, self.n_jobs)
        return forest.feature_importances_

    def _best(self, rows: Rows, base: list[int], offered: list[Pair]) -> tuple[Pair, ...]:
        """Return the pairs with the largest gain, none of which says the same as another."""
        values = [pair.values(rows.matrix) for pair in offered]
        likeness = _likeness(rows.matrix, offered, values)
        new = [place for place in range(len(offered)) if not likeness.is_part[place]]
        if not new:
            return ()
        gains = np.zeros(len(offered))
        gains[new] = self._gains(rows, base, [values[place] for place in new])
        # Pairs within a station first.
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
        categories = np.flatnonzero(self.columns.is_category[base]).tolist()

        def errors(places: list[int]) -> NDArray[np.float64]:
            columns = [rows.matrix[:, base], *(values[place] for place in places)]
            wide = rows._replace(matrix=np.column_stack(columns))
            forest = small_forest(
                wide, DROPPING_TREES, categories, self.seed, self.n_jobs, **BAGGED
            )
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

    def _gains(
        self, rows: Rows, base: list[int], values: list[NDArray[np.float64]]
    ) -> NDArray[np.float64]:
        """Return each pair's share in the gain of trees that are offered all of them."""
        wide = rows._replace(matrix=np.column_stack([rows.matrix[:, base], *values]))
        categories = np.flatnonzero(self.columns.is_category[base]).tolist()
        small = BAGGED | {"max_leaf_nodes": LEAVES}
        forest = small_forest(wide, SCREENING_TREES, categories, self.seed, self.n_jobs, **small)
        return forest.feature_importances_[len(base) :]


def small_forest(
    rows: Rows, n_trees: int, categories: list[int], seed: int, n_jobs: int | None, **more: Any
) -> ImbalancedForestClassifier:
    """Return a fitted forest of a few trees, without a threshold."""
    forest = ImbalancedForestClassifier(
        n_trees,
        rule=None,
        n_bootstrap=0,
        categorical_features=categories or None,
        pos_label=1,
        random_state=seed,
        n_jobs=n_jobs,
        **more,
    )
    return forest.fit(rows.matrix, rows.is_positive.astype(np.int64), rows.weights)


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
