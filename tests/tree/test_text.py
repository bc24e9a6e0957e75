"""The tree as text: conditions, counts, probability, alpha* and decisions."""

import numpy as np
import polars as pl
import pytest
from sklearn.exceptions import NotFittedError

from thresher import ImbalancedTreeClassifier


def test_numbers_and_missing_values():
    speed = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, None, None]
    y = ["ok", "ok", "ok", "ok", "scrap", "scrap", "scrap", "scrap"]
    model = ImbalancedTreeClassifier("gini", pos_label="scrap")
    assert model.fit(pl.DataFrame({"speed": speed}), y).export_text() == (
        "all: 8 rows, 4 positive, p = 0.5\n"
        "|-- speed <= 4.5: 4 rows, 0 positive, p = 0 -> ok\n"
        "|-- speed > 4.5 or missing: 4 rows, 4 positive, p = 1 -> scrap\n"
    )


def test_levels_and_depth():
    line = ["a"] * 6 + ["b"] * 6 + ["c"] * 6
    heat = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0] * 3
    y = [0] * 12 + [0, 0, 0, 0, 1, 1]
    table = pl.DataFrame({"line": line, "heat": heat})
    assert ImbalancedTreeClassifier("renyi", alpha=0.25).fit(table, y).export_text() == (
        "all: 18 rows, 2 positive, p = 0.111, alpha* = 0.25\n"
        "|-- line in {a, b} or missing: 12 rows, 0 positive, p = 0, alpha* = 0.25 -> 0\n"
        "|-- line in {c}: 6 rows, 2 positive, p = 0.333, alpha* = 0.25\n"
        "    |-- heat <= 4.5 or missing: 4 rows, 0 positive, p = 0, alpha* = 0.25 -> 0\n"
        "    |-- heat > 4.5: 2 rows, 2 positive, p = 1, alpha* = 0.25 -> 1\n"
    )


def test_missing_against_present():
    table = pl.DataFrame({"heat": [1.0, 1.0, 1.0, 1.0, None, None]})
    text = ImbalancedTreeClassifier("gini").fit(table, [0, 0, 0, 0, 1, 1]).export_text()
    assert "|-- heat is present: 4 rows" in text
    assert "|-- heat is missing: 2 rows" in text
    table = pl.DataFrame({"line": ["a", "b", "a", "b", None, None]})
    text = ImbalancedTreeClassifier("gini").fit(table, [0, 0, 0, 0, 1, 1]).export_text()
    assert "|-- line in {a, b}: 4 rows" in text
    assert "|-- line is missing: 2 rows" in text


def test_levels_that_a_node_never_saw():
    line = ["a"] * 10 + ["b"] * 10 + ["c"] * 100
    heat = [0.0] * 20 + [1.0] * 100
    y = [0, 1] * 5 + [0, 0] + [1] * 8 + [0] * 100
    table = pl.DataFrame({"heat": heat, "line": line})
    model = ImbalancedTreeClassifier("gini", pruning=None).fit(table, y)
    assert model.export_text() == (
        "all: 120 rows, 13 positive, p = 0.108\n"
        "|-- heat <= 0.5: 20 rows, 13 positive, p = 0.65\n"
        "|   |-- line in {a} or another level or missing: 10 rows, 5 positive, p = 0.5 -> 0\n"
        "|   |-- line in {b}: 10 rows, 8 positive, p = 0.8 -> 1\n"
        "|-- heat > 0.5 or missing: 100 rows, 0 positive, p = 0 -> 0\n"
    )
    assert model.predict(pl.DataFrame({"heat": [0.0], "line": ["c"]})) == [0]


def test_the_threshold_decides():
    table, y = np.arange(8.0)[:, None], [0, 0, 0, 0, 1, 0, 1, 0]
    low = ImbalancedTreeClassifier(max_depth=1, pruning=None, threshold=0.2).fit(table, y)
    high = ImbalancedTreeClassifier(max_depth=1, pruning=None, threshold=0.9).fit(table, y)
    assert low.export_text().count("-> 1") == 1
    assert high.export_text().count("-> 1") == 0


def test_a_single_leaf():
    model = ImbalancedTreeClassifier("gini").fit([[1.0]] * 4, [0, 0, 0, 1])
    assert model.export_text() == "all: 4 rows, 1 positive, p = 0.25 -> 0\n"


def test_an_unfitted_tree_has_no_text():
    with pytest.raises(NotFittedError):
        ImbalancedTreeClassifier().export_text()
