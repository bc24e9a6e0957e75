"""Scores as counts decide as the rows themselves do."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.threshold.counts import Counts
from thresher.threshold.rules import make_rule
from thresher.threshold.score_counts import MAX_SCORES, ScoreCounts
from thresher.threshold.search import ScoredRows

SCORES = st.lists(st.sampled_from(np.linspace(0.0, 1.0, 33).tolist()), min_size=6, max_size=60)


@given(scores=SCORES, seed=st.integers(0, 99), rule=st.sampled_from(["f1", "bcr", "mcc", "prior"]))
def test_a_rule_chooses_what_it_chooses_on_the_rows(scores, seed, rule):
    truth = np.random.default_rng(seed).permutation(np.arange(len(scores)) % 3 == 0)
    rows, counts = ScoredRows.of(scores, truth), ScoreCounts.of(scores, truth)
    expected = make_rule(rule).choose(rows.cuts(), truth.mean())
    assert make_rule(rule).choose(counts.cuts(), truth.mean()) == expected
    found, by_hand = counts.counts_at(expected), Counts.of(np.array(scores) > expected, truth)
    np.testing.assert_array_equal(found, by_hand)


def test_many_scores_are_put_together_without_losing_a_row():
    random = np.random.default_rng(0)
    scores, truth = random.random(20_000), random.random(20_000) < 0.1
    thin = ScoreCounts.of(scores, truth)
    assert MAX_SCORES / 2 < len(thin.score) <= MAX_SCORES
    assert thin.positive.sum() == truth.sum()
    assert thin.negative.sum() == (~truth).sum()
    cuts = thin.cuts()
    for place in (1, 17, 2500, len(thin.score) - 1):
        # No group of scores lies on both sides of a threshold that can be chosen.
        by_hand = Counts.of(scores > cuts.thresholds[place], truth)
        np.testing.assert_array_equal([one[place] for one in cuts.counts], np.ravel(by_hand))


@pytest.mark.parametrize("rows", [5_001, 7_000, 200_000])
def test_many_scores_are_exact_at_the_cuts_asked_for_and_nearly_so_elsewhere(rows):
    random = np.random.default_rng(rows)
    scores, truth = random.random(rows) ** 3, random.random(rows) < 0.001
    asked = [0.0, *scores[:2].tolist(), 0.31, 1.0]
    exact, plain = ScoreCounts.of(scores, truth, None, *asked), ScoreCounts.of(scores, truth)
    assert len(exact.score) <= MAX_SCORES
    for cut in asked:
        by_hand = Counts.of(scores > cut, truth)
        np.testing.assert_array_equal(exact.counts_at(cut), by_hand)
    for cut in np.quantile(scores, [0.01, 0.3, 0.9, 0.99, 0.9999]):
        alerts = (scores > cut).sum()
        found = plain.counts_at(cut)
        assert 0 <= (found.fp + found.tp)[0] - alerts <= 0.003 * alerts
