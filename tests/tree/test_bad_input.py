"""What cannot be used gets one clear sentence that names it."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from tests.table_factory import Table
from thresher import ImbalancedTreeClassifier

NAMED, Y = Table(rows=40, share=0.2, names=["speed", "force", "heat"]).pandas()
X = NAMED.to_numpy()


def with_value(value):
    changed = X.copy()
    changed[7, 2] = value
    return changed


def objects(value):
    changed = X.astype(object)
    changed[7, 2] = value
    return changed


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"criterion": "helinger"}, ValueError, "'helinger' is unknown.*did you mean 'hellinger'"),
        ({"criterion": "renji"}, ValueError, "did you mean 'renyi' or 'adaptive_renyi'"),
        ({"criterion": None}, ValueError, "criterion=None is unknown, choose from"),
        ({"criterion": "renyi"}, ValueError, "criterion='renyi' needs alpha"),
        ({"criterion": "renyi", "alpha": -0.1}, ValueError, "alpha must be at least 0, got -0.1"),
        ({"criterion": "renyi", "alpha": np.nan}, ValueError, "alpha must be at least 0, got nan"),
        ({"criterion": "renyi", "alpha": np.inf}, ValueError, "and finite, got inf"),
        ({"criterion": "renyi", "alpha": "1"}, TypeError, "alpha must be a number"),
        ({"criterion": "gini", "alpha": 1.0}, ValueError, "alpha belongs to criterion='renyi'"),
        ({"alpha": 1.0}, ValueError, "leave it out for 'adaptive_renyi'"),
        ({"alpha_tolerance": 1.5}, ValueError, "alpha_tolerance must be at least 0 and at most 1"),
        ({"max_depth": 0}, ValueError, "max_depth must be at least 1"),
        ({"max_depth": 2.0}, TypeError, "max_depth must be an integer"),
        ({"max_leaf_nodes": 1}, ValueError, "max_leaf_nodes must be at least 2"),
        ({"min_samples_leaf": 0}, ValueError, "min_samples_leaf must be at least 1"),
        ({"min_samples_leaf": 0.1}, TypeError, "min_samples_leaf must be an integer"),
        ({"min_samples_leaf": True}, TypeError, "min_samples_leaf must be an integer"),
        ({"min_samples_split": 1}, ValueError, "min_samples_split must be at least 2"),
        ({"min_weight_fraction_leaf": 0.6}, ValueError, "min_weight_fraction_leaf must be.*0.5"),
        ({"min_gain": -1.0}, ValueError, "min_gain must be at least 0"),
        ({"max_features": 4}, ValueError, "max_features must be from 1 to 3, got 4"),
        ({"max_features": 0.0}, ValueError, "max_features must be above 0 and at most 1"),
        ({"max_features": "all"}, ValueError, "max_features='all' is unknown"),
        ({"max_bins": 1}, ValueError, "max_bins must be from 2 to 255, got 1"),
        ({"max_bins": 256}, ValueError, "max_bins must be from 2 to 255, got 256"),
        ({"splitter": "worst"}, ValueError, "splitter='worst' is unknown"),
        ({"splitter": "random", "max_bins": 9}, ValueError, "leave out max_bins"),
        ({"pruning": "mcc"}, ValueError, "pruning must be one of 'bcr'.*got 'mcc'"),
        ({"pruning_fraction": 0.0}, ValueError, "pruning_fraction must be a number above 0"),
        ({"pruning_fraction": 1}, ValueError, "pruning_fraction must be a number above 0"),
        ({"threshold": 1.1}, ValueError, "threshold must be at least 0 and at most 1"),
        ({"threshold": np.nan}, ValueError, "threshold must be at least 0 and at most 1"),
        ({"threshold": "mean"}, ValueError, "threshold must be a number or 'prior', got 'mean'"),
        ({"class_weight": "even"}, ValueError, "class_weight must be a dict, 'balanced' or None"),
        ({"class_weight": {0: 1, 2: 1}}, ValueError, "class_weight names the class 2"),
        ({"class_weight": {1: 0.0}}, ValueError, "class_weight must be above 0"),
        ({"pos_label": "bad"}, ValueError, r"pos_label='bad' is not a class of y: \[0, 1\]"),
        ({"random_state": -1, "max_features": 1}, ValueError, "random_state must be from 0 to"),
        ({"categorical_features": "auto"}, ValueError, "must be 'from_dtype', None, or a list"),
        ({"categorical_features": [3]}, ValueError, "names the column 3, which X does not have"),
        ({"categorical_features": ["a"]}, ValueError, "names the column 'a', which X does not"),
        ({"categorical_features": [True]}, ValueError, "one boolean for each of the 3 columns"),
    ],
)  # fmt: skip
def test_parameters(parameters, error, message):
    with pytest.raises(error, match=message):
        ImbalancedTreeClassifier(**parameters).fit(X, Y)


@pytest.mark.parametrize(
    ("table", "error", "message"),
    [
        (with_value(np.inf), ValueError, "X contains infinity: column 2, row 7"),
        (with_value(-np.inf), ValueError, "X contains infinity: column 2, row 7"),
        (with_value(np.inf).astype(np.float32), ValueError, "X contains infinity: column 2, row 7"),
        (pd.DataFrame(with_value(np.inf), columns=NAMED.columns), ValueError, "'heat', row 7"),
        (X[:0], ValueError, "0 sample"),
        (X[:, :0], ValueError, "0 feature"),
        (NAMED.iloc[:0], ValueError, "X is empty: it has 0 rows, 3 columns"),
        (pl.DataFrame(), ValueError, "X is empty: it has 0 rows, 0 columns"),
        (X[0], ValueError, "Reshape your data"),
        (sparse.csr_array(X), TypeError, "[Ss]parse"),
        (X.astype(complex), ValueError, "Complex data not supported"),
        (X[:30], ValueError, "X has 30 rows, but y has 40"),
        (None, ValueError, "array"),
        (pl.DataFrame(X).lazy(), TypeError, r"X is a lazy table; call its collect\(\) first"),
        (objects({"a": 1}), TypeError, "Column 2 holds neither numbers nor text"),
        (objects("text"), ValueError, "Column 2 mixes text with other values"),
        (NAMED.assign(when=pd.Timestamp(0)), TypeError, "Column 'when' holds neither numbers"),
        (NAMED.assign(mix=["a", 1] * 20), ValueError, "Column 'mix' mixes text with other values"),
        (NAMED.rename(columns={"heat": 3}), TypeError, "Column names must be all text"),
    ],
)  # fmt: skip
def test_tables(table, error, message):
    with pytest.raises(error, match=message):
        ImbalancedTreeClassifier().fit(table, Y)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (np.zeros(40, dtype=int), r"y has one class only, \[0\]"),
        (np.arange(40) % 3, "wrap the estimator in sklearn.multiclass.OneVsRestClassifier"),
        (["a", "b", "c", "d"] * 10, "Only binary classification is supported.*4 classes"),
        (np.where(Y == 1, np.nan, 0.0), "y contains NaN or infinity, first in row"),
        (np.where(Y == 1, np.inf, 0.0), "y contains NaN or infinity, first in row"),
        (pd.Series([None] + ["a", "b"] * 20)[:40], "y contains NaN, a missing label, in row 0"),
        (pl.Series([0, 1, None, 1] * 10), "y contains NaN or infinity, first in row 2"),
        (pd.array([0, 1, None, 1] * 10, dtype="Int64"), "y contains NaN or infinity, first in"),
        (np.array([0, 1, None, 1] * 10), "y contains NaN, a missing label, in row 2"),
        ([0, "a"] * 20, "y mixes text and other labels"),
        (X[:, 0], "Unknown label type"),
        (X, "y should be a 1d array"),
        ([], "y is empty"),
        (None, "y to be passed"),
        (Y[:30], "X has 40 rows, but y has 30"),
    ],
)  # fmt: skip
def test_targets(y, message):
    with pytest.raises(ValueError, match=message):
        ImbalancedTreeClassifier().fit(X, y)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (np.where(np.arange(40) == 5, -1.0, 1.0), "not negative, got -1.0 in row 5"),
        (np.where(np.arange(40) == 5, np.nan, 1.0), "finite and not negative, got nan in row 5"),
        (np.where(np.arange(40) == 5, np.inf, 1.0), "finite and not negative, got inf in row 5"),
        (np.zeros(40), "sample_weight is zero for every row"),
        (np.ones(39), "one number for each of the 40 rows"),
        (np.ones((40, 2)), "one number for each of the 40 rows"),
        ((Y == 0).astype(float), "one class only once the rows of weight zero are left out"),
    ],
)  # fmt: skip
def test_weights(weights, message):
    with pytest.raises(ValueError, match=message):
        ImbalancedTreeClassifier().fit(X, Y, sample_weight=weights)


@pytest.mark.parametrize(
    ("parameters", "rows", "message"),
    [
        ({}, {"X_val": X}, "Give X_val and y_val to fit together"),
        ({}, {"y_val": Y}, "Give X_val and y_val to fit together"),
        ({"pruning_fraction": 0.3}, {"X_val": X, "y_val": Y}, "either pruning_fraction or X_val"),
        ({}, {"X_val": X[:, :2], "y_val": Y}, "X has 2 features, but ImbalancedTreeClassifier"),
        ({}, {"X_val": X[:10], "y_val": Y}, "X_val has 10 rows, but y_val has 40"),
        ({}, {"X_val": X, "y_val": Y + 1}, "y_val has the label .*2.*not a class of y"),
        ({}, {"X_val": X, "y_val": [None] * 40}, "y_val contains NaN"),
    ],
)  # fmt: skip
def test_rows_to_prune_on(parameters, rows, message):
    with pytest.raises(ValueError, match=message):
        ImbalancedTreeClassifier(**parameters).fit(X, Y, **rows)


def test_a_hold_out_needs_two_rows_of_each_class():
    y = np.zeros(40, dtype=int)
    y[3] = 1
    with pytest.raises(ValueError, match="pruning_fraction needs two rows of each class"):
        ImbalancedTreeClassifier(pruning_fraction=0.5).fit(X, y)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (X[:, :2], "X has 2 features, but ImbalancedTreeClassifier is expecting 3 features"),
        (with_value(np.inf), "X contains infinity: column 2, row 7"),
        (X[:0], "0 sample"),
        (X[0], "Reshape your data"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("method", ["predict", "predict_proba", "apply", "decision_path"])
def test_tables_to_predict(table, message, method):
    model = ImbalancedTreeClassifier().fit(X, Y)
    with pytest.raises(ValueError, match=message):
        getattr(model, method)(table)


def test_few_rows_get_a_warning():
    with pytest.warns(UserWarning, match=r"The 5 rows are fewer than 2 \* min_samples_leaf = 6"):
        model = ImbalancedTreeClassifier(min_samples_leaf=3).fit(X[:5], [0, 0, 1, 1, 1])
    assert model.get_n_leaves() == 1
    with pytest.warns(UserWarning, match=r"The 5 rows are fewer than 2 \* min_samples_leaf = 6"):
        model.fit(X[:5], [0, 0, 1, 1, 1], sample_weight=np.full(5, 0.2))
