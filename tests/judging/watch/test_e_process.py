"""The law of an e-process by exact enumeration, its definition by brute force."""

from itertools import product
from math import comb, exp, log

import numpy as np
import pytest

from thresher.judging.watch.e_process import HORIZON, RATIOS, log_e_values, strongest_start


def every_course(sizes):
    return product(*(range(size + 1) for size in sizes))


def chance(course, sizes, rate):
    """Return the probability of hits in each batch; `rate` may depend on those before."""
    result = 1.0
    for place, (hits, size) in enumerate(zip(course, sizes, strict=True)):
        p = rate(course[:place])
        result *= comb(size, hits) * p**hits * (1.0 - p) ** (size - hits)
    return result


RATES = {
    "at the limit": lambda limit: lambda before: limit,
    "half of it": lambda limit: lambda before: limit / 2,
    "none": lambda limit: lambda before: 0.0,
    "after hits": lambda limit: lambda before: limit if sum(before) % 2 else limit / 3,
    "after none": lambda limit: lambda before: 0.0 if before and before[-1] else limit,
}


@pytest.mark.parametrize("sizes", [(1,), (3,), (2, 0, 3), (1, 1, 1, 1, 1), (4, 1, 2)])
@pytest.mark.parametrize("limit", [0.02, 0.3, 0.95])
@pytest.mark.parametrize("kind", RATES)
def test_the_expectation_is_at_most_one_while_the_rate_is_within_the_limit(sizes, limit, kind):
    rate = RATES[kind](limit)
    expected = np.zeros(len(sizes))
    for course in every_course(sizes):
        e_values = np.exp(log_e_values(course, sizes, limit))
        expected += chance(course, sizes, rate) * e_values
    assert (expected <= 1.0 + 1e-12).all()
    if kind == "at the limit":
        np.testing.assert_allclose(expected, 1.0, rtol=1e-12)


@pytest.mark.parametrize("level", [0.5, 0.2, 0.05, 0.01])
@pytest.mark.parametrize("kind", RATES)
def test_the_line_is_ever_reached_with_at_most_the_level(level, kind):
    sizes, limit = (2, 1, 2, 1, 2, 1), 0.2
    rate = RATES[kind](limit)
    reached = sum(
        chance(course, sizes, rate)
        for course in every_course(sizes)
        if log_e_values(course, sizes, limit).max() >= log(1.0 / level)
    )
    assert reached <= level


def by_definition(hits, rows, limit):
    """Return the e-value after the last batch: every bet on its own, in plain numbers."""
    t = len(hits)

    def money(first):
        later = HORIZON / ((HORIZON + first - 1) * (HORIZON + first))
        return 0.5 * later + (0.5 if first == 1 else 0.0)

    total = 0.5 * HORIZON / (HORIZON + t)
    for first in range(1, t + 1):
        for ratio in RATIOS:
            q = ratio * limit / (1 - limit + ratio * limit)
            pay = 1.0
            for k, n in zip(hits[first - 1 :], rows[first - 1 :], strict=True):
                pay *= (q / limit) ** k * ((1 - q) / (1 - limit)) ** (n - k)
            total += money(first) * pay / len(RATIOS)
    return total


def test_all_bets_by_brute_force():
    random = np.random.default_rng(0)
    for _ in range(10):
        rows = random.integers(0, 40, 12)
        hits = random.binomial(rows, 0.15)
        found = log_e_values(hits, rows, 0.1)
        for t in (1, 5, 12):
            assert exp(found[t - 1]) == pytest.approx(by_definition(hits[:t], rows[:t], 0.1))


def test_all_money_is_put_somewhere():
    for t in (1, 2, 100, 5000):
        assert by_definition_of_money(t) == pytest.approx(1.0, rel=1e-12)


def by_definition_of_money(t):
    # Without rows every bet pays 1, so that the e-value is the money itself.
    return exp(log_e_values(np.zeros(t), np.zeros(t), 0.1)[-1])


def test_many_years_at_once_are_the_years_one_by_one():
    random = np.random.default_rng(1)
    hits, limits = random.binomial(50, 0.1, (4, 30)), random.uniform(0.05, 0.2, 4)
    together = log_e_values(hits, np.full(30, 50), limits)
    for year, limit, found in zip(hits, limits, together, strict=True):
        np.testing.assert_array_equal(log_e_values(year, np.full(30, 50), limit), found)


def test_what_was_seen_does_not_change_by_what_comes():
    random = np.random.default_rng(2)
    hits, rows = random.binomial(300, 0.02, 400), np.full(400, 300)
    whole = log_e_values(hits, rows, 0.015)
    for t in (1, 17, 399):
        np.testing.assert_array_equal(log_e_values(hits[:t], rows[:t], 0.015), whole[:t])


def test_long_quiet_times_are_finite_and_forgotten():
    rows = np.full(3660, 10_000)
    hits = np.r_[np.full(3650, 50), np.full(10, 200)]
    found = log_e_values(hits, rows, 0.01)
    assert np.isfinite(found).all()
    assert found[3649] < 0.0 < found[3655]
    assert strongest_start(hits, rows, 0.01).place == 3650


def test_a_limit_of_one_finds_nothing():
    assert (log_e_values([5, 5, 5], [5, 5, 5], 1.0) <= 0.0).all()


def test_no_batch():
    assert log_e_values([], [], 0.1).shape == (0,)
