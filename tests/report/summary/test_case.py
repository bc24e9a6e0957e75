"""Probabilities come from models that have not seen the row, whatever the model is."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import StratifiedKFold, cross_val_predict

from thresher import ImbalancedForestClassifier, ImbalancedTreeClassifier, ThresholdClassifier
from thresher.datasets import load_dataset
from thresher.report.summary.case import honest_scores, make_case

X, y = load_dataset("Yeast-me1")


def test_a_tree_is_fitted_again_without_each_fold():
    model = ImbalancedTreeClassifier(max_depth=3)
    found = honest_scores(make_case(model.fit(X, y), X, y, seed=4))
    folds = StratifiedKFold(5, shuffle=True, random_state=4)
    expected = cross_val_predict(model, X, y, cv=folds, method="predict_proba")[:, 1]
    assert np.array_equal(found.probability[np.argsort(found.rows)], expected)


def test_a_forest_votes_out_of_bag():
    model = ImbalancedForestClassifier(20, random_state=0).fit(X, y)
    found = honest_scores(make_case(model, X, y))
    votes = model.oob_decision_function_[:, 1]
    assert np.array_equal(found.probability, votes[~np.isnan(votes)])


def test_a_threshold_classifier_is_judged_by_what_is_inside():
    inner = LogisticRegression(C=100, class_weight="balanced")
    model = ThresholdClassifier(inner, "f1", correct_prior=True, random_state=0).fit(X, y)
    found = honest_scores(make_case(model, X, y))
    # correct_prior brings the mean of out-of-fold probabilities to the share of positives.
    assert found.probability.mean() == pytest.approx(np.mean(y), rel=0.05)


def test_rows_that_were_held_out_are_judged_by_the_model_itself():
    half = len(X) // 2
    model = ImbalancedTreeClassifier(max_depth=3).fit(X[:half], y[:half])
    found = honest_scores(make_case(model, X[half:], y[half:], held_out=True))
    assert np.array_equal(found.probability, model.predict_proba(X[half:])[:, 1])


def test_the_positive_class_is_that_of_the_model():
    labels = np.where(y == 1, "a rare", "common")
    model = ImbalancedTreeClassifier(max_depth=2).fit(X, labels)
    case = make_case(model, X, labels)
    assert case.is_positive.tolist() == (y == 1).tolist()
    assert honest_scores(case).probability.mean() < 0.1


@pytest.mark.parametrize(
    ("model", "labels", "words"),
    [
        (ImbalancedTreeClassifier(), y, "must be fitted"),
        (RidgeClassifier().fit(X, y), y, "predict_proba"),
    ],
)
def test_a_model_that_cannot_be_judged(model, labels, words):
    with pytest.raises(TypeError, match=words):
        make_case(model, X, labels)


def test_one_positive_row_is_too_few():
    labels = np.arange(len(X)) == 0
    model = ImbalancedTreeClassifier(min_samples_leaf=1).fit(X, y == 1)
    with pytest.raises(ValueError, match="two or more"):
        make_case(model, X, labels)
