"""Reasons in words: the right columns, cuts that hold, and nothing that is no reason."""

import re

import numpy as np
import polars as pl
import pytest

from tests.explain.test_explained import make_rows
from tests.table_factory import Table
from thresher import ImbalancedForestClassifier, ImbalancedTreeClassifier, convert
from thresher.explain.reasons import signed, told_apart


def test_reasons_are_the_largest_contributions_with_cuts_of_the_path():
    table, y, _ = make_rows()
    model = ImbalancedTreeClassifier().fit(table, y)
    found = model.contributions(table)[:, :-1]
    names, leaves, tree = model.columns_.wide_names, model.apply(table), model.tree_
    matrix = model.columns_.matrix(table, "model")
    for row, texts in enumerate(model.reasons(table, top=2)):
        order = np.argsort(-np.abs(found[row]), kind="stable")[:2]
        expected = [names[k] for k in order if abs(found[row, k]) > 1e-12]
        assert [text.split(" ")[0] for text in texts] == expected
        for text, k in zip(texts, order, strict=False):
            assert text.endswith(f": {signed(found[row, k])}")
            cut = re.search(r" (<=|>) (\S+):", text)
            if cut:
                on_path = path_cuts(tree, leaves[row], k)[cut[1]]
                assert any(float(cut[2]) == pytest.approx(one, rel=1e-3) for one in on_path)
                assert (matrix[row, k] > float(cut[2])) == (cut[1] == ">")


def path_cuts(tree, leaf, column):
    cuts, node = {"<=": [], ">": []}, leaf
    while (parent := tree.parent[node]) >= 0:
        if tree.feature[parent] == column:
            cuts["<=" if tree.left[parent] == node else ">"].append(float(tree.cut[parent]))
        node = parent
    return cuts


def test_levels_gaps_and_numbers_read_as_people_write_them():
    random = np.random.default_rng(0)
    force = np.where(random.random(400) < 0.2, np.nan, random.normal(size=400))
    line = random.choice(["a", "b"], 400)
    table = pl.DataFrame({"force": force, "line": line})
    y = (np.isnan(force) | (line == "b")).astype(int)
    model = ImbalancedTreeClassifier("gini", pos_label=1).fit(table, y)
    texts = model.reasons(pl.DataFrame({"force": [None, 0.5], "line": ["a", "b"]}))
    assert any(text.startswith("force missing: +") for text in texts[0])
    assert any(text.startswith("line = b: ") for text in texts[1])
    assert not any("<=" in text and "e+308" in text for row in texts for text in row)


def test_a_forest_names_cuts_on_the_side_of_the_value():
    table, y, _ = make_rows()
    model = ImbalancedForestClassifier(40, random_state=0).fit(table, y)
    for row, texts in zip(table.rows(named=True), model.reasons(table), strict=True):
        assert 1 <= len(texts) <= 3
        for text in texts:
            number = re.fullmatch(r"(\w+) (\S+) (<=|>) (\S+): [+-][\d.e-]+", text)
            if number:
                value, cut = row[number[1]], float(number[4])
                assert (float(number[2]) > cut) == (number[3] == ">") == (value > cut)


def test_a_single_leaf_has_no_reasons():
    model = ImbalancedTreeClassifier(min_gain=9.0)
    table, y, _ = make_rows()
    assert model.fit(table, y).reasons(table[:2]) == [[], []]
    assert model.contributions(table[:1])[0, :-1].tolist() == [0.0, 0.0, 0.0]


def test_top_is_checked():
    table, y, _ = make_rows()
    model = ImbalancedTreeClassifier().fit(table, y)
    with pytest.raises(ValueError, match="top"):
        model.reasons(table, top=0)
    assert all(len(texts) <= 3 for texts in model.reasons(table, top=99))


def test_numbers_have_the_digits_that_tell_them_apart():
    random = np.random.default_rng(0)
    for _ in range(2000):
        value = float(random.normal() * 10.0 ** random.integers(-9, 9))
        cut = float(np.nextafter(value, random.choice([-np.inf, np.inf])))
        for other in (cut, value, value * 1.001, -value):
            texts = [float(text) for text in told_apart(value, other)]
            assert (texts[0] > texts[1]) == (value > other)
            assert (texts[0] == texts[1]) == (value == other)


def test_reasons_of_a_model_that_was_taken_over():
    import lightgbm

    X, _ = Table(rows=500).numpy()
    y = (X[:, 0] > 1.0).astype(int)
    original = lightgbm.LGBMClassifier(n_estimators=10, verbose=-1, min_child_samples=5, n_jobs=1)
    model = convert(original.fit(X, y), names=["force", "b", "c"])
    rows = pl.DataFrame({"force": [2.0, 0.0], "b": [0.0, 0.0], "c": [0.0, 0.0]})
    (text,), (other,) = model.reasons(rows, top=1)
    assert re.fullmatch(r"force 2 > (1|0\.9\d+|1\.0\d+): \+[\d.]+", text)
    assert re.fullmatch(r"force 0 <= (1|0\.9\d+|1\.0\d+): -[\d.]+", other)
