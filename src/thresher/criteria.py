"""The formulas of the trees: impurity of a two-class node, worth of a split, and the order alpha*.

Everywhere ``p`` is the share of positives in a node and logarithms have base 2. Each function takes
numbers (and returns a float) or arrays (and returns an array). The compiled core computes the same
values; this file is the place to read them.
"""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "analytic_alpha",
    "dkm_impurity",
    "find_alpha",
    "gain_ratio",
    "gini_impurity",
    "hartley_entropy",
    "hellinger_distance",
    "information_gain",
    "renyi_entropy",
    "shannon_entropy",
    "split_information",
]

FloatArray: TypeAlias = NDArray[np.float64]
# A float for scalar arguments, else an array; Any, as NumPy's own stubs have it.
FloatOrArray: TypeAlias = Any
Impurity: TypeAlias = Callable[[FloatArray], FloatOrArray]

# Halvings of [0, 1] until the bracket of alpha* is one unit in the last place of 0.5 wide.
BISECTIONS = 53


# --- Impurities of a node -------------------------------------------------------------------------


def renyi_entropy(p: ArrayLike, alpha: ArrayLike) -> FloatOrArray:
    """Renyi entropy of a two-class node, the paper's Eq. renyi.

    ``H_alpha(p) = log2(p**alpha + (1 - p)**alpha) / (1 - alpha)``, with its limits: Hartley's
    entropy at ``alpha = 0``, Shannon's at ``alpha = 1`` and the min-entropy at ``alpha = inf``.
    It falls in ``alpha`` and is concave in ``p`` up to ``alpha = 2`` only.

    Parameters
    ----------
    p : float or array
        Share of positives, in [0, 1].
    alpha : float or array
        Order, at least 0; ``inf`` is allowed. Broadcast against ``p``.

    Returns
    -------
    float or array
        Entropy in bits, from 0 (pure) to 1 (``p = 0.5``).

    Examples
    --------
    >>> from thresher.criteria import renyi_entropy
    >>> round(renyi_entropy(0.1, 0.5), 4)
    0.6781
    >>> renyi_entropy([0.0, 0.1, 0.5], 1).round(4)
    array([0.   , 0.469, 1.   ])
    """
    rare, order = np.broadcast_arrays(_rare_share(p), _order(alpha))
    mixed = rare > 0
    entropy = np.array(mixed, dtype=np.float64)  # Hartley; the other orders are filled in
    for orders, formula in (
        ((order > 0) & (order < 2) & (order != 1), _renyi_by_excess),
        (order == 1, _shannon),
        ((order >= 2) & np.isfinite(order), _renyi_by_larger_share),
        (np.isinf(order), _min_entropy),
    ):
        chosen = orders & mixed
        entropy[chosen] = formula(rare[chosen], order[chosen])
    return _as_given(np.minimum(entropy, 1.0))


def _renyi_by_excess(rare: FloatArray, order: FloatArray) -> FloatArray:
    # Near order 1 the sum S of powers is near 1: S - 1 is computed without cancellation.
    excess = _power_excess(rare, np.log(rare), order)
    excess += _power_excess(1 - rare, np.log1p(-rare), order)
    return np.asarray(np.log1p(excess) / ((1 - order) * np.log(2)))


def _power_excess(share: FloatArray, log_share: FloatArray, order: FloatArray) -> FloatArray:
    # share**order - share. Far from order 1 there is no cancellation, but expm1 could overflow.
    exponent = (order - 1) * log_share
    near = share * np.expm1(np.minimum(exponent, 1))
    return np.where(exponent > 1, np.exp(order * log_share) - share, near)


def _renyi_by_larger_share(rare: FloatArray, order: FloatArray) -> FloatArray:
    # Large orders: both powers may underflow, so the larger one is taken out of the sum.
    odds = rare / (1 - rare)
    log_sum = order * np.log1p(-rare) + np.log1p(odds**order)
    return np.asarray(log_sum / ((1 - order) * np.log(2)))


def _min_entropy(rare: FloatArray, _order: FloatArray) -> FloatArray:
    return np.asarray(-np.log1p(-rare) / np.log(2))


def _shannon(rare: FloatArray, _order: FloatArray) -> FloatArray:
    return np.asarray(-(rare * np.log2(rare) + (1 - rare) * np.log1p(-rare) / np.log(2)))


def shannon_entropy(p: ArrayLike) -> FloatOrArray:
    """Shannon entropy of a two-class node, the paper's Eq. shannon: Renyi's of order 1.

    Examples
    --------
    >>> from thresher.criteria import shannon_entropy
    >>> shannon_entropy(0.5)
    1.0
    """
    return renyi_entropy(p, 1.0)


def hartley_entropy(p: ArrayLike) -> FloatOrArray:
    """Hartley entropy of a two-class node, Renyi's of order 0: 1 if it is mixed, 0 if it is pure.

    Examples
    --------
    >>> from thresher.criteria import hartley_entropy
    >>> hartley_entropy([0.0, 0.001, 0.5])
    array([0., 1., 1.])
    """
    return renyi_entropy(p, 0.0)


def gini_impurity(p: ArrayLike) -> FloatOrArray:
    """Gini impurity ``1 - p**2 - (1 - p)**2 = 2 p (1 - p)``, at most 0.5.

    Examples
    --------
    >>> from thresher.criteria import gini_impurity
    >>> gini_impurity(0.5)
    0.5
    """
    rare = _rare_share(p)
    return _as_given(2 * rare * (1 - rare))


def dkm_impurity(p: ArrayLike) -> FloatOrArray:
    """Impurity of Dietterich, Kearns and Mansour (DKM), ``2 sqrt(p (1 - p))``.

    Examples
    --------
    >>> from thresher.criteria import dkm_impurity
    >>> dkm_impurity(0.5)
    1.0
    """
    rare = _rare_share(p)
    return _as_given(2 * np.sqrt(rare * (1 - rare)))


# --- Worth of a split -----------------------------------------------------------------------------


def information_gain(
    left_neg: ArrayLike,
    left_pos: ArrayLike,
    right_neg: ArrayLike,
    right_pos: ArrayLike,
    impurity: Impurity = shannon_entropy,
) -> FloatOrArray:
    """Fall of the impurity by a split, the paper's Eq. infogain: ``H(Y) - E[H(Y | x)]``.

    The expectation weighs each child by its share of the rows. An order above 2 of Renyi's entropy
    can make the gain negative.

    Parameters
    ----------
    left_neg, left_pos, right_neg, right_pos : float or array
        Weighted counts of negatives and positives in the two children.
    impurity : callable, default=shannon_entropy
        Impurity as a symmetric function of the share of either class. It is called with the rarer
        one, whose digits ``1 - share`` would lose.

    Returns
    -------
    float or array
        The gain; 0 for an empty node.

    Examples
    --------
    >>> from thresher.criteria import gini_impurity, information_gain
    >>> information_gain(8, 0, 0, 8)
    1.0
    >>> information_gain(8, 0, 0, 8, impurity=gini_impurity)
    0.5
    """
    left_neg, left_pos, right_neg, right_pos = _counts(left_neg, left_pos, right_neg, right_pos)
    left, right = left_neg + left_pos, right_neg + right_pos
    node_rare = np.minimum(left_neg + right_neg, left_pos + right_pos)
    before = impurity(_ratio(node_rare, left + right))
    after = _ratio(left, left + right) * impurity(_ratio(np.minimum(left_neg, left_pos), left))
    after += _ratio(right, left + right) * impurity(_ratio(np.minimum(right_neg, right_pos), right))
    return _as_given(np.asarray(before - after))


def split_information(left: ArrayLike, right: ArrayLike) -> FloatOrArray:
    """Shannon entropy of the sizes of the two children, the divisor of C4.5's gain ratio.

    Examples
    --------
    >>> from thresher.criteria import split_information
    >>> split_information(10, 10)
    1.0
    """
    left, right = _counts(left, right)
    return shannon_entropy(_as_given(_ratio(left, left + right)))


def gain_ratio(
    left_neg: ArrayLike, left_pos: ArrayLike, right_neg: ArrayLike, right_pos: ArrayLike
) -> FloatOrArray:
    """C4.5's gain ratio: Shannon's `information_gain` over `split_information`; 0 for no split.

    Examples
    --------
    >>> from thresher.criteria import gain_ratio
    >>> gain_ratio(8, 0, 0, 8)
    1.0
    """
    gain = information_gain(left_neg, left_pos, right_neg, right_pos)
    left = np.add(left_neg, left_pos)
    right = np.add(right_neg, right_pos)
    return _as_given(_ratio(np.asarray(gain), np.asarray(split_information(left, right))))


def hellinger_distance(
    left_neg: ArrayLike, left_pos: ArrayLike, right_neg: ArrayLike, right_pos: ArrayLike
) -> FloatOrArray:
    """Hellinger distance between where the positives and where the negatives go, at most sqrt(2).

    It is the root of ``2 - 2 * (sqrt(l+ l-) + sqrt(r+ r-))``, where ``l+`` is the share of all
    positives that goes left and so on. So it ranks splits as the gain by `dkm_impurity` does.
    Where a class is absent the distance is 0: there is nothing to separate.

    Examples
    --------
    >>> from thresher.criteria import hellinger_distance
    >>> round(hellinger_distance(8, 0, 0, 2), 4)
    1.4142
    >>> hellinger_distance(4, 1, 4, 1)
    0.0
    """
    left_neg, left_pos, right_neg, right_pos = _counts(left_neg, left_pos, right_neg, right_pos)
    neg, pos = left_neg + right_neg, left_pos + right_pos
    left = np.sqrt(_ratio(left_pos, pos)) - np.sqrt(_ratio(left_neg, neg))
    right = np.sqrt(_ratio(right_pos, pos)) - np.sqrt(_ratio(right_neg, neg))
    return _as_given(np.where((neg > 0) & (pos > 0), np.hypot(left, right), 0.0))


# --- The order of a node --------------------------------------------------------------------------


def find_alpha(p: ArrayLike, tolerance: float = 0.5, step: float | None = None) -> FloatOrArray:
    """Order alpha* of a node: the largest at which its Renyi entropy still counts as 1.

    ``alpha* = max{a in [0, 1] : H_a(p) >= 1 - tolerance}``. The paper asks for ``H_a(p) = 1``,
    which holds at ``a = 0`` alone unless ``p = 0.5``; the tolerance says what rounds to 1. A
    balanced node gets 1, Shannon's entropy. A pure node (``p`` 0 or 1), which is never split, gets
    0.0 by convention.

    Parameters
    ----------
    p : float or array
        Share of positives, in [0, 1].
    tolerance : float, default=0.5
        How far below 1 the entropy may lie, in [0, 1]; 0.05 is close to the paper.
    step : float, optional
        If given, the paper's Algorithm 1 Find-alpha: the first of ``1, 1 - step, ..., 0`` that
        passes the same test. Otherwise bisection, which has no grid to fall through.

    Returns
    -------
    float or array
        alpha*, within 2**-53 of the exact value.

    Examples
    --------
    >>> from thresher.criteria import find_alpha
    >>> round(find_alpha(0.04), 3)
    0.469
    >>> find_alpha([0.04, 0.5], tolerance=0.05, step=0.01).round(2)
    array([0.03, 1.  ])
    """
    rare = _rare_share(p)
    if not 0 <= tolerance <= 1:
        raise ValueError(f"tolerance must lie in [0, 1], got {tolerance}.")
    if step is None:
        alpha = _bisected_alpha(rare, 1 - tolerance)
    else:
        alpha = _searched_alpha(rare, 1 - tolerance, step)
    return _as_given(np.where(rare > 0, alpha, 0.0))


def _bisected_alpha(rare: FloatArray, level: float) -> FloatArray:
    low, high = np.zeros_like(rare), np.ones_like(rare)  # H_low >= level > H_high
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        enough = np.asarray(renyi_entropy(rare, middle)) >= level
        low, high = np.where(enough, middle, low), np.where(enough, high, middle)
    return np.where(np.asarray(shannon_entropy(rare)) >= level, 1.0, low)


def _searched_alpha(rare: FloatArray, level: float, step: float) -> FloatArray:
    if not 0 < step <= 1:
        raise ValueError(f"step must lie in (0, 1], got {step}; leave it out for bisection.")
    alpha = np.zeros_like(rare)
    # Upwards: the largest order that passes is written last. 1 / step may be a hair too small.
    for k in range(int(1 / step + 1e-9), -1, -1):
        order = max(1 - k * step, 0.0)
        alpha = np.where(np.asarray(renyi_entropy(rare, order)) >= level, order, alpha)
    return alpha


def analytic_alpha(p: ArrayLike, dp: ArrayLike, d2p: ArrayLike) -> FloatOrArray:
    """alpha* in closed form, the paper's Eq. findalpha, for a twice differentiable distribution P.

    ``alpha* = P / (P' + P) * (1 + P' / P + P'' / P')``. It is singular where ``P``, ``P'`` or
    ``P' + P`` is 0 and is not confined to [0, 1]; trees use `find_alpha`.

    Parameters
    ----------
    p, dp, d2p : float or array
        P and its first and second derivative.

    Returns
    -------
    float or array
        alpha*.

    Examples
    --------
    >>> from thresher.criteria import analytic_alpha
    >>> analytic_alpha(0.5, 0.5, 0.25)
    1.25
    """
    p, dp, d2p = (np.asarray(value, dtype=np.float64) for value in (p, dp, d2p))
    if not np.all(np.isfinite(p) & np.isfinite(dp) & np.isfinite(d2p)):
        raise ValueError("p, dp and d2p must be finite numbers.")
    for name, divisor in (("p", p), ("dp", dp), ("dp + p", dp + p)):
        if np.any(divisor == 0):
            raise ValueError(f"Eq. findalpha is singular where {name} = 0; use find_alpha there.")
    return _as_given(np.asarray(p / (dp + p) * (1 + dp / p + d2p / dp)))


# --- Arguments and results ------------------------------------------------------------------------


def _rare_share(p: ArrayLike) -> FloatArray:
    # All impurities are symmetric: taken at the smaller share they are so to the last bit.
    share = np.asarray(p, dtype=np.float64)
    if not np.all((share >= 0) & (share <= 1)):
        raise ValueError("p must be a share in [0, 1]: divide the positives by all rows.")
    return np.minimum(share, 1 - share)


def _order(alpha: ArrayLike) -> FloatArray:
    order = np.asarray(alpha, dtype=np.float64)
    if not np.all(order >= 0):
        raise ValueError(f"alpha must be a number of at least 0, got {alpha!r}.")
    return order


def _counts(*counts: ArrayLike) -> list[FloatArray]:
    arrays = [np.asarray(count, dtype=np.float64) for count in counts]
    if not all(np.all((array >= 0) & np.isfinite(array)) for array in arrays):
        raise ValueError("Counts of a split must be finite and not negative.")
    return arrays


def _ratio(part: FloatArray, whole: FloatArray) -> FloatArray:
    # 0 / 0 is 0: an empty child has no weight, a pure or empty node no impurity.
    return np.asarray(part / np.where(whole > 0, whole, 1.0))


def _as_given(value: FloatArray) -> FloatOrArray:
    return float(value) if value.ndim == 0 else value
