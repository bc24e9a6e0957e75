"""Against scipy's and statsmodels' own."""

from math import comb

import numpy as np
import pytest
from scipy.stats import binomtest, fisher_exact, hypergeom
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import confint_proportions_2indep, proportion_confint

from thresher.statistics import (
    clopper_pearson,
    difference_interval,
    fisher_p,
    holm_adjusted,
    mean_bound,
    most_events,
    rows_for_one_event,
    stability_by_chance,
    stability_index,
    tail_bound,
    wilson,
)


@pytest.mark.parametrize("counts", [(0, 7, 3, 9), (7, 7, 0, 5), (56, 70, 48, 80), (3, 4000, 9, 90)])
def test_difference_interval(counts):
    expected = confint_proportions_2indep(*counts, method="newcomb")
    assert difference_interval(*counts) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(("hits", "n"), [(0, 7), (7, 7), (3, 9), (120, 3000), (1, 1)])
def test_wilson(hits, n):
    low, high = wilson(hits, n)
    expected = binomtest(hits, n).proportion_ci(method="wilson")
    assert (low, high) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_wilson_without_rows_is_unknown():
    assert np.isnan(wilson([0], [0])).all()


@pytest.mark.parametrize("confidence", [0.9, 0.95, 0.9875])
@pytest.mark.parametrize(("hits", "n"), [(0, 7), (7, 7), (3, 9), (120, 3000), (1, 1)])
def test_clopper_pearson(hits, n, confidence):
    expected = proportion_confint(hits, n, alpha=1.0 - confidence, method="beta")
    assert clopper_pearson(hits, n, confidence) == pytest.approx(expected, abs=1e-12)


def test_clopper_pearson_without_rows_is_anything():
    assert clopper_pearson(0, 0) == (0.0, 1.0)


def test_fisher():
    random = np.random.default_rng(0)
    for _ in range(50):
        (a, b), (c, d) = random.integers(0, 30, (2, 2))
        expected = fisher_exact([[a, b], [c, d]], alternative="greater").pvalue
        found = fisher_p([a], [a + b], int(a + c), int(a + b + c + d))
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_holm():
    random = np.random.default_rng(1)
    for size in (1, 2, 5, 20):
        p = random.random(size) ** 3
        np.testing.assert_allclose(holm_adjusted(p), multipletests(p, method="holm")[1])
    assert len(holm_adjusted([])) == 0


def test_a_tail_bound_is_above_the_probability_and_near_where_it_counts():
    random = np.random.default_rng(2)
    total = random.integers(1, 400, 3000)
    good, draws = (random.integers(0, total + 1) for _ in range(2))
    hits = random.integers(0, np.minimum(good, draws) + 2)
    exact, bound = hypergeom.sf(hits - 1, total, good, draws), tail_bound(hits, draws, good, total)
    assert (bound >= exact * (1 - 1e-9)).all()
    assert (bound <= 1.0).all()
    is_small = (exact < 0.01) & (exact > 1e-200)
    assert is_small.sum() > 400
    assert (bound[is_small] <= 1.1 * exact[is_small]).all()


def test_a_tail_bound_of_huge_tables():
    assert tail_bound(5 * 10**8, 10**9, 10**9, 4 * 10**9) == 0.0
    assert tail_bound(25 * 10**7, 10**9, 10**9, 4 * 10**9) == 1.0
    # Three standard deviations: sqrt(n p (1 - p) (1 - n / N)) with p = n / N = 1 / 4.
    hits = 25 * 10**7 + round(3 * np.sqrt(10**9 * 0.25 * 0.75 * 0.75))
    assert tail_bound(hits, 10**9, 10**9, 4 * 10**9) == pytest.approx(0.00135, rel=0.15)


def test_the_stability_index_of_equal_mixes_is_none_and_by_chance_about_what_is_told():
    assert stability_index([30, 20, 10], [300, 200, 100]) == pytest.approx(0.0, abs=1e-3)
    assert stability_index([10, 20, 30], [30, 20, 10]) == pytest.approx(
        stability_index([30, 20, 10], [10, 20, 30])
    )
    random = np.random.default_rng(3)
    shares = [0.4, 0.3, 0.2, 0.1]
    pairs = [(random.multinomial(200, shares), random.multinomial(500, shares)) for _ in range(400)]
    mean = np.mean([stability_index(*pair) for pair in pairs])
    assert mean == pytest.approx(stability_by_chance(*pairs[0]), rel=0.15)


@pytest.mark.parametrize("risk", [0.1, 0.05, 0.5, 1e-6])
def test_most_events_is_the_largest_within_the_risk(risk):
    for n in (1, 5, 22, 100, 333):
        for share in (0.01, 0.1, 0.5, 0.95):
            terms = [comb(n, i) * share**i * (1 - share) ** (n - i) for i in range(n + 1)]
            within = np.flatnonzero(np.cumsum(terms) <= risk * (1 + 1e-9))
            assert most_events(n, share, risk) == (within[-1] if len(within) else -1)


def test_one_event_needs_so_many_rows_and_not_one_less():
    for share, risk in [(0.1, 0.1), (0.05, 0.1), (0.01, 0.05), (0.5, 0.25), (0.9, 0.5)]:
        n = rows_for_one_event(share, risk)
        assert (1 - share) ** n <= risk * (1 + 1e-9)
        assert n == 1 or (1 - share) ** (n - 1) > risk


@pytest.mark.parametrize(("mean", "n"), [(0.02, 300), (0.5, 100)])
def test_a_bound_by_betting_holds_and_is_of_use(mean, n):
    random = np.random.default_rng(0)
    bounds = np.array([mean_bound(random.random(n) < mean, 0.9, seed) for seed in range(400)])
    assert (bounds >= mean).mean() >= 0.9
    # No wider than twice what a normal law with known variance needs for a ten thousandth.
    assert np.median(bounds) - mean < 2 * 3.72 * np.sqrt(mean * (1 - mean) / n)


def test_a_bound_by_betting_depends_on_the_values_alone():
    values = np.random.default_rng(1).choice([0.0, 0.3, 1.0], size=200)
    assert mean_bound(values, 0.9) == mean_bound(values[::-1], 0.9) > values.mean()
    assert mean_bound([], 0.9) == 1.0
    assert mean_bound(np.ones(50), 0.9) == pytest.approx(1.0)
    more_sure = mean_bound(values, 0.99)
    assert more_sure > mean_bound(values, 0.9)
