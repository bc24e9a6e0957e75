"""The core's trees against brute force, node by node on the core's own rows."""

from dataclasses import replace
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.oracle.brute_force import (
    LEAST_GAIN,
    PRESENT_AGAINST_MISSING,
    SAME_GAIN,
    Candidates,
    Node,
    Rules,
    Table,
    all_candidates,
    best_split,
    choose,
    describe,
    feature_bests,
    grow,
    left_is_heavier,
    may_split,
)
from tests.oracle.random_tables import CRITERIA, random_rules, random_table
from thresher.criteria import information_gain, shannon_entropy

TABLES_PER_CRITERION = 80
CLEAR_LEAD = 1e-9  # wherever the runner-up is farther, the split must be the same
ROUNDING = 1e-13
N_LEVELS = 255

CoreTree = dict[str, NDArray[Any]]
Rows = NDArray[np.intp]
Side = NDArray[np.bool_]


@pytest.fixture(scope="module")
def core() -> ModuleType:
    """Return the compiled core; without it these tests are skipped."""
    module: ModuleType = pytest.importorskip("thresher._core")
    return module


def grow_core(core: ModuleType, table: Table, rules: Rules) -> CoreTree:
    tree: CoreTree = core.grow(
        table.X,
        table.y,
        None if np.all(table.weights == 1) else table.weights,
        criterion=rules.criterion,
        alpha=rules.alpha,
        tolerance=rules.tolerance,
        class_weight=rules.class_weight,
        max_depth=rules.max_depth,
        max_leaf_nodes=-1,
        min_leaf_weight=rules.min_leaf_weight,
        min_split_weight=rules.min_split_weight,
        min_gain=rules.min_gain,
        max_features=table.X.shape[1],
        max_bins=0,
        categorical=table.categorical.astype(np.uint8),
        seed=0,
        mdl=False,
        n_threads=1,
    )
    return tree


@pytest.mark.parametrize("name", CRITERIA)
def test_every_node_of_the_core_has_the_best_split(core: ModuleType, name: str) -> None:
    offset = 1000 * list(CRITERIA).index(name)
    n_splits = 0
    for seed in range(offset, offset + TABLES_PER_CRITERION):
        table, rules = random_table(seed), random_rules(seed, CRITERIA[name])
        tree = grow_core(core, table, rules)
        check_tree(tree, table, rules, f"seed {seed}, {name}")
        n_splits += int(np.sum(tree["feature"] >= 0))
    assert n_splits > TABLES_PER_CRITERION / 2  # the comparison was not about leaves only


def test_hellinger_and_dkm_grow_the_same_tree(core: ModuleType) -> None:
    for seed in range(100):
        table, rules = random_table(seed), random_rules(seed, Rules("dkm"))
        dkm = grow_core(core, table, rules)
        hellinger = grow_core(core, table, replace(rules, criterion="hellinger"))
        assert dkm.keys() == hellinger.keys()
        for field, values in dkm.items():
            np.testing.assert_array_equal(values, hellinger[field], f"seed {seed}, {field}")


# --- One tree of the core -------------------------------------------------------------------------


def check_tree(tree: CoreTree, table: Table, rules: Rules, where: str) -> None:
    stack = [(0, table.weighed_rows(), 0)]
    visited = 0
    while stack:
        node, rows, depth = stack.pop()
        assert node == visited, f"{where}: node {node} is not in preorder"
        visited += 1
        place = f"{where}, node {node}"
        expected = describe(table, rules, rows)
        check_counts(tree, node, table, rules, expected, place)
        if tree["feature"][node] < 0:
            check_leaf(tree, node, table, rules, expected, depth, place)
            continue
        goes_left = check_split(tree, node, table, rules, expected, depth, place)
        stack.append((tree["right"][node], rows[~goes_left], depth + 1))
        stack.append((tree["left"][node], rows[goes_left], depth + 1))
    assert visited == len(tree["feature"]), where


def check_counts(
    tree: CoreTree, node: int, table: Table, rules: Rules, expected: Node, place: str
) -> None:
    true_counts = np.bincount(table.y[expected.rows], minlength=2)
    np.testing.assert_array_equal(tree["rows"][node], true_counts, place)
    np.testing.assert_array_equal(tree["weight"][node], expected.weight, place)
    np.testing.assert_array_equal(tree["class_weight"], rules.class_weight, place)
    for field, value in (("impurity", expected.impurity), ("alpha", expected.alpha)):
        np.testing.assert_allclose(
            tree[field][node], value, rtol=0, atol=SAME_GAIN, err_msg=f"{place}, {field}"
        )


def check_leaf(
    tree: CoreTree, node: int, table: Table, rules: Rules, expected: Node, depth: int, place: str
) -> None:
    assert tree["left"][node] == tree["right"][node] == tree["category"][node] == -1, place
    assert tree["gain"][node] == tree["cut"][node] == 0, place
    if may_split(expected, rules, depth):
        gain = all_candidates(table, rules, expected.rows).gain
        needed = max(LEAST_GAIN, rules.min_gain)
        assert np.all(gain <= needed + ROUNDING), f"{place}: a leaf, but a gain of {gain.max()}"


def check_split(
    tree: CoreTree, node: int, table: Table, rules: Rules, expected: Node, depth: int, place: str
) -> Side:
    assert may_split(expected, rules, depth), f"{place}: split against the limits"
    rows = expected.rows
    goes_left = route(tree, node, table, rows)
    candidates = all_candidates(table, rules, rows)
    chosen = find_candidate(candidates, int(tree["feature"][node]), goes_left, place)
    gain = candidates.gain[chosen]
    assert gain > LEAST_GAIN - ROUNDING, place
    assert gain >= rules.min_gain - ROUNDING, place
    assert abs(tree["gain"][node] - gain) <= SAME_GAIN, f"{place}: gain is not that of the parts"
    check_form(tree, node, table, rows, candidates, chosen, place)
    best, lead = choose(candidates, rules)
    if lead > CLEAR_LEAD:
        assert chosen == best, f"{place}: not the best split, which leads by {lead}"
    else:
        check_tie(candidates, rules, chosen, place)
    return goes_left


def route(tree: CoreTree, node: int, table: Table, rows: Rows) -> Side:
    column = table.X[rows, tree["feature"][node]].astype(np.float64)
    missing = np.isnan(column)
    if tree["category"][node] < 0:
        left = column <= tree["cut"][node]
    else:
        left = level_bits(tree, node, "levels_left")[np.where(missing, 0, column).astype(int)]
    return np.where(missing, bool(tree["missing_left"][node]), left)


def level_bits(tree: CoreTree, node: int, field: str) -> Side:
    packed = tree[field][tree["category"][node]]
    return np.unpackbits(packed, bitorder="little")[:N_LEVELS].astype(bool)


def find_candidate(candidates: Candidates, feature: int, goes_left: Side, place: str) -> int:
    own = np.flatnonzero(candidates.feature == feature)
    same = [i for i in own.tolist() if np.array_equal(candidates.goes_left(i), goes_left)]
    assert len(same) == 1, f"{place}: the split on feature {feature} is not an admissible one"
    return same[0]


def check_form(
    tree: CoreTree,
    node: int,
    table: Table,
    rows: Rows,
    candidates: Candidates,
    chosen: int,
    place: str,
) -> None:
    groups = candidates.groups[candidates.feature[chosen]]
    heavier = left_is_heavier(table, rows, candidates.goes_left(chosen))
    assert tree["cut"][node] == groups.cut(int(candidates.n_left[chosen])), place
    if np.all(groups.of_row >= 0):
        assert tree["missing_left"][node] == heavier, f"{place}: side of missing values"
    assert (tree["category"][node] >= 0) == groups.is_category, place
    if groups.is_category:
        seen = np.isin(np.arange(N_LEVELS), groups.values)
        np.testing.assert_array_equal(level_bits(tree, node, "levels_seen"), seen, place)
        unseen_left = level_bits(tree, node, "levels_left")[~seen]
        assert np.all(unseen_left == heavier), f"{place}: side of unknown levels"


def check_tie(candidates: Candidates, rules: Rules, chosen: int, place: str) -> None:
    gain, ratio = candidates.gain, candidates.ratio
    if rules.criterion != "gain_ratio":
        assert gain[chosen] >= gain.max() - SAME_GAIN, f"{place}: not the best gain"
        return
    # Any of the tied best cuts of a feature may stand for it, with its own ratio.
    bests = list(feature_bests(candidates))
    average = np.mean([gain[tied].max() for tied in bests])
    assert any(chosen in tied for tied in bests), f"{place}: not its feature's best gain"
    assert gain[chosen] >= average - CLEAR_LEAD, f"{place}: gain below average"
    sure = [tied for tied in bests if gain[tied].min() >= average - ROUNDING]
    rivals = [ratio[tied].min() for tied in sure]
    assert ratio[chosen] >= max(rivals, default=0) - SAME_GAIN, f"{place}: not the best ratio"


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


def gain_of_side(table: Table, rules: Rules, weighed: Side, left: Side) -> float | None:
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
