"""What people use on a table of their own: each method decides by a threshold tuned alike."""

import pickle

import numpy as np
import pytest
from sklearn.metrics import balanced_accuracy_score, f1_score
from sklearn.utils import get_tags

from thresher.benchmark.method_words import WORDS
from thresher.benchmark.methods import METHODS
from thresher.benchmark.own_table import fill_missing
from thresher.benchmark.usual_methods import RULES, USUAL_METHODS, usual_methods

RANDOM = np.random.default_rng(5)
X = RANDOM.normal(size=(400, 4))
Y = (X[:, 0] + X[:, 1] + RANDOM.normal(size=400) > 2.6).astype(int)


def fitted(name, rule="f1"):
    return usual_methods(rule, [name]).factories[name](random_state=0).fit(X, Y)


@pytest.mark.parametrize("name", USUAL_METHODS)
def test_a_method_decides_by_the_threshold_that_is_best_on_unseen_rows(name):
    model = fitted(name)
    scores = model.predict_proba(X)[:, 1]
    np.testing.assert_array_equal(model.predict(X), scores > model.threshold_)
    unseen = model.threshold_state_
    reached = [f1_score(unseen.is_positive, unseen.scores > cut) for cut in unseen.scores]
    assert f1_score(unseen.is_positive, unseen.scores > model.threshold_) == max(reached)


@pytest.mark.parametrize("name", ["forest", "logistic regression"])
def test_a_rule_gets_what_it_is_after(name):
    new = RANDOM.normal(size=(4000, 4))
    truth = new[:, 0] + new[:, 1] + RANDOM.normal(size=4000) > 2.6
    f1, bcr = (fitted(name, rule).predict(new) for rule in ("f1", "bcr"))
    assert f1_score(truth, f1) > f1_score(truth, bcr)
    assert balanced_accuracy_score(truth, bcr) > balanced_accuracy_score(truth, f1)


@pytest.mark.parametrize("name", USUAL_METHODS)
def test_missing_values_are_read_or_filled(name):
    gaps = X.copy()
    gaps[RANDOM.random(gaps.shape) < 0.1] = np.nan
    factory = usual_methods("f1", [name]).factories[name]
    model = fill_missing(pickle.loads(pickle.dumps(factory)), random_state=0)
    assert set(model.fit(gaps, Y).predict(gaps)) == {0, 1}
    assert hasattr(model, "steps") != get_tags(factory()).input_tags.allow_nan


def test_rules_are_those_of_the_command_line():
    from thresher.cli.compare import RULES as OFFERED

    assert OFFERED == RULES


def test_words_are_of_methods_that_exist():
    assert set(WORDS) - {"blend"} <= {*METHODS, *USUAL_METHODS, "LogR@prior"}
