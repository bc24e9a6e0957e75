"""Node by node on the core's own rows: is each split of a tree of the core the best there is?"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.oracle.brute_force import (
    MIN_GAIN,
    SAME_GAIN,
    Candidates,
    Node,
    Rules,
    Table,
    all_candidates,
    choose,
    describe,
    feature_bests,
    left_is_heavier,
    may_split,
)
from thresher import _core

CLEAR_LEAD = 1e-9  # wherever the runner-up is farther, the split must be the same
ROUNDING = 1e-13
N_LEVELS = 255

CoreTree = dict[str, NDArray[Any]]
Rows = NDArray[np.intp]
Side = NDArray[np.bool_]


def grow_core(table: Table, rules: Rules, **options: int) -> CoreTree:
    """Grow with the core; options such as max_bins or n_threads come on top of the rules."""
    n_threads = options.pop("n_threads", 1)
    settings = core_options(rules, **({"max_features": table.X.shape[1]} | options))
    weights = None if np.all(table.weights == 1) else table.weights
    categorical = table.categorical.astype(np.uint8)
    tree: CoreTree = _core.grow(table.X, table.y, weights, categorical, settings, n_threads)
    return tree


def core_options(rules: Rules, **options: Any) -> _core.GrowOptions:
    """Return the options of the core for these rules and more."""
    return _core.GrowOptions(
        criterion=rules.criterion,
        alpha=rules.alpha,
        tolerance=rules.tolerance,
        class_weight=rules.class_weight,
        max_depth=rules.max_depth,
        min_leaf_weight=rules.min_leaf_weight,
        min_leaf_fraction=rules.min_leaf_fraction,
        min_split_weight=rules.min_split_weight,
        min_gain=rules.min_gain,
        mdl=False,
        **({"max_leaf_nodes": -1, "max_bins": 0, "seed": 0} | options),
    )


def check_tree(tree: CoreTree, table: Table, rules: Rules, where: str) -> None:
    """Check the counts of every node, the split of every inner one, and the right to every leaf."""
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
        needed = max(MIN_GAIN, rules.min_gain)
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
    assert gain > MIN_GAIN - ROUNDING, place
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
    group = candidates.groups[feature].of_row
    missing = group < 0
    n_left = group[goes_left & ~missing].max(initial=-1) + 1
    missing_left = bool(goes_left[missing].any())
    same = np.flatnonzero(
        (candidates.feature == feature)
        & (candidates.n_left == n_left)
        & (candidates.missing_left == missing_left)
    )
    found = len(same) == 1 and np.array_equal(candidates.goes_left(int(same[0])), goes_left)
    assert found, f"{place}: the split on feature {feature} is not an admissible one"
    return int(same[0])


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
