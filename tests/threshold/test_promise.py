"""Promises of estimators: what they say, what they refuse, and where they are exact."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, RepeatedStratifiedKFold, ShuffleSplit
from sklearn.svm import LinearSVC

from tests.threshold.known_posterior import draw
from tests.threshold.order_statistics import budget_alerts, recall_threshold
from thresher import ImbalancedForestClassifier, ThresholdClassifier
from thresher.errors import RuleNotMetError
from thresher.threshold.promise import ALERTS, COST, PRECISION, RECALL, Promise

X, Y, _ = draw(6000)
TRAIN, KEPT = np.arange(6000) < 3000, np.arange(6000) >= 3000
FITTED = LogisticRegression().fit(X[TRAIN], Y[TRAIN])


def held_out(rule, **parameters):
    model = ThresholdClassifier(FITTED, rule, cv="prefit", **parameters)
    return model.fit(X[KEPT], Y[KEPT])


def test_recall_of_held_out_rows_is_the_order_statistic():
    model = held_out("precision_at_recall", floor=0.9, confidence=0.9)
    scores = FITTED.predict_proba(X[KEPT])[:, 1]
    assert model.threshold_ == recall_threshold(scores.tolist(), Y[KEPT].tolist(), 0.9, 0.9)
    promise = model.promise_
    assert (promise.what, promise.bound, promise.floor) == ("recall", 0.9, 0.9)
    assert promise.exact
    assert (promise.rows, promise.positives) == (3000, int(Y[KEPT].sum()))
    assert promise.alerts_per_1000 == pytest.approx(1000 * (scores > model.threshold_).mean())
    plain = held_out("precision_at_recall", floor=0.9)
    without = 1000 * (scores > plain.threshold_).mean()
    assert promise.alerts_per_1000_without == pytest.approx(without)
    assert plain.promise_ is None
    assert model.threshold_interval_ is None


def test_a_promise_is_one_sentence():
    sentence = str(held_out("precision_at_recall", floor=0.9, confidence=0.9).promise_)
    start = "Recall is at least 0.9 with confidence 0.9 (exact: "
    assert sentence.startswith(start)
    assert sentence.count(". ") == 0
    assert sentence.endswith("more than without the promise.")
    precision = str(held_out("recall_at_precision", floor=0.3, confidence=0.9).promise_)
    assert precision.startswith("Precision is at least 0.3 with")
    assert precision.endswith("fewer than without the promise.")


def test_below_all_scores_it_alerts_on_everything_in_words():
    is_positive = np.arange(60) % 2 == 0
    scores = np.where(is_positive, 0.5, 0.6)
    table, model = scores[:, None], ThresholdClassifier(_Score(), "precision_at_recall", floor=0.9)
    model.set_params(confidence=0.9, cv="prefit").fit(table, is_positive.astype(int))
    assert model.predict(table).all()
    assert model.promise_.alerts_on_everything
    assert str(model.promise_).endswith("it alerts on everything.")


class _Score:
    """A fitted classifier whose probability is its only column."""

    classes_ = np.array([0, 1])
    n_features_in_ = 1

    def fit(self, X, y):
        return self

    def predict_proba(self, X):
        return np.column_stack([1 - X[:, 0], X[:, 0]])

    def __sklearn_is_fitted__(self):
        return True

    def __sklearn_tags__(self):
        return LogisticRegression().__sklearn_tags__()

    def get_params(self, deep=True):
        return {}


def test_a_budget_counts_unlabelled_rows():
    more = draw(200, seed=5)[0]
    model = ThresholdClassifier(FITTED, "budget", per_1000=50, confidence=0.9, cv="prefit")
    model.fit(X[-300:], Y[-300:], X_unlabelled=more)
    scores = FITTED.predict_proba(np.vstack([X[-300:], more]))[:, 1]
    assert (scores > model.threshold_).sum() == budget_alerts(scores.tolist(), 0.05, 0.9)
    assert model.promise_.rows == 500
    assert "at most 50 alerts per 1000 rows" in str(model.promise_)
    with pytest.raises(ValueError, match="X_unlabelled is for rule='budget' with a confidence"):
        ThresholdClassifier(FITTED, "f1", cv="prefit").fit(X, Y, X_unlabelled=more)
    forest = ImbalancedForestClassifier(
        20, rule="budget", per_1000=50, confidence=0.9, random_state=0
    )
    assert forest.fit(X[:500], Y[:500], X_unlabelled=more).promise_.rows == 700


def test_a_cost_is_bounded_from_above():
    model = held_out("cost", cost_fp=1.0, cost_fn=10.0, gain_tp=2.0, confidence=0.9)
    plain = held_out("cost", cost_fp=1.0, cost_fn=10.0, gain_tp=2.0)
    assert model.threshold_ == plain.threshold_
    alert = FITTED.predict_proba(X[KEPT])[:, 1] > model.threshold_
    cost = np.where(alert, np.where(Y[KEPT], -2.0, 1.0), np.where(Y[KEPT], 10.0, 0.0))
    assert cost.mean() < model.promise_.bound < cost.mean() + 0.3
    assert model.promise_.exact
    corrected = held_out("cost", confidence=0.9, correct_prior=True)
    assert not corrected.promise_.exact


def test_bounds_of_cost_hold():
    fresh, truth, _ = draw(200_000, seed=9)
    scores = FITTED.predict_proba(fresh)[:, 1]
    loss = np.where(scores > 0.1, 1.0 - truth, 9.0 * truth)
    random, held = np.random.default_rng(0), 0
    for _ in range(60):
        rows = random.integers(len(fresh), size=1500)
        model = ThresholdClassifier(FITTED, "cost", cost_fn=9.0, confidence=0.9, cv="prefit")
        held += model.fit(fresh[rows], truth[rows]).promise_.bound >= loss.mean()
    assert held >= 54


def test_a_single_split_keeps_the_estimator_that_its_rows_judge():
    model = ThresholdClassifier(
        LogisticRegression(),
        "precision_at_recall",
        floor=0.9,
        confidence=0.9,
        cv=0.4,
        random_state=0,
    ).fit(X, Y)
    assert model.promise_.exact
    assert model.promise_.rows == 2400
    scores = model.estimator_.predict_proba(X)[:, 1]
    assert np.isin(model.threshold_state_.scores, scores).all()
    once = ShuffleSplit(1, test_size=0.4, random_state=0)
    assert clone(model).set_params(cv=once).fit(X, Y).promise_.exact
    plain = clone(model).set_params(confidence=None).fit(X, Y)
    whole = LogisticRegression().fit(X, Y)
    np.testing.assert_array_equal(plain.estimator_.coef_, whole.coef_)


def test_folds_and_votes_are_measured():
    model = ThresholdClassifier(
        LogisticRegression(), "precision_at_recall", floor=0.9, confidence=0.9
    ).fit(X, Y)
    assert not model.promise_.exact
    assert "(measured: " in str(model.promise_)
    assert "out of fold" in str(model.promise_)
    forest = ImbalancedForestClassifier(
        50, rule="precision_at_recall", floor=0.8, confidence=0.9, random_state=0
    ).fit(X, Y)
    assert forest.promise_.unseen == "out of bag"
    votes = forest.oob_decision_function_[:, 1]
    voted = ~np.isnan(votes)
    expected = recall_threshold(votes[voted].tolist(), Y[voted].tolist(), 0.8, 0.9)
    assert forest.threshold_ == expected


def test_scores_need_not_be_probabilities():
    model = ThresholdClassifier(LinearSVC(), "precision_at_recall", floor=0.9, confidence=0.9)
    model.fit(X, Y)
    state = model.threshold_state_
    expected = recall_threshold(state.scores.tolist(), state.is_positive.tolist(), 0.9, 0.9)
    assert model.threshold_ == expected
    with pytest.raises(ValueError, match="needs probabilities"):
        ThresholdClassifier(LinearSVC(), "cost", confidence=0.9).fit(X, Y)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"rule": "f1", "confidence": 0.9}, "confidence is for the rules 'precision_at_recall'"),
        ({"rule": lambda *counts: 1, "confidence": 0.9}, "confidence is for the rules"),
        ({"rule": "cost", "confidence": 1.0}, "confidence must be below 1"),
        ({"rule": "cost", "confidence": 0.0}, "confidence must be above 0"),
        ({"rule": "cost", "confidence": "high"}, "confidence must be a number"),
        (
            {"rule": "precision_at_recall", "floor": 1.0, "confidence": 0.9},
            "floor must be below 1 with a confidence",
        ),
    ],
)
def test_what_cannot_be_promised_is_refused(parameters, message):
    with pytest.raises((ValueError, TypeError), match=message):
        ThresholdClassifier(LogisticRegression(), **parameters).fit(X, Y)


def recall_model(estimator=None, **parameters):
    estimator = estimator or LogisticRegression()
    parameters = {"floor": 0.9, "confidence": 0.9, **parameters}
    return ThresholdClassifier(estimator, "precision_at_recall", **parameters)


def test_weights_groups_and_repeated_rows_are_refused():
    weights = np.where(np.arange(6000) % 2, 1.0, 2.0)
    with pytest.raises(ValueError, match="confidence counts rows, and sample_weight"):
        recall_model().fit(X, Y, sample_weight=weights)
    equal = recall_model().fit(X, Y, sample_weight=np.full(6000, 2.0))
    assert equal.promise_.rows == 6000
    forest = ImbalancedForestClassifier(5, rule="precision_at_recall", floor=0.9, confidence=0.9)
    with pytest.raises(ValueError, match="sample_weight"):
        forest.fit(X, Y, sample_weight=weights)
    with pytest.raises(ValueError, match="rows that are independent"):
        recall_model(cv=GroupKFold(3)).fit(X, Y, groups=np.arange(6000) // 10)
    with pytest.raises(ValueError, match="several times"):
        recall_model(cv=RepeatedStratifiedKFold(n_splits=2, n_repeats=2)).fit(X, Y)
    with pytest.raises(ValueError, match="trains on rows"):
        recall_model(cv=[(np.arange(6000), np.arange(3000))]).fit(X, Y)
    with pytest.raises(ValueError, match="confidence needs out-of-bag votes"):
        forest.set_params(bootstrap=False).fit(X, Y)


def test_too_few_positives_name_the_number_needed():
    few = np.flatnonzero(Y)[:20].tolist() + np.flatnonzero(Y == 0)[:500].tolist()
    with pytest.raises(RuleNotMetError, match=r"22 positives are needed .* there are 20"):
        recall_model().fit(X[few], Y[few])


def test_recall_survives_another_share_of_positives_and_nothing_else_does():
    model = held_out("precision_at_recall", floor=0.9, confidence=0.9)
    before, promise = model.predict(X), model.promise_
    np.testing.assert_array_equal(model.adjust_prior(0.3).predict(X), before)
    assert model.promise_ == promise
    assert model.prior_ == 0.3
    for model in (
        held_out("recall_at_precision", floor=0.3, confidence=0.9),
        held_out("budget", per_1000=50, confidence=0.9),
        held_out("cost", confidence=0.9),
    ):
        threshold = model.threshold_
        with pytest.raises(ValueError, match="for the share of positives it was fitted on only"):
            model.adjust_prior(0.3)
        assert (model.threshold_, model.prior_) == (threshold, float(Y[KEPT].mean()))
        free = model.set_params(confidence=None).adjust_prior(0.3)
        assert free.promise_ is None


@pytest.mark.parametrize("what", [RECALL, PRECISION, ALERTS, COST])
def test_every_promise_has_words(what):
    promise = Promise(what, 0.5, 0.9, 100, 10, "out of fold", False, 30.0, 30.0)
    assert "with confidence 0.9 (measured: " in str(promise)
    assert str(promise).endswith("it makes 30.0 alerts per 1000 rows, as without the promise.")
