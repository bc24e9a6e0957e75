"""Promises in files: they come back as they were, and damaged ones are refused."""

import json

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

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

X, Y, _ = draw(2000)
RULES = {
    "precision_at_recall": {"floor": 0.8},
    "recall_at_precision": {"floor": 0.3},
    "budget": {"per_1000": 80.0},
    "cost": {"cost_fn": 5.0, "gain_tp": 1.0},
}


def around(rule):
    model = ThresholdClassifier(LogisticRegression(), rule, confidence=0.9, cv=0.5, random_state=0)
    return model.set_params(**RULES[rule]).fit(X, Y)


@pytest.mark.parametrize("rule", RULES)
def test_a_promise_comes_back(rule, tmp_path):
    model = around(rule)
    save_model(model, tmp_path / "m.thresher")
    for again in (load_model(tmp_path / "m.thresher"), from_json(to_json(model))):
        assert again.promise_ == model.promise_
        assert again.confidence == 0.9
        assert again.threshold_state_.unseen == "held out"
        np.testing.assert_array_equal(again.predict(X), model.predict(X))


def test_a_recall_still_survives_another_share_after_a_file():
    forest = ImbalancedForestClassifier(
        20, rule="precision_at_recall", floor=0.8, confidence=0.9, random_state=0
    ).fit(X, Y)
    again = from_json(to_json(forest))
    assert again.adjust_prior(0.3).promise_ == forest.promise_
    assert again.promise_.unseen == "out of bag"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("what", "luck"),
        ("bound", 1.5),
        ("bound", None),
        ("confidence", 1.0),
        ("rows", 0),
        ("positives", 10**9),
        ("unseen", "yesterday"),
        ("exact", 1),
        ("alerts_per_1000", -1.0),
        ("alerts_per_1000_without", 1001.0),
    ],
)
def test_a_damaged_promise_is_refused(field, value):
    data = json.loads(to_json(around("precision_at_recall")))
    data["model"]["choice"]["promise"][field] = value
    with pytest.raises(DamagedModelError):
        from_json(json.dumps(data))


def test_files_from_before_promises_have_none():
    data = json.loads(to_json(around("precision_at_recall")))
    choice = data["model"]["choice"]
    del choice["promise"], choice["unseen"], data["model"]["parameters"]["confidence"]
    again = from_json(json.dumps(data))
    assert again.promise_ is None
    assert again.confidence is None
