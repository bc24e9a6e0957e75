"""The core's cards against brute force."""

from itertools import pairwise

import numpy as np
import pytest

from tests.card.growth_reference import MISSING, Leaf, Reference
from thresher import _core


def random_rows(seed, n=60):
    random = np.random.default_rng(seed)
    codes = random.integers(0, 5, (n, 3)).astype(np.uint8)
    codes[random.random(codes.shape) < 0.15] = MISSING
    target = random.random(n) + 0.7 * (codes[:, 0] > 2) - 0.5 * np.isin(codes[:, 2], [1, 4])
    categorical = np.array([0, 0, 1], dtype=np.uint8)
    return codes, categorical, target, random.uniform(0.5, 2.0, n)


def fitted(rows, max_splits, *, max_trees=2, passes=0, cycles=0, ridge=2.0, n_threads=1):
    return _core.fit_card(
        *rows,
        max_splits=max_splits,
        max_trees=max_trees,
        ridge=ridge,
        min_weight=5.0,
        passes=passes,
        cycles=cycles,
        n_threads=n_threads,
    )


def leaves_of(grown, codes):
    """Return the leaf of each row in each tree, by a walk over the arrays."""
    begin = grown["begin"]
    left_codes = np.unpackbits(grown["goes_left"], axis=1, bitorder="little")
    found = []
    for first, last in pairwise(begin.tolist()):
        left = first + 2 * np.cumsum(grown["feature"][first:last] >= 0) - 1
        node = np.full(len(codes), first)
        while (inner := grown["feature"][node] >= 0).any():
            asked = codes[np.arange(len(codes)), grown["feature"][node]]
            child = left[node - first] + 1 - left_codes[node, asked]
            node = np.where(inner, child, node)
        found.append(node)
    return found


def total_loss(grown, rows, ridge):
    codes, _, target, weight = rows
    said = grown["intercept"] + sum(grown["value"][leaf] for leaf in leaves_of(grown, codes))
    values = grown["value"][grown["feature"] < 0]
    return (weight * (target - said) ** 2).sum() + ridge * (values**2).sum()


@pytest.mark.parametrize("seed", range(8))
def test_each_greedy_split_gains_as_much_as_the_best_of_all(seed):
    rows = random_rows(seed)
    reference = Reference(*rows, ridge=2.0, min_weight=5.0)
    for n_splits in range(1, 5):
        expected = reference.best_gain(max_trees=2)
        after = fitted(rows, n_splits)
        rebuild(reference, after, rows[0])
        gained = gain_of_last(reference, n_splits, rows)
        assert gained == pytest.approx(expected, rel=1e-9)
        reference.refit()
        values = {float(leaf.value) for leaf in reference.leaves}
        np.testing.assert_allclose(
            sorted(values), sorted(set(after["value"][after["feature"] < 0])), atol=1e-12
        )
        assert reference.intercept == pytest.approx(after["intercept"], abs=1e-12)
        assert reference.loss() == pytest.approx(after["losses"][-1], rel=1e-12)


def rebuild(reference, grown, codes):
    """Give a reference the leaves of a card, with the values from before its last split."""
    before = reference.leaves
    found = []
    for tree, leaf in enumerate(leaves_of(grown, codes)):
        for place in sorted(set(leaf.tolist())):
            rows = np.flatnonzero(leaf == place)
            old = [one.value for one in before if one.tree == tree and set(rows) <= set(one.rows)]
            found.append(Leaf(rows, tree, *old))
    reference.before, reference.leaves = before, found
    reference.n_trees = len(grown["begin"]) - 1


def gain_of_last(reference, n_splits, rows):
    """Return the gain of the split that the leaves before did not have."""
    kept = {(leaf.tree, tuple(leaf.rows)) for leaf in reference.before}
    new = [leaf for leaf in reference.leaves if (leaf.tree, tuple(leaf.rows)) not in kept]
    assert len(new) == 2
    assert len(reference.leaves) - reference.n_trees == n_splits
    together = np.sort(np.concatenate([leaf.rows for leaf in new]))
    return reference.gain_of(together, np.isin(together, new[0].rows), new[0].value)


@pytest.mark.parametrize("seed", range(6))
def test_no_step_makes_more_loss(seed):
    rows = random_rows(seed, n=300)
    for more in ({}, {"passes": 3}):
        losses = fitted(rows, 12, max_trees=3, **more)["losses"]
        assert (np.diff(losses) <= 1e-12 * losses[0]).all()
    best = [fitted(rows, 12, max_trees=3, passes=p, cycles=c) for p, c in ((0, 0), (3, 0), (3, 3))]
    losses = [total_loss(one, rows, 2.0) for one in best]
    assert losses[2] <= losses[1] <= losses[0]
    assert losses[2] < losses[0]


@pytest.mark.parametrize("seed", range(6))
def test_a_card_keeps_its_size_and_the_weight_of_its_leaves(seed):
    rows = random_rows(seed, n=300)
    grown = fitted(rows, 9, max_trees=3, passes=3, cycles=3)
    assert len(grown["begin"]) - 1 <= 3
    assert (grown["feature"] >= 0).sum() <= 9
    for leaf in leaves_of(grown, rows[0]):
        weight = np.bincount(leaf, rows[3])
        assert weight[np.unique(leaf)].min() >= 5.0 - 1e-9
        is_leaf = grown["feature"][: len(weight)] < 0
        assert np.isin(np.flatnonzero(weight > 0), np.flatnonzero(is_leaf)).all()


def test_threads_change_no_bit():
    random = np.random.default_rng(0)
    codes = random.integers(0, 256, (12_000, 9)).astype(np.uint8)
    target = random.random(12_000) + (codes[:, 3] > 99)
    rows = (codes, np.array([0] * 8 + [1], dtype=np.uint8), target, random.random(12_000) + 0.5)
    found = [
        fitted(rows, 12, max_trees=4, passes=2, cycles=1, n_threads=threads)
        for threads in (1, 2, 5)
    ]
    for other in found[1:]:
        for name, values in found[0].items():
            np.testing.assert_array_equal(values, other[name])


def test_levels_and_missing_values_that_a_node_has_not_seen_go_with_the_heavier_side():
    codes = np.repeat([[0], [1], [2]], [30, 50, 20], axis=0).astype(np.uint8)
    target = np.repeat([0.0, 1.0, 1.0], [30, 50, 20])
    for categorical in (0, 1):
        rows = (codes, np.array([categorical], np.uint8), target, np.ones(100))
        grown = fitted(rows, 1)
        is_left = np.unpackbits(grown["goes_left"][0], bitorder="little")
        assert is_left[0] != is_left[1] == is_left[2] == is_left[MISSING]
        if categorical:
            assert is_left[77] == is_left[1]


def test_bad_arrays_are_refused():
    codes, categorical, target, weight = random_rows(0)
    with pytest.raises(ValueError, match="one entry a row"):
        fitted((codes, categorical, target[:-1], weight), 3)
    with pytest.raises(ValueError, match="one entry a column"):
        fitted((codes, categorical[:-1], target, weight), 3)
    with pytest.raises(ValueError, match="above zero"):
        fitted((codes, categorical, target, 0 * weight), 3)
    with pytest.raises(ValueError, match="finite"):
        fitted((codes, categorical, target * np.nan, weight), 3)
