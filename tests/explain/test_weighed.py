"""The core's Shapley values against the definition, on random trees."""

from dataclasses import replace

import numpy as np
import pytest

from tests.explain.brute_force import random_rows, random_trees, shapley_values, worth
from thresher import _core
from thresher.explain.weighed import WeighedTrees


@pytest.mark.parametrize("weightless", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_values_are_those_of_the_definition(seed, weightless):
    random = np.random.default_rng([seed, weightless])
    for _ in range(60):
        trees = random_trees(random, n_trees=int(random.integers(1, 3)), weightless=weightless)
        rows = random_rows(random, 2)
        expected = np.stack([shapley_values(trees, row) for row in rows])
        found = trees.contributions(rows)
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-10)


def test_rows_sum_to_the_score():
    random = np.random.default_rng(1)
    for n_columns in (5, 12, 40):
        trees = random_trees(random, n_trees=7, n_columns=n_columns, max_inner=200)
        rows = random_rows(random, 333, n_columns)
        found = trees.contributions(rows)
        scores = [worth(trees, row, range(n_columns)) for row in rows]
        np.testing.assert_allclose(found.sum(axis=1), scores, rtol=0, atol=1e-11)


def test_long_paths_have_as_many_points_as_they_need():
    # A chain of 60 different columns: each row but the last takes the first way out.
    n = 60
    feature = np.full(2 * n + 1, -1, dtype=np.int32)
    feature[0 : 2 * n : 2] = np.arange(n)
    trees = WeighedTrees(
        begin=np.array([0, 2 * n + 1]),
        feature=feature,
        cut=np.zeros(2 * n + 1),
        missing_left=np.zeros(2 * n + 1, dtype=bool),
        level_set=np.full(2 * n + 1, -1, dtype=np.int32),
        set_begin=np.zeros(1, dtype=np.int64),
        set_bits=np.empty(0, dtype=np.uint8),
        value=np.where(feature < 0, np.arange(2.0 * n + 1), 0.0),
        zero_is_missing=np.zeros(n, dtype=bool),
        weight=np.ones(2 * n + 1),
    )
    rows = np.random.default_rng(0).normal(size=(40, n))
    scores = [worth(trees, row, range(n)) for row in rows]
    np.testing.assert_allclose(trees.contributions(rows).sum(axis=1), scores, rtol=0, atol=1e-11)


@pytest.mark.parametrize("n_rows", [1, 15, 17, 3000])
def test_threads_layouts_and_neighbours_change_no_bit(n_rows):
    random = np.random.default_rng(n_rows)
    trees = random_trees(random, n_trees=4, max_inner=30)
    rows = random_rows(random, n_rows)
    found = trees.contributions(rows)
    for threads in (2, 3, 8):
        np.testing.assert_array_equal(trees.contributions(rows, threads), found)
    np.testing.assert_array_equal(trees.contributions(np.asfortranarray(rows)), found)
    np.testing.assert_array_equal(trees.contributions(rows.astype(np.float32)), found)
    alone = np.concatenate([trees.contributions(rows[[k]]) for k in range(0, n_rows, 97)])
    np.testing.assert_array_equal(alone, found[::97])


def test_zeros_are_missing_where_trees_say_so():
    trees = random_trees(np.random.default_rng(4), n_trees=9, max_inner=12)
    rows = random_rows(np.random.default_rng(5), 50)
    gaps = np.where(rows == 0.0, np.nan, rows)
    zeros = replace(trees, zero_is_missing=np.ones(5, dtype=bool))
    np.testing.assert_array_equal(zeros.contributions(rows), trees.contributions(gaps))


def test_scaled_trees_have_scaled_values():
    trees = random_trees(np.random.default_rng(6), n_trees=3)
    rows = random_rows(np.random.default_rng(7), 20)
    shift = np.zeros(6)
    shift[-1] = 2.0
    np.testing.assert_allclose(
        trees.scaled(-3.0, 2.0).contributions(rows), -3.0 * trees.contributions(rows) + shift
    )


def test_infinite_values_are_told():
    trees = random_trees(np.random.default_rng(8), n_trees=9, max_inner=12)
    with pytest.raises(OverflowError):
        trees.contributions(np.full((3, 5), np.inf))


@pytest.mark.parametrize("weight", [-1.0, np.nan, np.inf, 1e308])
def test_weights_that_tell_no_shares_are_refused(weight):
    trees = random_trees(np.random.default_rng(9), max_inner=8)
    assert len(trees.feature) > 1
    with pytest.raises(ValueError, match="weights of nodes"):
        _ = replace(trees, weight=np.full(len(trees.weight), weight)).compiled


def test_a_path_of_too_many_columns_is_refused():
    n = 300
    feature = np.array([k // 2 if k % 2 == 0 else -1 for k in range(2 * n)] + [-1], dtype=np.int32)
    m = len(feature)
    compiled = _core.WeighedTrees(
        np.array([0, m]),
        feature,
        np.zeros(m),
        np.zeros(m, dtype=bool),
        np.full(m, -1, dtype=np.int32),
        np.zeros(1, dtype=np.int64),
        np.empty(0, dtype=np.uint8),
        np.ones(m),
        np.zeros(n, dtype=bool),
        np.ones(m),
    )
    with pytest.raises(ValueError, match="too deep to be explained"):
        compiled.contributions(np.zeros((1, n)))
    with pytest.raises(ValueError, match="X has not the columns"):
        compiled.contributions(np.zeros((1, n + 1)))


def test_named_cuts_are_medians_by_weight():
    def chain(*cuts):
        # x[0] <= c1, then x[0] <= c2, ... always on the right.
        k = len(cuts)
        feature = np.array([0 if i % 2 == 0 and i < 2 * k else -1 for i in range(2 * k + 1)])
        cut = np.zeros(2 * k + 1)
        cut[0 : 2 * k : 2] = cuts
        return replace(
            random_trees(np.random.default_rng(0), max_inner=0),
            begin=np.array([0, 2 * k + 1]),
            feature=feature.astype(np.int32),
            cut=cut,
            missing_left=np.zeros(2 * k + 1, dtype=bool),
            level_set=np.full(2 * k + 1, -1, dtype=np.int32),
            value=np.where(feature < 0, np.arange(2.0 * k + 1) ** 2, 0.0),
            weight=np.ones(2 * k + 1),
        )

    trees = WeighedTrees.together([chain(1.0, 3.0), chain(2.0), chain(9.0), chain(0.5, 2.5)])
    rows = np.array([[5.0, 0, 0, 0, 0], [0.0, 0, 0, 0, 0], [np.nan, 0, 0, 0, 0]])
    columns = np.array([[0, 1], [0, -1], [0, 3]], dtype=np.int32)
    cut, above = trees.named_cuts(rows, columns)
    # Leaves of two cuts say 1, 9 and 16, those of one 1 and 4. Of the row 5: cuts below it 1 and .5
    # of weight 11.5 each, 3 and 2.5 of 7, 2 of 3, and above it 9 of 3. Of the row 0, all above: 1
    # and .5 of weight 11.5, 2 and 9 of 3.
    np.testing.assert_array_equal(cut, [[1.0, np.nan], [1.0, np.nan], [np.nan, np.nan]])
    assert above[:2, 0].tolist() == [True, False]
