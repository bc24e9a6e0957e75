"""Probabilities and thresholds come from other rows than they are judged on, whatever the model."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import StratifiedKFold, TimeSeriesSplit, cross_val_predict

from tests.table_factory import Table
from thresher import ImbalancedForestClassifier, ImbalancedTreeClassifier, ThresholdClassifier
from thresher.datasets import load_dataset
from thresher.report.summary.case import Scored, judge_case, make_case, score_case
from thresher.threshold.counts import Costs, Counts
from thresher.threshold.rules import make_rule
from thresher.threshold.search import ScoredRows

X, y = load_dataset("Yeast-me1")


def test_a_tree_is_fitted_again_without_each_fold():
    model = ImbalancedTreeClassifier(max_depth=3)
    found = score_case(make_case(model.fit(X, y), X, y, seed=4))
    folds = StratifiedKFold(5, shuffle=True, random_state=4)
    expected = cross_val_predict(model, X, y, cv=folds, method="predict_proba")[:, 1]
    assert np.array_equal(found.probability[np.argsort(found.rows)], expected)


def test_a_forest_votes_out_of_bag():
    model = ImbalancedForestClassifier(20, random_state=0).fit(X, y)
    found = score_case(make_case(model, X, y))
    votes = model.oob_decision_function_[:, 1]
    assert np.array_equal(found.probability, votes[~np.isnan(votes)])


def test_a_threshold_classifier_is_judged_by_what_is_inside():
    inner = LogisticRegression(C=100, class_weight="balanced")
    model = ThresholdClassifier(inner, "f1", correct_prior=True, random_state=0).fit(X, y)
    found = score_case(make_case(model, X, y))
    # correct_prior brings the mean of out-of-fold probabilities to the share of positives.
    assert found.probability.mean() == pytest.approx(np.mean(y), rel=0.05)


def test_rows_that_were_held_out_are_judged_by_the_model_itself():
    half = len(X) // 2
    model = ImbalancedTreeClassifier(max_depth=3).fit(X[:half], y[:half])
    found = score_case(make_case(model, X[half:], y[half:], held_out=True))
    assert np.array_equal(found.probability, model.predict_proba(X[half:])[:, 1])


def test_the_positive_class_is_that_of_the_model():
    labels = np.where(y == 1, "a rare", "common")
    model = ImbalancedTreeClassifier(max_depth=2, pruning=None).fit(X, labels)
    case = make_case(model, X, labels)
    assert case.is_positive.tolist() == (y == 1).tolist()
    assert score_case(case).probability.mean() < 0.1


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


def judged_with(model, seed=0, costs=None, **options):
    case = make_case(model, X, y, seed=seed, **options)
    return judge_case(case, score_case(case), costs, seed)


def added(folds):
    return [int(sum(values)[0]) for values in zip(*(fold.counts for fold in folds), strict=True)]


def counts_of(judgement):
    return [judgement.tn, judgement.fp, judgement.fn, judgement.tp]


@pytest.mark.parametrize("threshold", [0.02, 0.5, 0.9])
def test_a_given_threshold_is_judged_as_it_is(threshold):
    model = ImbalancedTreeClassifier(max_depth=3, threshold=threshold, pruning=None).fit(X, y)
    costs = Costs(2.0, 9.0)
    scored, judgement, folds = judged_with(model, costs=costs)
    by_hand = Counts.of(scored.probability > threshold, y[scored.rows] == 1)
    assert counts_of(judgement) == added(folds) == [int(value[0]) for value in by_hand]
    assert judgement.cost_per_1000 == 1000.0 * costs.per_row(by_hand)[0]
    assert judgement.how == scored.source


@pytest.mark.parametrize(("rule", "options"), [("f1", {}), ("budget", {"per_1000": 30})])
def test_a_chosen_threshold_is_chosen_again_without_the_rows_that_judge_it(rule, options):
    forest = ImbalancedForestClassifier(15, rule=rule, random_state=0, n_bootstrap=0, **options)
    scored, judgement, folds = judged_with(forest.fit(X, y), seed=7)
    p, truth = scored.probability, scored.is_positive
    split = StratifiedKFold(5, shuffle=True, random_state=7).split(p, truth)
    total = np.zeros(4)
    for (train, test), fold in zip(split, folds, strict=True):
        inner = ScoredRows.of(p[train], truth[train]).cuts()
        threshold = make_rule(rule, **options).choose(inner)
        assert fold.threshold == pytest.approx(threshold)
        total += np.ravel(Counts.of(p[test] > threshold, truth[test]))
    assert counts_of(judgement) == added(folds) == total.tolist()
    assert "its threshold chosen on other rows" in judgement.how


def informedness(counts):
    """Return recall minus the share of false alarms: 0 on average for alerts without knowledge."""
    return float(counts.recall[0] + counts.specificity[0] - 1.0)


def test_a_threshold_gains_nothing_from_the_rows_it_is_judged_on():
    """On noise the best threshold of the rows themselves looks good; chosen on others it is not."""
    flattered, honest = [], []
    for seed in range(20):
        noise, labels = Table(seed, columns=4, noise=1e9).numpy()
        forest = ImbalancedForestClassifier(15, rule="bcr", random_state=seed, n_bootstrap=0)
        case = make_case(forest.fit(noise, labels), noise, labels)
        scored, judgement, _ = judge_case(case, score_case(case), None, seed)
        flattered.append(informedness(scored.counts_at(forest.threshold_)))
        honest.append(informedness(judgement.counts))
    assert min(flattered) >= 0.0
    assert np.mean(flattered) > 0.05
    assert np.mean(honest) < 2.0 * np.std(honest) / np.sqrt(len(honest))


def test_held_out_rows_judge_the_threshold_that_the_rule_chose_before():
    half = len(X) // 2
    model = ImbalancedForestClassifier(15, rule="f1", random_state=0).fit(X[:half], y[:half])
    case = make_case(model, X[half:], y[half:], held_out=True)
    _, judgement, folds = judge_case(case, score_case(case), None, 0)
    by_hand = Counts.of(model.predict(X[half:]) == 1, y[half:] == 1)
    assert counts_of(judgement) == [int(value[0]) for value in by_hand]
    assert {fold.threshold for fold in folds} == {model.threshold_}


def test_rows_that_no_fold_held_out_are_counted_as_never_judged():
    order = np.random.default_rng(0).permutation(len(X))
    model = ImbalancedTreeClassifier(max_depth=2, pruning=None).fit(X[order], y[order])
    case = make_case(model, X[order], y[order], cv=TimeSeriesSplit(4))
    _, judgement, _ = judge_case(case, score_case(case), None, 0)
    tests = sum(len(test) for _, test in case.splits)
    assert (judgement.rows, judgement.never_judged) == (tests, len(X) - tests)
    assert judgement.never_judged > 100
    assert judged_with(model).judgement.never_judged == 0


def test_where_no_fold_keeps_the_rule_the_threshold_of_the_model_is_judged():
    options = {"rule": "recall_at_precision", "floor": 0.3, "n_bootstrap": 0}
    model = ImbalancedForestClassifier(15, random_state=0, **options).fit(X, y)
    case = make_case(model, X, y)
    useless = Scored(np.arange(len(X)), np.full(len(X), 0.9), case.is_positive, "")
    judged = judge_case(case, useless, None, 0)
    assert [fold.threshold for fold in judged.folds] == [model.threshold_] * 5
    assert judged.judgement.alerts == len(X)


def test_a_row_that_was_held_out_twice_does_not_choose_the_threshold_that_judges_it():
    model = ImbalancedForestClassifier(5, rule="f1", random_state=0, n_bootstrap=0).fit(X, y)
    case = make_case(model, X, y)
    rows = np.concatenate([np.arange(len(X))] * 2)
    # Each row has a score of its own, so that a shared score is a shared row.
    scored = Scored(rows, rows / len(X), case.is_positive[rows], "")
    for fold in judge_case(case, scored, None, 0).folds:
        assert not set(fold.inner.score) & set(fold.outer.score)
