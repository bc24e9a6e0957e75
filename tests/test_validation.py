"""Every estimator refuses a hostile parameter, class weight or sample weight in one sentence."""

import joblib
import numpy as np
import pandas as pd
import pytest
from joblib import effective_n_jobs

from tests.table_factory import Table
from thresher import (
    AlphaTreesClassifier,
    ImbalancedForestClassifier,
    ImbalancedTreeClassifier,
    LeastSquaresClassifier,
    ThresholdClassifier,
)
from thresher.validation import MOST_THREADS, thread_count

X, Y = Table(rows=40, share=0.2).numpy()
HUGE = 10**30
TOO_LONG_TO_WRITE = 10**5000

MAKERS = {
    "tree": lambda **given: ImbalancedTreeClassifier(**{"max_features": 2, **given}),
    "forest": lambda **given: ImbalancedForestClassifier(
        **{"n_estimators": 3, "rule": None, **given}
    ),
    "alpha trees": lambda **given: AlphaTreesClassifier((0.5,), **{"max_features": 2, **given}),
    "threshold": lambda **given: ThresholdClassifier(ImbalancedTreeClassifier(), **given),
    "least squares": LeastSquaresClassifier,
}
INTEGERS = [
    *((kind, name) for kind in ("tree", "forest", "alpha trees") for name in (
        "max_depth", "max_leaf_nodes", "min_samples_leaf", "min_samples_split", "max_bins",
        "max_features", "random_state",
    )),
    ("forest", "n_estimators"), ("forest", "n_bootstrap"), ("forest", "verbose"),
    ("threshold", "n_bootstrap"), ("threshold", "random_state"), ("threshold", "cv"),
]  # fmt: skip


def refusal(kind, y=Y, weights=None, **given):
    with pytest.raises((ValueError, TypeError)) as caught:
        MAKERS[kind](**given).fit(X, y, weights)
    sentence = str(caught.value)
    assert "\n" not in sentence
    assert len(sentence) < 400
    return sentence


@pytest.mark.parametrize(("kind", "name"), INTEGERS)
def test_integers_out_of_range(kind, name):
    for value in (HUGE, TOO_LONG_TO_WRITE, -HUGE):
        assert f"{name} must be" in refusal(kind, **{name: value})
    if name != "random_state":
        assert f"{name} must be" in refusal(kind, **{name: np.uint64(2**64 - 1)})


@pytest.mark.parametrize("value", [True, 2.0, "3", [3], np.array([3]), np.bool_(True)])
@pytest.mark.parametrize("name", ["max_depth", "min_samples_split", "n_bootstrap"])
def test_what_is_no_integer(name, value):
    assert refusal("forest", **{name: value}).startswith(f"{name} must be an integer, got")


@pytest.mark.parametrize("value", [np.int8(100), np.uint8(200), np.int64(2**62)])
def test_integers_of_numpy_do_not_overflow(value):
    with pytest.warns(UserWarning, match=f"min_samples_leaf = {2 * int(value)}:"):
        ImbalancedTreeClassifier(min_samples_leaf=value).fit(X, Y)


@pytest.mark.parametrize("value", [1.5, "3", [3], np.array([3])])
def test_what_is_no_random_state(value):
    for kind in ("tree", "forest", "threshold"):
        assert "random_state must be an integer, a RandomState" in refusal(kind, random_state=value)


def test_a_seed_beyond_scikit_learns_is_refused_where_that_draws():
    assert "random_state must be from 0 to 4294967295" in refusal(
        "tree", pruning_fraction=0.3, random_state=2**32
    )
    assert "random_state must be from 0 to" in refusal("threshold", cv=0.3, random_state=2**32)


@pytest.mark.parametrize("value", ["3", [3], np.array([3]), 1.5, np.nan, 0, False])
def test_what_is_no_number_of_jobs(value):
    for kind in ("tree", "forest", "alpha trees", "threshold"):
        assert refusal(kind, n_jobs=value).startswith("n_jobs must")


@pytest.mark.parametrize("value", [2**31, 2**40, HUGE, np.uint64(2**64 - 1)])
def test_more_jobs_than_any_machine_has(value):
    assert MOST_THREADS <= thread_count(value) <= max(MOST_THREADS, effective_n_jobs(-1))
    assert thread_count(-int(value)) == 1
    expected = ImbalancedTreeClassifier().fit(X, Y).tree_.digest()
    assert ImbalancedTreeClassifier(n_jobs=value).fit(X, Y).tree_.digest() == expected


def test_no_more_workers_than_folds(monkeypatch):
    asked = []
    start = joblib.Parallel.__init__

    def watched(self, n_jobs=None, **options):
        asked.append(n_jobs)
        start(self, n_jobs=1, **options)

    monkeypatch.setattr(joblib.Parallel, "__init__", watched)
    MAKERS["threshold"](n_jobs=10**9, cv=3).fit(X, Y)
    assert asked == [3]


@pytest.mark.parametrize("cv", [[3], np.array(3), [(1, 2, 3)], "loo"])
def test_what_is_no_splitter(cv):
    assert refusal("threshold", cv=cv).startswith("cv must be a number of folds, a share of rows")


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ({1: 10**400}, "class_weight must be above 0 and at most 1.79769e+308, got 1000"),
        ({1: TOO_LONG_TO_WRITE}, "at most 1.79769e+308, got a number of 5,001 digits"),
        ({1: np.inf}, "class_weight must be above 0 and finite, got inf"),
        ({1: -1}, "class_weight must be above 0, got -1"),
        ({1: None}, "class_weight must be a number, got None"),
        ({1: np.array([2.0])}, "class_weight must be a number, got array([2.])"),
        ({TOO_LONG_TO_WRITE: 1}, "class_weight names the class a number of 5,001 digits"),
        ({0: 1e308, 1: 1e308}, "class_weight is too large for the weight of all rows"),
        (list(range(1000)), "class_weight must be a dict, 'balanced' or None, got [0, 1, 2"),
    ],
)
@pytest.mark.parametrize("kind", ["tree", "forest", "alpha trees", "least squares"])
def test_class_weights(kind, weights, message):
    assert message in refusal(kind, class_weight=weights)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (["a"] * 40, "sample_weight must hold numbers, got 'a'"),
        ([object] * 40, "sample_weight must hold numbers, got <class 'object'>"),
        (np.ones(40, dtype=complex), "sample_weight must hold numbers, got (1+0j)"),
        (np.ones(40, dtype="datetime64[s]"), "sample_weight must hold numbers, got datetime"),
        ([[1], [1, 2]] * 20, "sample_weight must have one number for each row, got lists"),
        ([10**400] * 40, "sample_weight must be finite and not negative, got inf in row 0"),
        (np.full(40, 1e308), "sample_weight is too large to be summed"),
        (np.ma.array(np.ones(40), mask=Y), "sample_weight has a masked value, first in row"),
        (pd.array([True, None] * 20, dtype="boolean"), "got nan in row 1 (counted from 0)"),
        (pd.array([1, None] * 20, dtype="Int64"), "got nan in row 1 (counted from 0)"),
    ],
)
@pytest.mark.parametrize("kind", ["tree", "forest", "threshold", "least squares"])
def test_sample_weights(kind, weights, message):
    assert message in refusal(kind, weights=weights)


def test_masked_labels_are_refused():
    for kind in MAKERS:
        sentence = refusal(kind, y=np.ma.array(Y, mask=Y == 1))
        assert sentence.startswith(f"y has a masked value, first in row {int(Y.argmax())}")
    for kind, make in MAKERS.items():
        assert make().fit(X, np.ma.array(Y)).classes_.tolist() == [0, 1], kind


def test_weights_that_are_not_aligned_are_copied():
    table = Table(rows=300)
    (X, y), weights = table.numpy(), table.weights
    shifted = np.ndarray(300, np.float64, np.empty(weights.nbytes + 1, np.uint8), offset=1)
    shifted[:] = weights
    assert not shifted.flags.aligned
    first, second = (ImbalancedTreeClassifier().fit(X, y, one).tree_ for one in (weights, shifted))
    assert first.digest() == second.digest()
