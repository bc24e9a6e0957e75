"""A tree that decides nothing says so, and what to do; fits inside of others keep quiet."""

import warnings

import numpy as np
import pytest

from thresher import ImbalancedTreeClassifier, ThresholdClassifier, find_conditions
from thresher.tree.classifier import SingleLeafWarning


@pytest.fixture
def faint():
    """Scrap is three times as likely above 1, yet nowhere more likely than not."""
    random = np.random.default_rng(0)
    X = random.normal(size=(2000, 3))
    return X, random.random(2000) < np.where(X[:, 0] > 1.0, 0.15, 0.03)


def test_it_warns_and_names_what_to_do(faint):
    tree = ImbalancedTreeClassifier(max_leaf_nodes=4, min_samples_leaf=50)
    with pytest.warns(SingleLeafWarning, match="Take threshold='prior', pruning=None, or") as told:
        tree.fit(*faint)
    assert tree.tree_.n_nodes == 1 < tree.unpruned_tree_.n_nodes
    assert not tree.predict(faint[0]).any()
    assert told[0].filename == __file__


@pytest.mark.parametrize("changed", [{"threshold": "prior"}, {"pruning": None}])
def test_what_it_names_helps(faint, changed):
    tree = ImbalancedTreeClassifier(max_leaf_nodes=4, min_samples_leaf=50, **changed)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert tree.fit(*faint).tree_.n_nodes > 1


def test_a_tree_that_finds_no_split_says_so():
    X, y = np.zeros((20, 1)), np.arange(20) % 5 == 0
    with pytest.warns(SingleLeafWarning, match="no split gains anything. Take a smaller"):
        ImbalancedTreeClassifier().fit(X, y)


def test_folds_and_permuted_labels_do_not_warn(faint):
    tree = ImbalancedTreeClassifier(max_leaf_nodes=4, min_samples_leaf=50)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        ThresholdClassifier(tree, "f1", random_state=0).fit(*faint)
    assert len([one for one in told if one.category is SingleLeafWarning]) == 1
    kept = ImbalancedTreeClassifier(max_leaf_nodes=4, threshold="prior").fit(*faint)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        find_conditions(kept, *faint, n_permutations=5, n_bootstrap=5, output="table")
