"""`decide` passes the rows that `predict` calls negative, and no others."""

import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from thresher import (
    ImbalancedForestClassifier,
    ImbalancedTreeClassifier,
    ThresholdClassifier,
    distil,
)

NUMBERS = ["torque", "speed", "heat"]
SITES = {"a": -1.0, "b": 0.0, "c": 1.5}


def draw(n_rows, seed, sites):
    """Return a table with missing values and sites, labels, and what mistakes cost in each row."""
    random = np.random.default_rng(seed)
    X = pd.DataFrame(random.normal(size=(n_rows, len(NUMBERS))), columns=NUMBERS)
    site = random.choice(sites, n_rows)
    shift = np.array([SITES.get(name, 0.0) for name in site])
    y = np.where(random.random(n_rows) < expit(2.0 * X["torque"] + shift - 3.0), "nok", "ok")
    X = X.mask(random.random(X.shape) < 0.1)
    X["site"] = pd.Categorical(site)
    costs = {
        "cost_fp": random.uniform(0.5, 3.0, n_rows),
        "cost_fn": random.lognormal(2.0, 1.0, n_rows),
    }
    return X, y, costs


X, Y, COSTS = draw(1500, 0, list(SITES))
NEW, _, NEW_COSTS = draw(2000, 1, [*SITES, "unknown"])


def piped(last):
    numbers = make_column_transformer((SimpleImputer(), NUMBERS))
    return make_pipeline(numbers, last)


FOREST = ImbalancedForestClassifier(25, n_bootstrap=0, random_state=0)
AROUND_LINE = ThresholdClassifier(piped(LogisticRegression()), n_bootstrap=0, random_state=0)
AROUND_TREE = ThresholdClassifier(
    ImbalancedTreeClassifier(max_depth=4), n_bootstrap=0, random_state=0
)
MODELS = {"forest": FOREST, "line": AROUND_LINE, "tree": AROUND_TREE}
RULES = {
    "none": {"rule": None},
    "prior": {"rule": "prior"},
    "f1": {"rule": "f1"},
    "cost": {"rule": "cost", "cost_fn": 8.0},
    "budget": {"rule": "budget", "per_1000": 60},
    "precision": {"rule": "recall_at_precision", "floor": 0.3},
    "guarantee": {"rule": "precision_at_recall", "floor": 0.7, "confidence": 0.9},
    "corrected": {"rule": "f1", "correct_prior": True},
    "turned": {"rule": "f1", "pos_label": "ok"},
    "refer": {"rule": "refer", "price": 0.6, "cost_fn": 5.0},
    "limits": {"rule": "refer", "miss": 0.2, "false_alarm": 0.5},
}
BY_GROUP = {
    "f1": {"rule": "f1", "threshold_by": "site"},
    "budget": {"rule": "budget", "per_1000": 60, "threshold_by": "site"},
    "cost": {"rule": "cost", "cost_fn": 8.0, "threshold_by": "site"},
}
BY_COST = {
    "cost": {"rule": "cost"},
    "budget": {"rule": "budget", "per_1000": 60},
}


def fitted(model, costs=None, **parameters):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return clone(model).set_params(**parameters).fit(X, Y, **(costs or {}))


def check(model, rows=NEW, **costs):
    """Compare both, and return the answers."""
    predicted, answers = model.predict(rows, **costs), model.decide(rows, **costs)
    np.testing.assert_array_equal(answers != "pass", predicted == model.pos_label_)
    assert len({*answers}) > 1
    assert ("refer" in answers) <= (model.threshold_alert_ is not None)
    return answers


def differences(model, **costs):
    """Count the rows that one threshold for all rows decides otherwise."""
    probability = model.predict_proba(NEW)[:, model.positive_index_]
    predicted = model.predict(NEW, **costs) == model.pos_label_
    return int(((probability > model.threshold_) != predicted).sum())


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_every_rule(model, rule):
    model = fitted(model, **RULES[rule])
    check(model)
    for score in np.unique(model.predict_proba(NEW)[:, model.positive_index_])[5:-5:397]:
        model.threshold_ = float(score)
        if model.threshold_alert_ is not None:
            model.threshold_alert_ = max(float(score), model.threshold_alert_)
        check(model)


@pytest.mark.parametrize("rule", ["f1", "precision", "limits"])
def test_scores_that_are_no_probabilities(rule):
    check(fitted(ThresholdClassifier(piped(LinearSVC()), n_bootstrap=0), **RULES[rule]))


@pytest.mark.parametrize("rule", BY_GROUP)
@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_cuts_of_groups(model, rule):
    model = fitted(model, **BY_GROUP[rule])
    check(model)
    assert differences(model) > 0
    scores = model.predict_proba(NEW)[:, model.positive_index_]
    cuts = [scores[(NEW["site"] == name).to_numpy()][7] for name in model.row_cuts_.groups]
    model.row_cuts_ = replace(model.row_cuts_, cuts=tuple(cuts))
    check(model)


@pytest.mark.parametrize("rule", BY_COST)
@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_costs_of_rows(model, rule):
    model = fitted(model, COSTS, **BY_COST[rule])
    check(model, **NEW_COSTS)
    check(model, cost_fp=2.0, cost_fn=NEW_COSTS["cost_fn"])
    check(model)
    assert differences(model, **NEW_COSTS) > 50


def test_a_score_at_the_cut_of_its_cost_passes():
    model = fitted(AROUND_LINE, rule="cost")
    scores = model.predict_proba(NEW)[:, model.positive_index_]
    costs = {"cost_fp": scores, "cost_fn": 1.0 - scores}
    at_the_cut = model.cuts_of(NEW, len(NEW), **costs) == scores
    assert at_the_cut.sum() > 1000
    assert {*model.decide(NEW, **costs)[at_the_cut]} == {"pass"}
    above = model.decide(NEW, cost_fp=np.nextafter(scores, 0.0), cost_fn=1.0 - scores)
    assert (above == "alert").sum() > 500


def test_costs_that_predict_refuses_are_refused():
    for model in (fitted(FOREST, rule="f1"), fitted(FOREST, **BY_GROUP["f1"])):
        for method in (model.predict, model.decide):
            with pytest.raises(ValueError, match="cost_fp and cost_fn of rows"):
                method(NEW, cost_fn=NEW_COSTS["cost_fn"])


def test_trees():
    check(fitted(ImbalancedTreeClassifier()))
    tree = fitted(ImbalancedTreeClassifier(threshold="prior", pruning=None))
    check(tree)
    tree.row_cuts_ = fitted(FOREST, **BY_GROUP["f1"]).row_cuts_  # as `train` gives a tree its cuts
    check(tree)
    assert differences(tree) > 20


def test_trees_that_stand_for_a_model():
    forest = fitted(FOREST, rule="f1")
    for tree in (forest.to_tree(8, cv=None), forest.to_tree(8, 0.1, cv=None)):
        check(tree)
    line = piped(LogisticRegression()).fit(X, Y)
    assert "refer" in check(distil(line, X, Y, 6, 0.2))
