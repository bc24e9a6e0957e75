"""How many parts a test takes, against statsmodels."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import samplesize_proportions_2indep_onetail

from thresher.action import parts_needed


@given(st.floats(0.01, 0.99), st.floats(0.01, 0.99), st.floats(0.55, 0.99), st.floats(0.001, 0.2))
def test_parts_are_those_of_statsmodels(now, then, power, level):
    if abs(now - then) < 0.01:
        return
    expected = samplesize_proportions_2indep_onetail(
        now - then, then, power, alpha=level, alternative="two-sided"
    )
    assert parts_needed(now, then, power=power, level=level) - 1 <= expected + 1e-6
    assert expected <= parts_needed(now, then, power=power, level=level) + 1e-6


def test_bad_rates_are_refused():
    with pytest.raises(ValueError, match="no number of parts"):
        parts_needed(0.1, 0.1)
    with pytest.raises(ValueError, match="rate_now"):
        parts_needed(1.1, 0.1)
