"""Two thresholds: against every pair of cuts, against a known law, and in estimators."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binomtest
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from tests.threshold.known_posterior import draw
from tests.threshold.order_statistics import recall_threshold
from tests.threshold.referral import cheapest, fewest_referred
from thresher import ImbalancedForestClassifier, ThresholdClassifier
from thresher.errors import RuleNotMetError
from thresher.threshold.counts import Costs
from thresher.threshold.rules import ReferRule, answered, cheapest_pair, make_rule
from thresher.threshold.search import ScoredRows

X, Y, _ = draw(3000)
LIMITS = {"miss": 0.1, "false_alarm": 0.5}


def small_sample(seed):
    random = np.random.default_rng(seed)
    n = int(random.integers(4, 22))
    scores = random.integers(0, random.integers(2, 12), n) / 16
    is_positive = random.random(n) < 0.2 + 0.6 * scores
    is_positive[:2] = True, False
    return scores, is_positive, random


# ------------------------------------------------------------------------------ every pair of cuts


@pytest.mark.parametrize("seed", range(40))
def test_limits_refer_as_few_rows_as_any_pair_that_keeps_them(seed):
    scores, is_positive, random = small_sample(seed)
    miss, false_alarm = (int(random.integers(0, 5)) / 8 for _ in range(2))
    expected = fewest_referred(scores.tolist(), is_positive, miss, false_alarm)
    cuts, rule = ScoredRows.of(scores, is_positive).cuts(), ReferRule(miss, false_alarm)
    if expected is None:
        with pytest.raises(RuleNotMetError, match="the best attainable value"):
            rule.choose_pair(cuts)
        return
    pair = rule.choose_pair(cuts)
    found = answered(cuts, pair)
    assert pair.low <= pair.high
    assert found.n_referred[0] == expected
    assert found.miss[0] <= miss
    assert found.false_alarm[0] <= false_alarm
    assert found.n_alerts[0] > 0


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", range(30))
def test_a_price_is_met_by_the_cheapest_of_all_pairs(seed, weighted):
    scores, is_positive, random = small_sample(seed)
    weights = random.integers(1, 5, len(scores)).astype(float) if weighted else None
    costs = Costs(*(int(random.integers(1, 9)) / 4 for _ in range(2)), 0.5 * (seed % 3), 0.25)
    price = int(random.integers(0, 12)) / 8
    cost, pair = cheapest(scores.tolist(), is_positive, costs, price, weights)
    rows = ScoredRows.of(scores, is_positive, weights)
    cuts = rows.cuts()
    assert cheapest_pair(cuts, costs, price) == pair
    found = answered(cuts, ReferRule(price=price, costs=costs).choose_pair(cuts))
    total = Fraction(float(found.cost_per_row(costs, price)[0] * found.total[0]))
    scale = float(cuts.counts.total[0] / (len(scores) if weights is None else weights.sum()))
    assert float(total) == pytest.approx(float(cost) * scale, abs=1e-9)


def test_a_free_referral_leaves_no_wrong_answer_and_a_dear_one_refers_nothing():
    scores, is_positive, _ = small_sample(7)
    cuts = ScoredRows.of(scores, is_positive).cuts()
    free = answered(cuts, ReferRule(price=0.0).choose_pair(cuts))
    assert free.decided.fp[0] + free.decided.fn[0] == 0
    dear = ReferRule(price=5.0).choose_pair(cuts)
    assert dear.low == dear.high


# ------------------------------------------------------------------------------------ a known law

INTERCEPT = -2.5
POPULATION = draw(400_000, INTERCEPT, seed=99)[2]


def true_shares(pair, score=POPULATION):
    """Return the shares of positives that pass, and of alerts that are negative, by the law."""
    passed, alert = score <= pair[0], score > pair[1]
    return POPULATION[passed].sum() / POPULATION.sum(), (1.0 - POPULATION[alert]).mean()


def kept(rule, n, draws, rounded=15):
    """Count for how many draws of rows each limit holds in the population.

    Where no promise is made, none is broken; that must be rare.
    """
    population, found, refused = POPULATION.round(rounded), np.zeros(2, dtype=int), 0
    for seed in range(draws):
        _, y, score = draw(n, INTERCEPT, seed)
        try:
            pair = rule.choose_pair(ScoredRows.of(score.round(rounded), y).cuts())
        except RuleNotMetError:
            refused += 1
            continue
        miss, false_alarm = true_shares(pair, population)
        found += miss <= rule.miss, false_alarm <= rule.false_alarm
    assert refused < draws / 10
    return found + refused


def holds(count, draws, confidence):
    return binomtest(int(count), draws, confidence, alternative="less").pvalue > 0.01


def test_promised_limits_hold_in_as_many_draws_as_promised():
    counts = kept(ReferRule(0.1, 0.5, confidence=0.9), n=2000, draws=150)
    assert all(holds(count, 150, 0.9) for count in counts)


@pytest.mark.slow
@pytest.mark.parametrize("rounded", [15, 1], ids=["continuous", "few scores"])
@pytest.mark.parametrize(("n", "confidence"), [(2000, 0.8), (4000, 0.9), (12000, 0.95)])
def test_promised_limits_hold_in_many_draws(n, confidence, rounded):
    rule = ReferRule(0.05, 0.45, confidence=confidence)
    counts = kept(rule, n, 1000, rounded)
    assert all(holds(count, 1000, confidence) for count in counts)


def test_without_a_promise_limits_are_met_in_the_limit():
    _, y, score = draw(400_000, INTERCEPT, seed=5)
    cuts = ScoredRows.of(score, y).cuts()
    shares = true_shares(ReferRule(0.1, 0.3).choose_pair(cuts))
    np.testing.assert_allclose(shares, (0.1, 0.3), atol=0.02)


def test_a_price_finds_the_thresholds_of_the_law():
    """A row is referred where both answers cost more: from price / fn to 1 - price / fp."""
    costs, price = Costs(1.0, 4.0), 0.4
    _, y, score = draw(400_000, INTERCEPT, seed=6)
    pair = ReferRule(price=price, costs=costs).choose_pair(ScoredRows.of(score, y).cuts())
    np.testing.assert_allclose(pair, (price / costs.fn, 1.0 - price / costs.fp), atol=0.03)


# -------------------------------------------------------------------------------------- estimators


def around(estimator=None, **parameters):
    model = ThresholdClassifier(estimator or LogisticRegression(), "refer", random_state=0)
    return model.set_params(**parameters)


def test_decide_gives_three_answers_and_predict_takes_refer_for_an_alert():
    model = around(**LIMITS).fit(X, Y)
    found = model.decide(X)
    assert found.dtype == object
    assert set(found) == {"alert", "pass", "refer"}
    np.testing.assert_array_equal(model.predict(X) == 1, found != "pass")
    scores = model.predict_proba(X)[:, 1]
    np.testing.assert_array_equal(found == "alert", scores > model.threshold_alert_)
    assert model.threshold_ < model.threshold_alert_
    assert model.threshold_interval_ is None


def test_referred_is_the_share_of_the_scored_rows():
    model = around(**LIMITS).fit(X, Y)
    scores = model.threshold_state_.scores
    between = (scores > model.threshold_) & (scores <= model.threshold_alert_)
    share, low, high = model.referred_
    assert share == pytest.approx(between.mean())
    assert 0.0 < low < share < high < 1.0
    assert "of rows are referred" in str(model.referred_)


@pytest.mark.parametrize("rule", ["f1", "prior", None])
def test_other_rules_refer_nothing(rule):
    model = ThresholdClassifier(LogisticRegression(), rule, random_state=0).fit(X, Y)
    np.testing.assert_array_equal(model.decide(X) == "alert", model.predict(X) == 1)
    assert set(model.decide(X)) == {"alert", "pass"}
    assert model.threshold_alert_ is None
    assert model.referred_ is None


def test_where_thresholds_cross_nothing_is_referred():
    model = around(miss=0.9, false_alarm=0.9).fit(X, Y)
    assert model.threshold_ == model.threshold_alert_
    assert "refer" not in model.decide(X)
    assert model.referred_.share == 0.0


def test_scores_need_be_no_probabilities():
    found = around(LinearSVC(), **LIMITS).fit(X, Y).decide(X)
    assert set(found) == {"alert", "pass", "refer"}


def test_a_forest_refers_by_its_out_of_bag_votes():
    forest = ImbalancedForestClassifier(40, rule="refer", random_state=0)
    forest.set_params(miss=0.3, false_alarm=0.5).fit(X, Y)
    votes = forest.oob_decision_function_[:, 1]
    is_positive = Y == 1
    assert (votes[is_positive] <= forest.threshold_).mean() <= 0.3
    assert (~is_positive[votes > forest.threshold_alert_]).mean() <= 0.5
    assert set(forest.decide(X)) == {"alert", "pass", "refer"}


def test_weights_count_as_repeated_rows():
    weights = np.random.default_rng(0).integers(1, 4, len(Y))
    model = LogisticRegression().fit(X, Y)
    weighted = around(model, cv="prefit", **LIMITS).fit(X, Y, sample_weight=weights)
    repeated = around(model, cv="prefit", **LIMITS).fit(X.repeat(weights, 0), Y.repeat(weights))
    assert weighted.threshold_ == repeated.threshold_
    assert weighted.threshold_alert_ == repeated.threshold_alert_
    assert weighted.referred_.share == pytest.approx(repeated.referred_.share)
    assert weighted.referred_.high > repeated.referred_.high


# ---------------------------------------------------------------------------------------- promises


def promised():
    train = np.arange(len(Y)) < 1000
    fitted = LogisticRegression().fit(X[train], Y[train])
    model = around(fitted, cv="prefit", confidence=0.9, miss=0.1, false_alarm=0.7)
    return model.fit(X[~train], Y[~train]), X[~train], Y[~train]


def test_a_promise_takes_the_order_statistic_and_says_so_in_one_sentence():
    model, rows, truth = promised()
    scores = model.predict_proba(rows)[:, 1]
    assert model.threshold_ == recall_threshold(scores.tolist(), truth.tolist(), 0.9, 0.9)
    promise = model.promise_
    assert promise.exact
    assert (promise.rows, promise.positives) == (2000, int(truth.sum()))
    assert promise.referred_per_1000 == pytest.approx(1000.0 * model.referred_.share)
    alerts = 1000.0 * (model.decide(rows) == "alert").mean()
    assert promise.alerts_per_1000 == pytest.approx(alerts)
    plain = around(model.estimator, cv="prefit", miss=0.1, false_alarm=0.7).fit(rows, truth)
    assert promise.referred_per_1000_without == pytest.approx(1000.0 * plain.referred_.share)
    assert str(promise).startswith("At most 0.1 of the positives pass, and at most 0.7 of the")
    assert str(promise).count(". ") == 0
    assert plain.promise_ is None


def test_a_promise_does_not_survive_another_share_but_limits_follow_it():
    with pytest.raises(ValueError, match="fit it on rows of the new share"):
        promised()[0].adjust_prior(0.2)
    model = around(**LIMITS).fit(X, Y)
    before = model.threshold_alert_
    moved = model.adjust_prior(0.3)
    assert moved.threshold_alert_ != before
    cuts = moved.threshold_state_.scored_rows(is_probability=True).cuts()
    found = answered(cuts, (moved.threshold_, moved.threshold_alert_))
    assert found.false_alarm[0] <= 0.5
    assert found.referred[0] == pytest.approx(moved.referred_.share)


def test_too_few_positives_are_an_error_with_the_number_needed():
    few = np.r_[np.flatnonzero(Y == 1)[:10], np.flatnonzero(Y == 0)[:200]]
    with pytest.raises(RuleNotMetError, match="22 positives are needed"):
        around(confidence=0.9, miss=0.1, false_alarm=0.5).fit(X[few], Y[few])


@pytest.mark.parametrize(
    ("rule", "parameters", "words"),
    [
        ("refer", {}, "needs miss and false_alarm"),
        ("refer", {"miss": 0.1}, "needs miss and false_alarm"),
        ("refer", {"miss": 0.1, "price": 1.0}, "or else price"),
        ("refer", {"miss": 0.1, "false_alarm": 0.1, "price": 1.0}, "or else price"),
        ("refer", {"miss": 1.5, "false_alarm": 0.1}, "miss must be"),
        ("refer", {"miss": 0.1, "false_alarm": -1}, "false_alarm must be"),
        ("refer", {"price": -1}, "price must be"),
        ("refer", {"price": 1.0, "confidence": 0.9}, "a price promises nothing"),
        ("refer", {"miss": 0, "false_alarm": 0.1, "confidence": 0.9}, "miss must be above 0"),
        ("f1", {"miss": 0.1}, "miss is for the rule 'refer' only"),
        ("cost", {"price": 0.1}, "price is for the rule 'refer' only"),
        ("refer", {"price": 0.1, "floor": 0.5}, "floor is for the rule"),
    ],
)
def test_what_does_not_go_together_is_one_sentence(rule, parameters, words):
    with pytest.raises(ValueError, match=words) as caught:
        make_rule(rule, **parameters)
    assert str(caught.value).count(". ") == 0
