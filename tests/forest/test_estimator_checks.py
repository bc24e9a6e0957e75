"""scikit-learn's own checks: no failure without draws; one check does not fit draws."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from thresher import ImbalancedForestClassifier


def forest_of(**parameters):
    return ImbalancedForestClassifier(10, n_bootstrap=5, **parameters)


SETTINGS = [
    forest_of(bootstrap=False, rule=None),
    forest_of(bootstrap=False, rule="prior", max_features=None, smoothing="laplace", max_bins=16),
    forest_of(rule=None),
    forest_of(),
    forest_of(bootstrap="plain", rule="f1", n_jobs=2),
    forest_of(bootstrap="balanced", rule="prior", importance="permutation"),
    forest_of(splitter="random", n_jobs=2),
]


def expected_failed_checks(estimator):
    if estimator.bootstrap is False:
        return {}
    reason = "a row of weight 2 is drawn as one row, two equal rows are drawn each by itself"
    return {"check_sample_weight_equivalence_on_dense_data": reason}


# The checks call for odd input on purpose, and scikit-learn warns about it.
@pytest.mark.filterwarnings("default")
@parametrize_with_checks(SETTINGS, expected_failed_checks=expected_failed_checks)
def test_scikit_learn_check(estimator, check):
    check(estimator)
