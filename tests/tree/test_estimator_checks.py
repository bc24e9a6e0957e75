"""scikit-learn's own checks, without any expected failure."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from thresher import ImbalancedTreeClassifier

SETTINGS = [
    ImbalancedTreeClassifier(),
    ImbalancedTreeClassifier("hellinger", pruning=None),
    ImbalancedTreeClassifier("gini", min_samples_leaf=1, class_weight="balanced"),
    ImbalancedTreeClassifier(max_bins=255),
    ImbalancedTreeClassifier("gain_ratio"),
    ImbalancedTreeClassifier(max_leaf_nodes=8),
    ImbalancedTreeClassifier("renyi", alpha=0.3, n_jobs=2, pruning="f1"),
    ImbalancedTreeClassifier(splitter="random", random_state=0),
]


# The checks call for odd input on purpose, and scikit-learn warns about it.
@pytest.mark.filterwarnings("default")
@parametrize_with_checks(SETTINGS)
def test_scikit_learn_check(estimator, check):
    check(estimator)
