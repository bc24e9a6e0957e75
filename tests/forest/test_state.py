"""The state of a fitted forest, as other files read it."""

import copy
import pickle

import numpy as np
import pytest
from sklearn.base import clone

from tests.table_factory import Table
from thresher import ImbalancedForestClassifier
from thresher.forest.out_of_bag import OutOfBag
from thresher.forest.state import ForestState

X, Y = Table(noise=1.0).numpy()
WEIGHTS = Table().weights


def fitted(n_estimators=20, **parameters):
    return ImbalancedForestClassifier(
        n_estimators, n_bootstrap=0, random_state=3, **parameters
    ).fit(X, Y, WEIGHTS)


def test_a_fitted_forest_tells_votes_weights_and_seed():
    model = fitted(class_weight={0: 1.0, 1: 3.0})
    state = model.forest_state_
    negative, positive = state.totals
    assert state.n_rows == len(X)
    assert (negative, positive) == (WEIGHTS[Y == 0].sum(), WEIGHTS[Y == 1].sum())
    assert state.class_factors == (1.0, 3.0)
    assert state.prior == model.prior_
    assert state.weighted_prior == pytest.approx(3 * positive / (negative + 3 * positive))
    assert (state.seed, state.is_sorted) == (model.threshold_state_.seed, False)
    voted = state.votes.n_votes > 0
    np.testing.assert_array_equal(state.votes.probability[voted], model.threshold_state_.scores)


def test_warm_start_adds_to_the_votes_and_keeps_the_seed():
    whole = fitted(30)
    parts = fitted(10, warm_start=True)
    first = parts.forest_state_
    parts.set_params(n_estimators=30, random_state=99).fit(X, Y, WEIGHTS)
    assert parts.forest_state_.seed == first.seed == whole.forest_state_.seed
    for mine, theirs in zip(parts.forest_state_.votes, whole.forest_state_.votes, strict=True):
        assert mine.dtype == theirs.dtype
        np.testing.assert_array_equal(mine, theirs)
    assert first.votes.n_votes.sum() < parts.forest_state_.votes.n_votes.sum()


def test_a_fit_that_was_refused_can_be_continued():
    model = ImbalancedForestClassifier(1, warm_start=True, bootstrap="plain", random_state=0)
    rare = np.zeros(40, dtype=int)
    rare[0] = 1
    seed = next(
        seed for seed in range(50) if not _has_votes_of_both(model.set_params(random_state=seed))
    )
    model.set_params(random_state=seed, n_estimators=1)
    with pytest.raises(ValueError, match="grow more trees"):
        model.fit(X[:40], rare)
    model.set_params(n_estimators=30).fit(X[:40], rare)
    whole = clone(model).fit(X[:40], rare)
    assert model.threshold_ == whole.threshold_


def _has_votes_of_both(model):
    rare = np.zeros(40, dtype=int)
    rare[0] = 1
    try:
        clone(model).fit(X[:40], rare)
    except ValueError:
        return False
    return True


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
def test_copies_leave_the_training_rows_behind(duplicate):
    state = fitted(importance="permutation").forest_state_
    again = duplicate(state)
    assert state.training_rows is not None
    assert again.training_rows is None
    np.testing.assert_array_equal(again.votes.total, state.votes.total)
    np.testing.assert_array_equal(again.importances, state.importances)


def test_importances_are_there_when_asked_for():
    model = fitted(importance="permutation")
    found = model.forest_state_.importances
    np.testing.assert_array_equal(found, model.feature_importances_)
    model.set_params(importance="impurity").fit(X, Y)
    assert model.forest_state_.importances is None


def test_votes_of_no_tree_add_nothing():
    votes = OutOfBag(np.array([5, 0], dtype=np.int64), np.array([1, 0], dtype=np.int32))
    state = ForestState(OutOfBag.none(2), (1.0, 1.0), (1.0, 1.0), seed=0, is_sorted=True)
    for mine, theirs in zip(state.plus(votes).votes, votes, strict=True):
        assert mine.dtype == theirs.dtype
        np.testing.assert_array_equal(mine, theirs)
