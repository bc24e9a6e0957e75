"""One run in this process: what is measured, and errors as outcomes."""

import time
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score, brier_score_loss, confusion_matrix
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_info

from tests.benchmark.study import own_methods
from tests.benchmark.study.own_methods import Plain, make_table
from thresher import ImbalancedTreeClassifier
from thresher.benchmark.study.dataset import Folds
from thresher.benchmark.study.execution import InThisProcess, error_text
from thresher.benchmark.study.plan import make_plan

X, Y = make_table(3)


def outcome_of(estimator, table=X):
    plan = make_plan([("a", table, Y)], {"m": estimator}, Folds(3, 1, 0))
    with InThisProcess(plan) as executor:
        executor.submit(plan.runs[1])
        assert executor.is_busy
        assert not executor.has_room
        run, outcome = executor.next_outcome()
        assert run == plan.runs[1]
        assert executor.has_room
    return plan.datasets["a"].rows(0, 1), outcome


@pytest.mark.parametrize(
    "estimator", [LogisticRegression(), DecisionTreeClassifier(max_depth=3, random_state=0)]
)
def test_a_run_measures_what_scikit_learn_does(estimator):
    (train, test), outcome = outcome_of(estimator)
    model = clone(estimator).fit(X[train], Y[train])
    probability = model.predict_proba(X[test])[:, 1]
    measures = outcome.measures
    assert outcome[:3] == ("done", None, None)
    assert measures[:4] == tuple(confusion_matrix(Y[test], model.predict(X[test])).ravel())
    assert measures.average_precision == average_precision_score(Y[test], probability)
    assert measures.brier == pytest.approx(brier_score_loss(Y[test], probability))
    assert measures.leaves == (model.get_n_leaves() if hasattr(model, "get_n_leaves") else None)
    assert {type(value) for value in measures} <= {int, float, type(None)}


ASLEEP = 0.8  # seconds that take no CPU


class Busy(Plain):
    def fit(self, X, y):
        self.work(0.06)
        return super().fit(X, y)

    def predict(self, X):
        self.work(0.02)
        return super().predict(X)

    def work(self, seconds):
        end = time.process_time() + seconds
        while time.process_time() < end:
            pass
        time.sleep(ASLEEP)


def test_times_are_seconds_of_cpu():
    _, outcome = outcome_of(Busy())
    assert 0.06 <= outcome.measures.fit_time < ASLEEP
    assert 0.02 <= outcome.measures.predict_time < ASLEEP


def test_data_frames_reach_the_methods_as_they_are():
    frame = pd.DataFrame({"size": X[:, 0], "line": np.where(X[:, 1] > 0, "north", "east")})
    (train, test), outcome = outcome_of(ImbalancedTreeClassifier(), frame)
    model = ImbalancedTreeClassifier().fit(frame.iloc[train], Y[train])
    expected = confusion_matrix(Y[test], model.predict(frame.iloc[test])).ravel()
    assert outcome.measures[:4] == tuple(expected)


def no_estimator(*, random_state):
    raise LookupError("nothing here")


@pytest.mark.parametrize(
    ("estimator", "error"),
    [
        (own_methods.Raising(), "ValueError: no rows of this kind, please"),
        (own_methods.Exiting(), "SystemExit: 3"),
        (own_methods.Wordy(), "ValueError: predict must return 0 or 1 for each of the 40 rows"),
        (no_estimator, "LookupError: nothing here"),
    ],
    ids=["raises", "exits", "returns words", "cannot be made"],
)
def test_an_error_is_an_outcome(estimator, error):
    _, outcome = outcome_of(estimator)
    assert outcome.status == "failed"
    assert outcome.error.startswith(error)
    assert outcome.measures is None


class Warning3(Plain):
    def fit(self, X, y):
        for _ in range(3):
            warnings.warn("not quite converged", RuntimeWarning, stacklevel=1)
        warnings.warn("old", DeprecationWarning, stacklevel=1)
        return super().fit(X, y)


def test_warnings_are_kept_and_change_nothing():
    _, outcome = outcome_of(Warning3())
    assert outcome.status == "done"
    assert outcome.warnings == "RuntimeWarning: not quite converged\nDeprecationWarning: old"


def test_an_interrupt_is_not_an_outcome():
    class Interrupted(Plain):
        def fit(self, X, y):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        outcome_of(Interrupted())


class ThreadCounter(Plain):
    def fit(self, X, y):
        threads = [library["num_threads"] for library in threadpool_info()]
        raise RuntimeError(f"{max(threads)} of {len(threads)}")


def test_a_run_takes_one_thread_of_blas_and_gives_the_others_back():
    before = threadpool_info()
    _, outcome = outcome_of(ThreadCounter())
    assert outcome.error.startswith("RuntimeError: 1 of ")
    assert threadpool_info() == before


def test_errors_of_any_text_can_be_stored():
    assert len(error_text(ValueError("x" * 5000))) == 1000
    assert error_text(ValueError("a\ud800b")) == "ValueError: a?b"
