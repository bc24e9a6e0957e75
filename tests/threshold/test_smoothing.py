"""The smoothed choice of a threshold: scikit-learn's logistic regression, and brute force."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression

from thresher import ImbalancedForestClassifier, ThresholdClassifier
from thresher.datasets import load_dataset
from thresher.threshold.platt import Platt, logits
from thresher.threshold.rules import make_rule
from thresher.threshold.search import ScoredRows


def curve_of_sklearn(z, is_positive):
    """Return the probabilities of Platt's curve by a solver of another kind."""
    n_positive, n_negative = is_positive.sum(), (~is_positive).sum()
    high, low = (n_positive + 1) / (n_positive + 2), 1 / (n_negative + 2)
    target = np.where(is_positive, high, low)
    # Each row once as a positive and once as a negative one.
    X = np.concatenate([z, z])[:, None]
    y, weights = np.repeat([1, 0], len(z)), np.concatenate([target, 1 - target])
    model = LogisticRegression(C=np.inf, tol=1e-10, max_iter=10_000).fit(X, y, weights)
    return model.predict_proba(z[:, None])[:, 1]


def scored(seed, n=80, levels=25):
    random = np.random.default_rng(seed)
    is_positive = random.random(n) < 0.2
    is_positive[:2] = True, False
    scores = np.clip(random.normal(0.3 + 0.2 * is_positive, 0.15), 0.0, 1.0)
    return np.round(scores * levels) / levels, is_positive


@given(seed=st.integers(0, 10_000))
@settings(max_examples=50, deadline=None)
def test_the_cut_has_the_largest_f1_of_shrunk_labels(seed):
    scores, is_positive = scored(seed)
    z = logits(scores)
    q = 0.3 * is_positive + 0.7 * curve_of_sklearn((z - z.mean()) / z.std(), is_positive)
    rule = make_rule("f1", smooth=True)
    chosen = rule.choose(ScoredRows.of(scores, is_positive).cuts())

    def f1(threshold):
        above = scores > threshold
        return 2 * q[above].sum() / (above.sum() + q.sum())

    best = max(f1(cut) for cut in [-1.0, *np.unique(scores)])
    assert f1(chosen) == pytest.approx(best, rel=1e-5)


@given(seed=st.integers(0, 10_000), rule=st.sampled_from(["f1", "bcr", "gmean", "mcc"]))
@settings(max_examples=30, deadline=None)
def test_weights_are_repeats(seed, rule):
    scores, is_positive = scored(seed, n=40)
    times = np.random.default_rng(seed).integers(1, 4, len(scores))
    weighted = ScoredRows.of(scores, is_positive, times.astype(float))
    repeated = ScoredRows.of(np.repeat(scores, times), np.repeat(is_positive, times))
    choice = make_rule(rule, smooth=True)
    assert choice.choose(weighted.cuts()) == pytest.approx(choice.choose(repeated.cuts()))


def test_scores_that_are_no_probabilities_have_a_curve_too():
    scores, is_positive = scored(3)
    rows = ScoredRows.of(5.0 * scores - 9.0, is_positive, is_probability=False)
    threshold = make_rule("f1", smooth=True).choose(rows.cuts())
    assert -9.0 < threshold < -4.0


@pytest.mark.parametrize("scores", [[0.5] * 4, [0.0, 0.0, 1.0, 1.0]])
def test_ends_and_equal_scores_have_a_finite_curve(scores):
    cuts = ScoredRows.of(scores, [False, False, True, True]).cuts()
    assert np.isfinite(make_rule("f1", smooth=True).choose(cuts))


def test_a_penalty_draws_the_slope_to_one():
    scores, is_positive = scored(5)
    parts = logits(scores), (~is_positive).astype(float), is_positive.astype(float)
    free, held = Platt.fit(*parts), Platt.fit(*parts, penalty=1e9)
    assert held.slope == pytest.approx(1.0, abs=1e-4)
    assert abs(free.slope - 1.0) > 0.05


def test_estimators_hand_it_on():
    X, y = load_dataset("Yeast-me1")
    forest = ImbalancedForestClassifier(50, rule="bcr", random_state=0, n_bootstrap=0)
    plain, smooth = (forest.set_params(smooth=one).fit(X, y).threshold_ for one in (False, True))
    assert plain != smooth
    outer = ThresholdClassifier(forest, "mcc", smooth=True, cv=2, n_bootstrap=0).fit(X, y)
    assert 0.0 < outer.threshold_ < 1.0


def test_other_rules_are_refused():
    with pytest.raises(ValueError, match="smooth=True is for the rules 'f1'"):
        make_rule("budget", per_1000=5, smooth=True)
    with pytest.raises(TypeError, match="smooth must be True or False, got 'yes'"):
        make_rule("f1", smooth="yes")
