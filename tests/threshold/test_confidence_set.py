"""The interval of the threshold: what it is made of, and that it covers."""

import numpy as np
import pytest
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

from tests.threshold.known_posterior import draw
from thresher import ThresholdClassifier
from thresher.threshold.confidence_set import (
    MAX_CUTS,
    PoissonSamples,
    plausible,
    threshold_interval,
)
from thresher.threshold.rules import make_rule
from thresher.threshold.score_counts import ScoreCounts
from thresher.threshold.search import ScoredRows


def interval(scores, y, rule, weights=None, n_bootstrap=200, **others):
    rows = ScoredRows.of(scores, y, weights)
    seed = others.pop("seed", 0)
    squares = rows.squares()
    return threshold_interval(rows.cuts(), rule, n_bootstrap, seed, squares=squares, **others)


def test_interval_of_the_prior_is_that_of_a_share():
    random = np.random.default_rng(0)
    y = random.random(2000) < 0.1
    found = interval(random.random(2000), y, make_rule("prior"), n_bootstrap=2000)
    spread = 1.96 * np.sqrt(y.mean() * (1 - y.mean()) / 2000)
    assert found == pytest.approx((y.mean() - spread, y.mean() + spread), abs=0.002)


def test_a_fixed_threshold_has_no_spread():
    assert interval([0.1, 0.2, 0.7], [0, 1, 1], make_rule("cost"), n_bootstrap=20) == (0.5, 0.5)


def test_samples_have_the_mean_and_the_variance_of_drawn_rows():
    random = np.random.default_rng(1)
    scores, y = random.random(300).round(1), random.random(300) < 0.3
    weights = random.exponential(size=300).round(2) + 0.1
    rows = ScoredRows.of(scores, y, weights)
    samples = PoissonSamples.of(rows.cuts(), rows.squares())
    found = np.array([one.fn for one in samples.drawn(4000, seed=0)])
    by_cut = [y & (scores <= edge) for edge in rows.cuts().lower]
    mean = np.array([rows_in @ weights for rows_in in by_cut])
    spread = np.sqrt([rows_in @ weights**2 for rows_in in by_cut])
    np.testing.assert_allclose(found.mean(axis=0), mean, rtol=0.03, atol=1e-9)
    np.testing.assert_allclose(found.std(axis=0), spread, rtol=0.06, atol=1e-9)


def test_many_cuts_are_thinned_without_losing_a_row():
    random = np.random.default_rng(2)
    scores, y = random.random(50_000), random.random(50_000) < 0.01
    cuts = ScoredRows.of(scores, y).cuts()
    samples = PoissonSamples.of(cuts)
    assert len(samples.places) <= MAX_CUTS
    assert (samples.places[0], samples.places[-1]) == (0, len(cuts.lower) - 1)
    for whole, part in zip(cuts.counts, samples.counts, strict=True):
        np.testing.assert_array_equal(whole[samples.places], part)


def test_a_set_is_what_no_other_cut_surely_beats():
    """The definition once more, cut by cut: a loop over what is left until nothing goes."""
    random = np.random.default_rng(3)
    scores = random.random(200).round(2)
    y = random.random(200) < scores**2
    samples = PoissonSamples.of(ScoredRows.of(scores, y).cuts())
    drawn = samples.drawn(100, seed=4)
    found = plausible(samples.counts, drawn, make_rule("bcr"), 0.9)
    value, draws = samples.counts.bcr, np.array([one.bcr for one in drawn])
    best = max(range(len(value)), key=lambda place: (value[place], place))
    left = set(range(len(value)))
    while True:
        spread = {c: np.std([d[best] - d[c] for d in draws]) for c in left}
        largest = [
            max(
                ((d[best] - d[c]) - (value[best] - value[c])) / spread[c]
                for c in left
                if spread[c] > 0
            )
            for d in draws
        ]
        critical = np.quantile(largest, 0.9)
        kept = {c for c in left if value[best] - value[c] <= critical * spread[c]}
        if kept == left:
            break
        left = kept
    assert {*np.flatnonzero(found).tolist()} == left
    assert best in left


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("f1", {}),
        ("mcc", {}),
        ("precision_at_recall", {"floor": 0.8}),
        ("recall_at_precision", {"floor": 0.3}),
        ("budget", {"per_1000": 100}),
    ],
)
@pytest.mark.parametrize("decimals", [8, 1])
def test_the_threshold_lies_inside_whatever_the_rule(name, parameters, decimals):
    _, y, truth = draw(1500, seed=1)
    rule, scores = make_rule(name, **parameters), truth.round(decimals)
    low, high = interval(scores, y, rule)
    assert low <= rule.choose(ScoredRows.of(scores, y).cuts()) <= high
    assert 0.0 <= low < high <= 1.0


def test_functions_that_are_nan_somewhere_and_scores_that_are_no_probabilities():
    _, y, truth = draw(800)

    def precision_of_some(tn, fp, fn, tp):
        return np.where(tp + fp > 50, tp / (tp + fp), np.nan)

    low, high = interval(truth, y, make_rule(precision_of_some), n_bootstrap=50)
    assert low < high
    rows = ScoredRows.of(np.log(truth), y, is_probability=False)
    low, high = threshold_interval(rows.cuts(), make_rule("f1"), 50, seed=0)
    assert low < high < 0.0


def test_grouped_scores_have_nearly_the_same_interval():
    random = np.random.default_rng(5)
    p = expit(random.normal(size=30_000) * 2 - 3)
    y = random.random(len(p)) < p
    whole = interval(p, y, make_rule("f1"))
    grouped = threshold_interval(ScoreCounts.of(p, y).cuts(), make_rule("f1"), 200, seed=0)
    assert grouped == pytest.approx(whole, abs=0.03)


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


def best_threshold(p, measure):
    """The best cut of true probabilities, by expected counts."""
    p = np.sort(p)
    alerts, hits = np.arange(len(p), 0, -1.0), np.cumsum(p[::-1])[::-1]
    return p[np.argmax(measure(hits, alerts, hits[0], float(len(p))))]


MEASURES = {
    "f1": lambda hits, alerts, positives, n: 2 * hits / (alerts + positives),
    "bcr": lambda hits, alerts, positives, n: hits / positives - (alerts - hits) / (n - positives),
}


@pytest.mark.parametrize("rule", MEASURES)
@pytest.mark.parametrize("coverage", [0.9, 0.95])
def test_it_holds_the_best_threshold_as_often_as_it_says(rule, coverage):
    """True probabilities as scores; docs/thresholding.md has more cells."""
    random = np.random.default_rng(6)
    best = best_threshold(expit(random.normal(size=400_000) * 2 - 3), MEASURES[rule])
    covered = 0
    for seed in range(100):
        p = expit(random.normal(size=1500) * 2 - 3)
        y = random.random(1500) < p
        low, high = interval(p, y, make_rule(rule), n_bootstrap=100, seed=seed, coverage=coverage)
        covered += low <= best <= high
    # Three standard errors below what is asked for.
    assert covered >= 100 * coverage - 3 * np.sqrt(100 * coverage * (1 - coverage))
