"""The state of a threshold, as other files read it."""

import pickle

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from tests.table_factory import Table
from thresher import ImbalancedForestClassifier, ThresholdClassifier
from thresher.threshold.state import ThresholdState

X, Y = Table().numpy()
WEIGHTS = Table().weights


def models():
    weighted = LogisticRegression(class_weight="balanced")
    yield ThresholdClassifier(weighted, "f1", correct_prior=True, random_state=3, n_bootstrap=9)
    yield ImbalancedForestClassifier(20, correct_prior=True, random_state=3, n_bootstrap=9)


@pytest.mark.parametrize("model", models(), ids=lambda model: type(model).__name__)
def test_a_fitted_model_tells_what_its_threshold_was_chosen_on(model):
    state = model.fit(X, Y, WEIGHTS).threshold_state_
    share = np.average(Y, weights=WEIGHTS)
    assert state.prior == state.fit_prior == model.prior_ == pytest.approx(share)
    assert state.factor == state.correction != 1.0
    rows = state.scored_rows(is_probability=True)
    assert model.checked_rule().choose(rows.cuts(), state.prior) == model.threshold_
    mean = np.average(state.shifted(state.scores), weights=state.weights)
    assert mean == pytest.approx(np.average(state.is_positive, weights=state.weights), abs=1e-6)


@pytest.mark.parametrize("model", models(), ids=lambda model: type(model).__name__)
def test_another_share_of_positives_is_another_state(model):
    first = model.fit(X, Y, WEIGHTS).threshold_state_
    second = model.adjust_prior(0.4).threshold_state_
    assert (first.prior, second.prior, model.prior_) == (first.fit_prior, 0.4, 0.4)
    assert second.scores is first.scores
    again = model.adjust_prior(first.fit_prior).threshold_state_
    assert again.factor == first.factor


def test_a_move_that_fails_leaves_the_state_alone():
    model = ThresholdClassifier(LogisticRegression(), "f1", n_bootstrap=0).fit(X, Y)
    before = model.threshold_state_
    with pytest.raises(ValueError, match="new_rate"):
        model.adjust_prior(1.5)
    assert model.threshold_state_ is before


def test_rows_are_weighted_to_the_share_in_use():
    state = ThresholdState.of(np.array([0.1, 0.2, 0.3, 0.6]), np.arange(4) == 3, None, 0.25)
    cuts = state.moved(0.5).scored_rows(is_probability=True).cuts()
    # All rows above the lowest cut: as much weight of positives as of negatives.
    counts = cuts.counts
    assert (counts.tp + counts.fn).max() == pytest.approx((counts.fp + counts.tn).max())


def test_the_state_is_pickled_with_the_model():
    model = ThresholdClassifier(LogisticRegression(), "f1", n_bootstrap=0).fit(X, Y)
    again = pickle.loads(pickle.dumps(model.adjust_prior(0.3)))
    assert again.prior_ == 0.3
    np.testing.assert_array_equal(again.threshold_state_.scores, model.threshold_state_.scores)
    assert again.adjust_prior(0.2).threshold_ == model.adjust_prior(0.2).threshold_
