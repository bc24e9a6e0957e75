"""Against scipy's and statsmodels' own."""

import numpy as np
import pytest
from scipy.stats import binomtest, fisher_exact
from statsmodels.stats.multitest import multipletests

from thresher.statistics import fisher_p, holm_adjusted, wilson


@pytest.mark.parametrize(("hits", "n"), [(0, 7), (7, 7), (3, 9), (120, 3000), (1, 1)])
def test_wilson(hits, n):
    low, high = wilson(hits, n)
    expected = binomtest(hits, n).proportion_ci(method="wilson")
    assert (low, high) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_wilson_without_rows_is_unknown():
    assert np.isnan(wilson([0], [0])).all()


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
