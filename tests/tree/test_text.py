"""The tree as text: conditions, counts, probability, alpha* and decisions."""

import numpy as np
import polars as pl
import pytest
from sklearn.exceptions import NotFittedError

from thresher import ImbalancedTreeClassifier
from thresher.tree.text import Wording


def test_numbers_and_missing_values():
    speed = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, None, None]
    y = ["ok", "ok", "ok", "ok", "scrap", "scrap", "scrap", "scrap"]
    model = ImbalancedTreeClassifier("gini", pos_label="scrap")
    assert model.fit(pl.DataFrame({"speed": speed}), y).export_text() == (
        "all: 8 rows, 4 scrap, p = 0.5\n"
        "|-- speed <= 4.5: 4 rows, 0 scrap, p = 0 -> ok\n"
        "|-- speed > 4.5 or missing: 4 rows, 4 scrap, p = 1 -> scrap\n"
    )


def test_levels_and_depth():
    line = ["a"] * 6 + ["b"] * 6 + ["c"] * 6
    heat = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0] * 3
    y = [0] * 12 + [0, 0, 0, 0, 1, 1]
    table = pl.DataFrame({"line": line, "heat": heat})
    assert ImbalancedTreeClassifier("renyi", alpha=0.25).fit(table, y).export_text() == (
        "all: 18 rows, 2 1, p = 0.111, alpha* = 0.25\n"
        "|-- line in {a, b} or missing: 12 rows, 0 1, p = 0, alpha* = 0.25 -> 0\n"
        "|-- line in {c}: 6 rows, 2 1, p = 0.333, alpha* = 0.25\n"
        "    |-- heat <= 4.5 or missing: 4 rows, 0 1, p = 0, alpha* = 0.25 -> 0\n"
        "    |-- heat > 4.5: 2 rows, 2 1, p = 1, alpha* = 0.25 -> 1\n"
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
    line = ["a", "b"] * 6 + ["c"] * 12
    heat = [0.0] * 12 + [1.0] * 12
    y = [0, 1] * 6 + [0] * 12
    table = pl.DataFrame({"line": line, "heat": heat}).select("heat", "line")
    model = ImbalancedTreeClassifier("gini", pruning=None).fit(table, y)
    conditions = {
        Wording(("heat", "line"), model.columns_.levels, (0, 1), 0.5).condition(
            model.tree_, int(node), left
        )
        for node in np.flatnonzero(model.tree_.category >= 0)
        for left in (True, False)
    }
    seen = {"line in {a, c} or missing", "line in {b}"}
    unseen = {"line in {a} or another level or missing", "line in {b}"}
    assert conditions in (seen, unseen)


def test_the_threshold_decides():
    table, y = np.arange(8.0)[:, None], [0, 0, 0, 0, 1, 0, 1, 0]
    low = ImbalancedTreeClassifier(max_depth=1, pruning=None, threshold=0.2).fit(table, y)
    high = ImbalancedTreeClassifier(max_depth=1, pruning=None, threshold=0.9).fit(table, y)
    assert low.export_text().count("-> 1") == 1
    assert high.export_text().count("-> 1") == 0


def test_a_single_leaf():
    model = ImbalancedTreeClassifier("gini").fit([[1.0]] * 4, [0, 0, 0, 1])
    assert model.export_text() == "all: 4 rows, 1 1, p = 0.25 -> 0\n"


def test_an_unfitted_tree_has_no_text():
    with pytest.raises(NotFittedError):
        ImbalancedTreeClassifier().export_text()
