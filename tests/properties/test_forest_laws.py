"""Laws that hold for every table: what must not change a forest, and what must mirror it."""

import numpy as np
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from thresher import ImbalancedForestClassifier, ImbalancedTreeClassifier
from thresher.tree.growing import CRITERIA


@st.composite
def tables(draw, max_rows=80):
    """Small integers with ties and missing values, a category column, and a rare class."""
    n_rows = draw(st.integers(8, max_rows))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X = random.integers(-4, 5, (n_rows, 3)).astype(float)
    X[:, 2] = random.integers(0, 6, n_rows)
    X[random.random((n_rows, 3)) < draw(st.sampled_from([0.0, 0.1]))] = np.nan
    y = (random.random(n_rows) < draw(st.sampled_from([0.15, 0.4]))).astype(int)
    y[:4] = 0, 1, 0, 1
    return X, y


@st.composite
def forests(draw, bootstrap, **parameters):
    """A forest of nine trees; with draws, each row of a small table is likely left out of some."""
    criterion = draw(st.sampled_from(CRITERIA))
    settings = {
        "alpha": draw(st.sampled_from([0.0, 0.5, 1.0, 3.0])) if criterion == "renyi" else None,
        "min_samples_leaf": draw(st.integers(1, 4)),
        "max_depth": draw(st.sampled_from([None, 3])),
        "max_bins": draw(st.sampled_from([None, 255])),
        "random_cuts": draw(st.sampled_from([0.0, 0.5, 1.0])),
        "max_features": draw(st.sampled_from([None, 1, 2])),
        "class_weight": draw(st.sampled_from([None, {0: 1.0, 1: 4.0}])),
        "smoothing": draw(st.sampled_from([None, "laplace", "m_estimate"])),
        "bootstrap": draw(st.sampled_from(bootstrap)),
        "random_state": draw(st.integers(0, 1000)),
    }
    return ImbalancedForestClassifier(
        9,
        criterion=criterion,
        rule=draw(st.sampled_from([None, "prior", "cost"])),
        categorical_features=[2],
        n_bootstrap=0,
        pos_label=1,
        **{**settings, **parameters},
    )


DRAWS = ("plain", "stratified", "balanced")
pytestmark = pytest.mark.filterwarnings("ignore:The .* rows are fewer")
laws = settings(max_examples=40, deadline=None)


def fitted(model, X, y, weights=None):
    """Fit, or turn to another example where a class has no row that a tree did not see."""
    try:
        return model.fit(X, y, weights)
    except ValueError as error:
        if "not one row of both classes is left out" in str(error):
            reject()
        raise


def arrays(model, without=()):
    """All that was grown, by name."""
    forest = model.forest_
    return {
        name: getattr(forest, name) for name in forest.__dataclass_fields__ if name not in without
    }


def assert_same_forest(one, other, without=()):
    theirs = arrays(other, without)
    for name, values in arrays(one, without).items():
        np.testing.assert_array_equal(values, theirs[name], err_msg=name)
    assert one.threshold_ == other.threshold_


@laws
@given(tables(), forests([False]), st.integers(0, 2**32 - 1))
def test_integer_weights_are_repeated_rows(table, model, seed):
    X, y = table
    times = np.random.default_rng(seed).integers(1, 4, len(y))
    weighted = model.fit(X, y, times)
    expected = weighted.predict_proba(X), weighted.feature_importances_, weighted.threshold_
    grown = arrays(weighted)
    repeated = model.fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    for name in ("begin", "nodes", "levels_left", "levels_seen"):
        np.testing.assert_array_equal(getattr(repeated.forest_, name), grown[name], err_msg=name)
    np.testing.assert_array_equal(repeated.forest_.rows, grown["weight"])
    np.testing.assert_array_equal(repeated.predict_proba(X), expected[0])
    np.testing.assert_allclose(repeated.feature_importances_, expected[1], atol=1e-15)
    assert repeated.threshold_ == expected[2]


@laws
@given(tables(), forests([False, *DRAWS]), st.integers(0, 2**32 - 1))
def test_weight_zero_is_an_absent_row(table, model, seed):
    """With draws, too: the same rows are drawn, and only those left have votes."""
    X, y = table
    kept = np.random.default_rng(seed).random(len(y)) < 0.7
    kept[:4] = True  # two rows of each class
    X[:, 2] = np.where(np.isin(X[:, 2], X[kept, 2]), X[:, 2], np.nan)  # the same levels
    expected = fitted(model, X[kept], y[kept])
    other = ImbalancedForestClassifier(**model.get_params()).fit(X, y, kept.astype(float))
    assert_same_forest(other, expected, without={"weight"})
    np.testing.assert_array_equal(other.forest_.weight, expected.forest_.rows)
    if model.bootstrap is not False:
        votes = other.oob_decision_function_
        np.testing.assert_array_equal(votes[kept], expected.oob_decision_function_)
        assert np.isnan(votes[~kept]).all()


@laws
@given(tables(), forests([False], max_features=None), st.booleans())
def test_without_draws_every_tree_is_the_one_grown_alone(table, model, weighted):
    X, y = table
    weights = np.round(np.random.default_rng(len(y)).random(len(y)) + 0.5, 3) if weighted else None
    model.random_cuts = 0
    tree = ImbalancedTreeClassifier(pruning=None)
    shared = set(tree.get_params()) & set(model.get_params()) - {"random_state"}
    tree.set_params(**{name: getattr(model, name) for name in shared}).fit(X, y, weights)
    members = model.fit(X, y, weights).estimators_
    assert {member.tree_.digest() for member in members} == {tree.tree_.digest()}


@laws
@given(tables(max_rows=200), forests([False, *DRAWS]), st.integers(1, 8))
def test_neither_threads_nor_growing_in_two_goes_matter(table, model, first):
    once = ImbalancedForestClassifier(**model.get_params())
    model.set_params(n_estimators=first, rule=None, warm_start=True, n_jobs=2)
    fitted(model, *table)
    model.set_params(n_estimators=9, rule=once.rule).fit(*table)
    assert_same_forest(model, once.fit(*table))
    if model.bootstrap is not False:
        np.testing.assert_array_equal(model.oob_decision_function_, once.oob_decision_function_)


@laws
@given(tables(), forests([False, *DRAWS]))
def test_every_member_is_a_sound_tree_and_the_mean_their_vote(table, model):
    X, y = table
    fitted(model.set_params(smoothing=None), X, y)
    for member in model.estimators_:
        member.tree_.validate(n_features=3)
    mean = np.mean([member.predict_proba(X) for member in model.estimators_], axis=0)
    np.testing.assert_allclose(model.predict_proba(X), mean, atol=1e-15)


@laws
@given(tables(), forests([False, *DRAWS], class_weight=None))
def test_relabelling_mirrors_the_forest(table, model):
    X, y = table
    straight = fitted(model, X, y)
    mirrored = ImbalancedForestClassifier(**{**model.get_params(), "pos_label": 0}).fit(X, 1 - y)
    assert_same_forest(mirrored, straight)
    np.testing.assert_array_equal(mirrored.predict_proba(X), straight.predict_proba(X)[:, ::-1])
    np.testing.assert_array_equal(mirrored.predict(X), 1 - straight.predict(X))
