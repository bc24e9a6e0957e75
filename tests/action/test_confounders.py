"""Columns that move with a lever: their tests, against SciPy's."""

import numpy as np
import pytest
from scipy.stats import f_oneway, rankdata, spearmanr

from thresher.action.confounders import _correlation


@pytest.mark.parametrize("levels", [2, 3, 12])
def test_categories_are_tested_by_the_analysis_of_variance_of_ranks(levels):
    random = np.random.default_rng(levels)
    codes = random.integers(levels, size=120)
    lever = random.normal(size=120) + 0.3 * np.sin(codes)
    ranks = rankdata(lever)
    expected = f_oneway(*(ranks[codes == level] for level in range(levels)))
    _, p = _correlation(lever, codes.astype(float), is_category=True)
    assert p == pytest.approx(expected.pvalue, rel=1e-9)


def test_numbers_are_tested_as_spearman_does():
    random = np.random.default_rng(0)
    lever = random.normal(size=80)
    other = lever + random.normal(size=80) * 4.0
    expected = spearmanr(lever, other)
    rho, p = _correlation(lever, other, is_category=False)
    assert (rho, p) == (pytest.approx(expected.statistic), pytest.approx(expected.pvalue))
