"""Conditions of a tree that refers rows: what alerts, not what is in doubt."""

import numpy as np
import pytest

from thresher import ImbalancedForestClassifier, find_conditions
from thresher.datasets import load_dataset


def test_leaves_that_refer_are_no_conditions():
    X, y = load_dataset("Yeast-me1")
    forest = ImbalancedForestClassifier(40, n_bootstrap=0, random_state=0).fit(X, y)
    tree = forest.to_tree(12, refer=0.1, cv=None)
    answers = tree.decide(X)
    assert {*answers} == {"alert", "pass", "refer"}
    table = find_conditions(tree, shorten=False)
    named = {int(leaf) for text in table["leaves"] for leaf in text.split(", ")}
    node = tree.tree_
    assert named == set(np.flatnonzero(node.is_leaf & (tree.node_answers == "alert")).tolist())
    leaves = tree.apply(X)
    assert set(leaves[answers == "alert"].tolist()) <= named
    assert not named & set(leaves[answers == "refer"].tolist())
    sums = tree.contributions(X[:20]).sum(axis=1)
    assert np.ptp(tree.predict_proba(X[:20])[:, 1] - sums) == pytest.approx(0.0, abs=1e-9)
