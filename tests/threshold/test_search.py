"""Every rule finds what brute force finds, on hundreds of score vectors with ties and weights."""

import numpy as np
import pytest

from tests.threshold import brute_force as brute
from thresher.threshold.counts import Costs
from thresher.threshold.rules import make_rule
from thresher.threshold.search import ScoredRows

N_VECTORS = 400

METRIC_RULES = {
    "f1": ({}, brute.fbeta(1)),
    "fbeta": ({"beta": 2.0}, brute.fbeta(2)),
    "bcr": ({}, brute.bcr),
    "gmean": ({}, brute.squared_gmean),
    "mcc": ({}, brute.signed_squared_mcc),
}


def random_rows(seed):
    """A few scores with ties, 0 and 1 among them; weights in two vectors of three."""
    random = np.random.default_rng(seed)
    n = int(random.integers(2, 50))
    scores = np.round(random.random(n) ** random.integers(1, 4), int(random.integers(1, 4)))
    is_positive = random.random(n) < random.choice([0.05, 0.3, 0.5])
    is_positive[:2] = True, False
    weights = None
    if seed % 3 == 1:
        weights = random.integers(0, 5, n).astype(float)
    elif seed % 3 == 2:
        weights = random.exponential(size=n)
    if weights is not None:
        weights[:2] = 1.0
    order = random.permutation(n)
    return scores[order], is_positive[order], None if weights is None else weights[order]


def middle(low, high):
    return low if low == high else 0.5 * low + 0.5 * high


@pytest.mark.parametrize("name", METRIC_RULES)
def test_metric_rule_equals_brute_force(name):
    parameters, objective = METRIC_RULES[name]
    rule = make_rule(name, **parameters)
    for seed in range(N_VECTORS):
        rows = random_rows(seed)
        low, high = brute.best_interval(brute.all_cuts(*rows), objective)
        found = rule.choose(ScoredRows.of(*rows).cuts())
        assert found == pytest.approx(middle(low, high), abs=1e-15), (name, seed)


@pytest.mark.parametrize("floor", [0.2, 0.5, 0.75, 1.0])
def test_precision_at_recall_equals_brute_force(floor):
    rule = make_rule("precision_at_recall", floor=floor)
    for seed in range(N_VECTORS // 2):
        rows = random_rows(seed)
        low, high = brute.best_interval(
            brute.all_cuts(*rows),
            brute.precision,
            lambda cut: brute.recall(cut) >= brute.Fraction(floor) - brute.Fraction(1, 10**12),
        )
        assert rule.choose(ScoredRows.of(*rows).cuts()) == pytest.approx(middle(low, high))


@pytest.mark.parametrize("floor", [0.1, 0.5, 0.9])
def test_recall_at_precision_equals_brute_force(floor):
    rule = make_rule("recall_at_precision", floor=floor)
    met = 0
    for seed in range(N_VECTORS // 2):
        rows = random_rows(seed)
        cuts, least = brute.all_cuts(*rows), brute.Fraction(floor) - brute.Fraction(1, 10**12)
        best = max(float(brute.precision(cut)) for cut in cuts)
        if best < floor - 1e-12:
            with pytest.raises(ValueError, match=f"best attainable value is {best:.6g}"):
                rule.choose(ScoredRows.of(*rows).cuts())
            continue
        met += 1
        low, high = brute.best_interval(
            cuts, brute.recall, lambda cut, least=least: brute.precision(cut) >= least
        )
        assert rule.choose(ScoredRows.of(*rows).cuts()) == pytest.approx(middle(low, high))
    assert met >= 25


@pytest.mark.parametrize("budget", [50.0, 200.0, 1000.0])
def test_budget_equals_brute_force(budget):
    rule = make_rule("budget", per_1000=budget)
    met = 0
    for seed in range(N_VECTORS // 2):
        rows = random_rows(seed)
        cuts = brute.all_cuts(*rows)
        fewest = min(float(brute.per_1000(cut)) for cut in cuts[:-1])
        if fewest > budget * (1 + 1e-12):
            with pytest.raises(ValueError, match=f"best attainable value is {fewest:.6g}"):
                rule.choose(ScoredRows.of(*rows).cuts())
            continue
        met += 1
        low, high = brute.best_interval(
            cuts, lambda cut: cut.tp, lambda cut: float(brute.per_1000(cut)) <= budget * (1 + 1e-12)
        )
        assert rule.choose(ScoredRows.of(*rows).cuts()) == pytest.approx(middle(low, high))
    assert met >= 25


def posterior_counts(scores, weights, threshold):
    """Expected (tn, fp, fn, tp) of rows whose scores are their true probabilities."""
    weights = np.ones(len(scores)) if weights is None else weights
    alert = scores > threshold
    negative, positive = weights * (1 - scores), weights * scores
    return (
        negative[~alert].sum(),
        negative[alert].sum(),
        positive[~alert].sum(),
        positive[alert].sum(),
    )


def test_prior_is_the_share_and_best_for_bcr_where_scores_are_true():
    for seed in range(N_VECTORS):
        scores, is_positive, weights = random_rows(seed)
        cuts = ScoredRows.of(scores, is_positive, weights).cuts()
        share = np.average(is_positive, weights=weights)
        assert make_rule("prior").choose(cuts) == pytest.approx(share, rel=1e-12)
        expected = float(np.average(scores, weights=weights))
        if not 0 < expected < 1:
            continue
        chosen = make_rule("prior").choose(cuts, expected)
        values = [
            _bcr(*posterior_counts(scores, weights, threshold))
            for threshold in (chosen, -1.0, *scores)
        ]
        assert values[0] >= max(values) - 1e-12


def _bcr(tn, fp, fn, tp):
    return 0.5 * (tp / (tp + fn) + tn / (tn + fp))


def test_cost_is_the_cheapest_where_scores_are_true():
    random = np.random.default_rng(0)
    for seed in range(N_VECTORS):
        scores, is_positive, weights = random_rows(seed)
        costs = Costs(*(0.5 + random.integers(0, 10, 4)).tolist())
        cuts = ScoredRows.of(scores, is_positive, weights).cuts()
        chosen = make_rule("cost", costs=costs).choose(cuts)

        def total(threshold, scores=scores, weights=weights, costs=costs):
            tn, fp, fn, tp = posterior_counts(scores, weights, threshold)
            return costs.fp * fp + costs.fn * fn - costs.gain_tp * tp - costs.gain_tn * tn

        cheapest = min(total(threshold) for threshold in (-1.0, *scores))
        assert total(chosen) == pytest.approx(cheapest, abs=1e-9)


def test_cuts_run_from_all_to_none():
    for seed in range(50):
        rows = random_rows(seed)
        cuts = ScoredRows.of(*rows).cuts()
        expected = brute.all_cuts(*rows)
        assert len(cuts.thresholds) == len(expected)
        for index, cut in enumerate(expected):
            found = [float(column[index]) for column in cuts.counts]
            assert found == pytest.approx([float(count) for count in cut[2:]], abs=1e-12)
            assert cut.low <= cuts.thresholds[index] <= cut.high


def test_sums_do_not_depend_on_the_order_of_rows():
    random = np.random.default_rng(1)
    scores, is_positive = random.random(300).round(1), random.random(300) < 0.3
    weights, order = random.exponential(size=300), random.permutation(300)
    one = ScoredRows.of(scores, is_positive, weights).cuts()
    other = ScoredRows.of(scores[order], is_positive[order], weights[order]).cuts()
    for ours, theirs in zip(one.counts, other.counts, strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_the_middle_never_rounds_onto_the_next_score():
    low = 0.3
    high = np.nextafter(low, 1.0)
    threshold = make_rule("f1").choose(ScoredRows.of([low, high], [0, 1]).cuts())
    assert low <= threshold < high


def test_all_positive_needs_a_threshold_below_a_score_of_zero():
    cuts = ScoredRows.of([0.0, 0.0, 0.5], [1, 1, 0]).cuts()
    assert make_rule("precision_at_recall", floor=1.0).choose(cuts) == -0.5
    cuts = ScoredRows.of([0.2, 0.3, 0.5], [1, 1, 0]).cuts()
    assert make_rule("precision_at_recall", floor=1.0).choose(cuts) == 0.1


def test_none_positive_lies_between_the_largest_score_and_one():
    # With such costs every alert is a loss.
    rule = make_rule(lambda tn, fp, fn, tp: -fp)
    assert rule.choose(ScoredRows.of([0.2, 0.6], [1, 0]).cuts()) == 0.8
    assert rule.choose(ScoredRows.of([0.2, 1.0], [1, 0]).cuts()) == 1.0


def test_other_scores_have_outer_intervals_as_long_as_their_range():
    cuts = ScoredRows.of([-3.0, 1.0], [0, 1], is_probability=False).cuts()
    np.testing.assert_array_equal(cuts.edges, [-7.0, -3.0, 1.0, 5.0])
    equal = ScoredRows.of([2.0, 2.0], [0, 1], is_probability=False).cuts()
    np.testing.assert_array_equal(equal.edges, [1.0, 2.0, 3.0])
    huge = ScoredRows.of([-1e308, 1e308], [0, 1], is_probability=False).cuts()
    assert np.isfinite(huge.thresholds).all()


def test_equal_neighbours_are_one_interval_and_the_fewest_alerts_win():
    # Between the two negatives nothing changes for a rule that looks at recall alone.
    rows = ScoredRows.of([0.1, 0.2, 0.4, 0.8], [0, 0, 0, 1])
    assert rows.cuts().best_threshold(rows.cuts().counts.recall) == 0.5 * (0.0 + 0.8)
    apart = rows.cuts().best_threshold(np.array([1.0, 0.0, 0.5, 1.0, 0.0]))
    assert apart == pytest.approx(0.6)


def test_bad_scores_are_refused():
    with pytest.raises(ValueError, match=r"must be finite .* one is nan"):
        ScoredRows.of([0.1, np.nan], [0, 1])
    with pytest.raises(ValueError, match="one class only"):
        ScoredRows.of([0.1, 0.2], [0, 1], np.array([1.0, 0.0]))
