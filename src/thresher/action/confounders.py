"""Columns that move with a lever, and whether they could be what makes the difference instead.

Among the parts that meet the other clauses of a condition, columns are ranked against the lever.
For each that moves with it, parts with about the same value of it are compared: what is left of
the difference between parts beyond the limit and parts within it (Mantel and Haenszel's mean over
strata) is what the column does not explain.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import fdtrc
from scipy.stats import rankdata

from thresher.statistics import holm_adjusted

STRONG, LEVEL = 0.3, 0.05
"""Least correlation, and p-value after Holm's adjustment, of a column that moves with a lever."""
MOST_LEFT = 0.5
"""A column could explain a difference of which it leaves less than this share."""
LEAST_OVERLAP = 0.5
"""Share of the parts beyond the limit that need comparable ones with the same value."""
STRATA, LEAST_PARTS = 8, 20
"""Strata of a column of numbers; least parts to tell a correlation by."""

Rows = NDArray[np.bool_]
Floats = NDArray[np.float64]


class Confounder(NamedTuple):
    """A column that moves with a lever.

    Attributes
    ----------
    column : its name.
    correlation : rank correlation with the lever among comparable parts (of categories its size).
    left : share of the difference that is left among parts with about the same value of it; None
        where hardly any part beyond the limit has comparable ones.
    """

    column: str
    correlation: float
    left: float | None

    @property
    def explains(self) -> bool:
        """Whether it could be what makes the difference instead of the lever."""
        return self.left is None or self.left < MOST_LEFT

    def as_data(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {**self._asdict(), "explains": self.explains}


def find_confounders(
    lever: Floats,
    is_beyond: Rows,
    is_positive: Rows,
    matrix: Floats,
    names: Sequence[str],
    is_category: Sequence[bool],
    left_out: Sequence[str],
) -> list[Confounder]:
    """Return the columns that move with a lever among comparable parts, the likeliest cause first.

    Parameters
    ----------
    lever : values of the lever of the parts that meet the other clauses.
    is_beyond : whether each is beyond the limit.
    is_positive : the truth.
    matrix, names, is_category : all columns of these parts.
    left_out : columns that the lever is or is made of.
    """
    places = [place for place, name in enumerate(names) if name not in left_out]
    found = [_correlation(lever, matrix[:, place], is_category[place]) for place in places]
    p = holm_adjusted([one[1] for one in found]) if found else np.empty(0)
    strong = [
        (place, rho)
        for place, (rho, _), adjusted in zip(places, found, p.tolist(), strict=True)
        if abs(rho) >= STRONG and adjusted < LEVEL
    ]
    named = [
        Confounder(
            names[place], rho, _left(matrix[:, place], is_category[place], is_beyond, is_positive)
        )
        for place, rho in strong
    ]
    return sorted(named, key=lambda one: (not one.explains, -abs(one.correlation)))


def _correlation(lever: Floats, other: Floats, is_category: bool) -> tuple[float, float]:
    """Return Spearman's correlation and its p-value; of categories that of their mean ranks.

    Both are tested by F: of one degree of freedom it is the square of Student's t, and of the mean
    ranks of levels it is the analysis of variance on ranks.
    """
    known = ~(np.isnan(lever) | np.isnan(other))
    if known.sum() < LEAST_PARTS:
        return 0.0, 1.0
    ranks, others = rankdata(lever[known]), other[known]
    freedom = 1
    if is_category:
        codes = others.astype(np.intp)
        counts = np.bincount(codes)
        freedom = max(int((counts > 0).sum()) - 1, 1)
        means = np.bincount(codes, ranks) / np.maximum(counts, 1)
        others = means[codes]
    else:
        others = rankdata(others)
    if np.ptp(ranks) == 0.0 or np.ptp(others) == 0.0:
        return 0.0, 1.0
    rho = float(np.corrcoef(ranks, others)[0, 1])
    rest = max(int(known.sum()) - 1 - freedom, 1)
    f = rho**2 / max(1.0 - rho**2, 1e-12) * rest / freedom
    return rho, float(fdtrc(freedom, rest, f))


def _left(other: Floats, is_category: bool, is_beyond: Rows, is_positive: Rows) -> float | None:
    """Return the share of the difference that is left within strata of a column."""
    known = ~np.isnan(other)
    beyond, hit = is_beyond[known], is_positive[known]
    if not beyond.any() or beyond.all():
        return None
    strata = _strata(other[known], is_category, beyond)
    # Rows and hits of each stratum beyond the limit (1) and within it (0).
    n1, k1, n0, k0 = (
        np.bincount(strata[rows], weights, minlength=strata.max() + 1)
        for side in (beyond, ~beyond)
        for rows, weights in ((side, None), (side, hit[side]))
    )
    both = (n1 > 0) & (n0 > 0)
    if n1[both].sum() < LEAST_OVERLAP * n1.sum():
        return None
    weights = n1[both] * n0[both] / (n1[both] + n0[both])
    within = float(np.average(k1[both] / n1[both] - k0[both] / n0[both], weights=weights))
    whole = float(k1.sum() / n1.sum() - k0.sum() / n0.sum())
    return within / whole if whole > 0.0 else 0.0


def _strata(values: Floats, is_category: bool, is_beyond: Rows) -> NDArray[np.intp]:
    """Return the stratum of each part: its level, or where it lies among parts beyond the limit."""
    if is_category:
        return values.astype(np.intp)
    shares = np.linspace(0.0, 1.0, STRATA + 1)[1:-1]
    return np.searchsorted(np.unique(np.quantile(values[is_beyond], shares)), values)
