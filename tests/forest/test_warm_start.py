"""Trees added to a fitted forest: the same forest as if all had been grown at once."""

import pickle

import numpy as np
import pytest

from tests.forest.tables import mixed
from tests.forest.test_concurrency import digest
from thresher import ImbalancedForestClassifier

X, Y, WEIGHTS = mixed(600)


def forest_of(n_estimators, **parameters):
    settings = {"random_state": 3, "n_bootstrap": 10, "warm_start": True, **parameters}
    return ImbalancedForestClassifier(n_estimators, **settings)


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"importance": "permutation", "bootstrap": "plain"},
        {"bootstrap": "balanced", "smoothing": "m_estimate", "n_jobs": 2},
        {"bootstrap": False, "rule": "cost"},
    ],
    ids=str,
)
@pytest.mark.parametrize("weights", [None, WEIGHTS])
@pytest.mark.parametrize("categorical", [None, [2]])
def test_trees_grown_in_two_goes_are_those_grown_at_once(parameters, weights, categorical):
    parameters = parameters | {"categorical_features": categorical}
    twice = forest_of(50, **parameters).fit(X, Y, weights)
    first = [member.tree_.digest() for member in twice.estimators_[:50:7]]
    twice.set_params(n_estimators=100).fit(X, Y, weights)
    once = forest_of(100, **parameters).fit(X, Y, weights)
    assert digest(twice) == digest(once)
    assert [member.tree_.digest() for member in twice.estimators_[:50:7]] == first
    np.testing.assert_array_equal(twice.predict_proba(X), once.predict_proba(X))


def test_a_forest_goes_on_growing_after_a_pickle():
    half = pickle.loads(pickle.dumps(forest_of(20).fit(X, Y)))
    assert digest(half.set_params(n_estimators=40).fit(X, Y)) == digest(forest_of(40).fit(X, Y))


def test_without_a_seed_the_trees_kept_and_added_belong_together():
    forest = forest_of(30, random_state=None).fit(X, Y)
    kept = forest.estimators_[4].tree_.digest()
    forest.set_params(n_estimators=60).fit(X, Y)
    digests = [member.tree_.digest() for member in forest.estimators_]
    assert digests[4] == kept
    assert len(set(digests)) == 60


def test_without_warm_start_a_fit_starts_anew():
    forest = forest_of(30, warm_start=False, random_state=None).fit(X, Y)
    before = {member.tree_.digest() for member in forest.estimators_}
    forest.set_params(n_estimators=20).fit(X[:300], Y[:300])
    assert len(forest.estimators_) == 20
    assert not before & {member.tree_.digest() for member in forest.estimators_}
    assert len(forest.oob_decision_function_) == 300


def test_another_rule_on_the_same_trees():
    """No new trees is worth a warning, but the threshold is chosen anew."""
    forest = forest_of(50).fit(X, Y)
    expected = forest_of(50, rule="bcr").fit(X, Y)
    forest.set_params(rule="bcr")
    with pytest.warns(UserWarning, match="without a larger n_estimators grows no new") as caught:
        forest.fit(X, Y)
    assert [warning.filename for warning in caught] == [__file__]
    assert digest(forest) == digest(expected)


@pytest.mark.parametrize(
    ("rows", "target", "n_estimators", "message"),
    [
        (X, Y, 9, "n_estimators=9 must be at least 10, the number of trees that warm_start=True"),
        (X[:500], Y[:500], 20, r"last fit, on 600 rows.*X and y have 500 rows.*warm_start=False"),
        (X[:, :4], Y, 20, "600 rows, 5 columns.*have 600 rows, 4 columns"),
        (X, np.where(Y == 1, "b", "a"), 20, r"the classes \[0, 1\].*the classes \['a', 'b'\]"),
        (X, np.roll(Y, 1) | Y, 20, "weight 5.* against .*set warm_start=False for other data"),
    ],
)  # fmt: skip
def test_other_data_are_refused_and_the_forest_stays(rows, target, n_estimators, message):
    forest = forest_of(10).fit(X, Y)
    before = digest(forest)
    with pytest.raises(ValueError, match=message):
        forest.set_params(n_estimators=n_estimators).fit(rows, target)
    assert digest(forest) == before
