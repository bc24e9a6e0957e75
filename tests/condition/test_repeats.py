"""Conditions that others say already are left out; what each says alone stays."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from thresher.condition.repeats import own_conditions
from thresher.statistics import wilson


def test_two_causes_that_overlap_both_stay():
    rows = np.arange(300)
    first, second = rows < 30, (rows >= 20) & (rows < 50)
    assert own_conditions(np.array([first, second]), first | second) == [0, 1]


@given(st.integers(0, 2**32 - 1), st.integers(1, 6))
def test_what_is_kept_has_rows_of_its_own_above_the_average(seed, count):
    random = np.random.default_rng(seed)
    met = random.random((count, 200)) < random.uniform(0.02, 0.5)
    is_positive = random.random(200) < 0.1 + 0.6 * met[0]
    kept = own_conditions(met, is_positive)
    own = met[kept] & (met[kept].sum(axis=0) == 1)
    low, _ = wilson((own & is_positive).sum(axis=1), own.sum(axis=1))
    assert (low > is_positive.mean()).all()
