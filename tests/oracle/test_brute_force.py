"""The core's trees against brute force, node by node on the core's own rows."""

from dataclasses import replace

import numpy as np
import pytest

from tests.oracle.brute_force import (
    PRESENT_AGAINST_MISSING,
    BoolArray,
    Rules,
    Table,
    all_candidates,
    best_split,
    grow,
)
from tests.oracle.comparison import check_tree, grow_core
from tests.oracle.random_tables import CRITERIA, random_rules, random_table
from thresher.criteria import information_gain, shannon_entropy

TABLES_PER_CRITERION = 80


@pytest.mark.parametrize("name", CRITERIA)
def test_every_node_of_the_core_has_the_best_split(name: str) -> None:
    offset = 1000 * list(CRITERIA).index(name)
    n_splits = 0
    for seed in range(offset, offset + TABLES_PER_CRITERION):
        table, rules = random_table(seed), random_rules(seed, CRITERIA[name])
        tree = grow_core(table, rules)
        check_tree(tree, table, rules, f"seed {seed}, {name}")
        n_splits += int(np.sum(tree["feature"] >= 0))
    assert n_splits > TABLES_PER_CRITERION / 2  # the comparison was not about leaves only


def test_hellinger_and_dkm_grow_the_same_tree() -> None:
    for seed in range(100):
        table, rules = random_table(seed), random_rules(seed, Rules("dkm"))
        dkm = grow_core(table, rules)
        hellinger = grow_core(table, replace(rules, criterion="hellinger"))
        assert dkm.keys() == hellinger.keys()
        for field, values in dkm.items():
            np.testing.assert_array_equal(values, hellinger[field], f"seed {seed}, {field}")


def test_a_feature_whose_cuts_gain_nothing_counts_in_the_average_of_gain_ratio() -> None:
    nothing = [0.0, 1, 0, 1, 0, 1, 0, 1]  # lowers the average below the gain of the second feature
    small_gain_best_ratio = [1.0, 1, 1, 0, 1, 1, 1, 1]
    best_gain = [1.0, 0, 1, 1, 1, 0, 0, 0]
    table = table_of(nothing, small_gain_best_ratio, best_gain, y=[0, 0, 0, 0, 1, 1, 1, 1])
    rules = Rules("gain_ratio", max_depth=1)
    tree = grow_core(table, rules)
    assert tree["feature"].tolist() == [1, -1, -1]
    check_tree(tree, table, rules, "three features")


# --- The brute force itself -----------------------------------------------------------------------


def table_of(
    *columns: list[float], y: list[int], weights: list[float] | None = None, category: bool = False
) -> Table:
    return Table(
        X=np.array(columns, dtype=np.float64).T,
        y=np.array(y, dtype=np.uint8),
        weights=np.ones(len(y)) if weights is None else np.array(weights),
        categorical=np.full(len(columns), category),
    )


ENTROPY = Rules("entropy")


def test_a_clean_cut_is_found_with_its_lead() -> None:
    node = grow(table_of([1, 2, 3, 4], y=[0, 0, 1, 1]), ENTROPY)
    assert node.split is not None
    assert node.left is not None
    assert node.right is not None
    assert (node.split.feature, node.split.cut, node.split.missing_left) == (0, 2.5, True)
    assert node.split.gain == 1
    assert node.split.gap == pytest.approx(3 / 4 * shannon_entropy(1 / 3))
    assert node.left.weight.tolist() == [2, 0]
    assert node.right.split is None


@pytest.mark.parametrize(
    ("values", "y", "cut", "missing_left"),
    [
        ([1, 2, 3, 4, np.nan], [0, 0, 1, 1, 0], 2.5, True),
        ([1, 2, 3, 4, np.nan], [0, 0, 1, 1, 1], 2.5, False),
        ([1, 2, 3, np.nan, np.nan], [0, 0, 0, 1, 1], PRESENT_AGAINST_MISSING, False),
        ([1, 1 + 2**-52, 7, 7], [0, 1, 1, 1], 1.0, False),
    ],
)
def test_cuts_and_sides_of_missing_values(
    values: list[float], y: list[int], cut: float, missing_left: bool
) -> None:
    split = grow(table_of(values, y=y), ENTROPY).split
    assert split is not None
    assert (split.cut, split.missing_left) == (cut, missing_left)


def test_levels_are_cut_in_the_order_of_their_positive_rate() -> None:
    table = table_of([5, 5, 9, 9, 2, 2, 7, 7], y=[1, 1, 0, 0, 1, 1, 0, 1], category=True)
    split = grow(table, Rules("gini")).split
    assert split is not None
    assert split.levels_left == frozenset({7, 9})
    clean = table_of([5, 5, 9, 9, 2, 2], y=[1, 1, 0, 0, 0, 0], category=True)
    split = grow(clean, Rules("gini")).split
    assert split is not None
    assert split.levels_left == frozenset({2, 9})


def test_features_that_part_the_rows_alike_do_not_count_as_rivals() -> None:
    values = [1.0, 2.0, 3.0, 4.0]
    mirrored = table_of([0, 0, 0, 0], [-v for v in values], values, y=[0, 0, 1, 1])
    split = grow(mirrored, ENTROPY).split
    assert split is not None
    assert (split.feature, split.cut) == (1, -2.5)
    assert split.gap > 0.1


def test_gain_ratio_prefers_the_even_split_only_among_features_above_average() -> None:
    y = [0, 0, 0, 0, 0, 0, 1, 1]
    lone = [9.0, 0, 0, 0, 0, 0, 0, 0]  # splits off one negative: small gain
    clean = [0.0, 0, 0, 0, 0, 0, 1, 1]
    split = grow(table_of(lone, clean, y=y), Rules("gain_ratio")).split
    assert split is not None
    assert split.feature == 1
    candidates = all_candidates(table_of(lone, y=y), Rules("gain_ratio"), np.arange(8))
    expected = information_gain(5, 2, 1, 0) / shannon_entropy(1 / 8)
    assert candidates.ratio.tolist() == pytest.approx([expected])


def test_limits_are_in_units_of_weight() -> None:
    table = table_of([1, 2, 3, 4], y=[0, 0, 0, 1], weights=[1, 1, 1, 1.5])
    assert grow(table, replace(ENTROPY, min_leaf_weight=1.5)).split is not None
    split = grow(table, replace(ENTROPY, min_leaf_weight=2)).split
    assert split is not None
    assert split.cut == 2.5
    assert grow(table, replace(ENTROPY, min_leaf_weight=2.5)).split is None
    assert grow(table, replace(ENTROPY, min_split_weight=4.5)).split is not None
    assert grow(table, replace(ENTROPY, min_split_weight=4.6)).split is None
    assert grow(table, replace(ENTROPY, max_depth=0)).split is None
    assert grow(table, replace(ENTROPY, min_gain=1.1)).split is None


@pytest.mark.parametrize("seed", range(30))
def test_a_weight_of_two_is_the_row_twice(seed: int) -> None:
    table = random_table(seed)
    weights = 1 + table.y.astype(np.float64)
    rules = random_rules(seed, Rules("adaptive_renyi"))
    twice = np.repeat(np.arange(len(table.y)), 1 + table.y)
    repeated = Table(table.X[twice], table.y[twice], np.ones(len(twice)), table.categorical)
    one = best_split(replace(table, weights=weights), rules, np.arange(len(table.y)))
    other = best_split(repeated, rules, np.arange(len(twice)))
    assert (one is None) == (other is None)
    if one is not None and other is not None:
        assert one.gain == pytest.approx(other.gain, abs=1e-13)
        assert (one.feature, one.cut, one.levels_left) == (
            other.feature,
            other.cut,
            other.levels_left,
        )


@pytest.mark.parametrize("seed", range(30))
def test_the_best_gain_is_that_of_loops_written_out(seed: int) -> None:
    table = replace(random_table(seed), categorical=np.zeros(6, dtype=bool))
    rules = Rules("entropy", class_weight=(1.0, 3.0), min_leaf_weight=2.0)
    gains = all_candidates(table, rules, table.weighed_rows()).gain
    expected = list(loops_over_all_splits(table, rules))
    assert len(gains) == len(expected)
    np.testing.assert_allclose(np.sort(gains), np.sort(expected), rtol=0, atol=1e-13)


def loops_over_all_splits(table: Table, rules: Rules) -> list[float]:
    gains = []
    weighed = table.weights > 0
    for column in table.X[weighed].astype(np.float64).T:
        missing = np.isnan(column)
        values = sorted(set(column[~missing]))
        for value in values:
            for missing_left in {False, bool(missing.any())}:
                left = np.where(missing, missing_left, column <= value)
                gains.append(gain_of_side(table, rules, weighed, left))
    return [gain for gain in gains if gain is not None]


def gain_of_side(table: Table, rules: Rules, weighed: BoolArray, left: BoolArray) -> float | None:
    y, weights = table.y[weighed], table.weights[weighed]
    sides = (left, ~left)
    if min(weights[side].sum() for side in sides) < rules.min_leaf_weight:
        return None
    cost = weights * np.where(y == 1, rules.class_weight[1], rules.class_weight[0])
    before = shannon_entropy(cost[y == 1].sum() / cost.sum())
    for side in sides:
        share = cost[side & (y == 1)].sum() / cost[side].sum()
        before -= cost[side].sum() / cost.sum() * shannon_entropy(share)
    return float(before)
