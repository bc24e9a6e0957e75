"""The stratified rank test against scipy's, and against chance."""

import numpy as np
import pytest
from scipy.stats import mannwhitneyu

from thresher.judging.verdict import ranking_p
from thresher.threshold.score_counts import ScoreCounts


@pytest.mark.parametrize("digits", [1, 6])
def test_one_fold_is_mann_whitneys_test(digits):
    random = np.random.default_rng(digits)
    truth = random.random(300) < 0.2
    scores = np.clip(random.normal(0.4 + 0.1 * truth, 0.2), 0, 1).round(digits)
    expected = mannwhitneyu(
        scores[truth], scores[~truth], alternative="greater", use_continuity=False
    )
    assert ranking_p([ScoreCounts.of(scores, truth)]) == pytest.approx(expected.pvalue)


def test_folds_with_scores_on_other_levels_do_not_hide_a_ranking():
    random = np.random.default_rng(0)
    folds = []
    for level in (0.1, 0.4, 0.7):
        truth = np.arange(200) % 10 == 0
        folds.append(ScoreCounts.of(level + 0.02 * truth + 0.03 * random.random(200), truth))
    assert ranking_p(folds) < 1e-6


def test_noise_is_called_a_ranking_as_often_as_it_should():
    random = np.random.default_rng(1)
    p = [
        ranking_p([ScoreCounts.of(random.random(80), np.arange(80) % 8 == 0) for _ in range(5)])
        for _ in range(400)
    ]
    assert 0.02 < np.mean(np.array(p) < 0.05) < 0.09
