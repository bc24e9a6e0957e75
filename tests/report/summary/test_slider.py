"""The points of the slider against counting by hand."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from thresher.report.summary.case import Scored
from thresher.report.summary.slider import MOST_POINTS, slider_data
from thresher.threshold.rules import Costs


def count(p, truth, threshold):
    alert = p > threshold
    return [int(np.sum(part)) for part in (alert & truth, alert & ~truth, ~alert & truth)]


@given(
    scores=st.lists(st.sampled_from(np.linspace(0, 1, 21).tolist()), min_size=4, max_size=40),
    threshold=st.floats(0, 1),
    costs=st.none() | st.tuples(st.floats(0.1, 9), st.floats(0.1, 9)).map(lambda two: Costs(*two)),
    seed=st.integers(0, 99),
)
def test_every_point_is_what_its_threshold_decides(scores, threshold, costs, seed):
    p = np.array(scores)
    truth = np.random.default_rng(seed).permutation(np.arange(len(p)) % 3 == 0)
    data = slider_data(Scored(np.arange(len(p)), p, truth, ""), threshold, costs)
    for at, tp, fp, fn, tn in data["points"]:
        assert [tp, fp, fn] == count(p, truth, at)
        assert tp + fp + fn + tn == len(p)
    chosen = data["points"][data["marks"]["chosen"]]
    assert chosen[0] == threshold
    f1 = [2 * tp / (2 * tp + fp + fn) for _, tp, fp, fn, _ in data["points"]]
    assert f1[data["marks"]["best_f1"]] >= max(f1) - 1e-9
    if costs is not None:
        cost = [costs.fp * fp + costs.fn * fn for _, _, fp, fn, _ in data["points"]]
        assert cost[data["marks"]["lowest_cost"]] <= min(cost) + 1e-9


def test_a_long_curve_is_thinned_and_keeps_its_marks_and_ends():
    random = np.random.default_rng(0)
    truth = random.random(20_000) < 0.02
    p = np.clip(0.02 + 0.3 * truth + random.normal(0, 0.1, 20_000), 0, 1)
    data = slider_data(Scored(np.arange(len(p)), p, truth, ""), 0.123456, Costs(1.0, 9.0))
    points = np.array(data["points"])
    assert 100 < len(points) <= MOST_POINTS + 6
    assert points[data["marks"]["chosen"]][0] == 0.123456
    assert points[data["marks"]["half"]][0] == 0.5
    recall = points[:, 1] / truth.sum()
    assert recall[0] == 1.0
    assert recall[-1] == 0.0
    assert np.abs(np.diff(recall)).max() < 0.02
