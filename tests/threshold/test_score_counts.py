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
    assert len(thin.score) == MAX_SCORES
    assert thin.positive.sum() == truth.sum()
    assert thin.negative.sum() == (~truth).sum()
    cuts = thin.cuts()
    for place in (1, 17, 2500, 4999):
        # No group of scores lies on both sides of a threshold that can be chosen.
        by_hand = Counts.of(scores > cuts.thresholds[place], truth)
        np.testing.assert_array_equal([one[place] for one in cuts.counts], np.ravel(by_hand))


@pytest.mark.parametrize("parts", [2, 5])
def test_joined_counts_are_those_of_all_rows(parts):
    random = np.random.default_rng(parts)
    scores, truth = random.integers(9, size=90) / 8, random.random(90) < 0.3
    pieces = [ScoreCounts.of(scores[part::parts], truth[part::parts]) for part in range(parts)]
    np.testing.assert_array_equal(ScoreCounts.joined(pieces), ScoreCounts.of(scores, truth))
