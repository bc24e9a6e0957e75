"""Statistics of a study: pure functions on a table of data sets (rows) by methods (columns).

Ranks first (1 is best, ties share their mean), then Friedman's test of whether the methods differ
at all, then Holm's comparison of each with a control; Wilcoxon's test looks at pairs.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thresher.statistics import holm_adjusted

LEVEL = 0.05
"""The paper's level of significance."""

SAME_WITHIN = 12
"""Decimals to which scores are compared: means of the same folds differ by rounding only."""

FloatArray = NDArray[np.float64]


class Friedman(NamedTuple):
    """Friedman's test and its correction by Iman and Davenport, each with its p-value."""

    chi_square: float
    chi_square_p: float
    f: float
    f_p: float

    @property
    def rejects(self) -> bool:
        """Whether the methods differ, by the correction, at the level of 0.05."""
        return self.f_p < LEVEL


class Difference(NamedTuple):
    """A method beside the control: the test's statistic and what Holm's procedure says of it.

    `is_kept`: the method is not told apart from the control at the level of the procedure.
    """

    method: int
    z: float
    p: float
    adjusted_p: float
    is_kept: bool


class Pair(NamedTuple):
    """The control beside a method by Wilcoxon's signed-rank test.

    `effect` is the matched-pairs rank-biserial correlation: 1 where the control is never worse, -1
    where it is never better, 0 where the two are level.
    """

    method: int
    wins: int
    ties: int
    losses: int
    p: float
    adjusted_p: float
    effect: float


def rank_methods(scores: ArrayLike, *, higher_is_better: bool = True) -> FloatArray:
    """Rank the methods on each data set: 1 is best, equal scores share the mean of their ranks.

    Parameters
    ----------
    scores : array of shape (n_datasets, n_methods)
    higher_is_better : bool, default=True

    Returns
    -------
    array of shape (n_datasets, n_methods)

    Examples
    --------
    >>> rank_methods([[0.9, 0.7, 0.9], [0.5, 0.6, 0.1]])
    array([[1.5, 3. , 1.5],
           [2. , 1. , 3. ]])
    """
    from scipy.stats import rankdata

    table = _table(scores, "scores").round(SAME_WITHIN)
    return np.asarray(rankdata(-table if higher_is_better else table, axis=1), dtype=np.float64)


def friedman(ranks: ArrayLike) -> Friedman:
    """Test whether the methods differ, with the correction for ties.

    Parameters
    ----------
    ranks : array of shape (n_datasets, n_methods)
        Of at least two data sets and three methods.

    Examples
    --------
    >>> test = friedman([[1, 2, 3], [1, 2, 3], [2, 1, 3], [1, 3, 2]])
    >>> round(test.chi_square, 2), round(test.f, 2), test.rejects
    (4.5, 3.86, False)
    """
    from scipy.stats import f, friedmanchisquare

    table = _table(ranks, "ranks")
    rows, methods = table.shape
    if rows < 2 or methods < 3:
        raise ValueError(
            f"Friedman's test needs 2 data sets and 3 methods or more, got {rows} and {methods}."
        )
    if (table == table[:, :1]).all():
        return Friedman(0.0, 1.0, 0.0, 1.0)
    chi_square, p = friedmanchisquare(*table.T)
    room = rows * (methods - 1) - chi_square
    ratio = (rows - 1) * chi_square / room if room > 0 else np.inf
    f_p = f.sf(ratio, methods - 1, (methods - 1) * (rows - 1))
    return Friedman(float(chi_square), float(p), float(ratio), float(f_p))


def holm(ranks: ArrayLike, control: int, *, level: float = LEVEL) -> list[Difference]:
    """Compare the average rank of every method with the control's, by Holm's step-down procedure.

    Parameters
    ----------
    ranks : array of shape (n_datasets, n_methods)
    control : int
        Column of the control.
    level : float, default=0.05
        Probability of any false difference.

    Returns
    -------
    list of Difference
        One for each other method, in the order of the columns. ``z > 0``: the control ranks better.

    Examples
    --------
    >>> ranks = np.tile([1.0, 2.0, 3.0], (12, 1))
    >>> [(row.method, round(row.z, 2), row.is_kept) for row in holm(ranks, control=0)]
    [(1, 2.45, False), (2, 4.9, False)]
    """
    from scipy.stats import norm

    table = _table(ranks, "ranks")
    rows, methods = table.shape
    others = _others(methods, control)
    average = table.mean(axis=0)
    z = (average[others] - average[control]) / np.sqrt(methods * (methods + 1) / (6.0 * rows))
    p = 2.0 * norm.sf(np.abs(z))
    adjusted = holm_adjusted(p)
    return [
        Difference(other, float(z[i]), float(p[i]), float(adjusted[i]), bool(adjusted[i] > level))
        for i, other in enumerate(others)
    ]


def wilcoxon(scores: ArrayLike, control: int, *, higher_is_better: bool = True) -> list[Pair]:
    """Compare the scores of the control with every other method's by Wilcoxon's signed-rank test.

    Data sets on which the two are equal are left out, as Wilcoxon did.

    Parameters
    ----------
    scores : array of shape (n_datasets, n_methods)
    control : int
        Column of the control.
    higher_is_better : bool, default=True

    Returns
    -------
    list of Pair
        One for each other method, in the order of the columns.

    Examples
    --------
    >>> first, second = wilcoxon([[0.9, 0.8, 0.9], [0.7, 0.5, 0.7], [0.6, 0.7, 0.6]], control=0)
    >>> first.wins, first.losses, round(first.effect, 2), second.effect, second.p
    (2, 1, 0.5, 0.0, 1.0)
    """
    table = _table(scores, "scores").round(SAME_WITHIN)
    if not higher_is_better:
        table = -table
    others = _others(table.shape[1], control)
    gaps = [(table[:, control] - table[:, other]).round(SAME_WITHIN) for other in others]
    p = [_signed_rank_p(gap) for gap in gaps]
    return [
        Pair(other, *_tally(gap), own_p, adjusted_p, rank_biserial(gap))
        for other, gap, own_p, adjusted_p in zip(
            others, gaps, p, holm_adjusted(p).tolist(), strict=True
        )
    ]


def rank_biserial(differences: ArrayLike) -> float:
    """Effect size of paired differences: the share of rank in favour less the share against.

    >>> rank_biserial([3.0, 2.0, -1.0, 0.0])
    0.6666666666666666
    """
    from scipy.stats import rankdata

    gap = np.asarray(differences, dtype=np.float64)
    gap = gap[gap != 0]
    if not len(gap):
        return 0.0
    ranks = rankdata(np.abs(gap))
    return float((ranks * np.sign(gap)).sum() / ranks.sum())


def p_text(p: float) -> str:
    """Return a p-value as a reader wants it.

    >>> p_text(0.0321), p_text(1e-12)
    ('= 0.032', '< 0.001')
    """
    return f"= {p:.3f}" if p >= 0.001 else "< 0.001"


def _signed_rank_p(gap: FloatArray) -> float:
    from scipy.stats import wilcoxon as signed_rank

    decided = gap[gap != 0]
    return float(signed_rank(decided).pvalue) if len(decided) else 1.0


def _tally(gap: FloatArray) -> tuple[int, int, int]:
    return int((gap > 0).sum()), int((gap == 0).sum()), int((gap < 0).sum())


def _others(methods: int, control: int) -> list[int]:
    if not 0 <= control < methods or methods < 2:
        raise ValueError(f"control must be one of at least 2 columns, got {control} of {methods}.")
    return [method for method in range(methods) if method != control]


def _table(values: Any, name: str) -> FloatArray:
    table = np.asarray(values, dtype=np.float64)
    if table.ndim != 2 or not table.size:
        raise ValueError(f"{name} must be a table of data sets by methods, got {table.shape}.")
    if not np.isfinite(table).all():
        raise ValueError(
            f"{name} has a value that is missing or infinite; leave out its method or data set."
        )
    return table
