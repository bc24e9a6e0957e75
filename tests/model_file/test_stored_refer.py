"""Two thresholds in files: they come back as they were, and damaged ones are refused."""

import json

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from tests.model_file.test_json import VALIDATOR
from tests.threshold.known_posterior import draw
from thresher import (
    ImbalancedForestClassifier,
    ThresholdClassifier,
    from_json,
    load_model,
    save_model,
    to_json,
)
from thresher.errors import DamagedModelError

X, Y, _ = draw(2000, -2.5)
SHAPES = {
    "limits": {"miss": 0.1, "false_alarm": 0.5},
    "promise": {"miss": 0.2, "false_alarm": 0.6, "confidence": 0.8, "cv": 0.5},
    "price": {"price": 0.2, "cost_fn": 4.0},
}


def around(shape):
    model = ThresholdClassifier(LogisticRegression(), "refer", random_state=0)
    return model.set_params(**SHAPES[shape]).fit(X, Y)


@pytest.mark.parametrize("shape", SHAPES)
def test_both_thresholds_come_back(shape, tmp_path):
    model = around(shape)
    save_model(model, tmp_path / "m.thresher")
    for again in (load_model(tmp_path / "m.thresher"), from_json(to_json(model))):
        assert (again.threshold_, again.threshold_alert_) == (
            model.threshold_,
            model.threshold_alert_,
        )
        assert again.promise_ == model.promise_
        assert again.referred_ == model.referred_
        np.testing.assert_array_equal(again.decide(X), model.decide(X))


def test_a_forest_comes_back_and_follows_another_share():
    forest = ImbalancedForestClassifier(20, rule="refer", price=0.1, random_state=0).fit(X, Y)
    again = from_json(to_json(forest))
    np.testing.assert_array_equal(again.decide(X), forest.decide(X))
    moved = again.adjust_prior(0.3)
    np.testing.assert_array_equal(moved.decide(X), forest.adjust_prior(0.3).decide(X))


@pytest.fixture(scope="module")
def referring():
    forest = ImbalancedForestClassifier(20, n_bootstrap=0, random_state=0).fit(X, Y)
    return forest.to_tree(6, refer=0.1, cv=2)


def test_a_tree_that_refers_comes_back_and_keeps_the_schema(referring, tmp_path):
    save_model(referring, tmp_path / "m.thresher")
    text = to_json(referring)
    VALIDATOR.validate(json.loads(text))
    for again in (load_model(tmp_path / "m.thresher"), from_json(text)):
        np.testing.assert_array_equal(again.decide(X), referring.decide(X))
        assert again.referred_ == referring.referred_
        assert again.front_.equals(referring.front_)
        assert again.distillation_ == referring.distillation_


@pytest.mark.parametrize("value", [[0.1, 0.0], [0.1, 0.0, 2.0], [0.1, None, 0.2], "some"])
def test_a_damaged_share_is_refused(referring, value):
    data = json.loads(to_json(referring))
    data["model"]["referred"] = value
    with pytest.raises(DamagedModelError):
        from_json(json.dumps(data))


@pytest.mark.parametrize("value", [-1.0, "high", float("nan")])
def test_a_damaged_threshold_is_refused(value):
    data = json.loads(to_json(around("limits")))
    data["model"]["threshold_alert"] = value
    with pytest.raises(DamagedModelError):
        from_json(json.dumps(data))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("what", "luck"),
        ("miss", 1.5),
        ("false_alarm", None),
        ("confidence", 0.0),
        ("positives", 10**9),
        ("exact", 1),
        ("referred_per_1000", -1.0),
    ],
)
def test_a_damaged_promise_is_refused(field, value):
    data = json.loads(to_json(around("promise")))
    data["model"]["choice"]["promise"][field] = value
    with pytest.raises(DamagedModelError):
        from_json(json.dumps(data))


def test_files_of_other_rules_say_nothing_of_it():
    model = ThresholdClassifier(LogisticRegression(), "f1", n_bootstrap=0).fit(X, Y)
    data = json.loads(to_json(model))
    assert "threshold_alert" not in data["model"]
    for name in ("miss", "false_alarm", "price"):
        del data["model"]["parameters"][name]
    again = from_json(json.dumps(data))
    assert again.threshold_alert_ is None
    assert set(again.decide(X)) == {"alert", "pass"}


def drop(front):
    del front["f1"]


def shorten(front):
    front["referred"]["array"].pop()


def exceed(front):
    front["threshold_alert"]["array"][0] = 1.5


def empty(front):
    for name, column in front.items():
        if name != "frame":
            column["array"] = []


def rename(front):
    front["frame"] = "abacus"


@pytest.mark.parametrize("damage", [drop, shorten, exceed, empty, rename])
def test_a_front_that_is_not_sound_is_refused(referring, damage):
    document = json.loads(to_json(referring))
    damage(document["model"]["front"])
    with pytest.raises(DamagedModelError, match=r"front|f1|referred|library"):
        from_json(json.dumps(document))
