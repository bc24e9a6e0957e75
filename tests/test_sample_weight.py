"""The scale of sample weights: no result depends on it, unless whole numbers repeat rows."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.ensemble import AdaBoostClassifier
from sklearn.metrics import f1_score

from tests.forest.tables import mixed
from thresher import (
    AlphaTreesClassifier,
    BoostedTreesClassifier,
    ImbalancedForestClassifier,
    ImbalancedTreeClassifier,
    LeastSquaresClassifier,
    PairFeatures,
    ThresholdClassifier,
)
from thresher.scale import fit

LEVELS = {"categorical_features": [2]}
SEEDED = {"random_state": 0, **LEVELS}
X, Y, WEIGHTS = mixed(512)
LARGE = X[:, 0] > 0  # two groups


def forest(**parameters):
    return ImbalancedForestClassifier(8, n_bootstrap=5, **SEEDED, **parameters)


ESTIMATORS = {
    "tree": ImbalancedTreeClassifier(**LEVELS),
    "tree pruned for cost": ImbalancedTreeClassifier(pruning="cost", threshold=0.3, **LEVELS),
    "tree with rows to prune on": ImbalancedTreeClassifier(
        "gini", pruning="cost", threshold=0.1, pruning_fraction=0.3, min_samples_split=9, **SEEDED
    ),
    "tree of gain ratio": ImbalancedTreeClassifier(
        "gain_ratio", mdl_correction=True, class_weight="balanced", min_gain=0.01, **LEVELS
    ),
    "tree of few leaves": ImbalancedTreeClassifier(
        max_leaf_nodes=5, max_bins=32, threshold="prior", **LEVELS
    ),
    "tree of random cuts": ImbalancedTreeClassifier(splitter="random", **SEEDED),
    "tree with pairs": ImbalancedTreeClassifier(pairs=PairFeatures(random_state=0), **LEVELS),
    "alpha trees": AlphaTreesClassifier(**LEVELS),
    "forest": forest(),
    "forest with Laplace votes": forest(smoothing="laplace", bootstrap="balanced"),
    "forest that chooses its leaf size": forest(min_samples_leaf="auto", smoothing="m_estimate"),
    "forest with groups": forest(threshold_by="line"),
    "boosted trees": BoostedTreesClassifier(8, n_bootstrap=5, **SEEDED),
    "least squares": LeastSquaresClassifier(class_weight="balanced"),
    "threshold": ThresholdClassifier(
        ImbalancedTreeClassifier(**LEVELS), "f1", n_bootstrap=5, random_state=0
    ),
    "threshold with a budget": ThresholdClassifier(
        forest(rule=None), "budget", per_1000=50, correct_prior=True, random_state=0
    ),
}
HUGE, TINY = 2.0**40, 2.0**-40


def table_for(name):
    """Return rows that an estimator takes."""
    if name == "least squares":
        return np.nan_to_num(X)
    return pd.DataFrame(X, columns=[*"abcde"]).assign(line=LARGE.astype(float))


def answers(model, table):
    """Return all that a model says of rows."""
    return [model.predict_proba(table), model.predict(table), model.threshold_]


@pytest.mark.parametrize("name", ESTIMATORS)
@pytest.mark.parametrize("factor", [TINY, HUGE])
def test_powers_of_two_change_no_bit(name, factor):
    table, weights = table_for(name), WEIGHTS * (np.arange(512) % 7 > 0)
    if factor == HUGE:
        weights /= 3.0  # as many digits as a number has: none of them becomes whole
    one, other = (
        clone(ESTIMATORS[name]).fit(table, Y, sample_weight=of)
        for of in (weights, weights * factor)
    )
    for expected, found in zip(answers(one, table), answers(other, table), strict=True):
        np.testing.assert_array_equal(found, expected)
    assert len(np.unique(answers(other, table)[0])) > 2


@pytest.mark.parametrize("name", ESTIMATORS)
def test_equal_weights_that_sum_to_one_are_no_weights(name):
    table, equal = table_for(name), np.full(512, 1 / 512)
    plain = clone(ESTIMATORS[name]).fit(table, Y)
    weighted = clone(ESTIMATORS[name]).fit(table, Y, sample_weight=equal)
    for expected, found in zip(answers(plain, table), answers(weighted, table), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-9)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([1e-12, 1e-300, 1e12]), st.integers(1, 6))
def test_limits_are_of_mean_weights_at_any_scale(seed, scale, least):
    random = np.random.default_rng(seed)
    weights = scale * random.lognormal(size=512) * (random.random(512) < 0.9)
    tree = ImbalancedTreeClassifier(
        "gini", pruning=None, min_samples_leaf=least, min_samples_split=3 * least, **LEVELS
    )
    grown = tree.fit(X, Y, weights).unpruned_tree_
    mean = weights[weights > 0].mean()
    rows = grown.weight.sum(axis=1) / mean
    assert rows[grown.is_leaf].min() >= least * (1 - 1e-9)
    assert rows[~grown.is_leaf].min() >= 3 * least * (1 - 1e-9)
    assert grown.n_leaves > 5
    # A power of ten rounds weights, which does not move rows between leaves.
    np.testing.assert_array_equal(tree.apply(X), clone(tree).fit(X, Y, weights / scale).apply(X))


def test_all_trees_of_a_forest_have_the_limit_of_its_rows():
    weights = np.where(np.arange(512) % 2, 0.001, 0.999)
    grown = forest(min_samples_leaf=4, bootstrap="balanced").fit(X, Y, weights)
    lightest = [
        tree.tree_.weight[tree.tree_.is_leaf].sum(axis=1).min() for tree in grown.estimators_
    ]
    assert min(lightest) >= 4 * 0.5 * (1 - 1e-9)
    assert min(lightest) < 5 * 0.5


def test_whole_weights_are_repeated_rows_and_others_are_not():
    twice = ImbalancedTreeClassifier(pruning=None, min_samples_leaf=8).fit(X, Y, np.full(512, 2.0))
    assert twice.tree_.rows[twice.tree_.is_leaf].sum(axis=1).min() < 8
    halves = clone(twice).fit(X, Y, np.full(512, 0.5))
    assert halves.tree_.rows[halves.tree_.is_leaf].sum(axis=1).min() >= 8


def test_boosting_reweights_a_tree_in_every_round():
    table = np.nan_to_num(X)
    boosted = AdaBoostClassifier(
        ImbalancedTreeClassifier(max_leaf_nodes=4, **LEVELS), n_estimators=10, random_state=0
    ).fit(table[:400], Y[:400])
    assert len(boosted.estimators_) == 10
    assert min(tree.unpruned_tree_.n_leaves for tree in boosted.estimators_) > 1
    assert f1_score(Y[400:], boosted.predict(table[400:])) > 0.3


# ------------------------------------------------------------------------------ blocks of a table


def in_batches(weights, lengths):
    """Return the table as Arrow batches of some lengths."""
    columns = {f"c{place}": pa.array(X[:, place], from_pandas=True) for place in range(5)}
    rows = pa.table({**columns, "y": Y, "w": weights})
    starts = np.cumsum([0, *lengths])
    return pa.Table.from_batches(
        [
            batch
            for start, end in pairwise([*starts.tolist(), 512])
            for batch in rows.slice(start, end - start).to_batches()
        ]
    )


@pytest.mark.parametrize("scale", [1.0, 1e-9, 1 / 3, 1e6])
@pytest.mark.parametrize("lengths", [[], [100, 200], [1, 2, 300]])
def test_blocks_have_the_limits_of_all_rows(scale, lengths):
    """Whole weights come first: a block of these alone does not make all of them whole."""
    weights = scale * np.where(np.arange(512) < 200, np.arange(512) % 3, WEIGHTS)
    rows, how = in_batches(weights, lengths), {"min_samples_leaf": 3, "max_bins": 64}
    blocks = {"target": "y", "sample_weight": "w"}
    tree = ImbalancedTreeClassifier(**how, pruning="cost").fit(X, Y, weights)
    assert tree.unpruned_tree_.n_leaves > 5
    found = fit(ImbalancedTreeClassifier(**how, pruning="cost"), rows, **blocks)
    assert found.unpruned_tree_.digest() == tree.unpruned_tree_.digest()
    assert found.tree_.digest() == tree.tree_.digest()
    shared = {"n_estimators": 2, "bootstrap": False, "rule": None, "smoothing": "laplace"}
    expected = ImbalancedForestClassifier(random_state=0, **how, **shared).fit(X, Y, weights)
    grown = fit(expected, rows, **blocks)
    np.testing.assert_array_equal(grown.forest_.nodes, expected.forest_.nodes)
    np.testing.assert_array_equal(grown.node_values(), expected.node_values())
