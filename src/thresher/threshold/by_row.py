"""What rows bring along beside score and label: costs of their own, or a group."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from thresher.threshold.counts import Costs, Vector
from thresher.threshold.groups import Groups
from thresher.validation import read_numbers, why_not_amounts


class RowCosts(NamedTuple):
    """The cost of a false and of a missed alert for each row; gains are those of all rows.

    Examples
    --------
    >>> costs = RowCosts(fp=np.array([1.0, 1.0]), fn=np.array([9.0, 1.0]))
    >>> costs.cuts(), costs.savings(np.array([0.3, 0.3])).round(2)
    (array([0.1, 0.5]), array([ 2. , -0.4]))
    """

    fp: Vector
    fn: Vector
    gain_tp: float = 0.0
    gain_tn: float = 0.0

    @property
    def all(self) -> Vector:
        """What depends on the decision about each row, costs and gains together."""
        # In the order of `Costs`: the last bit of a threshold hangs on it.
        return self.fp + self.fn + self.gain_tp + self.gain_tn

    def cuts(self, least_saving: float = 0.0) -> Vector:
        """Return the probability above which an alert saves more than `least_saving`.

        Without it this is Elkan's threshold of each row. A row that costs nothing has 1: there is
        nothing to save.
        """
        total, base = self.all, self.fp + self.gain_tn + least_saving
        return np.divide(base, total, out=np.ones_like(total), where=total > 0.0)

    def savings(self, probability: Vector) -> Vector:
        """Return what an alert on each row is expected to save."""
        return probability * (self.fn + self.gain_tp) - (1.0 - probability) * (
            self.fp + self.gain_tn
        )

    def spent(self, is_alert: NDArray[np.bool_], is_positive: NDArray[np.bool_]) -> Vector:
        """Return what the decision about each row cost, gains taken off."""
        wrong = np.where(is_positive, self.fn, self.fp)
        right = np.where(is_positive, self.gain_tp, self.gain_tn)
        return np.where(is_alert == is_positive, -right, wrong)

    def take(self, rows: NDArray[Any]) -> "RowCosts":
        """Return the costs of some rows."""
        return self._replace(fp=self.fp[rows], fn=self.fn[rows])

    def per_row_along(
        self,
        thresholds: Vector,
        scores: Vector,
        is_positive: NDArray[np.bool_],
        weights: Vector | None = None,
    ) -> Vector:
        """Return the mean cost of a row where one ascending threshold after the other decides."""
        weight = np.ones(len(scores)) if weights is None else weights
        every, no = np.ones(len(scores), np.bool_), np.zeros(len(scores), np.bool_)
        loud, silent = (weight * self.spent(alert, is_positive) for alert in (every, no))
        order = np.argsort(scores, kind="stable")
        # A row is silent from the first threshold on that reaches its score.
        change = np.concatenate([[0.0], np.cumsum((silent - loud)[order])])
        reached = np.searchsorted(scores[order], thresholds, side="right")
        mean: Vector = (loud.sum() + change[reached]) / weight.sum()
        return mean


def read_row_costs(cost_fp: Any, cost_fn: Any, usual: Costs, n_rows: int) -> RowCosts | None:
    """Return the costs of rows; None where neither is given, `usual` where one is not.

    Examples
    --------
    >>> read_row_costs(None, [3.0, 7.0], Costs(fp=1.0), n_rows=2).cuts()
    array([0.25 , 0.125])
    """
    if cost_fp is None and cost_fn is None:
        return None
    fp = _read(cost_fp, "cost_fp", usual.fp, n_rows)
    fn = _read(cost_fn, "cost_fn", usual.fn, n_rows)
    return RowCosts(fp, fn, float(usual.gain_tp), float(usual.gain_tn))


def _read(given: Any, name: str, usual: float, n_rows: int) -> Vector:
    values = read_numbers(usual if given is None else given, name)
    why = why_not_amounts(values.ravel(), name)
    if values.ndim == 0:
        values = np.full(n_rows, float(values))
    if values.shape != (n_rows,):
        raise ValueError(
            f"{name} must be a number, or one for each of the {n_rows} rows, got the shape "
            f"{values.shape}."
        )
    if why is not None:
        raise ValueError(why)
    return values


class ByRow(NamedTuple):
    """Costs and groups of rows, None where all have the same."""

    costs: RowCosts | None = None
    groups: Groups | None = None

    def take(self, rows: NDArray[Any]) -> "ByRow":
        """Return those of some rows."""
        costs, groups = self
        return ByRow(
            None if costs is None else costs.take(rows),
            None if groups is None else groups.take(rows),
        )


NOTHING = ByRow()
