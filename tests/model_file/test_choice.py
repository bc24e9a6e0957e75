"""Thresholds, guarantees and cuts of rows in files: they come back; damaged ones are refused."""

from copy import deepcopy
from functools import cache

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

from tests.model_file.copies import changed, copied
from tests.table_factory import Table
from tests.threshold.known_posterior import draw
from thresher import ImbalancedForestClassifier, ThresholdClassifier, load_model, save_model
from thresher.errors import DamagedModelError

X, Y, _ = draw(2000, -2.5)
DRAWN = Table(columns=1, levels=["xyz"], names=["a", "line"], noise=1.0, weight_of=range(1, 20))
CATEGORIES, LABELS = DRAWN.pandas()
PROMISED = {"confidence": 0.9, "cv": 0.5}
AROUND = {
    "precision_at_recall": {"floor": 0.8, **PROMISED},
    "recall_at_precision": {"floor": 0.3, **PROMISED},
    "budget": {"per_1000": 80.0, **PROMISED},
    "cost": {"cost_fn": 5.0, "gain_tp": 1.0, **PROMISED},
    "refer": {"miss": 0.1, "false_alarm": 0.5},
    "refer, promised": {"miss": 0.2, "false_alarm": 0.6, "confidence": 0.8, "cv": 0.5},
    "refer, price": {"price": 0.2, "cost_fn": 4.0},
}
FORESTS = {
    "forest, recall": {"rule": "precision_at_recall", "floor": 0.8, "confidence": 0.9},
    "forest, refer": {"rule": "refer", "price": 0.1},
    "forest, costs": {"rule": "budget", "per_1000": 100, "n_bootstrap": 0},
    "forest, groups": {"rule": "f1", "threshold_by": "line", "n_bootstrap": 0},
}


@cache
def fitted(name):
    """Return a model, and what it is asked about."""
    if name in AROUND:
        model = ThresholdClassifier(LogisticRegression(), name.split(",")[0], random_state=0)
        return model.set_params(**AROUND[name]).fit(X, Y), (X, {})
    if name == "tree, refer":
        forest = ImbalancedForestClassifier(20, n_bootstrap=0, random_state=0).fit(X, Y)
        return forest.to_tree(6, refer=0.1, cv=2), (X, {})
    forest = ImbalancedForestClassifier(20, random_state=0, **FORESTS[name])
    if name == "forest, costs":
        costs = {"cost_fn": DRAWN.weights}
        return forest.fit(CATEGORIES, LABELS, **costs), (CATEGORIES, costs)
    if name == "forest, groups":
        return forest.fit(CATEGORIES, LABELS), (CATEGORIES, {})
    return forest.fit(X, Y), (X, {})


def state_of(model):
    names = ("threshold_", "threshold_alert_", "promise_", "row_cuts_", "confidence", "referred_")
    more = ("distillation_",)
    return [getattr(model, name, None) for name in (*names, *more)]


@pytest.mark.parametrize("name", [*AROUND, *FORESTS, "tree, refer"])
def test_a_choice_comes_back(name, tmp_path):
    model, (rows, costs) = fitted(name)
    save_model(model, tmp_path / "m.thresher")
    for again in (load_model(tmp_path / "m.thresher"), copied(model)):
        assert state_of(again) == state_of(model)
        np.testing.assert_array_equal(again.predict(rows, **costs), model.predict(rows, **costs))
        if model.threshold_alert_ is not None:
            np.testing.assert_array_equal(again.decide(rows), model.decide(rows))
        if name == "tree, refer":
            pd.testing.assert_frame_equal(again.front_, model.front_)


@pytest.mark.parametrize("name", FORESTS)
def test_another_share_moves_what_comes_back_alike(name):
    model, (rows, costs) = fitted(name)
    moved, twin = (one.adjust_prior(0.3) for one in (copied(model), deepcopy(model)))
    assert state_of(moved) == state_of(twin) != state_of(model)
    np.testing.assert_array_equal(moved.predict(rows, **costs), twin.predict(rows, **costs))
    if name == "forest, recall":
        assert moved.promise_ == model.promise_
        assert moved.promise_.unseen == "out of bag"


PROMISE, CUTS = ("choice", "promise"), ("cuts",)
RECALL, REFER, TREE = "precision_at_recall", "refer, promised", "tree, refer"
COSTS, GROUPS = "forest, costs", "forest, groups"


@pytest.mark.parametrize(
    ("name", "way", "field", "value"),
    [
        (RECALL, PROMISE, "what", "luck"),
        (RECALL, PROMISE, "bound", 1.5),
        (RECALL, PROMISE, "bound", None),
        (RECALL, PROMISE, "confidence", 1.0),
        (RECALL, PROMISE, "rows", 0),
        (RECALL, PROMISE, "positives", 10**9),
        (RECALL, PROMISE, "unseen", "yesterday"),
        (RECALL, PROMISE, "exact", 1),
        (RECALL, PROMISE, "alerts_per_1000", -1.0),
        (RECALL, PROMISE, "alerts_per_1000_without", 1001.0),
        (REFER, PROMISE, "what", "luck"),
        (REFER, PROMISE, "miss", 1.5),
        (REFER, PROMISE, "false_alarm", None),
        (REFER, PROMISE, "confidence", 0.0),
        (REFER, PROMISE, "positives", 10**9),
        (REFER, PROMISE, "exact", 1),
        (REFER, PROMISE, "referred_per_1000", -1.0),
        ("refer", (), "threshold_alert", -1.0),
        ("refer", (), "threshold_alert", "high"),
        ("refer", (), "threshold_alert", float("nan")),
        (TREE, (), "referred", [0.1, 0.0]),
        (TREE, (), "referred", [0.1, 0.0, 2.0]),
        (TREE, (), "referred", [0.1, None, 0.2]),
        (TREE, (), "referred", "some"),
        (COSTS, CUTS, "fn", -1.0),
        (COSTS, CUTS, "least_saving", "a"),
        (COSTS, CUTS, "fn_column", 3),
        (COSTS, CUTS, "by", "moon"),
        (GROUPS, CUTS, "groups", ["x", "x", "y"]),
        (GROUPS, CUTS, "groups", ["z", "y", "x"]),
        (GROUPS, CUTS, "groups", ["x", 1.0, "y"]),
        (GROUPS, CUTS, "cuts", [0.1, 0.2]),
        (GROUPS, CUTS, "cuts", [0.1, 0.2, None]),
        (GROUPS, CUTS, "column", 3),
    ],
)
def test_a_damaged_choice_is_refused(name, way, field, value):
    def change(description):
        for key in way:
            description = description[key]
        description[field] = value

    with pytest.raises(DamagedModelError) as refused:
        changed(fitted(name)[0], change)
    assert "\n" not in str(refused.value)
