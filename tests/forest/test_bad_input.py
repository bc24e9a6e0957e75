"""What cannot be used gets one clear sentence that names it."""

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

from tests.forest.tables import rare
from thresher import ImbalancedForestClassifier

X, Y = rare(200)
NAMED = pd.DataFrame(X, columns=["speed", "force", "heat", "wear", "load"])
NO_VOTES = "needs out-of-bag votes, which bootstrap=False does not give; choose bootstrap from"


def with_value(value):
    changed = X.copy()
    changed[7, 2] = value
    return changed


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"n_estimators": 0}, ValueError, "n_estimators must be from 1 to 1000000, got 0"),
        ({"n_estimators": 10.0}, TypeError, "n_estimators must be an integer, got 10.0"),
        ({"bootstrap": "stratifyed"}, ValueError, "'stratifyed' is unknown.*mean 'stratified'"),
        ({"bootstrap": True}, ValueError, "bootstrap=True is unknown, choose from 'plain', 'stra"),
        ({"bootstrap": None}, ValueError, "bootstrap=None is unknown, choose from 'plain'"),
        ({"bootstrap": False}, ValueError, f"rule='f1' {NO_VOTES}"),
        ({"bootstrap": False, "rule": max}, ValueError, f"rule=<.*max> {NO_VOTES}"),
        ({"bootstrap": False, "rule": None, "correct_prior": True}, ValueError,
         f"correct_prior=True {NO_VOTES}"),
        ({"bootstrap": False, "rule": "prior", "importance": "permutation"}, ValueError,
         f"importance='permutation' {NO_VOTES}"),
        ({"rule": "f2"}, ValueError, "rule='f2' is unknown.*did you mean 'f1'"),
        ({"n_bootstrap": -1}, ValueError, "n_bootstrap must be at least 0"),
        ({"correct_prior": 1}, TypeError, "correct_prior must be True or False, got 1"),
        ({"smoothing": "laplac"}, ValueError, "smoothing='laplac' is unknown.*mean 'laplace'"),
        ({"smoothing_m": 0.0}, ValueError, "smoothing_m must be above 0, got 0.0"),
        ({"smoothing_m": "2"}, TypeError, "smoothing_m must be a number"),
        ({"importance": "gain"}, ValueError, "importance='gain' is unknown, choose from 'impurity"),
        ({"verbose": "yes"}, TypeError, "verbose must be an integer, got 'yes'"),
        ({"verbose": -1}, ValueError, "verbose must be at least 0, got -1"),
        ({"criterion": "helinger"}, ValueError, "did you mean 'hellinger'"),
        ({"max_features": 6}, ValueError, "max_features must be from 1 to 5, got 6"),
        ({"random_cuts": 1.5}, ValueError, "random_cuts must be"),
        ({"class_weight": {2: 1}}, ValueError, "class_weight names the class 2"),
        ({"random_state": -1}, ValueError, "random_state must be from 0 to"),
    ],
)  # fmt: skip
def test_parameters(parameters, error, message):
    model = ImbalancedForestClassifier(**{"n_estimators": 5, **parameters})
    with pytest.raises(error, match=message):
        model.fit(X, Y)
    assert not hasattr(model, "forest_")


def test_too_few_trees_for_a_vote_of_each_class():
    y = np.arange(6) == 5
    with pytest.raises(ValueError, match="With n_estimators=1 not one row of both classes is left"):
        ImbalancedForestClassifier(1, random_state=0).fit(X[:6], y)


def test_a_floor_out_of_reach_tells_what_can_be_had():
    noise = np.random.default_rng(0).integers(0, 2, 200)
    model = ImbalancedForestClassifier(20, rule="recall_at_precision", floor=0.99, random_state=0)
    with pytest.raises(ValueError, match=r"reaches a precision of 0\.99.*best attainable value is"):
        model.fit(X, noise)


@pytest.mark.parametrize(
    ("table", "y", "weights", "message"),
    [
        (with_value(np.inf), Y, None, "X contains infinity: column 2, row 7"),
        (X, Y[:30], None, "X has 200 rows, but y has 30"),
        (X, np.arange(200) % 3, None, "Only binary classification is supported"),
        (X, Y, np.ones(30), "one number for each of the 200 rows"),
    ],
)
def test_rows(table, y, weights, message):
    with pytest.raises(ValueError, match=message):
        ImbalancedForestClassifier(5).fit(table, y, weights)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (X[:, :2], "X has 2 features, but ImbalancedForestClassifier is expecting 5 features"),
        (with_value(np.inf), "X contains infinity: column 2, row 7"),
        (with_value(-np.inf).astype(np.float32), "X contains infinity: column 2, row 7"),
        (X[:0], "0 sample"),
        (X[0], "Reshape your data"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("method", ["predict", "predict_proba", "apply", "estimate_prior"])
def test_tables_to_predict(table, message, method):
    model = ImbalancedForestClassifier(5, rule=None, random_state=0).fit(X, Y)
    with pytest.raises(ValueError, match=message):
        getattr(model, method)(table)


def test_a_missing_column_is_named():
    model = ImbalancedForestClassifier(5, rule=None, random_state=0).fit(NAMED, Y)
    with pytest.raises(ValueError, match="heat"):
        model.predict(NAMED.drop(columns="heat"))


@pytest.mark.parametrize(
    "use",
    [
        lambda model: model.predict(X),
        lambda model: model.predict_proba(X),
        lambda model: model.apply(X),
        lambda model: model.estimators_,
        lambda model: model.feature_importances_,
        lambda model: model.adjust_prior(0.1),
        lambda model: model.estimate_prior(X),
        lambda model: model.plot_curve(),
    ],
)
def test_nothing_before_fit(use):
    with pytest.raises(NotFittedError, match="ImbalancedForestClassifier instance is not fitted"):
        use(ImbalancedForestClassifier())


def test_few_rows_get_one_warning_at_the_caller():
    model = ImbalancedForestClassifier(3, bootstrap=False, rule=None, min_samples_leaf=3)
    with pytest.warns(UserWarning, match="The 5 rows are fewer than") as caught:
        model.fit(X[:5], [0, 0, 1, 1, 1])
    assert [warning.filename for warning in caught] == [__file__]
    assert [member.get_n_leaves() for member in model.estimators_] == [1] * 3
