"""Random cuts of the core against draws made again in Python, node by node."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import pytest

from tests.oracle.brute_force import (
    MIN_GAIN,
    PRESENT_AGAINST_MISSING,
    BoolArray,
    IntArray,
    Rules,
    Table,
    all_candidates,
    describe,
    group_rows,
    may_split,
)
from tests.oracle.comparison import (
    CLEAR_LEAD,
    SAME_GAIN,
    CoreTree,
    check_counts,
    core_options,
    grow_core,
    level_bits,
    route,
)
from tests.oracle.random_tables import CRITERIA, random_rules, random_table
from thresher import _core

TABLES_PER_CRITERION = 12
WORD = 2**64 - 1


def scramble(x: int) -> int:
    x = (x + 0x9E3779B97F4A7C15) & WORD
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & WORD
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & WORD
    return x ^ (x >> 31)


def uniform(seed: int, path: int, feature: int) -> float:
    draw = scramble((scramble(scramble(seed) ^ (path ^ WORD)) + feature) & WORD)
    return (draw >> 11) * 2.0**-53


@dataclass(frozen=True)
class Drawn:
    """A drawn cut of a feature, on either side for missing values."""

    feature: int
    cut: float
    left: BoolArray
    missing: BoolArray

    def sides(self) -> Iterator[tuple[bool, BoolArray]]:
        yield False, self.left & ~self.missing
        if self.missing.any():
            yield True, self.left | self.missing


def drawn_cut(
    table: Table, rows: IntArray, feature: int, share: float, in_bins: bool
) -> Drawn | None:
    column = table.X[rows, feature].astype(np.float64)
    missing = np.isnan(column)
    if missing.all():
        return None
    if table.categorical[feature]:
        groups = group_rows(table, rows, feature)
        count = 1 + int(share * max(1, len(groups.values) - 1))
        return Drawn(feature, 0.0, (groups.of_row >= 0) & (groups.of_row < count), missing)
    low, high = np.nanmin(column), np.nanmax(column)
    cut = PRESENT_AGAINST_MISSING
    if low < high and in_bins:
        cut = low + int(share * (high - low)) + 0.5
    elif low < high:
        cut = max(low, low * (1.0 - share) + high * share)
        cut = cut if cut < high else low
        assert low <= cut < high
    return Drawn(feature, cut, column <= cut, missing)


def gains_of(table: Table, rules: Rules, rows: IntArray, path: int, seed: int, in_bins: bool):
    """The gain of every drawn cut that the limits allow: (feature, missing left, cut, gain)."""
    candidates = all_candidates(table, rules, rows)
    for feature in range(table.X.shape[1]):
        drawn = drawn_cut(table, rows, feature, uniform(seed, path, feature), in_bins)
        if drawn is None:
            continue
        for missing_left, goes_left in drawn.sides():
            for index in np.flatnonzero(candidates.feature == feature):
                if np.array_equal(candidates.goes_left(index), goes_left):
                    yield feature, missing_left, drawn.cut, candidates.gain[index]


def check_random_tree(
    tree: CoreTree, table: Table, rules: Rules, seed: int, where: str, *, in_bins: bool = False
) -> int:
    stack, n_splits = [(0, table.weighed_rows(), 0, 1)], 0
    while stack:
        node, rows, depth, path = stack.pop()
        place = f"{where}, node {node}"
        expected = describe(table, rules, rows)
        check_counts(tree, node, table, rules, expected, place)
        drawn = list(gains_of(table, rules, rows, path, seed, in_bins)) if len(rows) else []
        best = max((gain for *_, gain in drawn), default=-np.inf)
        if tree["feature"][node] < 0:
            needed = max(MIN_GAIN, rules.min_gain)
            assert not may_split(expected, rules, depth) or best <= needed + SAME_GAIN, place
            continue
        n_splits += 1
        goes_left = route(tree, node, table, rows)
        check_choice(tree, node, drawn, best, place)
        for child, right, part in (
            (tree["right"][node], 1, rows[~goes_left]),
            (tree["left"][node], 0, rows[goes_left]),
        ):
            stack.append((child, part, depth + 1, scramble((2 * path + right) & WORD)))
    return n_splits


def check_choice(tree: CoreTree, node: int, drawn, best: float, place: str) -> None:
    feature = tree["feature"][node]
    assert abs(tree["gain"][node] - best) <= SAME_GAIN, f"{place}: not the best of the drawn cuts"
    same = [one for one in drawn if one[0] == feature and best - one[3] <= CLEAR_LEAD]
    assert same, f"{place}: another feature's cut is better"
    if tree["category"][node] < 0:
        assert tree["cut"][node] == same[0][2], f"{place}: not the cut that was drawn"
    else:
        assert level_bits(tree, node, "levels_seen").any(), place


@pytest.mark.parametrize("name", [name for name in CRITERIA if name != "gain_ratio"])
def test_every_split_is_the_best_of_the_drawn_cuts(name: str) -> None:
    offset = 1000 * list(CRITERIA).index(name)
    n_splits = 0
    for seed in range(offset, offset + TABLES_PER_CRITERION):
        table, rules = random_table(seed), random_rules(seed, CRITERIA[name])
        tree = grow_core(table, rules, seed=seed, random_cuts=True)
        n_splits += check_random_tree(tree, table, rules, seed, f"seed {seed}, {name}")
    assert n_splits > TABLES_PER_CRITERION / 2


@pytest.mark.parametrize("name", [name for name in CRITERIA if name != "gain_ratio"])
def test_every_split_over_bins_is_the_best_of_the_drawn_ones(name: str) -> None:
    offset = 1000 * list(CRITERIA).index(name)
    n_splits = 0
    for seed in range(offset, offset + TABLES_PER_CRITERION):
        table, rules = in_ranks(random_table(seed)), random_rules(seed, CRITERIA[name])
        tree, where = grow_in_bins(table, rules, seed), f"seed {seed}, {name}"
        n_splits += check_random_tree(tree, table, rules, seed, where, in_bins=True)
    assert n_splits > TABLES_PER_CRITERION / 2


def in_ranks(table: Table) -> Table:
    """Replace each number by its rank among those of its column; all rows count the same."""
    X = table.X.astype(np.float64)
    for feature in np.flatnonzero(~table.categorical):
        values = X[:, feature]
        ranks = np.searchsorted(np.unique(values[~np.isnan(values)]), values)
        X[:, feature] = np.where(np.isnan(values), np.nan, ranks)
    return replace(table, X=X, weights=np.ones(len(X)))


def grow_in_bins(table: Table, rules: Rules, seed: int) -> CoreTree:
    """Grow a tree of random cuts where each rank is a bin."""
    options = core_options(rules, seed=seed, random_cuts=True, max_features=table.X.shape[1])
    edges = [np.arange(0.5, 0.0 if levels else 200.0) for levels in table.categorical.tolist()]
    n_positive = int(table.y.sum())
    whole = (len(table.y) - n_positive, n_positive)
    growth = _core.BlockGrowth(options, edges, table.categorical.astype(np.uint8), None, whole)
    codes = np.where(np.isnan(table.X), 255, table.X).astype(np.uint8)
    tree: CoreTree = growth.grow(codes, table.y, None, 0, 1)
    return tree


def test_threads_and_the_order_of_rows_change_nothing() -> None:
    for seed in range(60):
        table, rules = random_table(seed), random_rules(seed, Rules("gain_ratio"))
        options = {"seed": seed, "random_cuts": True, "max_features": 1}
        tree = grow_core(table, rules, **options)
        order = np.random.default_rng(seed).permutation(len(table.y))
        turned = Table(table.X[order], table.y[order], table.weights[order], table.categorical)
        other = grow_core(turned, rules, **options, n_threads=3)
        for field, values in tree.items():
            np.testing.assert_array_equal(values, other[field], f"seed {seed}, {field}")


def test_a_cut_at_zero_has_one_sign() -> None:
    """Between 0 and the number next to it there is no cut but 0, or -0 if that came first."""
    values = np.array([[0.0], [-0.0], [5e-324]] * 4)
    table = Table(values, (values[:, 0] > 0).astype(np.uint8), np.ones(12), np.zeros(1, dtype=bool))
    for order in (np.arange(12), np.roll(np.arange(12), -1)):
        turned = replace(table, X=values[order], y=table.y[order])
        cut = grow_core(turned, Rules("gini"), random_cuts=True)["cut"][0]
        assert (cut, np.signbit(cut)) == (0.0, False)


def test_draws_are_even() -> None:
    """The cut of a column with values at 0 and 1 is a share: its mean and spread over seeds."""
    X = np.array([[0.0], [0.0], [1.0], [1.0]])
    y = np.array([0, 0, 1, 1], dtype=np.uint8)
    table = Table(X, y, np.ones(4), np.zeros(1, dtype=bool))
    cuts = np.array(
        [grow_core(table, Rules("gini"), seed=s, random_cuts=True)["cut"][0] for s in range(4000)]
    )
    counts, _ = np.histogram(cuts, bins=10, range=(0.0, 1.0))
    assert ((counts - 400.0) ** 2 / 400.0).sum() < 30.0  # chi-squared, 9 degrees: p = .0004
