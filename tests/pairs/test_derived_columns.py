"""Estimators with derived columns are those of the table with these columns beside it."""

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from tests.model_file.copies import changed, copied
from tests.pairs.given import features, labels_of, learnt, random_pairs, random_table, widened
from thresher import (
    ImbalancedForestClassifier,
    ImbalancedTreeClassifier,
    ThresholdClassifier,
    find_conditions,
    load_model,
    save_model,
)
from thresher.errors import ModelFileError
from thresher.pair import Pair

SEEDS = st.integers(0, 2**32 - 1)


def made(seed, dtype=np.float64):
    random = np.random.default_rng(seed)
    X, pairs = random_table(random), random_pairs(random)
    if dtype == np.float32:
        with np.errstate(over="ignore"):
            X = X.astype(dtype)
        X[np.isinf(X)] = 0.0
    wide = widened(X, pairs)
    return X, wide, labels_of(random, wide).astype(int), pairs


def small_forest(**parameters):
    return ImbalancedForestClassifier(5, random_state=0, n_bootstrap=0, **parameters)


def in_halves(importances, pairs, n_given=4):
    found = importances[:n_given].copy()
    for (left, _, right), share in zip(pairs, importances[n_given:], strict=True):
        found[[left, right]] += share / 2
    return found


@pytest.mark.parametrize("make", [ImbalancedTreeClassifier, small_forest])
@given(seed=SEEDS, is_short=st.booleans())
@settings(max_examples=40, deadline=None)
def test_the_model_is_that_of_the_widened_table(make, seed, is_short):
    X, wide, y, pairs = made(seed, np.float32 if is_short else np.float64)
    model, other = make(pairs=features(pairs)).fit(X, y), make().fit(learnt(X, pairs), y)
    np.testing.assert_array_equal(model.predict_proba(X), other.predict_proba(wide))
    np.testing.assert_array_equal(model.apply(X), other.apply(wide))
    np.testing.assert_allclose(
        model.feature_importances_, in_halves(other.feature_importances_, pairs), atol=1e-12
    )
    assert model.n_features_in_ == X.shape[1]


def test_permutation_importances_go_in_halves():
    X, _, y, pairs = made(5)
    model = small_forest(importance="permutation", pairs=features(pairs)).fit(X, y)
    other = small_forest(importance="permutation").fit(learnt(X, pairs), y)
    np.testing.assert_allclose(
        model.feature_importances_, in_halves(other.feature_importances_, pairs), atol=1e-12
    )


@pytest.mark.parametrize("make", [ImbalancedTreeClassifier, small_forest])
@given(seed=SEEDS)
@settings(max_examples=15, deadline=None)
def test_files_and_pickles_keep_the_pairs(make, seed, tmp_path_factory):
    X, _, y, pairs = made(seed)
    model = make(pairs=features(pairs)).fit(X, y)
    path = tmp_path_factory.mktemp("pairs") / "model.thresher"
    save_model(model, path)
    for again in (load_model(path), copied(model), pickle.loads(pickle.dumps(model))):
        assert again.columns_ == model.columns_
        assert again.pairs.get_params() == model.pairs.get_params()
        np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))


@pytest.mark.parametrize(
    "derived",
    [
        [[0, "product", 4]],
        [[0, "product", -1]],
        [[0, "product", 0]],
        [[0, "power", 1]],
        [[0, "product", 3]],
        [[0, "product", True]],
        [[0, "product"]],
        [[0, "product", 1], [0, "product", 1]],
        [],
        {},
    ],
)
def test_a_file_with_other_pairs_is_refused(derived):
    X, _, y, _ = made(0)
    X[:, 3] = np.arange(len(X)) % 3
    model = ImbalancedTreeClassifier(
        pairs=features([(0, "product", 1)]), categorical_features=[3]
    ).fit(X, y)

    def change(description):
        assert description["columns"]["derived"] == [[0, "product", 1]]
        description["columns"]["derived"] = derived

    with pytest.raises(ModelFileError):
        changed(model, change)


def test_a_warm_start_keeps_the_pairs():
    X, wide, y, pairs = made(7)
    model = small_forest(warm_start=True, pairs=features(pairs)).fit(X, y)
    # The pairs of another transformer come too late: the trees of before do not know them.
    model.set_params(n_estimators=9, pairs=features(pairs[:1])).fit(X, y)
    other = clone(small_forest()).set_params(n_estimators=9).fit(learnt(X, pairs), y)
    np.testing.assert_array_equal(model.predict_proba(X), other.predict_proba(wide))


def test_rows_to_prune_on_have_the_pairs():
    X, wide, y, pairs = made(11)
    half = len(X) // 2
    both = [
        ImbalancedTreeClassifier(pairs=pairs).fit(
            table[:half], y[:half], X_val=table[half:], y_val=y[half:]
        )
        for pairs, table in ((features(pairs), X), (None, learnt(X, pairs)))
    ]
    np.testing.assert_array_equal(both[0].predict_proba(X), both[1].predict_proba(wide))
    held = [
        ImbalancedTreeClassifier(pairs=pairs, pruning_fraction=0.3, random_state=1).fit(table, y)
        for pairs, table in ((features(pairs), X), (None, learnt(X, pairs)))
    ]
    np.testing.assert_array_equal(held[0].predict_proba(X), held[1].predict_proba(wide))


def parts_table(seed=0):
    random = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "torque": random.normal(40.0, 10.0, 1500),
            "speed": random.normal(1500.0, 200.0, 1500),
            "wear": random.uniform(0.0, 200.0, 1500),
        }
    )
    return table, np.where(table["torque"] * table["speed"] > 80_000.0, "scrap", "ok")


@pytest.mark.parametrize("is_forest", [False, True])
def test_conditions_name_pairs_and_are_known_at_the_later_stage(is_forest):
    X, y = parts_table()
    pairs = features([("torque", "product", "speed")])
    make = small_forest if is_forest else ImbalancedTreeClassifier
    model = make(pairs=pairs).fit(X, y)
    stages = {"wear": "store", "torque": "press", "speed": "test"}
    found = find_conditions(
        model, X, y, stages=stages, n_permutations=9, n_bootstrap=4, output="table"
    )
    assert found.texts[0].startswith("torque x speed > ")
    assert found.stages[0] == "test"
    assert found.p_value[0] <= 0.2
    clause = found.conditions[0].clauses[0]
    assert clause.as_data()["derived"] == {
        "left": "torque",
        "operation": "product",
        "right": "speed",
    }
    inside = X.eval(f"torque * speed > {clause.low!r}")
    np.testing.assert_array_equal(inside.sum(), found.training.n[0])


def test_conditions_of_a_table_by_sql():
    duckdb = pytest.importorskip("duckdb")
    X, y = parts_table()
    model = ImbalancedTreeClassifier(pairs=features([("torque", "ratio", "wear")])).fit(X, y)
    X.loc[:20, "wear"] = 0.0
    where = find_conditions(model, output="sql")
    alerts = (model.predict(X) == "scrap").sum()
    count = f"SELECT count(*) FROM X WHERE {where}"
    assert duckdb.sql(count).fetchall()[0][0] == alerts


def test_a_tree_that_imitates_a_forest_derives_exchanged_rows_again():
    X, y = parts_table()
    pairs = features([("torque", "product", "speed")])
    forest = small_forest(pairs=pairs).fit(X, y)
    tree = forest.to_tree(4, cv=3)
    assert "torque x speed" in tree.export_text()
    assert tree.distillation_.f1 > 0.8
    again = pickle.loads(pickle.dumps(forest)).to_tree(4, X=X, y=y, cv=None)
    np.testing.assert_array_equal(again.predict_proba(X), tree.predict_proba(X))


def test_a_threshold_around_a_tree_takes_the_original_columns():
    X, y = parts_table()
    tree = ImbalancedTreeClassifier(pairs=features([("torque", "product", "speed")]))
    model = ThresholdClassifier(tree, cv=3).fit(X, y)
    assert list(model.feature_names_in_) == list(X.columns)
    found = find_conditions(model, X, y, n_permutations=4, n_bootstrap=2, output="table")
    assert found.texts[0].startswith("torque x speed > ")


def test_names_do_not_collide():
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(100, 3)), columns=["a", "b", "a x b"])
    y = X["a"] * X["b"] > 1.0
    pairs = [("a", "product", "b"), ("b", "product", "a")]
    model = ImbalancedTreeClassifier(pairs=features(pairs)).fit(X, y)
    names = model.columns_.wide_names
    assert len(set(names)) == 5
    assert names[:3] == ("a", "b", "a x b")


def test_pairs_know_what_they_are_made_of():
    with pytest.raises(ValueError, match="twice"):
        Pair(1, "product", 1)
    with pytest.raises(ValueError, match="operation"):
        Pair(0, "power", 1)


@pytest.mark.parametrize("pairs", ["auto", 5, object(), type(features([]))])
def test_derive_is_a_transformer(pairs):
    X, _, y, _ = made(0)
    with pytest.raises(TypeError, match="pairs must be None or a PairFeatures"):
        ImbalancedTreeClassifier(pairs=pairs).fit(X, y)
