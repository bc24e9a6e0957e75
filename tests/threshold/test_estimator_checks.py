"""scikit-learn's own checks; none is expected to fail."""

import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from thresher import ThresholdClassifier

SETTINGS = [
    ThresholdClassifier(LogisticRegression(), rule="prior"),
    ThresholdClassifier(LogisticRegression(), rule="f1"),
    ThresholdClassifier(LogisticRegression(), rule="cost", correct_prior=True),
    ThresholdClassifier(LinearSVC(), rule="bcr"),
]


# The checks call for odd input on purpose, and scikit-learn warns about it.
@pytest.mark.filterwarnings("default")
@parametrize_with_checks(SETTINGS)
def test_scikit_learn_check(estimator, check):
    check(estimator)
