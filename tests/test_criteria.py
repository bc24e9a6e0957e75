"""Values, limits and errors of the formulas."""

import math
from collections.abc import Callable

import numpy as np
import pytest

from thresher.criteria import (
    analytic_alpha,
    dkm_impurity,
    find_alpha,
    gain_ratio,
    gini_impurity,
    hartley_entropy,
    hellinger_distance,
    information_gain,
    renyi_entropy,
    shannon_entropy,
    split_information,
)

IMPURITIES = (shannon_entropy, hartley_entropy, gini_impurity, dkm_impurity)
ORDERS = (0.0, 1e-300, 0.3, 1 - 1e-15, 1.0, 1 + 1e-15, 1.9999, 2.0, 50.0, 1e3, 1e300, math.inf)

# alpha* by tolerance, for P = .01 .04 .10 .20 .30 .40; computed apart from this code, to 0.001.
SHARES = (0.01, 0.04, 0.10, 0.20, 0.30, 0.40)
ALPHA_TABLE = {
    0.01: (0.004, 0.007, 0.014, 0.031, 0.080, 0.341),
    0.05: (0.022, 0.037, 0.069, 0.157, 0.404, 1),
    0.1: (0.044, 0.076, 0.140, 0.321, 0.831, 1),
    0.2: (0.092, 0.158, 0.291, 0.677, 1, 1),
    0.5: (0.267, 0.468, 0.906, 1, 1, 1),
}


@pytest.mark.parametrize(
    ("p", "alpha", "expected"),
    [
        (0.25, 0.5, 2 * math.log2(0.5 + math.sqrt(0.75))),
        (0.25, 2.0, -math.log2(0.625)),
        (0.25, 3.0, -math.log2(0.4375) / 2),
        (0.1, 1.0, 0.4689955935892812),
        (0.3, math.inf, -math.log2(0.7)),
        (0.3, 0.0, 1.0),
    ],
)
def test_renyi_entropy_has_values_computed_by_hand(p: float, alpha: float, expected: float) -> None:
    assert renyi_entropy(p, alpha) == pytest.approx(expected, abs=1e-15)


def test_renyi_entropy_agrees_with_its_textbook_form() -> None:
    p = np.linspace(0.01, 0.99, 99)[:, None]
    alpha = np.array([0.1, 0.5, 0.7, 1.3, 1.9, 2.0, 2.5, 7.0])
    textbook = np.log2(p**alpha + (1 - p) ** alpha) / (1 - alpha)
    np.testing.assert_allclose(renyi_entropy(p, alpha), textbook, rtol=0, atol=1e-13)


@pytest.mark.parametrize("alpha", ORDERS)
def test_renyi_entropy_is_zero_at_pure_nodes_and_one_at_balanced_ones(alpha: float) -> None:
    with np.errstate(divide="raise", invalid="raise", over="raise"):
        entropy = renyi_entropy([0.0, 0.5, 1.0, 5e-324, 1e-12, 1 - 2**-53], alpha)
    np.testing.assert_allclose(entropy[:3], [0, 1, 0], rtol=0, atol=1e-15)
    assert np.all((entropy >= 0) & (entropy <= 1))


def test_renyi_entropy_keeps_its_digits_next_to_order_one() -> None:
    p = np.array([1e-9, 0.01, 0.3, 0.5])
    for distance in (1e-15, 1e-12, 1e-9):
        for alpha in (1 - distance, 1 + distance):
            np.testing.assert_allclose(
                renyi_entropy(p, alpha), shannon_entropy(p), rtol=1e-13 + 100 * distance
            )


def test_renyi_entropy_tends_to_the_min_entropy() -> None:
    p = np.array([0.05, 0.3, 0.499])
    gap = renyi_entropy(p, 1e3) / renyi_entropy(p, np.inf) - 1
    # a / (a - 1) - 1 is 1/999, unless the rarer share still counts
    np.testing.assert_allclose(gap[:2], 1 / 999, rtol=1e-9)
    assert 0 < gap[2] < 1 / 999
    np.testing.assert_allclose(renyi_entropy(p, 1e12), renyi_entropy(p, np.inf), rtol=0, atol=2e-12)


def test_named_impurities_have_their_values() -> None:
    p = np.array([0.0, 0.1, 0.25, 0.5, 1.0])
    np.testing.assert_array_equal(hartley_entropy(p), [0, 1, 1, 1, 0])
    np.testing.assert_allclose(gini_impurity(p), [0, 0.18, 0.375, 0.5, 0])
    np.testing.assert_allclose(dkm_impurity(p), [0, 0.6, math.sqrt(0.75), 1, 0])
    np.testing.assert_allclose(
        shannon_entropy(p), [0, 0.4689955935892812, 0.8112781244591328, 1, 0]
    )


def test_scalars_give_floats_and_arrays_broadcast() -> None:
    for impurity in (*IMPURITIES, renyi_entropy):
        more = (0.5,) if impurity is renyi_entropy else ()
        assert type(impurity(0.25, *more)) is type(impurity(np.float64(0.25), *more)) is float
        assert np.shape(impurity([[0.1, 0.2, 0.3]], *more)) == (1, 3)
        assert np.shape(impurity([], *more)) == (0,)
    assert type(find_alpha(0.1)) is float
    assert type(find_alpha(0.1, step=0.1)) is float
    assert type(information_gain(1, 2, 3, 4)) is float
    assert type(gain_ratio(1, 2, 3, 4)) is float
    assert type(hellinger_distance(1, 2, 3, 4)) is float
    assert type(analytic_alpha(0.5, 0.5, 0.25)) is float
    assert renyi_entropy([[0.1], [0.2]], [0.0, 1.0, 2.0]).shape == (2, 3)
    assert information_gain([1, 2], 2, 3, [[4], [5]]).shape == (2, 2)


def test_information_gain_of_splits_worked_by_hand() -> None:
    # Node (6 neg, 2 pos); children (6, 0) and (0, 2), then (3, 1) and (3, 1).
    assert information_gain(6, 0, 0, 2) == pytest.approx(shannon_entropy(0.25))
    assert information_gain(3, 1, 3, 1) == pytest.approx(0, abs=1e-15)
    # Node (4, 4), children (4, 1) and (0, 3).
    assert information_gain(4, 1, 0, 3) == pytest.approx(1 - 5 / 8 * shannon_entropy(0.2))
    assert information_gain(4, 1, 0, 3, gini_impurity) == pytest.approx(0.5 - 5 / 8 * 0.32)


def test_an_empty_child_gains_nothing() -> None:
    assert information_gain(0, 0, 3, 5) == 0
    assert information_gain(0, 0, 0, 0) == 0
    assert gain_ratio(0, 0, 3, 5) == 0


def test_gain_ratio_divides_by_the_entropy_of_the_sizes() -> None:
    assert split_information(2, 6) == pytest.approx(shannon_entropy(0.25))
    assert gain_ratio(4, 1, 0, 3) == pytest.approx(
        information_gain(4, 1, 0, 3) / shannon_entropy(3 / 8)
    )


def test_hellinger_distance_of_splits_worked_by_hand() -> None:
    assert hellinger_distance(9, 0, 0, 1) == pytest.approx(math.sqrt(2))
    assert hellinger_distance(9, 1, 0, 0) == 0
    # Half of the positives and a quarter of the negatives go left.
    expected = math.hypot(math.sqrt(1 / 2) - 1 / 2, math.sqrt(1 / 2) - math.sqrt(3 / 4))
    assert hellinger_distance(2, 1, 6, 1) == pytest.approx(expected)
    assert hellinger_distance(5, 0, 4, 0) == 0


@pytest.mark.parametrize("tolerance", ALPHA_TABLE)
def test_find_alpha_gives_the_table(tolerance: float) -> None:
    np.testing.assert_allclose(
        find_alpha(SHARES, tolerance), ALPHA_TABLE[tolerance], rtol=0, atol=1.01e-3
    )


def test_find_alpha_at_balanced_and_pure_nodes() -> None:
    for tolerance in (0.0, 0.05, 0.5, 1.0):
        np.testing.assert_array_equal(find_alpha([0.0, 0.5, 1.0], tolerance), [0, 1, 0])
        np.testing.assert_array_equal(find_alpha([0.0, 0.5, 1.0], tolerance, step=0.1), [0, 1, 0])


def test_find_alpha_degenerates_to_hartley_and_shannon() -> None:
    assert find_alpha(0.1, tolerance=0.0) < 1e-15
    assert find_alpha(0.1, tolerance=0.0, step=0.1) == 0
    np.testing.assert_array_equal(find_alpha([1e-9, 0.1, 0.9], tolerance=1.0), 1)


def test_algorithm_1_takes_the_largest_order_of_its_grid() -> None:
    p = np.array([0.005, 0.04, 0.3, 0.45, 0.9])
    exact = find_alpha(p, 0.1)
    np.testing.assert_allclose(find_alpha(p, 0.1, step=0.1), np.floor(exact * 10) / 10, atol=1e-12)
    np.testing.assert_allclose(find_alpha(p, 0.1, step=1e-3), exact, rtol=0, atol=1e-3)
    # 1, 0.7, 0.4, 0.1, 0: a step that does not divide 1
    np.testing.assert_allclose(find_alpha([0.04, 0.1, 0.2], 0.2, step=0.3), [0.1, 0.1, 0.4])


def test_algorithm_1_with_a_coarse_grid_falls_through_for_rare_positives() -> None:
    assert find_alpha(0.04, 0.05, step=0.1) == 0
    assert find_alpha(0.04, 0.05) > 0.03


def test_analytic_alpha_is_the_papers_closed_form() -> None:
    p, dp, d2p = 0.3, -0.2, 0.1
    assert analytic_alpha(p, dp, d2p) == pytest.approx(p / (dp + p) * (1 + dp / p + d2p / dp))
    # An exponential density P = exp(c y) has P' = c P, P'' = c^2 P: alpha* = (1 + 2 c) / (1 + c).
    c = np.array([0.5, 1.0, 3.0])
    np.testing.assert_allclose(analytic_alpha(0.7, 0.7 * c, 0.7 * c**2), (1 + 2 * c) / (1 + c))


@pytest.mark.parametrize(
    ("p", "dp", "name"), [(0.3, 0.0, "dp"), (0.0, 0.3, "p"), (0.3, -0.3, "dp [+] p")]
)
def test_analytic_alpha_refuses_its_singular_points(p: float, dp: float, name: str) -> None:
    with pytest.raises(ValueError, match=f"singular where {name} = 0"):
        analytic_alpha(p, dp, 0.1)
    with pytest.raises(ValueError, match="singular"):
        analytic_alpha([0.4, p], [0.4, dp], 0.1)


def test_analytic_alpha_refuses_what_is_not_finite() -> None:
    with pytest.raises(ValueError, match="finite"):
        analytic_alpha(0.4, math.nan, 0.1)


@pytest.mark.parametrize(
    ("functions", "arguments", "wrong", "sentence"),
    [
        ([*IMPURITIES, find_alpha], (), (-0.1, 1.1, math.nan, [0.5, 2.0]), "p must be a share in"),
        ([renyi_entropy], (0.3,), (-1e-9, -math.inf, math.nan), "alpha must be a number of at"),
        ([find_alpha], (0.3,), (-0.1, 1.1, math.nan), "tolerance must lie in"),
        ([find_alpha], (0.3, 0.1), (0.0, -0.1, 1.5, math.nan), "step must lie in"),
        (
            [information_gain, gain_ratio, hellinger_distance],
            (1, 1, 1),
            (-1.0, math.nan, math.inf),
            "finite and not negative",
        ),
    ],
)
def test_what_is_out_of_range_is_refused(
    functions: list[Callable[..., object]],
    arguments: tuple[float, ...],
    wrong: tuple[object, ...],
    sentence: str,
) -> None:
    for function in functions:
        for value in wrong:
            with pytest.raises(ValueError, match=sentence):
                function(*arguments, value)
