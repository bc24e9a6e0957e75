"""The tree to unfold: children add up to their parent, and leaves decide as the model does."""

import numpy as np
import pytest
from sklearn.base import clone

from tests import many_levels
from tests.report.reports import line_report
from tests.table_factory import Table
from thresher import ImbalancedForestClassifier, ImbalancedTreeClassifier, ThresholdClassifier
from thresher.datasets import load_dataset
from thresher.report import render
from thresher.report.summary.case import make_case
from thresher.report.summary.conditions import MAX_NODES, tree_data
from thresher.wording import percent

X, y = load_dataset("Yeast-me1")
MODELS = {
    "tree": ImbalancedTreeClassifier(max_leaf_nodes=10),
    "threshold": ThresholdClassifier(ImbalancedTreeClassifier(max_leaf_nodes=10), "f1"),
    "forest": ImbalancedForestClassifier(20, random_state=0),
}


def walk(node):
    yield node
    for child in node["children"]:
        yield from walk(child)


@pytest.mark.parametrize("name", MODELS)
def test_children_add_up(name):
    root = tree_data(make_case(clone(MODELS[name]).fit(X, y), X, y), 16)["root"]
    assert (root["parts"], root["scrap"]) == (len(y), int(np.sum(y)))
    for node in walk(root):
        if node["children"]:
            for key in ("parts", "scrap"):
                assert node[key] == sum(child[key] for child in node["children"])
        assert (node["answer"] is None) == bool(node["children"])


@pytest.mark.parametrize("name", ["tree", "threshold"])
def test_alerts_are_those_of_the_model(name):
    model = clone(MODELS[name]).fit(X, y)
    nodes = walk(tree_data(make_case(model, X, y), 16)["root"])
    assert (
        sum(node["parts"] for node in nodes if node["answer"] == "alert") == model.predict(X).sum()
    )


def test_a_large_tree_is_cut_and_says_so():
    noise, labels = Table(rows=4000, columns=5, share=0.3, noise=100.0).numpy()
    model = ImbalancedTreeClassifier(pruning=None, min_samples_leaf=1).fit(noise, labels)
    nodes = list(walk(tree_data(make_case(model, noise, labels), 16)["root"]))
    assert model.tree_.n_nodes > 3 * MAX_NODES
    assert len(nodes) <= MAX_NODES
    assert len(nodes) + sum(node["hidden"] for node in nodes) == model.tree_.n_nodes


def test_another_model_has_no_tree():
    from sklearn.naive_bayes import GaussianNB

    assert tree_data(make_case(GaussianNB().fit(X, y), X, y), 16) is None


def test_a_forest_that_left_its_rows_takes_the_table_or_does_without():
    import pickle

    forest = pickle.loads(pickle.dumps(clone(MODELS["forest"]).fit(X, y)))
    assert tree_data(make_case(forest, X, y), 16)["is_distilled"]
    assert tree_data(make_case(forest, X[:700], y[:700], held_out=True), 16) is None


def test_a_leaf_of_an_imitation_may_hold_no_real_row():
    """A forest is imitated on made-up rows as well, so that some leaves have no others."""
    X, y = load_dataset("Pageblocks0")
    forest = ImbalancedForestClassifier(100, random_state=0, n_bootstrap=0).fit(X, y)
    tree = tree_data(make_case(forest, X, y), 32)
    assert any(node["parts"] == 0 for node in walk(tree["root"]))
    assert "no rows in training <svg" in render(line_report() | {"tree": tree})


def test_other_levels_are_worded_as_in_the_text_of_the_tree():
    table, scrap = many_levels.random_table(0)
    table["cavity"] = table["cavity"].cat.rename_categories({"": "empty", "c1 ": "c1"})
    model = ImbalancedTreeClassifier(max_leaf_nodes=3, pruning=None).fit(table, scrap)
    nodes = walk(tree_data(make_case(model, table, scrap), 16)["root"])
    texts = [node["text"] for node in nodes]
    assert sum(text.startswith("cavity not in {") for text in texts) == 1
    # Long texts are cut, with a mark at the end.
    assert all(text[:50] in model.export_text() for text in texts[1:])


def test_a_tree_that_refers_says_which_share_it_decides():
    forest = ImbalancedForestClassifier(40, n_bootstrap=0, random_state=0).fit(X, y)
    model = forest.to_tree(8, refer=0.1, cv=None)
    case = make_case(model, X, y)
    found = tree_data(case, 32)
    asked = [node for node in walk(found["root"]) if node["answer"] == "refer"]
    assert asked
    assert found["decided"] == percent(1.0 - model.referred_.share)
    del model.referral_  # a share of unseen rows is not known
    share = sum(node["parts"] for node in asked) / len(y)
    assert tree_data(case, 32)["decided"] == percent(1.0 - share)
    assert tree_data(make_case(forest.to_tree(8, cv=None), X, y), 32)["decided"] is None
