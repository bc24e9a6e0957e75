"""The best subtree of so many leaves, against every subtree there is."""

from itertools import product

import numpy as np
import pytest

from thresher import ImbalancedTreeClassifier
from thresher.tree.leaf_budget import NEVER, best_cutbacks, best_subtree


def grown_tree(seed, n_rows=60, weighted=False):
    random = np.random.default_rng(seed)
    X = random.integers(0, 12, (n_rows, 3)).astype(float)
    y = (random.random(n_rows) < 0.15 + 0.5 * (X[:, 0] > 8)).astype(int)
    y[:2] = 0, 1
    weights = random.integers(1, 4, n_rows).astype(float) if weighted else None
    model = ImbalancedTreeClassifier("entropy", max_depth=4, min_samples_leaf=1, pruning=None)
    return model.fit(X, y, weights).tree_


def every_leaf_set(tree, node, budget):
    """Yield the leaves of every subtree with at most `budget` leaves."""
    yield (node,)
    if tree.left[node] < 0 or budget < 2:
        return
    for left in every_leaf_set(tree, tree.left[node], budget - 1):
        for right in every_leaf_set(tree, tree.right[node], budget - len(left)):
            yield left + right


def best_f1(tree, leaves):
    """Return the best F1 over all choices of the leaves that alert: a threshold on their share."""
    negative, positive = tree.weight[list(leaves)].T
    order = np.argsort(-positive / (negative + positive))
    hits, alerts = np.cumsum(positive[order]), np.cumsum((negative + positive)[order])
    return (2 * hits / (alerts + positive.sum())).max()


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("budget", [2, 3, 5])
@pytest.mark.parametrize("seed", range(12))
def test_no_subtree_of_so_many_leaves_has_a_larger_f1(seed, budget, weighted):
    tree = grown_tree(seed, weighted=weighted)
    small = best_subtree(tree, budget)
    assert small.tree.n_leaves <= budget
    alerts = small.tree.is_leaf & (small.tree.probability > small.threshold)
    counts = small.tree.weight[alerts]
    found = 2 * counts[:, 1].sum() / (counts.sum() + tree.weight[0, 1])
    expected = max(best_f1(tree, leaves) for leaves in every_leaf_set(tree, 0, budget))
    assert found == pytest.approx(expected, rel=1e-12)


def test_the_threshold_is_half_the_f1():
    tree = grown_tree(3)
    small = best_subtree(tree, 4)
    counts = small.tree.weight[small.tree.is_leaf & (small.tree.probability > small.threshold)]
    f1 = 2 * counts[:, 1].sum() / (counts.sum() + tree.weight[0, 1])
    assert small.threshold == pytest.approx(0.5 * f1)


def test_a_large_budget_keeps_no_leaf_that_changes_nothing():
    tree = grown_tree(5)
    small = best_subtree(tree, 1000).tree
    assert small.n_leaves <= tree.n_leaves
    small.validate()


def test_a_tree_without_a_split_stays():
    X, y = np.zeros((6, 1)), [0, 0, 0, 0, 1, 1]
    tree = ImbalancedTreeClassifier(pruning=None).fit(X, y).tree_
    small = best_subtree(tree, 8)
    assert small.tree.n_nodes == 1
    # Alerting on everything is the best there is: F1 = 2 * 2 / (6 + 2).
    assert small.threshold == pytest.approx(0.25)


def test_a_tree_without_positives_is_one_silent_leaf():
    tree = ImbalancedTreeClassifier(pruning=None).fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
    silent = tree.tree_.collapsed([0])
    arrays = silent.arrays() | {"weight": np.array([[4.0, 0.0]])}
    small = best_subtree(type(silent).from_core(arrays), max_leaf_nodes=4)
    assert (small.tree.n_leaves, small.threshold) == (1, 0.5)


# ----------------------------------------------------------------------------- leaves that refer


def small_tree(seed):
    """Return a small tree with weights that are no whole numbers."""
    random = np.random.default_rng(seed)
    X = random.integers(0, 6, (30, 2)).astype(float)
    y = (random.random(30) < 0.2 + 0.4 * (X[:, 0] > 3)).astype(int)
    y[:2] = 0, 1
    model = ImbalancedTreeClassifier("entropy", max_depth=3, min_samples_leaf=1, pruning=None)
    return model.fit(X, y, random.random(30) + 0.5).tree_


def worth(tree, leaves, labels, price):
    """Return (2 TP - price R) / (A + P) of leaves that pass (0), refer (1) or alert (2)."""
    negative, positive = tree.weight[list(leaves)].T
    refers, alerts = (np.array(labels) == one for one in (1, 2))
    found = positive[refers | alerts].sum()
    made = found + negative[alerts].sum()
    paid = price * (negative + positive)[refers].sum()
    return (2 * found - paid) / (made + positive.sum())


@pytest.mark.parametrize("first", range(0, 520, 40))
def test_no_subtree_and_no_labels_of_its_leaves_are_worth_more_at_a_price(first):
    for seed in range(first, first + 40):
        tree = small_tree(seed)
        prices = [0.02, 0.1, 0.3, NEVER]
        budget = 2 + seed % 3
        every = [
            (leaves, labels)
            for leaves in every_leaf_set(tree, 0, budget)
            for labels in product((0, 1, 2), repeat=len(leaves))
        ]
        for found in best_cutbacks(tree, budget, prices):
            price = found.price
            allowed = [one for one in every if price < NEVER or 1 not in one[1]]
            best = max(worth(tree, *one, 0.0 if price == NEVER else price) for one in allowed)
            assert found.value == pytest.approx(best, rel=1e-9)
            # Two thresholds on the share of positives are labels that are worth as much.
            low, high = found.thresholds
            share = tree.probability[found.leaves]
            labels = (share > low).astype(int) + (share > max(low, high))
            paid = 0.0 if price == NEVER else price
            assert worth(tree, found.leaves, labels, paid) == pytest.approx(best, rel=1e-9)


def test_a_lower_price_refers_more_and_agrees_better():
    for seed in range(20):
        tree = grown_tree(seed, n_rows=200)
        prices = np.geomspace(0.5, 0.005, 8)
        f1, referred = [], []
        for found in best_cutbacks(tree, 6, prices):
            low, high = found.thresholds
            share = tree.probability[found.leaves]
            labels = (share > low).astype(int) + (share > max(low, high))
            f1.append(worth(tree, found.leaves, labels, 0.0))
            weight = tree.weight[found.leaves].sum(axis=1)
            alerts = tree.weight[found.leaves][labels > 0, 1].sum()
            made = alerts + tree.weight[found.leaves][labels == 2, 0].sum() + tree.weight[0, 1]
            referred.append(weight[labels == 1].sum() / made)
        assert (np.diff(f1) >= -1e-12).all()
        assert (np.diff(referred) >= -1e-12).all()


def test_prices_that_are_asked_together_are_independent():
    tree = grown_tree(7, n_rows=200)
    together = best_cutbacks(tree, 5, [NEVER, 0.2, 0.05])
    for one in together:
        (alone,) = best_cutbacks(tree, 5, [one.price])
        assert alone.leaves.tolist() == one.leaves.tolist()
        assert alone.value == one.value
