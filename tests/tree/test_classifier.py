"""The estimator: decisions, the positive class, weights, and scikit-learn's machinery."""

import copy
import pickle

import joblib
import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from tests.table_factory import Table
from thresher import ImbalancedTreeClassifier
from thresher.criteria import find_alpha
from thresher.tree.growing import CRITERIA, Growth

X, Y = Table(columns=5).numpy()
MODEL = ImbalancedTreeClassifier().fit(X, Y)


def of(criterion, **parameters):
    alpha = {"alpha": 0.4} if criterion == "renyi" else {}
    return ImbalancedTreeClassifier(criterion, **alpha, **parameters)


@pytest.mark.parametrize("criterion", CRITERIA)
def test_every_criterion_learns(criterion):
    model = of(criterion).fit(X, Y)
    found = model.predict(X)[Y == 1].mean()
    assert found > 0.9
    assert model.tree_.depth > 1
    model.tree_.validate(n_features=5)


def test_alpha_star_of_each_node_is_kept():
    tree = ImbalancedTreeClassifier(alpha_tolerance=0.2).fit(X, Y).tree_
    impure = (tree.probability > 0) & (tree.probability < 1)
    expected = find_alpha(tree.probability[impure], 0.2)
    assert tree.alpha[impure] == pytest.approx(expected, abs=1e-9)
    assert (of("renyi").fit(X, Y).tree_.alpha == 0.4).all()
    assert np.isnan(of("gini").fit(X, Y).tree_.alpha).all()


def test_fitted_attributes():
    assert MODEL.classes_.tolist() == [0, 1]
    assert (MODEL.n_features_in_, MODEL.threshold_, MODEL.pos_label_) == (5, 0.5, 1)
    assert MODEL.feature_importances_.sum() == pytest.approx(1.0)
    assert MODEL.feature_importances_[:2].sum() > 0.5
    assert not hasattr(MODEL, "feature_names_in_")
    assert MODEL.get_n_leaves() == MODEL.tree_.is_leaf.sum()
    assert MODEL.get_depth() == np.diff(MODEL.decision_path(X).indptr).max() - 1


def test_names_go_when_a_nameless_table_is_fitted():
    model = ImbalancedTreeClassifier().fit(pd.DataFrame(X, columns=list("abcde")), Y)
    assert model.feature_names_in_.tolist() == list("abcde")
    assert not hasattr(model.fit(X, Y), "feature_names_in_")


@pytest.mark.parametrize("threshold", [0.0, 0.1, 0.5, 0.9, 1.0])
def test_positive_if_and_only_if_the_probability_is_above_the_threshold(threshold):
    model = ImbalancedTreeClassifier(threshold=threshold, pruning=None, min_samples_leaf=8).fit(
        X, Y
    )
    probability = model.predict_proba(X)[:, 1]
    assert len(np.unique(probability)) > 3
    assert (model.predict(X) == (probability > threshold)).all()


def test_a_probability_equal_to_the_threshold_is_negative():
    table, y = np.array([[0.0], [0.0], [0.0], [0.0]]), [0, 1, 0, 1]
    assert ImbalancedTreeClassifier().fit(table, y).predict(table).tolist() == [0, 0, 0, 0]
    below = ImbalancedTreeClassifier(threshold=np.nextafter(0.5, 0)).fit(table, y)
    assert below.predict(table).tolist() == [1, 1, 1, 1]


def test_prior_is_the_weighted_share_of_positives():
    assert ImbalancedTreeClassifier(threshold="prior").fit(X, Y).threshold_ == Y.mean()
    weights = np.where(Y == 1, 3.0, 1.0)
    model = ImbalancedTreeClassifier(threshold="prior").fit(X, Y, weights)
    assert model.threshold_ == pytest.approx((3 * Y.sum()) / weights.sum(), rel=1e-12)


@pytest.mark.parametrize(
    ("y", "pos_label", "positive"),
    [
        ([0, 0, 0, 1, 1], None, 1),
        ([0, 0, 1, 1, 1], None, 0),
        ([0, 0, 1, 1], None, 1),
        (["good", "good", "bad", "good"], None, "bad"),
        ([True, False, True, True], None, False),
        ([0, 0, 0, 1, 1], 0, 0),
        (["good", "good", "bad", "good"], "good", "good"),
        ([-1.0, 1.0, -1.0, -1.0], None, 1.0),
    ],
)
def test_the_positive_class(y, pos_label, positive):
    table = np.arange(len(y), dtype=float)[:, None]
    model = ImbalancedTreeClassifier(min_samples_leaf=1, pos_label=pos_label).fit(table, y)
    assert model.pos_label_ == positive
    column = model.classes_.tolist().index(positive)
    assert model.predict_proba(table)[:, column].tolist() == [
        float(label == positive) for label in y
    ]
    assert model.predict(table).tolist() == y
    assert model.tree_.rows[0].tolist() == [len(y) - y.count(positive), y.count(positive)]


def test_the_rarer_class_counts_sample_weight():
    table, y = np.arange(6.0)[:, None], [0, 0, 0, 0, 1, 1]
    model = ImbalancedTreeClassifier().fit(table, y, sample_weight=[1, 1, 1, 1, 3, 3])
    assert model.pos_label_ == 0
    tie = ImbalancedTreeClassifier().fit(table, y, sample_weight=[1.1, 1.1, 1.1, 1.1, 2.2, 2.2])
    assert tie.pos_label_ == 1


def test_true_counts_stand_beside_weighted_ones():
    weights = np.random.default_rng(0).choice([0.0, 0.5, 2.0], len(Y))
    tree = ImbalancedTreeClassifier().fit(X, Y, weights).tree_
    present = weights > 0
    assert tree.rows[0].tolist() == np.bincount(Y[present]).tolist()
    assert tree.weight[0] == pytest.approx(np.bincount(Y, weights), rel=1e-12)


def test_balanced_class_weight_counts_sample_weight():
    weights = np.random.default_rng(0).integers(0, 4, len(Y))
    repeated = np.repeat(np.arange(len(Y)), weights)
    balanced = ImbalancedTreeClassifier("gini", class_weight="balanced")
    weighted = clone(balanced).fit(X, Y, weights).tree_
    duplicated = clone(balanced).fit(X[repeated], Y[repeated]).tree_
    assert weighted.class_weight.tolist() == duplicated.class_weight.tolist()
    assert weighted.probability[0] == pytest.approx(0.5)
    assert weighted.cut.tolist() == duplicated.cut.tolist()


def test_class_weight_by_label():
    y = np.where(Y == 1, "bad", "good")
    model = ImbalancedTreeClassifier(class_weight={"bad": 5.0}).fit(X, y)
    assert model.tree_.class_weight.tolist() == [1.0, 5.0]


def test_light_leaves_are_undone_with_class_weights():
    weighted = ImbalancedTreeClassifier(
        "gini", pruning=None, class_weight={0: 1.0, 1: 10.0}, min_weight_fraction_leaf=0.05
    )
    tree = weighted.fit(X, Y).tree_
    share = (tree.weight * tree.class_weight).sum(axis=1)
    assert tree.n_leaves > 1
    assert (share >= 0.05 * share[0]).all()


def test_limits_count_sample_weight():
    limits = {"pruning": None, "min_samples_leaf": 30, "min_samples_split": 80}
    tree = ImbalancedTreeClassifier("gini", **limits).fit(X, Y, np.full(len(Y), 2.0)).tree_
    total = tree.weight.sum(axis=1)
    assert total.min() >= 30
    assert tree.rows.sum(axis=1).min() < 30
    assert total[~tree.is_leaf].min() >= 80
    share = ImbalancedTreeClassifier("gini", pruning=None, min_weight_fraction_leaf=0.2).fit(X, Y)
    assert share.tree_.rows.sum(axis=1).min() >= 80


def test_size_limits():
    assert ImbalancedTreeClassifier(max_depth=2, pruning=None).fit(X, Y).get_depth() == 2
    assert ImbalancedTreeClassifier(max_leaf_nodes=5, pruning=None).fit(X, Y).get_n_leaves() == 5
    large = ImbalancedTreeClassifier("gini", min_gain=0.01, pruning=None).fit(X, Y).tree_
    assert large.gain[~large.is_leaf].min() >= 0.01


def test_random_features_follow_the_seed():
    def digest(random_state):
        model = ImbalancedTreeClassifier(max_features=1, random_state=random_state, pruning=None)
        return model.fit(X, Y).tree_.digest()

    assert digest(3) == digest(3) == digest(np.int64(3))
    assert digest(3) != digest(4)
    assert digest(np.random.RandomState(3)) == digest(np.random.RandomState(3))
    state = np.random.RandomState(3)
    assert digest(state) != digest(state)


@pytest.mark.parametrize(
    ("max_features", "count"), [(None, 16), (3, 3), (0.5, 8), (0.01, 1), ("sqrt", 4), ("log2", 4)]
)
def test_number_of_random_features(max_features, count):
    assert Growth(max_features=max_features).n_candidates(16) == count


@pytest.mark.parametrize("max_bins", [None, 16])
def test_threads_do_not_change_the_tree(max_bins):
    table, y = Table(rows=3000, columns=5).numpy()
    digests = {
        ImbalancedTreeClassifier(n_jobs=n_jobs, max_bins=max_bins).fit(table, y).tree_.digest()
        for n_jobs in (None, 1, 2, 4, -1)
    }
    assert len(digests) == 1


def test_float32_and_float64_agree_on_the_same_values():
    table = X.astype(np.float32)
    single = ImbalancedTreeClassifier().fit(table, Y)
    double = ImbalancedTreeClassifier().fit(table.astype(np.float64), Y)
    assert single.tree_.digest() == double.tree_.digest()
    assert (single.predict_proba(table) == double.predict_proba(table.astype(float))).all()


@pytest.mark.parametrize(
    "duplicate",
    [copy.copy, copy.deepcopy, lambda model: pickle.loads(pickle.dumps(model))],
    ids=["copy", "deepcopy", "pickle"],
)
def test_copies_predict_the_same(duplicate):
    MODEL.predict(X)
    assert (duplicate(MODEL).predict_proba(X) == MODEL.predict_proba(X)).all()


def test_joblib_round_trip(tmp_path):
    joblib.dump(MODEL, tmp_path / "model.joblib")
    again = joblib.load(tmp_path / "model.joblib", mmap_mode="r")
    assert (again.predict_proba(X) == MODEL.predict_proba(X)).all()


def test_clone_keeps_parameters_and_nothing_else():
    again = clone(ImbalancedTreeClassifier("renyi", alpha=0.3).fit(X, Y))
    assert (again.criterion, again.alpha) == ("renyi", 0.3)
    assert not hasattr(again, "tree_")


def test_cross_validation_and_grid_search():
    assert cross_val_score(ImbalancedTreeClassifier(), X, Y, scoring="roc_auc").mean() > 0.6
    grid = {"criterion": ["gini", "hellinger"], "pruning": ["f1", None]}
    search = GridSearchCV(ImbalancedTreeClassifier(), grid, cv=3).fit(X, Y)
    assert search.best_score_ > 0.8


def test_one_against_the_rest():
    y = np.digitize(X[:, 0], [-1.0, 1.0])
    model = OneVsRestClassifier(ImbalancedTreeClassifier(pos_label=1)).fit(X, y)
    assert model.score(X, y) > 0.99


def test_weights_and_validation_rows_are_routed():
    weights = np.where(Y == 1, 5.0, 1.0)
    X_val, y_val = Table(1, columns=5).numpy()
    with sklearn.config_context(enable_metadata_routing=True):
        tree = ImbalancedTreeClassifier("gini").set_fit_request(
            sample_weight=True, X_val=True, y_val=True
        )
        steps = make_pipeline(FunctionTransformer(), tree)
        steps.fit(X, Y, sample_weight=weights, X_val=X_val, y_val=y_val)
    direct = ImbalancedTreeClassifier("gini").fit(X, Y, weights, X_val, y_val)
    assert steps[-1].tree_.digest() == direct.tree_.digest()
    assert direct.tree_.digest() != ImbalancedTreeClassifier("gini").fit(X, Y).tree_.digest()


def test_missing_values_take_the_learnt_side():
    table = np.array([[0.0], [0.1], [0.2], [1.0], [1.1], [1.2], [np.nan], [np.nan], [np.nan]])
    y = [0, 0, 0, 1, 1, 1, 1, 1, 1]
    model = ImbalancedTreeClassifier(pos_label=1).fit(table, y)
    assert model.predict([[np.nan], [0.1], [1.1]]).tolist() == [1, 0, 1]
    assert not model.tree_.missing_left[0]


def test_one_row_and_any_memory_layout():
    expected = MODEL.predict_proba(X)
    for table in (np.asfortranarray(X), X[::-1][::-1], X.tolist(), pd.DataFrame(X)):
        assert (MODEL.predict_proba(table) == expected).all()
    assert (MODEL.predict_proba(X[7:8]) == expected[7]).all()
