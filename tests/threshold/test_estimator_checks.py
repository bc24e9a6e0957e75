"""scikit-learn's own checks: no failure for the prior; one check does not fit tuned thresholds."""

import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from thresher import ThresholdClassifier

SETTINGS = [
    ThresholdClassifier(LogisticRegression(), rule="prior"),
    ThresholdClassifier(LogisticRegression(), rule="prior", correct_prior=True, n_bootstrap=10),
    ThresholdClassifier(LogisticRegression(), rule="cost", n_bootstrap=0),
    ThresholdClassifier(LogisticRegression(), rule="f1", n_bootstrap=10),
    ThresholdClassifier(LinearSVC(), rule="bcr", n_bootstrap=10),
    ThresholdClassifier(LogisticRegression(), rule="refer", price=0.2),
]


def expected_failed_checks(estimator):
    if estimator.rule not in ("f1", "refer"):
        return {}
    return {
        "check_classifiers_train": "it demands that predict is the class of the larger "
        "probability, which a tuned threshold is there to change; probabilities are not bent"
    }


# The checks call for odd input on purpose, and scikit-learn warns about it.
@pytest.mark.filterwarnings("default")
@parametrize_with_checks(SETTINGS, expected_failed_checks=expected_failed_checks)
def test_scikit_learn_check(estimator, check):
    check(estimator)
