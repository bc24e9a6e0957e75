"""Nodes of a few dozen rows may be counted by their values, not by codes: with one result.

A table whose rows stand there 64 times has the same tree, 64 times as heavy, and no node of it is
small. A power of two scales every score without rounding.
"""

from dataclasses import replace

import numpy as np
import pytest

from tests.oracle.brute_force import Rules, Table
from tests.oracle.comparison import CoreTree, grow_core
from tests.oracle.random_tables import CRITERIA, random_rules, random_table

REPEATS = 64
TABLES_PER_CRITERION = 40
SCALED = ("rows", "weight")


def repeated(table: Table) -> Table:
    X, y, weights = (np.repeat(a, REPEATS, axis=0) for a in (table.X, table.y, table.weights))
    return replace(table, X=X, y=y, weights=weights)


def heavier(rules: Rules) -> Rules:
    return replace(
        rules,
        min_leaf_weight=rules.min_leaf_weight * REPEATS,
        min_split_weight=rules.min_split_weight * REPEATS,
    )


def n_small_splits(tree: CoreTree) -> int:
    return int(np.sum((tree["feature"] >= 0) & (tree["rows"].sum(axis=1) <= REPEATS)))


@pytest.mark.parametrize("name", [name for name in CRITERIA if name != "gain_ratio"])
def test_values_and_codes_give_the_same_bits(name: str) -> None:
    n_small = 0
    offset = 1000 * list(CRITERIA).index(name)
    for seed in range(offset, offset + TABLES_PER_CRITERION):
        table, rules = random_table(seed), random_rules(seed, CRITERIA[name])
        # Values are counted where few columns are drawn, or columns and rows are not alike.
        n_drawn = table.X.shape[1] if seed % 3 == 0 else 1
        few = grow_core(table, rules, max_features=n_drawn)
        many = grow_core(repeated(table), heavier(rules), max_features=n_drawn)
        assert few.keys() == many.keys()
        for field in few:
            scale = REPEATS if field in SCALED else 1
            np.testing.assert_array_equal(
                few[field] * scale, many[field], f"seed {seed}, {name}, {field}"
            )
        n_small += n_small_splits(few)
    assert n_small >= TABLES_PER_CRITERION / 4  # small nodes were split often enough
