"""Promised cuts against their definition, and the coverage that it stands for."""

import numpy as np
import pytest
from scipy.special import ndtr

from tests.threshold.order_statistics import (
    budget_alerts,
    recall_threshold,
    smallest_passing,
)
from thresher.errors import RuleNotMetError
from thresher.threshold.promise import (
    MOST_NUMBERS,
    alerts_along,
    budget_cut,
    least_alerts,
    precision_bounds,
    precision_cut,
    recall_cut,
    tried_cuts,
)
from thresher.threshold.score_counts import ScoreCounts
from thresher.threshold.search import ScoredRows


def draw(n, share, random, decimals=None):
    y = random.random(n) < share
    scores = ndtr(random.normal(size=n) + 2.0 * y - 1.0)
    return (scores if decimals is None else scores.round(decimals)), y


@pytest.mark.parametrize("decimals", [None, 2, 1])
@pytest.mark.parametrize(("floor", "confidence"), [(0.9, 0.9), (0.95, 0.9), (0.5, 0.99)])
def test_recall_is_cut_at_the_order_statistic(floor, confidence, decimals):
    random = np.random.default_rng(0)
    for n in (60, 150, 400):
        scores, y = draw(n, 0.5, random, decimals)
        expected = recall_threshold(scores.tolist(), y.tolist(), floor, confidence)
        cuts = ScoredRows.of(scores, y).cuts()
        if expected is None:
            with pytest.raises(RuleNotMetError, match="positives are needed"):
                recall_cut(cuts, floor, confidence)
            continue
        found = cuts.thresholds[recall_cut(cuts, floor, confidence)]
        if expected == -np.inf:
            assert (scores > found).all()
        else:
            assert found == expected


def test_recall_takes_the_next_double_where_the_middle_rounds_up():
    upper = 0.7
    scores = [np.nextafter(upper, 0.0), *[upper] * 40]
    cuts = ScoredRows.of(scores, [0, *[1] * 40]).cuts()
    found = cuts.thresholds[recall_cut(cuts, 0.9, 0.9)]
    assert found == np.nextafter(upper, -np.inf)
    assert found < upper


@pytest.mark.parametrize(("floor", "needed"), [(0.9, 22), (0.95, 45)])
def test_too_few_positives_are_told_with_the_number_needed(floor, needed):
    enough = ScoredRows.of(np.arange(needed + 1), np.arange(needed + 1) > 0).cuts()
    assert recall_cut(enough, floor, 0.9) == 1
    one_less = ScoredRows.of(np.arange(needed), np.arange(needed) > 0).cuts()
    with pytest.raises(RuleNotMetError, match=f"{needed} positives are needed .* are {needed - 1}"):
        recall_cut(one_less, floor, 0.9)


@pytest.mark.parametrize("decimals", [None, 1])
def test_budget_alerts_on_the_most_rows_that_it_may(decimals):
    random = np.random.default_rng(1)
    for n, share in [(100, 0.1), (300, 0.05), (200, 0.4)]:
        scores, y = draw(n, 0.2, random, decimals)
        expected = budget_alerts(scores.tolist(), share, 0.9)
        cuts = ScoredRows.of(scores, y).cuts()
        if expected == 0:
            with pytest.raises(RuleNotMetError, match="share the highest score"):
                budget_cut(cuts, share, 0.9)
            continue
        place = budget_cut(cuts, share, 0.9)
        assert alerts_along(cuts)[place] == expected == (scores > cuts.thresholds[place]).sum()


def test_budget_names_the_rows_needed_and_may_be_everything():
    cuts = ScoredRows.of(np.arange(20), np.arange(20) > 10).cuts()
    with pytest.raises(RuleNotMetError, match="230 rows are needed"):
        budget_cut(cuts, 0.01, 0.9)
    assert budget_cut(cuts, 1.0, 0.9) == 0


def test_numbers_of_alerts_do_not_look_at_labels_and_are_whole_ties():
    random = np.random.default_rng(2)
    scores, y = draw(500, 0.2, random, 1)
    first, second = (ScoredRows.of(scores, one).cuts() for one in (y, random.permutation(y)))
    alerts = alerts_along(first)
    tried = tried_cuts(alerts, 10)
    np.testing.assert_array_equal(tried, tried_cuts(alerts_along(second), 10))
    assert 0 < len(tried) <= MOST_NUMBERS
    whole = {int((scores > cut).sum()) for cut in [-1.0, *scores]}
    wanted = np.geomspace(10, 500, MOST_NUMBERS).round()
    expected = {max(count for count in whole if count <= number) for number in wanted} - {0}
    assert {*alerts[tried].astype(int).tolist()} == expected


def test_precision_takes_the_loosest_number_that_passes():
    random = np.random.default_rng(3)
    scores, y = draw(2000, 0.2, random)
    cuts = ScoredRows.of(scores, y).cuts()
    place = precision_cut(cuts, 0.6, 0.9)
    passing = []
    for number in np.geomspace(10, 2000, MOST_NUMBERS).round().astype(int):
        top = np.argsort(scores)[-number:]
        hits = int(y[top].sum())
        if smallest_passing(hits, int(number), 0.1 / MOST_NUMBERS) >= 0.6:
            passing.append(number)
    assert alerts_along(cuts)[place] == max(passing)
    threshold = cuts.just_above(place)
    assert (scores > threshold).sum() == max(passing)


def test_bounds_of_precision_share_the_risk():
    bound = float(precision_bounds(np.array([46.0]), np.array([50.0]), 0.9)[0])
    assert bound == pytest.approx(smallest_passing(46, 50, 0.1 / MOST_NUMBERS), abs=1e-9)
    least = least_alerts(0.9, 0.9)
    for number, passes in ((least, True), (least - 1, False)):
        whole = np.array([float(number)])
        assert (precision_bounds(whole, whole, 0.9)[0] >= 0.9) == passes


def test_a_precision_out_of_reach_is_told_with_the_best_bound():
    random = np.random.default_rng(4)
    y = random.random(600) < 0.2
    cuts = ScoredRows.of(random.random(600), y).cuts()
    with pytest.raises(RuleNotMetError, match=r"the best bound is 0\.\d+, at \d+ alerts"):
        precision_cut(cuts, 0.9, 0.9)
    few = ScoredRows.of(np.arange(50), np.arange(50) > 40).cuts()
    with pytest.raises(RuleNotMetError, match=r"46 positives are needed .* are 9"):
        precision_cut(few, 0.9, 0.9)


def test_grouped_scores_err_on_the_safe_side():
    random = np.random.default_rng(5)
    scores, y = draw(20_000, 0.1, random)
    exact, grouped = ScoredRows.of(scores, y).cuts(), ScoreCounts.of(scores, y).cuts()
    finest, coarse = (cuts.thresholds[recall_cut(cuts, 0.9, 0.9)] for cuts in (exact, grouped))
    assert coarse <= finest
    assert (scores > coarse).sum() - (scores > finest).sum() <= 10


@pytest.mark.parametrize("n_values", [None, 5])
def test_promises_hold_as_often_as_they_say(n_values):
    """2,000 draws each from known distributions; the full table is benchmarks/promises_study.py."""
    random = np.random.default_rng(6)
    share, n, draws = 0.1, 600, 2000
    population, truth = draw(200_000, share, random)
    if n_values is not None:
        population = np.digitize(population, [0.2, 0.4, 0.6, 0.8]) / 10.0
    every, positives = np.sort(population), np.sort(population[truth])

    def above(scores, threshold):
        return len(scores) - np.searchsorted(scores, threshold, side="right")

    kept = {"recall": 0, "alerts": 0, "precision": 0}
    for _ in range(draws):
        rows = random.integers(len(population), size=n)
        cuts = ScoredRows.of(population[rows], truth[rows]).cuts()
        threshold = cuts.thresholds[recall_cut(cuts, 0.8, 0.9)]
        kept["recall"] += above(positives, threshold) >= 0.8 * len(positives)
        threshold = cuts.thresholds[budget_cut(cuts, 0.3, 0.9)]
        kept["alerts"] += above(every, threshold) <= 0.3 * len(every)
        try:
            threshold = cuts.just_above(precision_cut(cuts, 0.35, 0.9))
            kept["precision"] += above(positives, threshold) >= 0.35 * above(every, threshold)
        except RuleNotMetError:
            kept["precision"] += 1
    # Four standard errors below the 90 % that are asked for.
    least = draws * 0.9 - 4 * np.sqrt(draws * 0.09)
    assert min(kept.values()) >= least, kept
