"""The condition of a leaf holds for the leaf's rows and for no others, also in SQL."""

import sqlite3

import numpy as np
import pytest

from tests import many_levels
from tests.condition.random_trees import random_table, random_tree
from thresher import ImbalancedTreeClassifier
from thresher.condition.condition import members
from thresher.condition.readable_tree import read_model
from thresher.condition.sql import where

SEEDS = range(12)


@pytest.mark.parametrize("seed", SEEDS)
def test_clauses_are_the_leaf(seed):
    model, _, _ = random_tree(seed)
    # New rows: other values, levels that the tree has not seen.
    table, _ = random_table(seed + 1000)
    table["line"] = table["line"].replace("north", "unknown")
    reading = read_model(model, 32)
    found = reading.leaf_conditions()
    met = members(found, model.columns_.matrix(table, "test"), reading.names)
    leaves = model.apply(table)
    assert len(found) > 0
    for condition, rows in zip(found, met, strict=True):
        assert (rows == (leaves == condition.leaves[0])).all()
    assert (met.any(axis=0) == (model.predict(table) == model.pos_label_)).all()


@pytest.mark.parametrize("seed", SEEDS)
def test_where_clause_finds_the_leaf(seed):
    model, _, _ = random_tree(seed)
    table, _ = random_table(seed + 2000)
    table["line"] = table["line"].replace("east", "unknown")
    with sqlite3.connect(":memory:") as database:
        table.reset_index().to_sql("parts", database, index=False)
        leaves = model.apply(table)
        for condition in read_model(model, 32).leaf_conditions():
            query = f'SELECT "index" FROM parts WHERE {where(condition.clauses)}'
            rows = [row for (row,) in database.execute(query)]
            assert rows == np.flatnonzero(leaves == condition.leaves[0]).tolist()
    database.close()


@pytest.mark.parametrize("kind", ["text", "number"])
def test_other_levels_are_in_the_clauses(kind):
    table, y = many_levels.random_table(2, kind)
    # Most cavities are bad, so that the others are in the conditions of positive leaves.
    for is_positive in (y, ~y):
        model = ImbalancedTreeClassifier(max_depth=4, pos_label=True).fit(table, is_positive)
        rows = many_levels.rows_of_all_kinds(table, kind)
        leaves, reading = model.apply(rows), read_model(model, 32)
        met = members(reading.leaf_conditions(), model.columns_.matrix(rows, "test"), reading.names)
        with sqlite3.connect(":memory:") as database:
            rows.reset_index().to_sql("parts", database, index=False)
            for condition, inside in zip(reading.leaf_conditions(), met, strict=True):
                expected = np.flatnonzero(leaves == condition.leaves[0]).tolist()
                query = f'SELECT "index" FROM parts WHERE {where(condition.clauses)}'
                assert [row for (row,) in database.execute(query)] == expected
                assert np.flatnonzero(inside).tolist() == expected
        database.close()


def test_cuts_of_one_column_become_an_interval():
    x = np.arange(60.0)
    y = ((x >= 20) & (x < 30)).astype(int)
    model = ImbalancedTreeClassifier("entropy").fit(x[:, None], y)
    (condition,) = read_model(model, 32).leaf_conditions()
    assert condition.text(complete={"x[0]"}) == "19.5 < x[0] <= 29.5"


def test_tree_of_one_leaf():
    model = ImbalancedTreeClassifier(threshold=0.1).fit(np.zeros((20, 1)), [0] * 15 + [1] * 5)
    (condition,) = read_model(model, 32).leaf_conditions()
    assert condition.text() == "all rows"
    assert where(condition.clauses) == "1 = 1"
