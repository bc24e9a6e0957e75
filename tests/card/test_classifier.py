"""The estimator: like any of scikit-learn, and true to its forest."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from tests.card.tables import mixed_table, new_rows
from thresher import (
    ImbalancedBlendClassifier,
    ImbalancedForestClassifier,
    ImbalancedTreeClassifier,
    ScoreCardClassifier,
    ThresholdClassifier,
)


@pytest.fixture(scope="module")
def table():
    return mixed_table(0)


@pytest.fixture(scope="module")
def forest(table):
    return ImbalancedForestClassifier(60, random_state=0).fit(*table)


@pytest.fixture(scope="module")
def card(forest):
    return forest.to_scorecard(max_splits=15)


@pytest.mark.parametrize("points", [True, False])
@pytest.mark.parametrize("positive", ["scrap", "good"])
def test_decisions_by_points_probability_and_function_are_one(table, points, positive):
    X, y = table
    card = ScoreCardClassifier(max_splits=9, points=points, pos_label=positive, random_state=0).fit(
        X, y
    )
    rows = new_rows(1, 2000)
    alerts = card.predict(rows) == positive
    assert 0 < alerts.sum() < len(rows)
    np.testing.assert_array_equal(alerts, card.predict_score(rows) > card.cut_)
    probability = card.predict_proba(rows)[:, card.positive_index_]
    np.testing.assert_array_equal(alerts, probability > card.threshold_)
    second = card.decision_function(rows) > 0
    np.testing.assert_array_equal(card.predict(rows), card.classes_[second.astype(int)])
    np.testing.assert_array_equal(alerts, card.decide(rows) == "alert")
    order = np.argsort(card.predict_score(rows), kind="stable")
    assert (np.diff(probability[order]) >= 0).all()


def test_points_are_whole_and_at_most_ten(card):
    points = card.trees_.value[card.trees_.is_leaf]
    np.testing.assert_array_equal(points, np.rint(points))
    assert np.abs(points).max() == 10
    assert card.cut_ == np.floor(card.cut_) + 0.5


def test_fit_makes_the_card_of_the_forest(table, forest):
    one = ScoreCardClassifier(clone(forest), max_splits=15, random_state=7).fit(*table)
    other = forest.to_scorecard(max_splits=15)
    X = new_rows(2, 500)
    again = ScoreCardClassifier(clone(forest), max_splits=15, random_state=7).fit(*table)
    np.testing.assert_array_equal(one.predict_score(X), again.predict_score(X))
    # Made rows differ by the seed, what the forest says of training rows does not.
    agreement = np.mean(one.predict(X) == other.predict(X))
    assert agreement > 0.9


def test_a_card_decides_as_its_forest_mostly_does(table, forest):
    X, _ = table
    card = forest.to_scorecard()
    unseen = forest.oob_decision_function_[:, forest.positive_index_]
    decided = card.predict_score(X) > card.cut_
    assert np.mean(decided == (unseen > forest.threshold_)) > 0.9
    probability = card.predict_proba(X)[:, card.positive_index_]
    assert np.corrcoef(probability, unseen)[0, 1] > 0.9
    assert np.mean(probability) == pytest.approx(np.mean(unseen), abs=0.02)


def test_contributions_are_points(card):
    rows = new_rows(3, 50)
    found = card.contributions(rows)
    np.testing.assert_allclose(found.sum(axis=1), card.predict_score(rows), atol=1e-9)
    assert all(card.reasons(rows))


@pytest.mark.parametrize("refer", [0.05, 0.1, 0.3])
def test_referred_rows_are_next_to_the_cut_and_no_more_than_asked_for(table, forest, refer):
    X, _ = table
    plain = forest.to_scorecard(max_splits=15)
    card = forest.to_scorecard(max_splits=15, refer=refer)
    answers, points = card.decide(X), card.predict_score(X)
    is_referred = answers == "refer"
    assert 0.0 < is_referred.mean() <= refer
    assert points[answers == "pass"].max() < points[is_referred].min()
    assert points[is_referred].max() < points[answers == "alert"].min()
    assert card.cut_at(card.threshold_) <= plain.cut_ <= card.cut_at(card.threshold_alert_)
    np.testing.assert_array_equal(card.predict(X) == "scrap", answers != "pass")
    text = card.export_text()
    assert "\nrefer  " in text


def test_a_blend_has_a_card(table):
    X, y = table
    blend = ImbalancedBlendClassifier(("forest", "logistic"), n_estimators=20, random_state=0)
    card = ScoreCardClassifier(blend, max_splits=7, random_state=0).fit(X, y)
    blend.fit(X, y)
    assert np.mean(card.predict(X) == blend.predict(X)) > 0.85


def test_a_threshold_is_chosen_around_a_card(table):
    X, y = table
    card = ScoreCardClassifier(ImbalancedForestClassifier(20, random_state=0), max_splits=5)
    model = ThresholdClassifier(card, "precision_at_recall", floor=0.9, cv=3).fit(X, y)
    inner = model.estimator_
    cut = inner.cut_at(model.threshold_)
    np.testing.assert_array_equal(model.predict(X) == "scrap", inner.predict_score(X) > cut)


def test_a_pickle_says_the_same(card):
    rows = new_rows(4, 200)
    other = pickle.loads(pickle.dumps(card))
    np.testing.assert_array_equal(card.predict_proba(rows), other.predict_proba(rows))


def test_rows_are_asked_for_where_a_forest_has_none(table, forest):
    other = pickle.loads(pickle.dumps(forest))
    with pytest.raises(ValueError, match="give X and y to to_scorecard"):
        other.to_scorecard()
    given = other.to_scorecard(max_splits=5, X=table[0], y=table[1])
    np.testing.assert_array_equal(
        given.predict_score(table[0]), forest.to_scorecard(max_splits=5).predict_score(table[0])
    )
    with pytest.raises(ValueError, match="to_scorecard needs the rows of the fit"):
        other.to_scorecard(X=table[0][:50], y=table[1][:50])


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"max_splits": 0}, "max_splits"),
        ({"max_trees": 0}, "max_trees"),
        ({"points": "yes"}, "points"),
        ({"refer": 1.5}, "refer"),
        ({"estimator": ImbalancedTreeClassifier()}, "estimator must be"),
    ],
)
def test_bad_parameters_are_named(table, parameters, message):
    with pytest.raises((TypeError, ValueError), match=message):
        ScoreCardClassifier(**parameters).fit(*table)


def test_a_card_that_is_not_fitted_says_so():
    with pytest.raises(NotFittedError):
        ScoreCardClassifier().predict([[1.0]])
    with pytest.raises(NotFittedError):
        ScoreCardClassifier().export_text()


def test_rows_that_say_nothing_give_a_card_without_questions():
    X, y = np.ones((40, 2)), np.arange(40) % 5 == 0
    card = ScoreCardClassifier(random_state=0).fit(X, y)
    assert card.n_splits_ == 0
    assert "every row has 0 points" in card.export_text()
    assert set(card.predict_score(X)) == {0.0}
    assert len(set(card.predict(X))) == 1


def test_the_picture_shows_every_question(card):
    pytest.importorskip("matplotlib").use("agg")
    figure = card.plot()
    shown = {text.get_text() for axes in figure.axes for text in axes.texts}
    from thresher.card.page import read_page

    for part in read_page(card).parts:
        assert {row.question for row in part} <= shown
    assert tuple(figure.get_size_inches().round(2)) == (8.27, 11.69)


def test_a_cut_in_points_decides_as_any_threshold_does(card):
    rows = new_rows(8, 500)
    points = card.predict_score(rows)
    probability = card.predict_proba(rows)[:, card.positive_index_]
    for threshold in [*np.unique(probability), *np.linspace(0.01, 0.99, 50)]:
        np.testing.assert_array_equal(probability > threshold, points > card.cut_at(threshold))
