"""One budget of alerts for several scores of a row: the cuts that find most, each row counted once.

A row alerts where one of its scores is above the threshold of that score, so that the sets of
alerts overlap. Which steps down the scores to take is a knapsack with steps that need those before
them; HiGHS solves it exactly, as a mixed-integer programme.
"""

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from thresher.threshold.counts import Vector

MAX_CUTS = 200
"""Cuts of a score that are tried; where more could be, evenly many rows apart."""
NODES = 20_000
"""Of the search tree: where it is not done by then, the best cuts so far are taken."""
NO_CUT = -1

Codes = NDArray[np.intp]


class Steps(NamedTuple):
    """The cuts of one score that may pay, from the highest down.

    Attributes
    ----------
    thresholds : above them rows alert.
    first : the first cut at which each row alerts, NO_CUT where none does.
    gains : of each cut, what it finds beyond the one before.
    """

    thresholds: Vector
    first: Codes
    gains: Vector

    @classmethod
    def of(cls, scores: Vector, is_own: NDArray[np.bool_], value: float, most: int) -> "Steps":
        """Return the cuts that end at a row to be found and alert on so many rows at most.

        >>> steps = Steps.of(np.array([0.9, 0.5, 0.8]), np.array([True, True, False]), 2.0, 3)
        >>> steps.thresholds, steps.first, steps.gains
        (array([0.85, 0.25]), array([0, 1, 1]), array([2., 2.]))
        """
        levels, place, rows = np.unique(-scores, return_inverse=True, return_counts=True)
        own = np.bincount(place, is_own, minlength=len(levels))
        ends = np.flatnonzero((own > 0) & (np.cumsum(rows) <= most))
        if len(ends) > MAX_CUTS:
            ends = ends[(np.arange(1, MAX_CUTS + 1) * len(ends)) // MAX_CUTS - 1]
        lower = np.append(-levels, 0.0)[ends + 1]
        middle = 0.5 * lower - 0.5 * levels[ends]
        thresholds = np.where(middle < -levels[ends], middle, lower)
        first = np.searchsorted(ends, place)
        gains = value * np.diff(np.cumsum(own)[ends], prepend=0.0)
        return cls(thresholds, np.where(first < len(ends), first, NO_CUT), gains)


def deal_budget(scores: Vector, codes: Codes, values: Vector, most: int) -> Vector:
    """Return a threshold for each score, so that the value of rows found is largest.

    A row is found where the score of its own code is above its threshold. At most `most` rows have
    a score above its threshold. Of equal choices one with the fewest alerts is taken.

    Parameters
    ----------
    scores : of rows (first axis) by code, from models that have not seen them.
    codes : the code of each row, -1 where none is to be found.
    values : of finding a row, by code.
    most : rows that may alert.

    Examples
    --------
    >>> scores = np.array([[0.9, 0.1], [0.8, 0.1], [0.2, 0.7], [0.1, 0.6]])
    >>> deal_budget(scores, np.array([0, -1, 1, 1]), np.array([1.0, 1.0]), 3)
    array([0.85, 0.35])
    """
    steps = [
        Steps.of(scores[:, code], codes == code, float(value), most)
        for code, value in enumerate(values)
    ]
    reached = _reached(steps, most)
    return np.array(
        [
            one.thresholds[count - 1] if count else 1.0
            for one, count in zip(steps, reached, strict=True)
        ]
    )


def _reached(steps: list[Steps], most: int) -> list[int]:
    """Return how many cuts of each score are taken."""
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import csr_array

    starts = np.cumsum([0, *(len(one.gains) for one in steps)])
    n_cuts = int(starts[-1])
    if not n_cuts:
        return [0] * len(steps)
    first = np.column_stack([one.first for one in steps])
    shared, rows = np.unique(first[(first != NO_CUT).any(axis=1)], axis=0, return_counts=True)
    gains = np.concatenate([one.gains for one in steps])
    n_all = n_cuts + len(shared)
    # A cut needs the one before; rows alert as soon as one of their cuts is taken.
    kept = [cut for cut in range(1, n_cuts) if cut not in starts]
    row, column = np.nonzero(shared != NO_CUT)
    pairs = [(cut - 1, cut) for cut in kept]
    pairs += zip(n_cuts + row, starts[column] + shared[row, column], strict=True)
    needs = np.array(pairs).reshape(-1, 2)
    places = np.repeat(np.arange(len(needs)), 2)
    signs = np.tile([1.0, -1.0], len(needs))
    order = csr_array((signs, (places, needs.ravel())), shape=(len(needs), n_all))
    alerts = np.concatenate([np.zeros(n_cuts), rows])
    least = float(gains[gains > 0].min(initial=np.inf))
    fewer = 0.0 if np.isinf(least) else 0.5 * least / (1.0 + min(most, rows.sum()))
    found = milp(
        fewer * alerts - np.concatenate([gains, np.zeros(len(shared))]),
        integrality=np.arange(n_all) < n_cuts,
        bounds=Bounds(0.0, 1.0),
        constraints=[LinearConstraint(order, lb=0.0), LinearConstraint(alerts, ub=float(most))],
        options={"mip_rel_gap": 0.0, "node_limit": NODES},
    )
    taken = np.zeros(n_cuts) if found.x is None else np.round(found.x[:n_cuts])
    return [int(taken[a:b].sum()) for a, b in pairwise(starts.tolist())]
