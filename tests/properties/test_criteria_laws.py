"""Laws the formulas obey everywhere, and the agreement of the compiled core with them."""

import math
from collections.abc import Callable
from functools import partial
from types import ModuleType

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from thresher.criteria import (
    dkm_impurity,
    find_alpha,
    gain_ratio,
    gini_impurity,
    hellinger_distance,
    information_gain,
    renyi_entropy,
    shannon_entropy,
)

ROUNDING = 1e-14
unhurried = settings(deadline=None)  # a busy machine breaks no law

shares = st.floats(0, 1)
mixed_shares = st.floats(1e-9, 1 - 1e-9)
orders = st.one_of(st.floats(0, 3), st.floats(0, 1e3), st.just(math.inf))
concave_orders = st.floats(0, 2)
tolerances = st.floats(0.01, 1)
counts = st.integers(0, 10_000)
splits = st.tuples(counts, counts, counts, counts)

Split = tuple[int, int, int, int]
FIXED_IMPURITIES = (shannon_entropy, gini_impurity, dkm_impurity)


def assert_falls(first: float, second: float) -> None:
    assert second <= first + ROUNDING


@unhurried
@given(mixed_shares, st.floats(1e-12, 1e-4), st.sampled_from([-1, 1]))
def test_alpha_towards_one_is_shannon(p: float, distance: float, side: int) -> None:
    # |dH/da| at 1 is half the variance of the information, at most 0.31 bits; 1 leaves room.
    entropy = renyi_entropy(p, 1 + side * distance)
    assert abs(entropy - shannon_entropy(p)) <= distance + ROUNDING


@unhurried
@given(mixed_shares, st.floats(1e-12, 1e-3))
def test_alpha_towards_zero_is_hartley(p: float, alpha: float) -> None:
    # H_a(p) is at least 1 - a * log2(1 / rare share) for a in [0, 1].
    assert 1 - renyi_entropy(p, alpha) <= alpha * math.log2(1 / min(p, 1 - p)) + ROUNDING


@unhurried
@given(mixed_shares, st.floats(1e-6, 100), st.floats(1e-13, 1e-7))
def test_entropy_is_continuous_in_its_order(p: float, alpha: float, distance: float) -> None:
    # The slope in alpha is at most log2(1 / rare share)^2, here below 900.
    change = renyi_entropy(p, alpha + distance) - renyi_entropy(p, alpha)
    assert abs(change) <= 900 * distance + ROUNDING


@unhurried
@given(shares, orders)
def test_entropy_is_symmetric_in_the_classes(p: float, alpha: float) -> None:
    assume(1 - (1 - p) == p)
    assert renyi_entropy(p, alpha) == renyi_entropy(1 - p, alpha)


@unhurried
@given(shares, orders)
def test_entropy_lies_between_zero_and_one(p: float, alpha: float) -> None:
    assert 0 <= renyi_entropy(p, alpha) <= 1


@unhurried
@given(shares, orders, orders)
def test_entropy_falls_in_its_order(p: float, one: float, other: float) -> None:
    low, high = sorted((one, other))
    assert_falls(renyi_entropy(p, low), renyi_entropy(p, high))


@unhurried
@given(st.floats(0, 0.5), st.floats(0, 0.5), orders)
def test_entropy_rises_towards_balance(one: float, other: float, alpha: float) -> None:
    rare, common = sorted((one, other))
    assert_falls(renyi_entropy(common, alpha), renyi_entropy(rare, alpha))


@unhurried
@given(splits, concave_orders)
def test_no_split_loses_up_to_order_two(split: Split, alpha: float) -> None:
    assert information_gain(*split, partial(renyi_entropy, alpha=alpha)) >= -ROUNDING


@unhurried
@given(splits, st.sampled_from(FIXED_IMPURITIES))
def test_no_split_loses_by_the_other_impurities(
    split: Split, impurity: Callable[..., float]
) -> None:
    assert information_gain(*split, impurity) >= -ROUNDING


@pytest.mark.parametrize("alpha", [2.5, 3.0, 5.0, 20.0, math.inf])
def test_above_order_two_a_split_can_lose(alpha: float) -> None:
    p = np.linspace(0.001, 0.499, 499)
    bend = renyi_entropy(p - 0.001, alpha) + renyi_entropy(p + 0.001, alpha)
    assert np.max(bend / 2 - renyi_entropy(p, alpha)) > 1e-9


def test_above_order_two_a_split_loses_in_numbers() -> None:
    # A pure half and a half with 39 % positives.
    assert information_gain(100, 0, 61, 39, partial(renyi_entropy, alpha=5.0)) < -0.03
    assert information_gain(100, 0, 61, 39, partial(renyi_entropy, alpha=2.0)) > 0.07


@unhurried
@given(mixed_shares, tolerances)
def test_find_alpha_satisfies_its_definition(p: float, tolerance: float) -> None:
    alpha = find_alpha(p, tolerance)
    assert 0 <= alpha <= 1
    assert renyi_entropy(p, alpha) >= 1 - tolerance - ROUNDING
    if alpha < 1:
        assert renyi_entropy(p, min(alpha + 1e-9, 1.0)) < 1 - tolerance


@unhurried
@given(st.floats(1e-9, 0.5), st.floats(1e-9, 0.5), tolerances)
def test_find_alpha_rises_towards_balance(one: float, other: float, tolerance: float) -> None:
    rare, common = sorted((one, other))
    assert find_alpha(rare, tolerance) <= find_alpha(common, tolerance) + 1e-12


@unhurried
@given(mixed_shares, tolerances, tolerances)
def test_find_alpha_rises_in_the_tolerance(p: float, one: float, other: float) -> None:
    strict, loose = sorted((one, other))
    assert find_alpha(p, strict) <= find_alpha(p, loose) + 1e-12


@unhurried
@given(shares, tolerances)
def test_find_alpha_is_symmetric_in_the_classes(p: float, tolerance: float) -> None:
    assume(1 - (1 - p) == p)
    assert find_alpha(p, tolerance) == find_alpha(1 - p, tolerance)


@unhurried
@given(mixed_shares, tolerances, st.integers(1, 200))
def test_algorithm_1_stays_within_one_step_below(p: float, tolerance: float, parts: int) -> None:
    exact, on_grid = find_alpha(p, tolerance), find_alpha(p, tolerance, step=1 / parts)
    assert -1e-9 <= exact - on_grid <= 1 / parts + 1e-9


@unhurried
@given(st.integers(1, 2000), st.integers(1, 200), st.data())
def test_dkm_and_hellinger_rank_splits_alike(neg: int, pos: int, data: st.DataObject) -> None:
    left_neg = data.draw(st.tuples(st.integers(0, neg), st.integers(0, neg)))
    left_pos = data.draw(st.tuples(st.integers(0, pos), st.integers(0, pos)))
    split = (np.array(left_neg), np.array(left_pos), neg - np.array(left_neg))
    dkm = information_gain(*split, pos - split[1], dkm_impurity)
    hellinger = hellinger_distance(*split, pos - split[1])
    # distance^2 = gain * (neg + pos) / sqrt(neg * pos): a rising function within one node
    scaled = dkm * (neg + pos) / math.sqrt(neg * pos)
    np.testing.assert_allclose(hellinger**2, scaled, rtol=1e-9, atol=1e-12)
    if abs(dkm[0] - dkm[1]) > 1e-9:
        assert (dkm[0] < dkm[1]) == (hellinger[0] < hellinger[1])


@unhurried
@given(splits)
def test_gain_ratio_is_between_the_gain_and_one(split: Split) -> None:
    gain = information_gain(*split)
    assert gain - ROUNDING <= gain_ratio(*split) <= 1 + 1e-9


@unhurried
@given(splits, orders)
def test_gain_is_symmetric_in_the_classes_to_the_last_bit(split: Split, alpha: float) -> None:
    left_neg, left_pos, right_neg, right_pos = split
    impurity = partial(renyi_entropy, alpha=alpha)
    relabelled = information_gain(left_pos, left_neg, right_pos, right_neg, impurity)
    assert information_gain(*split, impurity) == relabelled


@unhurried
@given(splits, concave_orders, st.integers(1, 50))
def test_gain_does_not_depend_on_the_unit_of_weight(split: Split, alpha: float, unit: int) -> None:
    impurity = partial(renyi_entropy, alpha=alpha)
    left_neg, left_pos, right_neg, right_pos = (unit * count for count in split)
    scaled = information_gain(left_neg, left_pos, right_neg, right_pos, impurity)
    assert scaled == pytest.approx(information_gain(*split, impurity), abs=1e-13)


# --- The compiled twins ---------------------------------------------------------------------------

TWINS: dict[str, Callable[[float, float], float]] = {
    "renyi": renyi_entropy,
    "adaptive_renyi": renyi_entropy,
    "entropy": lambda p, _: float(shannon_entropy(p)),
    "gain_ratio": lambda p, _: float(shannon_entropy(p)),
    "gini": lambda p, _: float(gini_impurity(p)),
    "dkm": lambda p, _: float(dkm_impurity(p)),
    "hellinger": lambda p, _: float(dkm_impurity(p)),
}


@pytest.fixture(scope="module")
def core() -> ModuleType:
    """Return the compiled core; without it these tests are skipped."""
    module: ModuleType = pytest.importorskip("thresher._core")
    return module


@unhurried
@given(p=st.one_of(shares, st.floats(1e-300, 1e-3)), alpha=orders)
@pytest.mark.parametrize("criterion", TWINS)
def test_the_core_computes_the_same_impurity(
    core: ModuleType, criterion: str, p: float, alpha: float
) -> None:
    assume(p == 0 or p > 1e-300)  # smaller shares cannot come from counts
    expected = TWINS[criterion](p, alpha)
    assert core.impurity(criterion, p, alpha) == pytest.approx(expected, rel=0, abs=1e-12)


@unhurried
@given(p=st.one_of(st.floats(0, 1), st.floats(1e-9, 1e-3)), tolerance=tolerances)
def test_the_core_finds_the_same_alpha(core: ModuleType, p: float, tolerance: float) -> None:
    assume(p == 0 or p > 1e-300)
    expected = find_alpha(p, tolerance)
    assert core.find_alpha(p, tolerance) == pytest.approx(expected, rel=0, abs=1e-12)


@pytest.mark.parametrize("tolerance", [0.0, 0.05, 0.5, 1.0])
def test_the_core_agrees_at_the_ends(core: ModuleType, tolerance: float) -> None:
    for p in (0.0, 0.5, 1.0):
        assert core.find_alpha(p, tolerance) == find_alpha(p, tolerance)
        for criterion, twin in TWINS.items():
            for alpha in (0.0, 1.0, 2.0, 1e3, math.inf):
                assert core.impurity(criterion, p, alpha) == pytest.approx(
                    twin(p, alpha), rel=0, abs=1e-15
                )
