"""The forest as an estimator: tables of all kinds in, the same decisions out, copies that agree."""

import copy
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone
from sklearn.metrics import f1_score
from sklearn.model_selection import GridSearchCV, cross_val_score

from tests.forest.tables import mixed, rare
from thresher import ImbalancedForestClassifier, ImbalancedTreeClassifier
from thresher.datasets import load_dataset

X, Y = rare(600)
X_NEW, Y_NEW = rare(2000, seed=1)


def forest_of(n_estimators=50, **parameters):
    settings = {"random_state": 0, "n_bootstrap": 10, **parameters}
    return ImbalancedForestClassifier(n_estimators, **settings)


def probabilities(model, table=X_NEW):
    return model.predict_proba(table)[:, list(model.classes_).index(model.pos_label_)]


# ----------------------------------------------------------------------------------- decisions


def test_it_learns_more_than_a_tree():
    table, y = rare(2000, seed=5)
    forest, tree = forest_of(100).fit(table, y), ImbalancedTreeClassifier().fit(table, y)
    assert f1_score(Y_NEW, forest.predict(X_NEW)) > f1_score(Y_NEW, tree.predict(X_NEW)) + 0.03


def test_labels_of_any_kind_and_the_rarer_is_positive():
    expected = forest_of().fit(X, Y)
    assert expected.pos_label_ == 1
    for negative, positive in (("good", "bad"), (False, True), (7, 3), ("a", "b")):
        model = forest_of().fit(X, np.where(Y == 1, positive, negative))
        assert model.pos_label_ == positive
        assert model.threshold_ == expected.threshold_
        np.testing.assert_array_equal(probabilities(model), probabilities(expected))
        assert ((model.predict(X_NEW) == positive) == (expected.predict(X_NEW) == 1)).all()
        place = list(model.classes_).index(positive)
        np.testing.assert_array_equal(
            model.oob_decision_function_[:, place], expected.oob_decision_function_[:, 1]
        )


def test_the_seed_decides():
    def votes(random_state):
        return probabilities(forest_of(random_state=random_state).fit(X, Y))

    np.testing.assert_array_equal(votes(3), votes(np.int64(3)))
    assert (votes(3) != votes(4)).any()
    assert (votes(None) != votes(None)).any()
    state = np.random.RandomState(3)
    assert (votes(state) != votes(state)).any()


def test_more_trees_make_quieter_votes():
    spread = [
        np.std(
            [
                probabilities(forest_of(n, random_state=seed, rule=None).fit(X, Y))
                for seed in range(5)
            ],
            axis=0,
        ).mean()
        for n in (10, 160)
    ]
    assert spread[1] < 0.4 * spread[0]


# -------------------------------------------------------------------------------------- tables


@pytest.mark.parametrize(
    "change",
    [
        np.asfortranarray,
        lambda table: table.tolist(),
        lambda table: np.repeat(table, 2, axis=1)[:, ::2],
        lambda table: table[::-1][::-1],
        lambda table: pd.DataFrame(table),
        lambda table: np.ma.asarray(table).data,
    ],
)
def test_the_layout_of_a_table_does_not_matter(change):
    expected = forest_of().fit(X, Y)
    model = forest_of().fit(change(X), Y)
    np.testing.assert_array_equal(model.oob_decision_function_, expected.oob_decision_function_)
    np.testing.assert_array_equal(probabilities(model, change(X_NEW)), probabilities(expected))


def test_memory_mapped_tables(tmp_path):
    expected = forest_of(importance="permutation").fit(X, Y)
    np.save(tmp_path / "X.npy", X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    model = forest_of(importance="permutation").fit(mapped, Y)
    assert model.threshold_ == expected.threshold_
    np.testing.assert_array_equal(probabilities(model, mapped), probabilities(expected, X))
    np.testing.assert_array_equal(model.feature_importances_, expected.feature_importances_)


def test_single_precision_is_kept_and_means_the_same_numbers():
    narrow = X.astype(np.float32)
    single, double = forest_of().fit(narrow, Y), forest_of().fit(narrow.astype(np.float64), Y)
    assert single.threshold_ == double.threshold_
    np.testing.assert_array_equal(single.oob_decision_function_, double.oob_decision_function_)
    new = X_NEW.astype(np.float32)
    np.testing.assert_array_equal(probabilities(single, new), probabilities(double, new))
    np.testing.assert_array_equal(probabilities(single), probabilities(double))


@pytest.mark.parametrize("table", ["numbers", "missing values"])
def test_a_single_row_is_decided_as_among_many(table):
    rows, y = (X, Y) if table == "numbers" else mixed(600)[:2]
    model = forest_of(categorical_features=None if table == "numbers" else [2]).fit(rows, y)
    alone = np.array([model.predict_proba(rows[[i]])[0] for i in range(80)])
    np.testing.assert_array_equal(alone, model.predict_proba(rows)[:80])
    assert model.predict(rows[[3]]).shape == (1,)


@pytest.mark.parametrize("make", [lambda frame: frame, pl.from_pandas, pa.Table.from_pandas])
def test_data_frames_with_categories_and_missing_values(make):
    table, y, weights = mixed(600)
    frame = pd.DataFrame(table, columns=["speed", "force", "line", "wear", "load"])
    frame["line"] = np.array([f"line {i:02}" for i in range(12)])[table[:, 2].astype(int)]
    model = forest_of().fit(make(frame), y, weights)
    assert model.feature_names_in_.tolist() == list(frame.columns)
    assert model.columns_.levels[2][:2] == ("line 00", "line 01")
    expected = forest_of(categorical_features=[2]).fit(table, y, weights)
    np.testing.assert_array_equal(probabilities(model, make(frame)), probabilities(expected, table))
    turned = make(frame[["line", "load", "wear", "force", "speed"]])
    np.testing.assert_array_equal(model.predict(turned), model.predict(make(frame)))
    unknown = make(frame.assign(line="line 99"))
    assert np.isfinite(probabilities(model, unknown)).all()


# --------------------------------------------------------------------------------------- copies


@pytest.mark.parametrize(
    "parameters",
    [
        {"importance": "permutation"},
        {"smoothing": "laplace", "correct_prior": True, "bootstrap": "balanced"},
        {"bootstrap": False, "rule": "cost"},
    ],
)
@pytest.mark.parametrize(
    "duplicate", [copy.deepcopy, lambda model: pickle.loads(pickle.dumps(model))]
)
def test_copies_agree(parameters, duplicate):
    model = forest_of(**parameters).fit(X, Y, np.arange(600) % 3 + 1.0)
    twin = duplicate(model)
    np.testing.assert_array_equal(probabilities(twin), probabilities(model))
    np.testing.assert_array_equal(twin.predict(X_NEW), model.predict(X_NEW))
    np.testing.assert_array_equal(twin.feature_importances_, model.feature_importances_)
    assert twin.estimators_[7].tree_.digest() == model.estimators_[7].tree_.digest()
    assert twin.adjust_prior(0.4).threshold_ == model.adjust_prior(0.4).threshold_
    np.testing.assert_array_equal(probabilities(twin), probabilities(model))


def test_a_pickle_leaves_the_training_table_out():
    wide = np.random.default_rng(0).normal(size=(2000, 60))
    model = forest_of(5, max_depth=3, n_bootstrap=0).fit(wide, np.arange(2000) % 10 == 0)
    assert len(pickle.dumps(model)) < wide.nbytes / 4


def test_a_clone_is_not_fitted_and_has_every_parameter():
    model = forest_of(rule="fbeta", beta=2.0, smoothing="laplace").fit(X, Y)
    twin = clone(model)
    assert not hasattr(twin, "forest_")
    assert twin.get_params() == model.get_params()


def test_a_second_fit_forgets_the_first():
    model = forest_of().fit(pd.DataFrame(X, columns=list("abcde")), np.where(Y == 1, "b", "a"))
    fresh = forest_of(bootstrap=False, rule=None).fit(X[:300, :3], Y[:300])
    model.set_params(bootstrap=False, rule=None).fit(X[:300, :3], Y[:300])
    np.testing.assert_array_equal(probabilities(model, X[:, :3]), probabilities(fresh, X[:, :3]))
    assert model.n_features_in_ == 3
    for name in ("feature_names_in_", "oob_decision_function_"):
        assert not hasattr(model, name)


def test_it_works_inside_scikit_learn():
    table, y = load_dataset("Yeast-me1")
    scores = cross_val_score(forest_of(30, n_bootstrap=0), table, y, scoring="f1", cv=3)
    assert scores.min() > 0.5
    search = GridSearchCV(
        forest_of(20, n_bootstrap=0), {"min_samples_leaf": [1, 40]}, scoring="f1", cv=3
    )
    assert search.fit(table, y).best_params_ == {"min_samples_leaf": 1}
