"""Laws that hold for every table: what must not change a tree, and what must mirror it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from thresher import ImbalancedTreeClassifier
from thresher.tree.growing import CRITERIA
from thresher.tree.pruning import METRIC_NAMES, metric_function


@st.composite
def tables(draw, max_rows=80):
    """Small integers with ties and missing values, a category column, and a rare class."""
    n_rows = draw(st.integers(8, max_rows))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X = random.integers(-4, 5, (n_rows, 3)).astype(float)
    X[:, 2] = random.integers(0, 6, n_rows)
    X[random.random((n_rows, 3)) < draw(st.sampled_from([0.0, 0.1]))] = np.nan
    y = (random.random(n_rows) < draw(st.sampled_from([0.15, 0.4]))).astype(int)
    y[:2] = 0, 1
    return X, y


@st.composite
def models(draw):
    criterion = draw(st.sampled_from(CRITERIA))
    return ImbalancedTreeClassifier(
        criterion,
        alpha=draw(st.sampled_from([0.0, 0.5, 1.0, 2.0, 3.0])) if criterion == "renyi" else None,
        min_samples_leaf=draw(st.integers(1, 4)),
        max_depth=draw(st.sampled_from([None, 3])),
        max_bins=draw(st.sampled_from([None, 255])),
        class_weight=draw(st.sampled_from([None, {0: 1.0, 1: 4.0}])),
        categorical_features=[2],
        pruning=draw(st.sampled_from(["bcr", None])),
        pos_label=1,
    )


pytestmark = pytest.mark.filterwarnings("ignore:The .* rows are fewer")
laws = settings(max_examples=60, deadline=None)


def partition(model, X):
    """Rows by leaf, whatever the leaves' numbers are."""
    leaves = model.apply(X)
    return {frozenset(np.flatnonzero(leaves == leaf).tolist()) for leaf in np.unique(leaves)}


@laws
@given(tables(), models(), st.sampled_from([np.exp, lambda x: x**3, lambda x: 1e-3 * x - 7.0]))
def test_a_monotone_transformation_of_a_feature_keeps_the_partition(table, model, transformation):
    X, y = table
    moved = X.copy()
    moved[:, 0] = transformation(X[:, 0])
    assert partition(model.fit(X, y), X) == partition(model.fit(moved, y), moved)


@laws
@given(tables(), models(), st.integers(0, 2**32 - 1))
def test_integer_weights_are_repeated_rows(table, model, seed):
    X, y = table
    times = np.random.default_rng(seed).integers(1, 4, len(y))
    weighted = model.fit(X, y, times).tree_
    repeated = model.fit(np.repeat(X, times, axis=0), np.repeat(y, times)).tree_
    left_out = {"rows"}  # true row counts differ, of course
    for name, values in weighted.arrays().items():
        if name not in left_out:
            np.testing.assert_array_equal(values, getattr(repeated, name), err_msg=name)


@laws
@given(tables(), models(), st.integers(0, 2**32 - 1))
def test_weight_zero_is_an_absent_row(table, model, seed):
    X, y = table
    kept = np.random.default_rng(seed).random(len(y)) < 0.7
    kept[:2] = True  # a row of each class
    X[:, 2] = np.where(np.isin(X[:, 2], X[kept, 2]), X[:, 2], np.nan)  # the same levels
    zero = model.fit(X, y, kept.astype(float)).tree_.digest()
    assert model.fit(X[kept], y[kept]).tree_.digest() == zero


@laws
@given(tables(), models(), st.randoms(use_true_random=False), st.booleans())
def test_row_order_does_not_matter(table, model, random, weighted):
    X, y = table
    weights = np.round(np.random.default_rng(len(y)).random(len(y)) + 0.5, 3) if weighted else None
    order = np.array(random.sample(range(len(y)), len(y)))
    first = model.fit(X, y, weights).tree_.digest()
    assert (
        model.fit(X[order], y[order], weights[order] if weighted else None).tree_.digest() == first
    )


@settings(max_examples=15, deadline=None)
@given(tables(max_rows=400), models())
def test_the_number_of_threads_does_not_matter(table, model):
    digests = {model.set_params(n_jobs=n_jobs).fit(*table).tree_.digest() for n_jobs in (1, 2, 4)}
    assert len(digests) == 1


def quality(tree, metric, threshold):
    leaf = tree.weight[tree.is_leaf]
    says = tree.probability[tree.is_leaf] > threshold
    fp, tp = leaf[says].sum(axis=0)
    fn_tn = leaf[~says].sum(axis=0)
    return metric_function(metric, threshold)(fn_tn[0], fp, fn_tn[1], tp)


@laws
@given(tables(), models(), st.sampled_from(METRIC_NAMES), st.sampled_from([0.2, 0.5]))
def test_pruning_never_lowers_its_metric_and_yields_a_subtree(table, model, metric, threshold):
    X, y = table
    full = model.set_params(pruning=None).fit(X, y).unpruned_tree_
    pruned = full.pruned(metric, threshold)
    pruned.validate(n_features=3)
    assert quality(pruned, metric, threshold) >= quality(full, metric, threshold) - 1e-12
    old, new = [0], [0]
    while new:  # walk both trees from the root: each split of the pruned one is one of the full one
        node, twin = new.pop(), old.pop()
        assert pruned.rows[node].tolist() == full.rows[twin].tolist()
        if pruned.feature[node] >= 0:
            assert pruned.feature[node] == full.feature[twin]
            assert pruned.cut[node] == full.cut[twin]
            assert pruned.missing_left[node] == full.missing_left[twin]
            new += [pruned.left[node], pruned.right[node]]
            old += [full.left[twin], full.right[twin]]


@laws
@given(tables(), models())
def test_relabelling_mirrors_the_tree(table, model):
    X, y = table
    model.set_params(class_weight=None)
    straight = model.fit(X, y)
    expected, digest = straight.predict_proba(X), straight.tree_.digest()
    mirrored = model.set_params(pos_label=0).fit(X, 1 - y)
    assert mirrored.tree_.digest() == digest
    np.testing.assert_array_equal(mirrored.predict_proba(X), expected[:, ::-1])
    np.testing.assert_array_equal(mirrored.predict(X), 1 - (expected[:, 1] > 0.5))


@laws
@given(tables(), st.sampled_from([name for name in CRITERIA if name != "gain_ratio"]))
def test_the_best_gain_does_not_depend_on_which_class_is_positive(table, criterion):
    X, y = table
    alpha = 0.3 if criterion == "renyi" else None
    gains = [
        ImbalancedTreeClassifier(criterion, alpha=alpha, pruning=None, pos_label=label)
        .fit(X, y)
        .tree_.gain[0]
        for label in (0, 1)
    ]
    assert gains[0] == pytest.approx(gains[1], abs=1e-12)
