"""Nodes in which both classes exceed 127 rows: coded by quantiles, bounded and refined, or binned.

Smaller nodes, which test_brute_force.py covers, code every value of the rarer class losslessly.
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.oracle.brute_force import PRESENT_AGAINST_MISSING, Rules, Table
from tests.oracle.comparison import CoreTree, check_tree, grow_core
from tests.oracle.random_tables import CRITERIA, random_large_table, random_rules

SHARES = (0.02, 0.1, 0.3, 0.5, 0.8)
LEAVES = (1.0, 2.0, 5.0, 20.0, 100.0)
TABLES_PER_CRITERION = 25
LOSSLESS = 127  # rows of the rarer class
BINS = (4, 16, 255)

Edges = list[NDArray[np.float64]]


def tables_and_rules(name: str, count: int) -> Iterator[tuple[int, Table, Rules]]:
    """Yield seeds, tables with each share of positives in turn, and rules of one criterion."""
    offset = 1000 * list(CRITERIA).index(name)
    for seed in range(offset, offset + count):
        table = random_large_table(seed, SHARES[seed % len(SHARES)])
        yield seed, table, random_rules(seed, CRITERIA[name], LEAVES)


def n_large_splits(tree: CoreTree) -> int:
    return int(np.sum((tree["feature"] >= 0) & (tree["rows"].min(axis=1) > LOSSLESS)))


def assert_same_tree(one: CoreTree, other: CoreTree, where: str, but: tuple[str, ...] = ()) -> None:
    assert one.keys() == other.keys()
    for field in one.keys() - set(but):
        np.testing.assert_array_equal(one[field], other[field], f"{where}, {field}")


def reordered(table: Table, order: NDArray[np.intp]) -> Table:
    return replace(table, X=table.X[order], y=table.y[order], weights=table.weights[order])


@pytest.mark.parametrize("name", CRITERIA)
def test_every_node_has_the_best_split(name: str) -> None:
    n_large = 0
    for seed, table, rules in tables_and_rules(name, TABLES_PER_CRITERION):
        tree = grow_core(table, rules)
        check_tree(tree, table, rules, f"seed {seed}, {name}")
        n_large += n_large_splits(tree)
    assert n_large >= TABLES_PER_CRITERION / 2  # large nodes were split often enough


@pytest.mark.parametrize("name", CRITERIA)
def test_chains_of_alternating_labels(name: str) -> None:
    """Each split takes few rows off an end: what was found in a node is kept for the next."""
    for seed in range(2):
        table = alternating_table(seed)
        rules = replace(random_rules(seed, CRITERIA[name], (1.0,)), max_depth=-1)
        check_tree(grow_core(table, rules), table, rules, f"seed {seed}, {name}")


def alternating_table(seed: int) -> Table:
    rng = np.random.default_rng(seed)
    values = rng.permutation(600).astype(float)
    y = ((values % 2 == 0) ^ (rng.random(600) < 0.01 * seed)).astype(np.uint8)
    X = np.column_stack([values, rng.normal(size=600).round(1)])
    return Table(X, y, np.ones(600), np.zeros(2, dtype=bool))


@pytest.mark.parametrize("max_bins", [0, *BINS])
@pytest.mark.parametrize("name", CRITERIA)
def test_neither_row_order_nor_threads_matter(name: str, max_bins: int) -> None:
    for seed, table, rules in tables_and_rules(name, 10):
        order = np.random.default_rng(seed).permutation(len(table.y))
        one = grow_core(table, rules, max_bins=max_bins)
        other = grow_core(reordered(table, order), rules, max_bins=max_bins, n_threads=2)
        assert_same_tree(one, other, f"seed {seed}, {name}, {max_bins} bins")


@pytest.mark.parametrize("max_bins", [0, *BINS])
@pytest.mark.parametrize("name", ["adaptive_renyi, tolerance 0.5", "gini", "gain_ratio"])
def test_weight_two_is_the_row_twice(name: str, max_bins: int) -> None:
    for seed, table, rules in tables_and_rules(name, 10):
        ones = replace(table, weights=np.ones(len(table.y)))
        twos = replace(table, weights=np.full(len(table.y), 2.0))
        twice = reordered(ones, np.repeat(np.arange(len(table.y)), 2))
        weighted = grow_core(twos, rules, max_bins=max_bins)
        repeated = grow_core(twice, rules, max_bins=max_bins)
        where = f"seed {seed}, {name}, {max_bins} bins"
        np.testing.assert_array_equal(2 * weighted["rows"], repeated["rows"], where)
        assert_same_tree(weighted, repeated, where, but=("rows",))


# --- Bins -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", CRITERIA)
def test_a_bin_for_every_value_gives_the_exact_partition(name: str) -> None:
    n_splits = 0
    for seed, table, rules in tables_and_rules(name, 10):
        coarse = replace(table, X=to_few_values(table))
        exact = grow_core(coarse, rules)
        binned = grow_core(coarse, rules, max_bins=255)
        # Exact cuts lie between neighbours in the node, binned ones between those in the table.
        assert_same_tree(exact, binned, f"seed {seed}, {name}", but=("cut",))
        n_splits += int(np.sum(exact["feature"] >= 0))
    assert n_splits > 10


def to_few_values(table: Table) -> NDArray[np.floating]:
    """Return the numbers of the table rounded to at most 255 values a column."""
    columns = []
    for column, is_category in zip(table.X.T, table.categorical, strict=True):
        ranks = np.searchsorted(np.unique(column[~np.isnan(column)]), column)
        few = np.where(np.isnan(column), np.nan, np.floor(ranks * 255.0 / (ranks.max() + 1)))
        columns.append(column if is_category else few.astype(column.dtype))
    return np.column_stack(columns)


@pytest.mark.parametrize("max_bins", BINS)
@pytest.mark.parametrize("name", CRITERIA)
def test_no_other_edge_is_better(name: str, max_bins: int) -> None:
    for seed, table, rules in tables_and_rules(name, 5):
        tree = grow_core(table, rules, max_bins=max_bins)
        edges = seen_edges(table, [tree, *exploring_trees(table, max_bins)])
        where = f"seed {seed}, {name}, {max_bins} bins"
        assert max(len(cuts) for cuts in edges) < max_bins, where
        check_tree(in_bins(tree, edges), to_bins(table, edges), rules, where)


def test_exploring_trees_find_most_edges() -> None:
    """Otherwise the comparison with other edges would prove little."""
    values = np.random.default_rng(0).normal(size=(3000, 3))
    y = (values.sum(axis=1) + np.random.default_rng(1).normal(size=3000) > 1).astype(np.uint8)
    table = Table(values, y, np.ones(3000), np.zeros(3, dtype=bool))
    for max_bins in BINS:
        edges = seen_edges(table, exploring_trees(table, max_bins))
        assert min(len(cuts) for cuts in edges) > 0.9 * (max_bins - 1)


def exploring_trees(table: Table, max_bins: int) -> list[CoreTree]:
    """Grow deep trees on random features: edges depend on the table alone, so they show many."""
    return [
        grow_core(table, Rules(criterion), max_bins=max_bins, max_features=1, seed=seed)
        for criterion in ("gini", "dkm")
        for seed in range(4)
    ]


def seen_edges(table: Table, trees: list[CoreTree]) -> Edges:
    """Return the cuts of all trees by feature: edges for sure, though not all there are."""
    feature = np.concatenate([tree["feature"] for tree in trees])
    cut = np.concatenate([tree["cut"] for tree in trees])
    numeric = (feature >= 0) & (cut < PRESENT_AGAINST_MISSING)
    edges = [np.unique(cut[numeric & (feature == f)]) for f in range(table.X.shape[1])]
    return [
        cuts[:0] if is_category else cuts
        for cuts, is_category in zip(edges, table.categorical, strict=True)
    ]


def to_bins(table: Table, edges: Edges) -> Table:
    """Replace each number by the number of edges below it."""
    X = table.X.astype(np.float64)
    for feature, cuts in enumerate(edges):
        if not table.categorical[feature]:
            bins = np.searchsorted(cuts, X[:, feature])
            X[:, feature] = np.where(np.isnan(X[:, feature]), np.nan, bins)
    return replace(table, X=X, binned=True)


def in_bins(tree: CoreTree, edges: Edges) -> CoreTree:
    """Replace each cut by the number of the bin below it."""
    cut = tree["cut"].copy()
    for node in np.flatnonzero((tree["category"] < 0) & (tree["feature"] >= 0)):
        if cut[node] < PRESENT_AGAINST_MISSING:
            cut[node] = np.searchsorted(edges[tree["feature"][node]], cut[node])
    return tree | {"cut": cut}
