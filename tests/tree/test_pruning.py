"""Pruning against its definition: whole-tree metric, post-order, counts of any rows."""

from math import sqrt

import numpy as np
import pytest

from tests.table_factory import Table
from thresher import ImbalancedTreeClassifier
from thresher.tree.pruning import METRIC_NAMES, metric_function
from thresher.tree.sample import hold_out


def noisy(n_rows=250, seed=0):
    return Table(seed, n_rows, columns=4, decimals=1, noise=1.5).numpy()


def full_tree(seed=0, **parameters):
    X, y = noisy(seed=seed)
    model = ImbalancedTreeClassifier("gini", pruning=None, min_samples_leaf=1, **parameters)
    return model.fit(X, y).tree_, X, y


def confusion(tree, counts, threshold):
    """(tn, fp, fn, tp) of a tree from the counts of its nodes."""
    says = tree.probability[tree.is_leaf] > threshold
    leaf = counts[tree.is_leaf]
    return leaf[~says, 0].sum(), leaf[says, 0].sum(), leaf[~says, 1].sum(), leaf[says, 1].sum()


def post_order(tree, node=0):
    if tree.feature[node] < 0:
        return []
    return [*post_order(tree, tree.left[node]), *post_order(tree, tree.right[node]), int(node)]


def pruned_by_definition(tree, metric, threshold, counts):
    """Collapse one node after the other and compute the metric of the whole tree anew."""
    collapsed = []

    def value(nodes):
        end, kept, node = tree.subtree_end, [], 0
        while node < tree.n_nodes:
            is_leaf = node in nodes or tree.feature[node] < 0
            kept += [node] if is_leaf else []
            node = end[node] + 1 if is_leaf else node + 1
        says = tree.probability[kept] > threshold
        tp, fp = counts[kept, 1][says].sum(), counts[kept, 0][says].sum()
        return metric(counts[0, 0] - fp, fp, counts[0, 1] - tp, tp)

    for node in post_order(tree):
        if value({*collapsed, node}) >= value(set(collapsed)) - 1e-12:
            collapsed.append(node)
    return tree.collapsed(collapsed)


@pytest.mark.parametrize("threshold", [0.2, 0.5])
@pytest.mark.parametrize("metric", METRIC_NAMES)
@pytest.mark.parametrize("seed", range(3))
def test_pruning_follows_its_definition(metric, threshold, seed):
    tree, _, _ = full_tree(seed)
    function = metric_function(metric, threshold)
    expected = pruned_by_definition(tree, function, threshold, tree.weight)
    pruned = tree.pruned(metric, threshold)
    assert pruned.digest() == expected.digest()
    pruned.validate(n_features=4)


@pytest.mark.parametrize("metric", METRIC_NAMES)
def test_pruning_on_other_rows_follows_its_definition(metric):
    tree, _, _ = full_tree()
    X, y = noisy(seed=7)
    counts = tree.node_counts(X, y.astype(np.uint8))
    expected = pruned_by_definition(tree, metric_function(metric, 0.5), 0.5, counts)
    assert tree.pruned(metric, 0.5, counts).digest() == expected.digest()
    assert expected.n_nodes < tree.n_nodes


def test_metrics_by_hand():
    counts = {"tn": 60.0, "fp": 20.0, "fn": 5.0, "tp": 15.0}
    values = {name: metric_function(name, 0.2)(**counts) for name in METRIC_NAMES}
    assert values["bcr"] == pytest.approx((15 / 20 + 60 / 80) / 2)
    assert values["gmean"] == pytest.approx(sqrt(15 / 20 * 60 / 80))
    assert values["error"] == pytest.approx(0.75)
    assert values["f1"] == pytest.approx(30 / 55)
    assert values["cost"] == pytest.approx(-(0.2 * 20 + 0.8 * 5))


@pytest.mark.parametrize("metric", ["bcr", "gmean", "error", "f1"])
def test_metrics_without_rows_are_zero(metric):
    assert metric_function(metric, 0.5)(0.0, 0.0, 0.0, 0.0) == 0.0


def test_a_callable_gets_the_confusion_counts():
    tree, _, y = full_tree()
    seen = []

    def recall(tn, fp, fn, tp):
        seen.append((tn + fp, fn + tp))
        return tp / (tp + fn)

    pruned = tree.pruned(recall)
    assert set(seen) == {(float((y == 0).sum()), float(y.sum()))}
    assert confusion(pruned, pruned.weight, 0.5)[3] == y.sum()


def test_the_tree_before_pruning_stays():
    X, y = noisy()
    model = ImbalancedTreeClassifier("gini", min_samples_leaf=1).fit(X, y)
    unpruned = ImbalancedTreeClassifier("gini", min_samples_leaf=1, pruning=None).fit(X, y)
    assert model.unpruned_tree_.digest() == unpruned.tree_.digest()
    assert model.tree_.digest() == unpruned.tree_.pruned("bcr").digest()


def test_cost_pruning_of_a_dear_miss_keeps_alarms():
    X, y = noisy()
    tree = ImbalancedTreeClassifier("gini", pruning=None, min_samples_leaf=20).fit(X, y).tree_
    _, fp, _, tp = confusion(tree.pruned("cost", 0.1), tree.pruned("cost", 0.1).weight, 0.1)
    assert fp > tp
    _, fp, _, tp = confusion(tree.pruned("cost", 0.9), tree.pruned("cost", 0.9).weight, 0.9)
    assert fp + tp == 0


def test_validation_rows_are_counted_at_every_node():
    tree, _, _ = full_tree()
    X, y = noisy(seed=3)
    weights = np.random.default_rng(0).random(len(y))
    counts = tree.node_counts(X, y.astype(np.uint8), weights, n_threads=2)
    passed = tree.decision_path(tree.leaves(X)).toarray().astype(bool)
    for label in (0, 1):
        expected = (passed * (weights * (y == label))[:, None]).sum(axis=0)
        assert counts[:, label] == pytest.approx(expected, abs=1e-9)


def test_validation_rows_decide():
    X, y = noisy()
    X_val, y_val = noisy(seed=5)
    model = ImbalancedTreeClassifier("gini", min_samples_leaf=1)
    model.fit(X, y, X_val=X_val, y_val=y_val)
    counts = model.unpruned_tree_.node_counts(X_val, y_val.astype(np.uint8))
    assert model.tree_.digest() == model.unpruned_tree_.pruned("bcr", 0.5, counts).digest()
    assert model.tree_.n_nodes < model.unpruned_tree_.n_nodes


def test_a_held_out_share_decides():
    X, y = noisy()
    model = ImbalancedTreeClassifier("gini", pruning_fraction=0.3, random_state=4).fit(X, y)
    held = hold_out(y.astype(np.uint8), None, 0.3, np.random.RandomState(4))
    assert model.unpruned_tree_.rows[0].sum() == (~held).sum()
    counts = model.unpruned_tree_.node_counts(X[held], y[held].astype(np.uint8))
    assert model.tree_.digest() == model.unpruned_tree_.pruned("bcr", 0.5, counts).digest()


def test_hold_out_is_stratified_and_leaves_out_rows_of_weight_zero():
    y = np.array([0] * 40 + [1] * 20, dtype=np.uint8)
    weights = np.ones(60)
    weights[:20] = 0.0
    held = hold_out(y, weights, 0.25, np.random.RandomState(0))
    assert (held[:20].sum(), held[20:40].sum(), held[40:].sum()) == (0, 5, 5)


def test_hold_out_keeps_a_row_of_each_class_on_both_sides():
    y = np.array([0, 0, 1, 1], dtype=np.uint8)
    for fraction in (0.01, 0.99):
        held = hold_out(y, None, fraction, np.random.RandomState(0))
        assert (held[:2].sum(), held[2:].sum()) == (1, 1)


def test_without_pruning_validation_rows_are_not_needed():
    X, y = noisy()
    model = ImbalancedTreeClassifier(pruning=None, pruning_fraction=0.3).fit(X, y)
    assert model.tree_ is model.unpruned_tree_
    assert model.tree_.rows[0].sum() == len(y)
