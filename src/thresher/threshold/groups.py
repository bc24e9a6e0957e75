"""Groups of rows (machines, products, sites) and how their odds differ from what scores say.

A group whose positives are more frequent than its scores tell has its odds multiplied by a factor.
One rule then chooses one threshold on all rows, and each group's cut is that threshold, moved back.
How much of a difference is believed follows from the groups themselves: the factors are drawn to 1
by a normal prior on their logarithms, whose width is what makes the labels of all groups most
likely. Groups that differ by chance alone have a width of 0, and so the common cut.
"""

from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from thresher.column import Texts, Values
from thresher.threshold.counts import Vector
from thresher.threshold.platt import Platt, logits
from thresher.threshold.prior_shift import scale_odds
from thresher.validation import weight_of_row

Group: TypeAlias = str | float
Codes: TypeAlias = NDArray[np.intp]

WIDTHS = (0.0, *np.geomspace(0.05, 5.0, 25).tolist())
"""Standard deviations of log-factors that are tried."""
ROUNDS = 3
"""How often groups and the curve through all of them are fitted in turn."""
MAX_STEPS = 60
SMALL_STEP = 1e-12
MAX_LOG_FACTOR = 15.0
MAX_GROUPS = 10_000


@dataclass(frozen=True, eq=False)
class Groups:
    """The groups of scored rows.

    Attributes
    ----------
    column : where they come from.
    names : texts or numbers, sorted.
    codes : the group of each row, -1 where it is missing.
    factors : what the odds of each group are multiplied by.
    """

    column: str
    names: tuple[Group, ...]
    codes: Codes
    factors: Vector

    @classmethod
    def of(cls, column: str, values: Values) -> "Groups":
        """Return the groups of a column, all with the factor 1."""
        names: tuple[Group, ...]
        if isinstance(values, Texts):
            names = tuple(values.levels[code] for code in np.unique(values.codes) if code >= 0)
        else:
            names = tuple(np.unique(values[~np.isnan(values)]).tolist())
        if not 1 < len(names) <= MAX_GROUPS:
            raise ValueError(
                f"threshold_by names the column {column!r}, which has {len(names)} groups; 2 to "
                f"{MAX_GROUPS} are needed."
            )
        return cls(column, names, codes_of(values, names), np.ones(len(names)))

    def take(self, rows: NDArray[Any]) -> "Groups":
        """Return the groups of some rows."""
        return replace(self, codes=self.codes[rows])

    def fitted(
        self, scores: Vector, is_positive: NDArray[np.bool_], weights: Vector | None
    ) -> "Groups":
        """Return the groups with the factors that their rows tell."""
        if weights is not None:  # likelihood and prior meet here: a row must count as one
            weights = weights / weight_of_row(weights)
        return replace(self, factors=odds_factors(self, scores, is_positive, weights))

    def scaled(self, scores: Vector) -> Vector:
        """Return probabilities with the odds of each group multiplied by its factor."""
        return scale_odds(scores, np.append(self.factors, 1.0)[self.codes])

    def cuts(self, threshold: float) -> tuple[float, ...]:
        """Return the cut of each group that decides as `threshold` does on scaled scores.

        >>> groups = Groups("line", ("a", "b"), np.array([0, 1]), np.array([1.0, 4.0]))
        >>> groups.cuts(0.5), groups.cuts(1.0)
        ((0.5, 0.2), (1.0, 1.0))
        """
        if not 0.0 < threshold < 1.0:
            return (float(threshold),) * len(self.names)
        found = threshold / (threshold + self.factors * (1.0 - threshold))
        return tuple(np.where(self.factors == 1.0, threshold, found).tolist())


def codes_of(values: Values, groups: tuple[Group, ...]) -> Codes:
    """Return the place of each value among sorted groups, -1 where it is none of them."""
    if isinstance(values, Texts):
        place = {group: code for code, group in enumerate(groups)}
        codes = np.array([*(place.get(level, -1) for level in values.levels), -1], dtype=np.intp)
        return codes[values.codes]
    if not groups or isinstance(groups[0], str):
        return np.full(len(values), -1, dtype=np.intp)
    known = np.array(groups, dtype=np.float64)
    found = np.searchsorted(known, values).clip(0, len(known) - 1)
    return np.where(known[found] == values, found, -1).astype(np.intp)


def odds_factors(
    groups: Groups, scores: Vector, is_positive: NDArray[np.bool_], weights: Vector | None
) -> Vector:
    """Return what the odds of each group are multiplied by, drawn to 1 where it has few rows.

    Examples
    --------
    >>> truth = np.array([True] * 20 + [False] * 80 + [True] * 5 + [False] * 95 + [True, False])
    >>> codes = np.repeat([0, 1, 2], [100, 100, 2])
    >>> groups = Groups("line", ("a", "b", "c"), codes, np.ones(3))
    >>> odds_factors(groups, np.full(202, 26 / 202), truth, None).round(2)
    array([1.6 , 0.46, 1.42])
    """
    weight = np.ones(len(scores)) if weights is None else weights
    scale, known = logits(scores), groups.codes >= 0
    curve = Platt.fit(scale, weight * ~is_positive, weight * is_positive)
    slope, shift = curve.slope / curve.scale, np.zeros(len(groups.names))
    # Scores of one value have no slope; their odds are moved as they are.
    if np.ptp(scale) == 0.0:
        slope = 1.0
    if slope <= 0.0:
        return np.ones(len(groups.names))
    line = curve.log_odds(scale)
    for _ in range(ROUNDS):
        rows = _Rows(
            line[known],
            is_positive[known].astype(np.float64),
            weight[known],
            groups.codes[known],
            len(groups.names),
        )
        shift = rows.shifts(max(WIDTHS, key=rows.evidence))
        if not shift.any() or np.ptp(scale) == 0.0:
            break
        # Groups apart from each other flatten the curve through all of them.
        offset = np.append(shift, 0.0)[groups.codes]
        steeper, intercept = _line(scale, is_positive, weight, offset)
        if steeper <= 0.0:
            break
        slope, line = steeper, steeper * scale + intercept
    factors: Vector = np.exp((shift / slope).clip(-MAX_LOG_FACTOR, MAX_LOG_FACTOR))
    return factors


def _line(
    scale: Vector, is_positive: NDArray[np.bool_], weight: Vector, offset: Vector
) -> tuple[float, float]:
    """Return slope and intercept of the log-odds along a scale, beside known offsets."""
    total = [float(weight[one].sum()) for one in (~is_positive, is_positive)]
    hits = np.where(is_positive, (total[1] + 1.0) / (total[1] + 2.0), 1.0 / (total[0] + 2.0))
    design = np.stack([scale, np.ones_like(scale)], axis=1)
    at = np.array([1.0, 0.0])
    for _ in range(MAX_STEPS):
        p = expit(design @ at + offset)
        slope = design.T @ (weight * (hits - p))
        bend = (design * (weight * p * (1.0 - p))[:, None]).T @ design
        step = np.clip(np.linalg.solve(bend + 1e-9 * np.eye(2), slope), -1.0, 1.0)
        at = at + step
        if np.abs(step).max() < 1e-9:
            break
    return float(at[0]), float(at[1])


@dataclass(frozen=True, eq=False)
class _Rows:
    """Rows with calibrated log-odds, their labels, weights and groups."""

    log_odds: Vector
    labels: Vector
    weights: Vector
    codes: Codes
    n_groups: int

    def _summed(self, values: Vector) -> Vector:
        return np.bincount(self.codes, self.weights * values, self.n_groups).astype(np.float64)

    def shifts(self, width: float) -> Vector:
        """Return the most likely shift of each group's log-odds, normal around 0."""
        shift = np.zeros(self.n_groups)
        if width == 0.0:
            return shift
        for _ in range(MAX_STEPS):
            p = expit(self.log_odds + shift[self.codes])
            slope = self._summed(self.labels - p) - shift / width**2
            bend = self._summed(p * (1.0 - p)) + 1.0 / width**2
            # A step of 1 at most: the likelihood is concave, but flat far away.
            step = np.clip(slope / bend, -1.0, 1.0)
            shift = shift + step
            if np.abs(step).max() < SMALL_STEP:
                break
        return shift

    def evidence(self, width: float) -> float:
        """Return the log-likelihood of all labels under a width, by Laplace's approximation."""
        shift = self.shifts(width)
        line = self.log_odds + shift[self.codes]
        fit = float((self.weights * (self.labels * line - np.logaddexp(0.0, line))).sum())
        if width == 0.0:
            return fit
        p = expit(line)
        bend = self._summed(p * (1.0 - p))
        penalty = 0.5 * (shift / width) ** 2 + 0.5 * np.log1p(width**2 * bend)
        return fit - float(penalty.sum())
