"""Counts of scores that come block by block, against the scores themselves."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from thresher.judging.contest import Contest, Entry
from thresher.judging.row_prints import RowPrints
from thresher.plant.lake import scores as module
from thresher.plant.lake.columns import Prints
from thresher.plant.lake.scores import Decisions, ScoreTally
from thresher.threshold import score_counts
from thresher.threshold.counts import Counts
from thresher.threshold.score_counts import ScoreCounts


def tallied(scores, truth, blocks, cut):
    tally = ScoreTally(cut)
    for rows in blocks:
        tally.add(scores[rows], truth[rows])
    return tally.counts()


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 10**6), st.integers(2, 9), st.sampled_from([1, 3, 7, 1000, 10**6]))
def test_few_scores_are_counted_one_by_one(seed, n_blocks, levels):
    random = np.random.default_rng(seed)
    scores, truth = random.integers(0, levels, 500) / levels, random.random(500) < 0.2
    found = tallied(scores, truth, np.array_split(random.permutation(500), n_blocks), 0.5)
    for one, other in zip(found, ScoreCounts.of(scores, truth), strict=True):
        assert one.tolist() == other.tolist()


@pytest.mark.parametrize("cut", [0.0, 0.2503, 0.5, 1.0])
def test_many_scores_are_exact_at_the_cut_in_any_order(cut, monkeypatch):
    monkeypatch.setattr(module, "MAX_EXACT", 200)
    monkeypatch.setattr(module, "GRID", 512)
    monkeypatch.setattr(score_counts, "MAX_SCORES", 60)
    random = np.random.default_rng(0)
    scores, truth = random.beta(1, 6, 4000), random.random(4000) < 0.1
    scores[:5] = cut
    whole = tallied(scores, truth, [slice(None)], cut)
    parts = tallied(scores, truth, np.array_split(random.permutation(4000), 7), cut)
    for one, other in zip(whole, parts, strict=True):
        assert one.tolist() == other.tolist()
    assert len(whole.score) <= 60
    assert (whole.least[1:] > whole.score[:-1]).all()
    expected = Counts.of(scores > cut, truth)
    assert [count[0] for count in whole.counts_at(cut)] == [count[0] for count in expected]
    near = whole.cuts().best_threshold(whole.cuts().counts.fbeta())
    exact = Counts.of(scores > near, truth)
    assert [count[0] for count in whole.counts_at(near)] == [count[0] for count in exact]


def test_the_contest_of_counts_is_that_of_rows():
    random = np.random.default_rng(3)
    truth = random.random(3000) < 0.1
    scores = [truth + random.normal(0.0, noise, 3000) for noise in (0.5, 0.6, 0.9)]
    thresholds, complexity = [0.7, 0.8, 0.9], [0, 1, 4]
    known = np.ones(3000, dtype=bool)
    entries = [
        Entry(one, score > threshold, known)
        for one, score, threshold in zip(complexity, scores, thresholds, strict=True)
    ]
    expected = Contest(truth, Counts.fbeta, seed=5)
    decisions = Decisions(thresholds)
    for rows in np.array_split(np.arange(3000), 4):
        decisions.add([score[rows] for score in scores], truth[rows])
    found, groups = decisions.comparison(complexity, Counts.fbeta, seed=5)
    assert len(groups[0].is_alert) <= 16
    assert found.standings(groups) == expected.standings(entries)
    single = Decisions(thresholds[:1])
    single.add_counts(Counts.of(scores[0] > 0.7, truth))
    alone, group = single.comparison(complexity[:1], Counts.fbeta, seed=5)
    assert alone.standings(group) == expected.standings(entries[:1])


def test_prints_of_blocks_are_those_of_all_rows(monkeypatch):
    from thresher.judging import row_prints
    from thresher.plant.lake import columns

    for place in (row_prints, columns):
        monkeypatch.setattr(place, "MAX_PRINTS", 40)
    hashes = np.random.default_rng(0).integers(0, 200, 900).astype(np.uint64)
    prints = Prints()
    for rows in np.array_split(hashes, 11):
        prints.add(rows)
    found, expected = prints.found(), RowPrints.of(hashes)
    assert found.hashes.tolist() == expected.hashes.tolist()
    assert (found.rows, found.repeated) == (expected.rows, expected.repeated)
