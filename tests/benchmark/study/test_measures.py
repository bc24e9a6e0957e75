"""Measures of a run, beside scikit-learn's."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier, VotingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from tests.benchmark.study.own_methods import Plain, make_table
from thresher import ThresholdClassifier
from thresher.benchmark.study.measures import (
    METRICS,
    Measures,
    count_decisions,
    count_leaves,
    pooled_f1,
    rank_quality,
)

X, Y = make_table(0)
LABELS = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=40)


def measures_of(pairs):
    truth, decisions = np.array(pairs, dtype=int).T
    counts = count_decisions(truth, decisions)
    return truth, decisions, Measures(*counts, None, None, 0.0, 0.0, None)


@given(LABELS)
def test_metrics_of_counts_are_scikit_learn_s(pairs):
    truth, decisions, run = measures_of(pairs)
    value = {name: METRICS[name].formula([run])[0] for name in ("f1", "accuracy", "bcr", "mcc")}
    recalls = [
        metrics.recall_score(truth, decisions, pos_label=label, zero_division=0) for label in (0, 1)
    ]
    assert value["f1"] == pytest.approx(metrics.f1_score(truth, decisions, zero_division=0))
    assert value["accuracy"] == pytest.approx(metrics.accuracy_score(truth, decisions))
    assert value["bcr"] == pytest.approx(np.mean(recalls))
    assert METRICS["gmean"].formula([run])[0] == pytest.approx(np.sqrt(np.prod(recalls)))
    if len(set(truth)) == 2:
        assert value["mcc"] == pytest.approx(metrics.matthews_corrcoef(truth, decisions))


@given(st.lists(LABELS, min_size=1, max_size=4))
def test_pooled_f1_is_that_of_all_rows_together(folds):
    truth, decisions = np.array([pair for fold in folds for pair in fold], dtype=int).T
    runs = [measures_of(fold)[2] for fold in folds]
    expected = metrics.f1_score(truth, decisions, zero_division=0)
    assert pooled_f1(runs) == pytest.approx(expected)


def test_probabilities_give_average_precision_and_brier():
    model = LogisticRegression().fit(X, Y)
    probability = model.predict_proba(X)[:, 1]
    assert rank_quality(Y, model, X) == pytest.approx(
        (metrics.average_precision_score(Y, probability), metrics.brier_score_loss(Y, probability))
    )


def test_a_decision_function_gives_average_precision_only():
    model = LinearSVC().fit(X, Y)
    precision, brier = rank_quality(Y, model, X)
    expected = metrics.average_precision_score(Y, model.decision_function(X))
    assert (precision, brier) == (pytest.approx(expected), None)


def test_what_a_model_or_a_fold_does_not_give_is_none():
    assert rank_quality(Y, Plain().fit(X, Y), X) == (None, None)
    precision, brier = rank_quality(0 * Y, LogisticRegression().fit(X, Y), X)
    assert precision is None
    assert brier > 0


TREE = DecisionTreeClassifier(random_state=0)


@pytest.mark.parametrize(
    ("model", "trees"),
    [
        (TREE, lambda model: [model]),
        (RandomForestClassifier(5, random_state=0), lambda model: model.estimators_),
        (GradientBoostingClassifier(n_estimators=4), lambda model: model.estimators_.ravel()),
        (make_pipeline(StandardScaler(), TREE), lambda model: [model[-1]]),
        (ThresholdClassifier(TREE), lambda model: [model.estimator_]),
        (
            VotingClassifier([("a", TREE), ("b", make_pipeline(StandardScaler(), TREE))]),
            lambda model: [model.estimators_[0], model.estimators_[1][-1]],
        ),
    ],
    ids=lambda value: type(value).__name__,
)
def test_leaves_of_trees_wherever_they_are(model, trees):
    model.fit(X, Y)
    expected = sum(np.sum(tree.tree_.children_left == -1) for tree in trees(model))
    assert count_leaves(model) == expected


@pytest.mark.parametrize(
    "model",
    [LogisticRegression(), VotingClassifier([("a", TREE), ("b", LogisticRegression())])],
    ids=["linear", "a vote of which one has no leaves"],
)
def test_other_models_have_no_leaves(model):
    assert count_leaves(model.fit(X, Y)) is None
