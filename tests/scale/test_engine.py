"""The driver over blocks: laws that hold for any engine."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.scale.blocks import ListBlocks, table_blocks
from tests.scale.tables import random_table, same_model
from thresher import (
    ImbalancedForestClassifier,
    ImbalancedTreeClassifier,
    _core,
    load_model,
    save_model,
)
from thresher.column import has_others
from thresher.scale.fitting import fit_blocks, grow_tree
from thresher.scale.growing_tree import cell_bytes
from thresher.scale.passes import bin_table


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    seed=st.integers(0, 10**6),
    n_parts=st.integers(1, 9),
    weighted=st.booleans(),
    many_levels=st.booleans(),
    memory=st.sampled_from([1, 40_000, 400_000, 10**9]),
    parameters=st.fixed_dictionaries(
        {
            "criterion": st.sampled_from(["adaptive_renyi", "entropy", "dkm", "gain_ratio"]),
            "max_bins": st.sampled_from([3, 20, 255]),
            "max_leaf_nodes": st.sampled_from([None, 2, 7, 40]),
            "max_features": st.sampled_from([None, 2]),
            "max_depth": st.sampled_from([None, 4]),
            "min_samples_leaf": st.sampled_from([1, 20]),
            "class_weight": st.sampled_from([None, "balanced", {"scrap": 2.5}]),
            "random_state": st.integers(0, 9),
            "pos_label": st.sampled_from([None, "good"]),
        }
    ),
)
def test_neither_blocks_nor_memory_nor_order_matter(
    seed, n_parts, weighted, many_levels, memory, parameters
):
    table = random_table(seed, n_rows=500, many_levels=many_levels)
    expected = table.fitted(weighted=weighted, **parameters)
    model = ImbalancedTreeClassifier(**parameters)
    fit_blocks(model, table_blocks(table, n_parts, weighted=weighted), memory)
    assert same_model(model, expected)
    assert any(has_others(levels or ()) for levels in model.columns_.levels) == many_levels


def test_rounds_are_few_where_leaves_are_limited():
    table = random_table(3)
    blocks = table_blocks(table, 3, weighted=False)
    said = []
    model = ImbalancedTreeClassifier(max_bins=255, max_leaf_nodes=64)
    fit_blocks(model, blocks, cell_bytes(5, weighted=False) * 200, said.append)
    counted = [text for text in said if "counting" in text]
    assert model.unpruned_tree_.n_leaves == 64
    assert len(counted) <= 2 * model.unpruned_tree_.depth


def test_counts_never_take_more_than_the_memory():
    table = random_table(4, n_rows=20_000)
    limit = 3 * cell_bytes(5, weighted=False)
    sizes = []
    blocks = table_blocks(table, 2, weighted=False)
    binned = bin_table(ImbalancedTreeClassifier(max_bins=255), blocks, print)

    class Watched(ListBlocks):
        def fold(self, function, merge):
            def measured(block):
                result = function(block)
                sizes.append(getattr(result, "nbytes", 0))
                return result

            return super().fold(measured, merge)

    binned.blocks.__class__ = Watched
    grow_tree(ImbalancedTreeClassifier(max_bins=255), binned, limit, print)
    assert max(sizes) == limit


@pytest.mark.parametrize("weighted", [False, True])
def test_a_forest_is_that_of_the_rows_in_the_order_of_their_hashes(weighted):
    table = random_table(6, n_rows=800)
    parameters = {"n_estimators": 25, "random_state": 3, "n_bootstrap": 20, "max_bins": 255}
    forests = []
    for n_parts in (1, 4):
        forest = ImbalancedForestClassifier(**parameters, importance="permutation")
        fit_blocks(forest, table_blocks(table, n_parts, weighted=weighted), 10**9)
        forests.append(forest)
    one, other = forests
    np.testing.assert_array_equal(one.forest_.nodes, other.forest_.nodes)
    np.testing.assert_array_equal(one.feature_importances_, other.feature_importances_)
    assert one.threshold_interval_ == other.threshold_interval_

    ordered = in_hash_order(table, weighted)
    expected = ImbalancedForestClassifier(**parameters, importance="permutation").fit(
        ordered.X, ordered.frame["state"], ordered.frame["count"] if weighted else None
    )
    np.testing.assert_array_equal(one.forest_.nodes, expected.forest_.nodes)
    np.testing.assert_array_equal(one.forest_.rows, expected.forest_.rows)
    np.testing.assert_allclose(one.feature_importances_, expected.feature_importances_, atol=1e-12)
    assert one.threshold_ == expected.threshold_
    np.testing.assert_array_equal(one.predict_proba(table.X), expected.predict_proba(table.X))
    with pytest.raises(AttributeError, match="votes have lost their rows"):
        _ = one.oob_decision_function_


def test_the_tree_that_imitates_a_forest_over_blocks_takes_rows_in_any_order(tmp_path):
    table = random_table(7, n_rows=800)
    forest = ImbalancedForestClassifier(20, random_state=1, n_bootstrap=0, max_bins=255)
    fit_blocks(forest, table_blocks(table, 2, weighted=False), 10**9)
    save_model(forest, tmp_path / "forest.thresher")
    for known in (forest, load_model(tmp_path / "forest.thresher")):
        trees = [
            known.to_tree(6, X=rows.X, y=rows.frame["state"], cv=None)
            for rows in (table, table.shuffled(5))
        ]
        agreement = [np.mean(tree.predict(table.X) == forest.predict(table.X)) for tree in trees]
        assert min(agreement) > 0.85


def in_hash_order(table, weighted):
    """Return the rows that count, as a forest over blocks arranges them."""
    if weighted:
        table = type(table)(table.frame[table.frame["count"] > 0].reset_index(drop=True))
    blocks = table_blocks(table, 1, weighted=weighted)
    binned = bin_table(ImbalancedForestClassifier(max_bins=255), blocks, print)
    (block,) = binned.blocks.blocks
    order = np.argsort(_core.hash_rows(*block), kind="stable")
    return type(table)(table.shuffled(1).frame.iloc[order].reset_index(drop=True))


def test_a_forest_larger_than_memory_is_refused():
    blocks = table_blocks(random_table(1), 2, weighted=False)
    with pytest.raises(ValueError, match="A forest needs all binned rows in each process"):
        fit_blocks(ImbalancedForestClassifier(max_bins=255), blocks, 1000)
