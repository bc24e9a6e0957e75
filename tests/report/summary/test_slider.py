"""The points of the slider against counting by hand."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from thresher.judging.judgement import Judgement
from thresher.report.summary.case import Scored
from thresher.report.summary.curves import MAX_POINTS, slider_data, table_places
from thresher.threshold.counts import Costs
from thresher.wording import threshold as threshold_words


def count(p, truth, threshold):
    alert = p > threshold
    parts = (alert & truth, alert & ~truth, ~alert & truth, ~alert & ~truth)
    return [int(np.sum(part)) for part in parts]


ROWS = st.lists(st.sampled_from(np.linspace(0, 1, 21).tolist()), min_size=4, max_size=40)


def scored_rows(scores, seed):
    p = np.array(scores)
    truth = np.random.default_rng(seed).permutation(np.arange(len(p)) % 3 == 0)
    return Scored(np.arange(len(p)), p, truth, "")


@given(
    scores=ROWS,
    threshold=st.floats(-1, 2),
    costs=st.none() | st.tuples(st.floats(0.1, 9), st.floats(0.1, 9)).map(lambda two: Costs(*two)),
    seed=st.integers(0, 99),
)
def test_every_point_is_what_its_threshold_decides(scores, threshold, costs, seed):
    scored = scored_rows(scores, seed)
    p, truth = scored.probability, scored.is_positive
    data = slider_data(scored, threshold, costs)
    points, marks = data["points"], data["marks"]
    for at, *counts in points:
        # Below a score of 0 there is no threshold to show: the page says "everything" there.
        is_everything = counts[2] + counts[3] == 0
        assert counts == count(p, truth, -1.0 if is_everything else at)
        assert 0.0 <= at <= (p.min() if is_everything else 1.0)
    assert [at for at, *_ in points] == sorted(at for at, *_ in points)
    at, *counts = points[marks["chosen"]]
    assert at == np.clip(threshold, 0.0, 1.0)
    assert counts == count(p, truth, threshold)
    assert points[marks["half"]][1:] == count(p, truth, 0.5)
    f1 = [2 * tp / (2 * tp + fp + fn) for _, tp, fp, fn, _ in points]
    assert f1[marks["best_f1"]] >= max(f1) - 1e-9
    if costs is not None:
        cost = [costs.fp * fp + costs.fn * fn for _, _, fp, fn, _ in points]
        assert cost[marks["lowest_cost"]] <= min(cost) + 1e-9


@given(
    scores=st.lists(st.floats(0.2, 0.21) | st.floats(0, 1e-3), min_size=4, max_size=200),
    threshold=st.floats(0, 0.3),
    seed=st.integers(0, 99),
)
def test_the_table_shows_no_threshold_twice_but_the_ends_and_the_models_own(
    scores, threshold, seed
):
    data = slider_data(scored_rows(scores, seed), threshold, None)
    places, last, own = table_places(data), len(data["points"]) - 1, data["marks"]["chosen"]
    assert places == sorted(set(places))
    assert {0, own, last} <= set(places)
    words = [threshold_words(data["points"][place][0]) for place in places]
    others = [words[at] for at, place in enumerate(places) if place not in (0, own, last)]
    assert len(set(others)) == len(others)
    assert not set(others) & {threshold_words(data["points"][place][0]) for place in (0, own, last)}


@given(scores=ROWS, threshold=st.floats(-1, 2), seed=st.integers(0, 99))
def test_the_judgement_stands_at_the_models_own_point_and_nowhere_else(scores, threshold, seed):
    scored = scored_rows(scores, seed)
    judgement = Judgement(tn=1, fp=2, fn=3, tp=4, how="")
    plain = slider_data(scored, threshold, None)
    data = slider_data(scored, threshold, None, judgement)
    own = data["marks"]["chosen"]
    assert data["points"].pop(own) == [np.clip(threshold, 0.0, 1.0), 4, 2, 3, 1]
    plain["points"].pop(own)
    assert data["points"] == plain["points"]
    assert data["marks"] == plain["marks"]
    assert plain["flatters"] is None
    assert "sign for that one" in data["flatters"]


def test_a_long_curve_is_thinned_and_keeps_its_marks_and_ends():
    random = np.random.default_rng(0)
    truth = random.random(20_000) < 0.02
    p = np.clip(0.02 + 0.3 * truth + random.normal(0, 0.1, 20_000), 0, 1)
    data = slider_data(Scored(np.arange(len(p)), p, truth, ""), 0.123456, Costs(1.0, 9.0))
    points = np.array(data["points"])
    assert 100 < len(points) <= MAX_POINTS + 6
    assert points[data["marks"]["chosen"]][0] == 0.123456
    assert points[data["marks"]["half"]][0] == 0.5
    recall = points[:, 1] / truth.sum()
    assert recall[0] == 1.0
    assert recall[-1] == 0.0
    assert np.abs(np.diff(recall)).max() < 0.02
