"""Scores and decisions of more rows than memory holds, as counts whose size has a bound."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from thresher.column import Matrix
from thresher.judging.contest import Contest, Entry, Values
from thresher.threshold.counts import Counts, Vector
from thresher.threshold.score_counts import ScoreCounts
from thresher.tree.classifier import ImbalancedTreeClassifier
from thresher.validation import thread_count

MAX_EXACT = 1 << 16
"""Distinct scores up to which each is counted by itself."""
GRID = 1 << 20
"""Steps of [0, 1] whose scores are counted together where there are more."""


def scores_of(fitted: Any, matrix: Matrix) -> Vector:
    """Return the probability of the positive class for rows as a tree or a forest takes them.

    It is that of `predict_proba`; candidates share their columns, so that rows are read once.
    """
    if isinstance(fitted, ImbalancedTreeClassifier):
        leaves = fitted.tree_.leaves(matrix, thread_count(fitted.n_jobs))
        probability: Vector = fitted.tree_.probability[leaves]
        return probability
    scores: Vector = fitted.matrix_scores(matrix)
    return scores


class ScoreTally:
    """Counts scores as they come; the result does not depend on their order.

    At the threshold `cut` counts are exact, however many scores there are: none that are counted
    together lie on both sides of it.

    Examples
    --------
    >>> tally = ScoreTally(cut=0.5)
    >>> tally.add([0.2, 0.6, 0.2], [True, True, False])
    >>> tally.add([0.6], [False])
    >>> tally.counts().negative, tally.counts().counts_at(0.5).tp
    (array([1., 1.]), array([1.]))
    """

    def __init__(self, cut: float = 0.5) -> None:
        self._cut = cut
        self._is_exact = True
        self._counts = ScoreCounts(*(np.zeros(0) for _ in ScoreCounts._fields))

    def add(self, scores: Any, is_positive: Any) -> None:
        """Count some rows."""
        distinct, place = np.unique(np.asarray(scores, dtype=np.float64), return_inverse=True)
        truth = np.asarray(is_positive, dtype=np.float64)
        positive, negative = (
            np.bincount(place, rows, minlength=len(distinct)).astype(np.float64)
            for rows in (truth, 1.0 - truth)
        )
        more = ScoreCounts(distinct, distinct, negative, positive)
        both = (np.concatenate(pair) for pair in zip(self._counts, more, strict=True))
        self._counts = self._together(ScoreCounts(*both))
        if self._is_exact and len(self._counts.score) > MAX_EXACT:
            self._is_exact = False
            self._counts = self._together(self._counts)

    def _together(self, counts: ScoreCounts) -> ScoreCounts:
        """Put equal scores together, or those of one step of the grid."""
        order = np.argsort(counts.score, kind="stable")
        counts = ScoreCounts(*(values[order] for values in counts))
        step = counts.score if self._is_exact else np.floor(counts.score * GRID)
        is_above = counts.score > self._cut
        is_new = (np.diff(step) != 0) | (np.diff(is_above.astype(np.int8)) != 0)
        return counts.grouped(np.flatnonzero(np.concatenate([[True], is_new])))

    def counts(self) -> ScoreCounts:
        """Return the counts, neighbours together where there are too many for a model's file."""
        return self._counts.condensed(self._cut)


class Comparison(NamedTuple):
    """Rows as a contest takes them: one entry for all that candidates have decided alike."""

    contest: Contest
    entries: list[Entry]


class Decisions:
    """Counts rows by truth and by what each of some candidates decides about them.

    Examples
    --------
    >>> decisions = Decisions([0.5, 0.5])
    >>> decisions.add([np.array([0.1, 0.9]), np.array([0.8, 0.9])], np.array([False, True]))
    >>> contest, entries = decisions.comparison([0, 1], lambda counts: counts.fbeta())
    >>> [round(one.value, 2) for one in contest.standings(entries)]
    [1.0, 0.67]
    """

    def __init__(self, thresholds: Sequence[float]) -> None:
        self._thresholds = thresholds
        self._rows = np.zeros(2 << len(thresholds), dtype=np.int64)

    def add(self, scores: Sequence[Vector], is_positive: NDArray[np.bool_]) -> None:
        """Count some rows, given the scores of each candidate."""
        code = is_positive.astype(np.int64)
        for place, (of_one, threshold) in enumerate(zip(scores, self._thresholds, strict=True)):
            code |= (of_one > threshold).astype(np.int64) << (place + 1)
        self._rows += np.bincount(code, minlength=len(self._rows))

    def add_counts(self, counts: Counts) -> None:
        """Take rows that are counted already, where there is one candidate."""
        self._rows += np.array(
            [one[0] for one in (counts.tn, counts.fn, counts.fp, counts.tp)], int
        )

    def comparison(self, complexity: Sequence[int], values: Values, seed: int = 0) -> Comparison:
        """Return the contest of the candidates."""
        code = np.flatnonzero(self._rows)
        known = np.ones(len(code), dtype=np.bool_)
        entries = [
            Entry(one, (code >> (place + 1)) % 2 == 1, known)
            for place, one in enumerate(complexity)
        ]
        return Comparison(Contest(code % 2 == 1, values, seed, self._rows[code]), entries)
