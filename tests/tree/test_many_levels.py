"""Columns with more levels than codes: those that matter have a name, the others share a code."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.metrics import f1_score

from tests.many_levels import (
    LAST,
    grouped_by_hand,
    named_by_hand,
    random_table,
    rows_of_all_kinds,
)
from thresher import (
    AlphaTreesClassifier,
    ImbalancedForestClassifier,
    ImbalancedTreeClassifier,
    ThresholdClassifier,
    find_conditions,
)
from thresher.column import OTHER_LEVELS
from thresher.datasets import load_dataset

MODELS = {
    "tree": ImbalancedTreeClassifier(min_samples_leaf=1),
    "pruned on held rows": ImbalancedTreeClassifier(pruning_fraction=0.3, random_state=0),
    "bins": ImbalancedTreeClassifier("entropy", max_bins=255),
    "forest": ImbalancedForestClassifier(6, random_state=0, n_bootstrap=0),
    "alpha trees": AlphaTreesClassifier((0.5, 2.0)),
    "threshold": ThresholdClassifier(ImbalancedTreeClassifier(), "f1", cv="prefit", n_bootstrap=0),
}


def fitted(name, X, y, weights=None):
    model = clone(MODELS[name])
    if name == "threshold":
        model.estimator = ImbalancedTreeClassifier().fit(X, y, weights)
    return model.fit(X, y, sample_weight=weights)


@settings(max_examples=30, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    kind=st.sampled_from(["text", "number"]),
    n_levels=st.integers(300, 2000),
    name=st.sampled_from(sorted(MODELS)),
    weighted=st.booleans(),
)
def test_a_model_is_that_of_levels_put_together_by_hand(seed, kind, n_levels, name, weighted):
    table, y = random_table(seed, kind, n_levels)
    weights = np.random.default_rng(seed).integers(0, 3, len(y)) * 0.5 if weighted else None
    names = named_by_hand(table["cavity"], y)
    other = grouped_by_hand(table, names, kind)
    expected = fitted(name, other, y, weights).predict_proba(other)
    model = fitted(name, table, y, weights)
    columns = getattr(model, "estimator_", model).columns_
    assert columns.levels == ((*names, OTHER_LEVELS), None)
    assert (model.predict_proba(table) == expected).all()
    new = rows_of_all_kinds(table, kind)
    expected = model.predict_proba(grouped_by_hand(new, names, kind))
    assert (model.predict_proba(new) == expected).all()


@pytest.mark.parametrize("n_levels", [300, 1000])
def test_levels_that_mean_nothing_do_no_harm(n_levels):
    """A tree that could tell all of them apart falls from .8 to .3 on unseen rows."""
    X, y = load_dataset("Pageblocks0")
    y = np.asarray(y) == 1
    random = np.random.default_rng(n_levels)
    noise = pd.Series(random.integers(n_levels, size=len(y))).map("c{}".format)
    plain = pd.DataFrame(np.asarray(X)).add_prefix("x")
    model, train = ImbalancedTreeClassifier("entropy", pruning="f1"), np.arange(len(y)) % 2 == 0
    f1 = [
        f1_score(y[~train], model.fit(table[train], y[train]).predict(table[~train]))
        for table in (plain, plain.assign(noise=noise))
    ]
    assert f1[1] > f1[0] - 0.05


@pytest.mark.parametrize("kind", ["text", "number"])
def test_neither_the_order_of_rows_nor_the_frame_matters(kind):
    table, y = random_table(3, kind)
    model = ImbalancedTreeClassifier().fit(table, y)
    order = np.random.default_rng(0).permutation(len(y))
    shuffled = ImbalancedTreeClassifier().fit(table.iloc[order], y[order])
    values = table["cavity"].astype(object).where(table["cavity"].notna(), None).tolist()
    frame = pl.DataFrame({"cavity": values, "heat": table["heat"].to_numpy()})
    other = ImbalancedTreeClassifier(categorical_features=["cavity"]).fit(frame, y)
    for again in (shuffled, other):
        assert again.tree_.digest() == model.tree_.digest()
        assert again.columns_ == model.columns_


def test_one_level_has_a_name_at_least():
    values = np.array([f"c{number:03}" for number in range(300)] * 2)
    y = np.arange(600) % 300 < 3
    columns = ImbalancedTreeClassifier().fit(pd.DataFrame({"c": values}), y).columns_
    assert columns.levels[0] == ("c000", "c001", "c002", OTHER_LEVELS)
    y = np.arange(600) < 30
    columns = ImbalancedTreeClassifier().fit(pd.DataFrame({"c": values}), y).columns_
    assert columns.levels[0] == ("c000", OTHER_LEVELS)


def test_weights_have_no_say_in_what_is_named():
    table, y = random_table(5)
    weights = np.random.default_rng(1).random(len(y))
    weights[y] *= np.random.default_rng(2).random(y.sum()) < 0.7
    with_weights = ImbalancedTreeClassifier().fit(table, y, weights)
    assert with_weights.columns_ == ImbalancedTreeClassifier().fit(table, y).columns_


def test_up_to_255_levels_stay_as_they_are():
    values = [f"c{number:03}" for number in range(255)] * 2
    y = np.arange(510) % 17 == 0
    model = ImbalancedTreeClassifier().fit(pd.DataFrame({"c": values}), y)
    assert model.columns_.levels == (tuple(values[:255]),)
    rows = pd.DataFrame({"c": ["never seen", None]})
    assert model.apply(rows)[0] == model.apply(rows)[1]


def test_a_new_level_is_one_of_the_others_and_a_missing_one_is_not():
    values = np.repeat([f"c{number}" for number in range(500)], 10)
    y = np.isin(values, ["c7", "c77"])
    table = pd.DataFrame({"c": values})
    table.loc[::9, "c"] = None
    y[::9] = True
    model = ImbalancedTreeClassifier("gini").fit(table, y)
    other = next(text for text in values if text not in model.columns_.levels[0])
    rows = pd.DataFrame({"c": ["never seen", other, None, "c7"]})
    assert model.predict(rows).tolist() == [False, False, True, True]
    texts = model.export_text()
    assert "c not in {c7, c77}" in texts
    assert "c in {c7, c77} or missing" in texts


def test_one_bad_cavity_of_300_is_found():
    random = np.random.default_rng(0)
    cavity = np.array([f"cavity {number}" for number in random.integers(0, 300, 40_000)])
    heat = random.normal(size=len(cavity))
    y = random.random(len(cavity)) < np.where(cavity == "cavity 217", 0.8, 0.002)
    table = pd.DataFrame({"cavity": cavity, "heat": heat})
    train, test = slice(0, 20_000), slice(20_000, None)

    def held_out(columns):
        model = ImbalancedTreeClassifier(min_samples_leaf=5).fit(table[columns][train], y[train])
        return model, f1_score(y[test], model.predict(table[columns][test]), zero_division=0)

    model, f1 = held_out(["cavity", "heat"])
    _, without = held_out(["heat"])
    assert f1 > 0.6 > 0.1 > without
    found = find_conditions(model, table[train], y[train], n_permutations=0, n_bootstrap=0)
    assert found["text"][0] == "cavity = cavity 217"


def test_as_many_levels_as_rows_take_no_quadratic_work():
    values = np.append(np.arange(2.0**18), [7.0] * 50)
    y = (values % 1000 == 0) | (values == 7.0)
    model = ImbalancedTreeClassifier("gini", max_depth=2, categorical_features=[0])
    model.fit(values[:, None], y)
    # A level of one row says nothing, and so no part number is learnt by heart.
    assert model.columns_.levels[0] == (7.0, OTHER_LEVELS)
    rows = [[7.0], [1000.0], [LAST["number"]], [np.nan]]
    assert model.predict(rows).tolist() == [True, False, False, False]
