"""Shifts of the prior, on rows whose true probabilities are known."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from tests.requirements import require
from tests.threshold.known_posterior import calibration_error, draw, draw_at_rate
from thresher import ThresholdClassifier
from thresher.threshold.prior_shift import estimate_rate, matching_factor, scale_odds, shift

X, Y, _ = draw(40_000)
X_TEST, Y_TEST, TRUTH = draw(50_000, seed=1)


def fitted(estimator=None, rule="prior", **parameters):
    estimator = LogisticRegression() if estimator is None else estimator
    return ThresholdClassifier(estimator, rule, n_bootstrap=0, **parameters).fit(X, Y)


def sampled(name):
    require(_has_imblearn(), "imbalanced-learn is not installed")
    from imblearn import over_sampling, pipeline, under_sampling

    sampler = getattr(over_sampling, name, None) or getattr(under_sampling, name)
    return pipeline.make_pipeline(sampler(random_state=0), LogisticRegression())


def _has_imblearn():
    from importlib.util import find_spec

    return find_spec("imblearn") is not None


def test_shift_is_bayes_rule():
    p, old, new = np.array([0.0, 0.01, 0.3, 0.99, 1.0]), 0.05, 0.4
    positive, negative = p * new / old, (1 - p) * (1 - new) / (1 - old)
    np.testing.assert_allclose(shift(p, old, new), positive / (positive + negative), rtol=1e-12)
    np.testing.assert_allclose(shift(shift(p, old, new), new, old), p, atol=1e-15)


@pytest.mark.parametrize("rate", [0.0, 1.0, -0.1, 1.5, float("nan")])
def test_rates_lie_strictly_between_0_and_1(rate):
    with pytest.raises(ValueError, match="new_rate must be"):
        shift([0.5], 0.1, rate)


def test_matching_factor_undoes_a_known_factor():
    distorted = scale_odds(TRUTH, 17.0)
    assert matching_factor(distorted, TRUTH.mean()) == pytest.approx(1 / 17, rel=1e-6)
    weights = np.random.default_rng(0).integers(0, 4, len(TRUTH)).astype(float)
    rate = np.average(TRUTH, weights=weights)
    assert matching_factor(distorted, rate, weights) == pytest.approx(1 / 17, rel=1e-6)


def test_matching_factor_says_when_probabilities_are_certain():
    with pytest.raises(ValueError, match="too many out-of-sample probabilities are exactly 1"):
        matching_factor(np.array([0.0, 1.0, 1.0, 1.0]), 0.25)
    with pytest.raises(ValueError, match="too few out-of-sample probabilities are exactly 0"):
        matching_factor(np.array([0.0, 0.0, 0.0, 0.9]), 0.5)


@pytest.mark.parametrize(
    "make_estimator",
    [
        lambda: LogisticRegression(class_weight="balanced"),
        lambda: LogisticRegression(class_weight={0: 1.0, 1: 200.0}),
        lambda: make_pipeline(StandardScaler(), LogisticRegression(class_weight="balanced")),
        lambda: sampled("RandomOverSampler"),
        lambda: sampled("RandomUnderSampler"),
    ],
    ids=["balanced", "weights", "pipeline", "over-sampled", "under-sampled"],
)
def test_distorted_probabilities_are_brought_back(make_estimator):
    plain = fitted(make_estimator()).predict_proba(X_TEST)[:, 1]
    corrected = fitted(make_estimator(), correct_prior=True).predict_proba(X_TEST)
    assert calibration_error(plain, TRUTH) > 0.15
    assert calibration_error(corrected[:, 1], TRUTH) < 0.006
    np.testing.assert_allclose(corrected.sum(axis=1), 1.0)


def test_honest_probabilities_are_hardly_moved():
    plain = fitted().predict_proba(X_TEST)[:, 1]
    corrected = fitted(correct_prior=True).predict_proba(X_TEST)[:, 1]
    assert calibration_error(plain, TRUTH) < 0.005
    assert np.abs(plain - corrected).max() < 0.005


def test_sample_weights_that_favour_a_class_are_brought_back():
    # The observed share follows the weights: rows of weight 10 are ten rows.
    weights = np.where(Y == 1, 10.0, 1.0)
    model = ThresholdClassifier(LogisticRegression(), n_bootstrap=0, correct_prior=True)
    model.fit(X, Y, sample_weight=weights)
    assert model.prior_ == pytest.approx(np.average(Y, weights=weights))
    back = model.adjust_prior(Y.mean()).predict_proba(X_TEST)[:, 1]
    assert calibration_error(back, TRUTH) < 0.005


def test_correction_lets_prior_and_cost_keep_their_meaning():
    honest = fitted(rule="cost", cost_fn=20.0).predict(X_TEST)
    weighted = LogisticRegression(class_weight="balanced")
    corrected = fitted(weighted, "cost", cost_fn=20.0, correct_prior=True).predict(X_TEST)
    distorted = fitted(weighted, "cost", cost_fn=20.0).predict(X_TEST)
    assert (honest == corrected).mean() > 0.99
    assert (honest == distorted).mean() < 0.8


@pytest.mark.parametrize("rate", [0.01, 0.2, 0.5])
def test_em_recovers_a_shifted_prior(rate):
    X_new, y_new = draw_at_rate(100_000, rate, seed=2)
    estimate = fitted().estimate_prior(X_new)
    assert abs(estimate - y_new.mean()) < 0.01


def test_em_recovers_a_shifted_prior_of_a_weighted_model():
    X_new, y_new = draw_at_rate(100_000, 0.15, seed=3)
    weighted = LogisticRegression(class_weight="balanced")
    model = fitted(weighted, correct_prior=True)
    assert abs(model.estimate_prior(X_new) - y_new.mean()) < 0.01
    # The prior that the model stands for at the moment does not matter.
    assert abs(model.adjust_prior(0.3).estimate_prior(X_new) - y_new.mean()) < 0.01


def test_em_without_a_positive_goes_to_zero():
    assert estimate_rate(np.full(1000, 1e-6), rate=0.1) < 1e-3
    assert estimate_rate(np.zeros(10), rate=0.1) == 0.0


def test_adjusted_probabilities_are_calibrated_at_the_new_rate():
    X_new, y_new = draw_at_rate(50_000, 0.3, seed=4)
    model = fitted()
    assert abs(model.predict_proba(X_new)[:, 1].mean() - 0.3) > 0.1
    assert model.adjust_prior(0.3) is model
    p = model.predict_proba(X_new)[:, 1]
    for low in (0.1, 0.3, 0.5, 0.7):
        inside = (p > low) & (p <= low + 0.2)
        assert abs(p[inside].mean() - y_new[inside].mean()) < 0.02


def test_prior_rule_takes_the_new_rate_and_decides_alike():
    model = fitted()
    before = model.predict(X_TEST)
    model.adjust_prior(0.3)
    assert model.threshold_ == model.prior_ == 0.3
    assert (model.predict(X_TEST) == before).all()


def test_cost_rule_keeps_its_threshold_and_decides_anew():
    model = fitted(rule="cost", cost_fn=9.0)
    before = model.predict(X_TEST).mean()
    model.adjust_prior(0.3)
    assert model.threshold_ == pytest.approx(0.1)
    assert model.predict(X_TEST).mean() > 2 * before


def test_tuned_rule_is_tuned_for_the_new_rate():
    X_new, y_new = draw_at_rate(50_000, 0.4, seed=5)
    model = fitted(rule="f1")
    stale = f1_score(y_new, model.predict(X_new))
    model.adjust_prior(0.4)
    p = model.predict_proba(X_new)[:, 1]
    best = max(f1_score(y_new, p > t) for t in np.linspace(0.05, 0.95, 60))
    fresh = f1_score(y_new, model.predict(X_new))
    assert fresh > stale + 0.05
    assert fresh > best - 0.005
    curve = model.curve_
    assert curve["alerts_per_1000"].iloc[0] == pytest.approx(1000.0)
    assert curve["precision"].iloc[0] == pytest.approx(0.4)


def test_adjusting_is_absolute_and_can_be_undone():
    model = fitted(rule="f1")
    threshold, p = model.threshold_, model.predict_proba(X_TEST)
    model.adjust_prior(0.4).adjust_prior(0.1).adjust_prior(float(Y.mean()))
    assert model.threshold_ == threshold
    np.testing.assert_array_equal(model.predict_proba(X_TEST), p)


def test_a_rate_at_which_the_rule_cannot_be_met_changes_nothing():
    # One alert is 0.025 of 1000 rows; at the new rate a positive stands for more of them.
    model = fitted(rule="budget", per_1000=0.05)
    prior, threshold = model.prior_, model.threshold_
    with pytest.raises(ValueError, match=r"at or below 0\.05 .* best attainable value"):
        model.adjust_prior(0.9)
    assert (model.prior_, model.threshold_) == (prior, threshold)


def test_scores_that_are_no_probabilities_have_no_prior():
    model = fitted(LinearSVC(), "f1")
    for call in (lambda: model.adjust_prior(0.2), lambda: model.estimate_prior(X_TEST)):
        with pytest.raises(ValueError, match=r"needs probabilities, but LinearSVC has no"):
            call()
