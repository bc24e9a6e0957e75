"""Which condition of another tree stands for a shown one."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from thresher.condition.refitting import COUNTERPART, counterparts

LIKENESS = st.sampled_from([0.0, 0.05, 0.0999, 0.1, 0.3, 0.3, 0.7, 1.0])


@given(
    arrays(
        np.float64, array_shapes(min_dims=2, max_dims=2, min_side=0, max_side=6), elements=LIKENESS
    )
)
def test_counterparts_are_matched_one_to_one_the_most_alike_first(likeness):
    given = likeness.copy()
    pairs = counterparts(likeness)
    for places in zip(*pairs, strict=True):
        assert len(set(places)) == len(places)
    found = [given[pair] for pair in pairs]
    assert found == sorted(found, reverse=True)
    assert min(found, default=1.0) >= COUNTERPART
    # A pair that was left out lost one of its two to a pair that is as much alike or more.
    for row, column in zip(*np.nonzero(given >= COUNTERPART), strict=True):
        rivals = [given[pair] for pair in pairs if pair[0] == row or pair[1] == column]
        assert max(rivals, default=0.0) >= given[row, column]
    np.testing.assert_array_equal(likeness, given)
