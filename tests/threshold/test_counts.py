"""The metrics agree with scikit-learn's."""

import numpy as np
import pytest
from sklearn import metrics

from thresher.threshold.counts import Counts
from thresher.threshold.search import ScoredRows

RANDOM = np.random.default_rng(5)
Y = RANDOM.random(200) < 0.2
SCORES = np.round(0.5 * RANDOM.random(200) + 0.3 * Y, 2)
WEIGHTS = RANDOM.integers(1, 4, 200).astype(float)

PAIRS = {
    "precision": lambda y, p, w: metrics.precision_score(y, p, sample_weight=w, zero_division=0),
    "recall": lambda y, p, w: metrics.recall_score(y, p, sample_weight=w),
    "bcr": lambda y, p, w: metrics.balanced_accuracy_score(y, p, sample_weight=w),
    "mcc": lambda y, p, w: metrics.matthews_corrcoef(y, p, sample_weight=w),
}


@pytest.fixture(scope="module")
def cuts():
    return ScoredRows.of(SCORES, Y, WEIGHTS).cuts()


@pytest.mark.parametrize("name", PAIRS)
def test_metric_agrees_with_scikit_learn(name, cuts):
    theirs = [PAIRS[name](Y, threshold < SCORES, WEIGHTS) for threshold in cuts.thresholds]
    np.testing.assert_allclose(getattr(cuts.counts, name), theirs, atol=1e-12)


@pytest.mark.parametrize("beta", [0.5, 1.0, 2.0])
def test_fbeta_agrees_with_scikit_learn(beta, cuts):
    theirs = [
        metrics.fbeta_score(
            Y, threshold < SCORES, beta=beta, sample_weight=WEIGHTS, zero_division=0
        )
        for threshold in cuts.thresholds
    ]
    np.testing.assert_allclose(cuts.counts.fbeta(beta), theirs, atol=1e-12)


def test_undefined_metrics_are_zero():
    nothing = Counts(*(np.zeros(1) for _ in range(4)))
    for name in ("precision", "recall", "specificity", "bcr", "gmean", "mcc", "alerts_per_1000"):
        assert getattr(nothing, name) == 0.0
    assert nothing.fbeta() == 0.0


def test_mcc_of_many_rows_keeps_its_digits():
    many = Counts(*(np.array([value * 1e9]) for value in (90.0, 5.0, 2.0, 3.0)))
    few = Counts(*(np.array([value]) for value in (90.0, 5.0, 2.0, 3.0)))
    assert many.mcc[0] == pytest.approx(few.mcc[0], rel=1e-12)
