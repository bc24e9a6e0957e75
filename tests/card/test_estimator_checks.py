"""scikit-learn's own checks: one does not fit the draws of the forest."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from thresher import ImbalancedForestClassifier, ScoreCardClassifier

SETTINGS = [ScoreCardClassifier(ImbalancedForestClassifier(10), max_splits=5, max_trees=2)]


def expected_failed_checks(_):
    reason = "a row of weight 2 is drawn as one row, two equal rows are drawn each by itself"
    return {"check_sample_weight_equivalence_on_dense_data": reason}


# The checks call for odd input on purpose, and scikit-learn warns about it.
@pytest.mark.filterwarnings("default")
@parametrize_with_checks(SETTINGS, expected_failed_checks=expected_failed_checks)
def test_scikit_learn_check(estimator, check):
    check(estimator)
