"""Scores of a study with their names, and what the statistics say of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from thresher.benchmark.analysis.significance import (
    Difference,
    Friedman,
    Pair,
    friedman,
    holm,
    rank_methods,
    wilcoxon,
)


@dataclass(frozen=True)
class Scores:
    """One measure of every method (column) on every data set (row); NaN where there is none."""

    datasets: tuple[str, ...]
    methods: tuple[str, ...]
    values: NDArray[np.float64]
    higher_is_better: bool = True

    def of(self, dataset: str, method: str) -> float:
        """Return one score."""
        return float(self.values[self.datasets.index(dataset), self.methods.index(method)])

    def column(self, method: str) -> NDArray[np.float64]:
        """Return the scores of a method on all data sets."""
        return self.values[:, self.methods.index(method)]

    def restricted(self, datasets: Sequence[str], methods: Sequence[str]) -> "Scores":
        """Return the part of some data sets and methods, in their order."""
        rows = [self.datasets.index(name) for name in datasets]
        columns = [self.methods.index(name) for name in methods]
        part = self.values[np.ix_(rows, columns)]
        return Scores(tuple(datasets), tuple(methods), part, self.higher_is_better)

    def complete(self) -> "Scores":
        """Return the part that can be ranked.

        Data sets without any score are left out first, then methods that lack a score.

        >>> table = np.array([[0.5, 0.4], [0.7, np.nan], [np.nan, np.nan]])
        >>> part = Scores(("a", "b", "c"), ("tree", "line"), table).complete()
        >>> part.datasets, part.methods
        (('a', 'b'), ('tree',))
        """
        missing = np.isnan(self.values)
        rows = np.logical_not(missing.all(axis=1))
        columns = rows.any() & np.logical_not(missing[rows].any(axis=0))
        return self.restricted(_chosen(self.datasets, rows), _chosen(self.methods, columns))


def _chosen(names: Sequence[str], wanted: NDArray[np.bool_]) -> list[str]:
    return [name for name, is_wanted in zip(names, wanted, strict=True) if is_wanted]


@dataclass(frozen=True)
class Ranking:
    """The methods of complete scores, ranked and compared with a control.

    `friedman` is None for fewer than two data sets or three methods; `differences` and `pairs` are
    empty without a control, another method and a second data set.

    Examples
    --------
    >>> scores = Scores(("a", "b"), ("tree", "line"), np.array([[0.5, 0.4], [0.7, 0.2]]))
    >>> ranking = rank(scores, control="tree")
    >>> ranking.average
    {'tree': 1.0, 'line': 2.0}
    >>> ranking.kept
    ('tree', 'line')
    """

    scores: Scores
    ranks: NDArray[np.float64]
    control: str | None
    friedman: Friedman | None
    differences: dict[str, Difference]
    pairs: dict[str, Pair]

    @cached_property
    def average(self) -> dict[str, float]:
        """Average rank by method."""
        return dict(zip(self.scores.methods, self.ranks.mean(axis=0).tolist(), strict=True))

    @cached_property
    def by_rank(self) -> tuple[str, ...]:
        """The methods, the best average rank first."""
        return tuple(sorted(self.scores.methods, key=lambda method: self.average[method]))

    @cached_property
    def kept(self) -> tuple[str, ...]:
        """The control and the methods that Holm's procedure does not tell apart from it."""
        return tuple(
            method
            for method in self.by_rank
            if method == self.control
            or (method in self.differences and self.differences[method].is_kept)
        )

    def place(self, method: str) -> int:
        """Return the place of a method by average rank, from 1; equal ones share the better."""
        return 1 + sum(rank < self.average[method] for rank in self.average.values())

    def firsts(self, method: str, *, alone: bool = False) -> int:
        """Return the number of data sets on which no method is better, or (`alone`) as good."""
        best = self.ranks == self.ranks.min(axis=1, keepdims=True)
        is_best = best[:, self.scores.methods.index(method)]
        return int((is_best & (best.sum(axis=1) == 1)).sum() if alone else is_best.sum())


def rank(scores: Scores, control: str | None, ranks: NDArray[np.float64] | None = None) -> Ranking:
    """Rank complete scores; ranks that somebody printed may be given instead.

    Parameters
    ----------
    scores : Scores
        Without missing values; see `Scores.complete`.
    control : str or None
        Method that the others are compared with; None, or one that is not there, for no comparison.
    ranks : array, default=None
        The ranks to use where they are known better than the scores, as in the paper's tables.
    """
    better = scores.higher_is_better
    if ranks is None:
        ranks = rank_methods(scores.values, higher_is_better=better)
    rows, columns = ranks.shape
    test = friedman(ranks) if rows >= 2 and columns >= 3 else None
    if control not in scores.methods or rows < 2 or columns < 2:
        known = control if control in scores.methods else None
        return Ranking(scores, ranks, known, test, {}, {})
    index = scores.methods.index(control)
    differences = {scores.methods[row.method]: row for row in holm(ranks, index)}
    pairs = wilcoxon(scores.values, index, higher_is_better=better)
    return Ranking(
        scores,
        ranks,
        control,
        test,
        differences,
        {scores.methods[row.method]: row for row in pairs},
    )
