"""Measures and intervals of a judgement, against scikit-learn, statsmodels and the bootstrap."""

import numpy as np
import pytest
from sklearn.metrics import f1_score, precision_score, recall_score
from statsmodels.stats.proportion import proportion_confint

from thresher.judging.judgement import Fold, Judgement, judged_at, judged_by
from thresher.threshold.counts import Costs, Counts
from thresher.threshold.rules import make_rule
from thresher.threshold.score_counts import ScoreCounts


@pytest.fixture
def decided():
    random = np.random.default_rng(0)
    truth = random.random(900) < 0.1
    return truth, (random.random(900) < 0.6) & truth | (random.random(900) < 0.03)


def test_measures_are_those_of_scikit_learn(decided):
    truth, alert = decided
    found = Judgement.of(Counts.of(alert, truth), "by hand", costs=Costs(2.0, 30.0))
    assert found.precision == precision_score(truth, alert)
    assert found.recall == recall_score(truth, alert)
    assert found.f1 == f1_score(truth, alert)
    assert found.alerts_per_1000 == pytest.approx(1000 * alert.mean())
    assert found.cost_per_1000 == pytest.approx(1000 * (2 * found.fp + 30 * found.fn) / 900)
    assert found.cost_without_alerts == pytest.approx(1000 * 30 * truth.mean())


def test_shares_have_wilsons_interval_and_f1_that_of_a_bootstrap_over_rows(decided):
    truth, alert = decided
    found = Judgement.of(Counts.of(alert, truth), "by hand").intervals
    hits = int((truth & alert).sum())
    for name, n in (("recall", truth.sum()), ("precision", alert.sum())):
        assert found[name] == pytest.approx(proportion_confint(hits, n, method="wilson"))
    random = np.random.default_rng(1)
    drawn = [random.integers(900, size=900) for _ in range(2000)]
    by_hand = np.quantile([f1_score(truth[rows], alert[rows]) for rows in drawn], [0.025, 0.975])
    assert found["f1"] == pytest.approx(by_hand, abs=0.012)


def test_without_alerts_there_is_no_precision_to_be_sure_of():
    found = Judgement.of(Counts.of([False] * 5, [True, False, False, False, False]), "")
    assert found.intervals["precision"] is None
    assert found.f1 == 0.0


def test_a_rule_is_judged_by_rows_that_did_not_choose():
    """On noise a threshold picked afterwards finds something; chosen in other rows it does not."""
    gaps = []
    for seed in range(30):
        random = np.random.default_rng(seed)
        halves = [ScoreCounts.of(random.random(150), np.arange(150) % 10 == 0) for _ in range(2)]
        folds = [Fold(0.5, "", *pair, 0.1) for pair in (halves, halves[::-1])]
        rule = make_rule("bcr")
        nested = judged_by([fold.by_rule(rule) for fold in folds], "")
        after = [rule.choose(half.cuts(), 0.1) for half in halves]
        flattered = np.mean(
            [half.counts_at(t).bcr[0] for half, t in zip(halves, after, strict=True)]
        )
        gaps.append((flattered, float(nested.counts.bcr[0])))
    flattered, nested = np.mean(gaps, axis=0)
    assert flattered > 0.54
    assert abs(nested - 0.5) < 0.03


def test_a_fold_in_which_no_threshold_keeps_the_rule_alerts_on_nothing():
    scores = ScoreCounts.of([0.2, 0.2, 0.2, 0.2], [0, 0, 0, 1])
    fold = Fold(0.1, "", scores, scores, 0.25)
    found = judged_by([fold.by_rule(make_rule("budget", per_1000=5))], "")
    assert found.alerts == 0
    assert judged_at([fold], 0.1, "").alerts == 4
