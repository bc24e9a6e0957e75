"""scikit-learn's own checks; two do not fit folds and tuned thresholds."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from thresher import ImbalancedBlendClassifier
from thresher.blend.boosted import BoostedTreesClassifier

SETTINGS = [
    ImbalancedBlendClassifier(n_estimators=10, cv=3, n_bootstrap=5, rule=None),
    ImbalancedBlendClassifier(("boosted", "svm", "logistic"), cv=2, n_bootstrap=5, max_svm_rows=99),
    BoostedTreesClassifier(10, cv=3, n_bootstrap=0, rule=None, n_jobs=2),
]


def expected_failed_checks(estimator):
    found = {
        "check_sample_weight_equivalence_on_dense_data": "a row of weight 2 is dealt to a fold as "
        "one row, two equal rows each by itself"
    }
    if estimator.rule is not None:
        found["check_classifiers_train"] = (
            "it demands that predict is the class of the larger probability, which a tuned "
            "threshold is there to change"
        )
    return found


# The checks call for odd input on purpose, and scikit-learn warns about it.
@pytest.mark.filterwarnings("default")
@parametrize_with_checks(SETTINGS, expected_failed_checks=expected_failed_checks)
def test_scikit_learn_check(estimator, check):
    check(estimator)
