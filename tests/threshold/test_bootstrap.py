"""The interval of the threshold: what it is made of, and that it covers."""

import time

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from tests.threshold.known_posterior import draw
from thresher import ThresholdClassifier
from thresher.threshold.bootstrap import threshold_interval
from thresher.threshold.rules import make_rule
from thresher.threshold.search import ScoredRows


def test_interval_of_the_prior_is_that_of_a_share():
    random = np.random.default_rng(0)
    y = random.random(2000) < 0.1
    rows = ScoredRows.of(random.random(2000), y)
    low, high = threshold_interval(rows, make_rule("prior"), n_bootstrap=2000, seed=0)
    spread = 1.96 * np.sqrt(y.mean() * (1 - y.mean()) / 2000)
    assert (low, high) == pytest.approx((y.mean() - spread, y.mean() + spread), abs=0.002)


def test_a_fixed_threshold_has_no_spread():
    rows = ScoredRows.of([0.1, 0.2, 0.7], [0, 1, 1])
    assert threshold_interval(rows, make_rule("cost"), n_bootstrap=20, seed=0) == (0.5, 0.5)


def test_a_sample_is_searched_as_its_rows_would_be():
    random = np.random.default_rng(3)
    scores, y = random.random(40).round(1), random.random(40) < 0.4
    weights = random.exponential(size=40)
    rows = ScoredRows.of(scores, y, weights)
    sample = rows.resampled(np.random.default_rng(7))
    drawn = np.random.default_rng(7).integers(40, size=40)
    by_row = np.repeat(rows.scores, np.bincount(rows.codes // 2, minlength=len(rows.scores)))
    expected = ScoredRows.of(by_row[drawn], rows.codes[drawn] % 2, rows.weights[drawn]).cuts()
    np.testing.assert_array_equal(sample.edges, expected.edges)
    for ours, theirs in zip(sample.counts, expected.counts, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-12)


def test_samples_of_one_class_are_drawn_again():
    rows = ScoredRows.of([0.1, 0.2, 0.3, 0.9], [0, 0, 0, 1])
    random = np.random.default_rng(0)
    assert all(0 < rows.resampled(random).share < 1 for _ in range(200))


def test_samples_that_cannot_meet_the_rule_are_left_out():
    rows = ScoredRows.of([0.1, 0.2, 0.3, 0.9], [0, 0, 0, 1])
    low, high = threshold_interval(rows, make_rule("budget", per_1000=250), 200, seed=0)
    assert 0.1 <= low <= high <= 1.0
    hopeless = threshold_interval(rows, make_rule("budget", per_1000=1), 20, seed=0)
    assert np.isnan(hopeless).all()


def test_classifier_keeps_an_interval_around_its_threshold():
    X, y, _ = draw(3000)
    model = ThresholdClassifier(LogisticRegression(), "f1", random_state=0).fit(X, y)
    low, high = model.threshold_interval_
    assert low < model.threshold_ < high
    again = ThresholdClassifier(LogisticRegression(), "f1", random_state=0).fit(X, y)
    assert again.threshold_interval_ == (low, high)
    none = ThresholdClassifier(LogisticRegression(), "f1", n_bootstrap=0).fit(X, y)
    assert none.threshold_interval_ is None
    assert none.threshold_ == model.threshold_


def test_interval_of_a_tuned_threshold_covers_the_best_one():
    """On true probabilities the BCR rule aims at the share of positives."""
    covered = 0
    for seed in range(40):
        _, y, truth = draw(1500, seed=seed)
        rows = ScoredRows.of(truth, y)
        low, high = threshold_interval(rows, make_rule("bcr"), 100, seed=seed)
        covered += low <= truth.mean() <= high
    assert covered >= 32


def test_200_samples_of_100_000_scores_take_seconds():
    random = np.random.default_rng(0)
    y = random.random(100_000) < 0.02
    rows = ScoredRows.of(random.random(100_000), y)
    start = time.process_time()
    threshold_interval(rows, make_rule("f1"), n_bootstrap=200, seed=0)
    # About 1 second; the limit leaves room for slow machines.
    assert time.process_time() - start < 15
