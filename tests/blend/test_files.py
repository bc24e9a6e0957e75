"""Blends and boosted trees in files and as JSON: the same scores, and damage is told."""

import json
from pathlib import Path

import jsonschema
import numpy as np
import pytest

from tests.blend.tables import levels
from thresher import (
    ImbalancedBlendClassifier,
    ThresholdClassifier,
    conditions,
    from_json,
    load_model,
    save_model,
    to_json,
)
from thresher.blend.boosted import BoostedTreesClassifier
from thresher.errors import DamagedModelError
from thresher.model_file.description import describe_model, restore_model
from thresher.pairs.features import PairFeatures

SCHEMA = Path(__file__).parents[2] / "docs" / "model-schema.json"
VALIDATOR = jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text(encoding="utf-8")))
MODELS = {
    "blend": lambda: ImbalancedBlendClassifier(n_estimators=4, n_bootstrap=5, random_state=3),
    "boosted": lambda: BoostedTreesClassifier(8, n_bootstrap=5, random_state=3),
    "derived": lambda: ImbalancedBlendClassifier(
        n_estimators=20, cv=2, random_state=3, derive=PairFeatures(pairs=[(0, "product", 1)])
    ),
}


@pytest.fixture(scope="module", params=MODELS)
def model(request):
    X, y = levels(200)
    return MODELS[request.param]().fit(X, y)


def same(one, other):
    X = levels(100, seed=2).X
    np.testing.assert_array_equal(one.predict_proba(X), other.predict_proba(X))
    np.testing.assert_array_equal(one.oob_decision_function_, other.oob_decision_function_)
    assert one.threshold_interval_ == other.threshold_interval_
    assert repr(one.get_params()) == repr(other.get_params())
    one, other = (model.adjust_prior(0.3) for model in (one, other))
    assert one.threshold_ == other.threshold_


def test_a_file_scores_the_same(model, tmp_path):
    save_model(model, tmp_path / "model.thresher")
    same(model, load_model(tmp_path / "model.thresher"))


def test_json_scores_the_same(model):
    found = from_json(to_json(model))
    VALIDATOR.validate(json.loads(to_json(model)))
    same(model, found)
    assert to_json(found) == to_json(model)


def test_an_imitation_is_kept(model):
    model.imitation_ = model.to_tree(5)
    found = from_json(to_json(model))
    assert found.to_tree(5).export_text() == model.imitation_.export_text()
    del model.imitation_


def test_conditions_are_read_through_a_tree(model):
    X, y = levels(200)
    found = conditions(model, X, y, cv=2, n_permutations=2, n_bootstrap=2, max_leaf_nodes=6)
    tree = model.to_tree(6)
    alerts = tree.tree_.is_leaf & (tree.tree_.probability > tree.threshold_)
    assert 0 < len(found) <= alerts.sum()
    assert (found["rate"] > (y == "scrap").mean()).all()


def paths(data, so_far=()):
    """Every number, text, list and array of a description, by its path."""
    if isinstance(data, dict):
        for name, value in data.items():
            yield from paths(value, (*so_far, name))
    elif isinstance(data, list):
        for place, value in enumerate(data):
            yield from paths(value, (*so_far, place))
    if so_far:
        yield so_far


def changed(data, path, value):
    if not path:
        return value
    copy = data.copy()
    copy[path[0]] = changed(data[path[0]], path[1:], value)
    return copy


def test_what_lacks_or_is_odd_is_told_and_never_scores(model):
    """Each field in turn is removed, emptied or made wild: an error of its own kind, or a model."""
    description, matrix = describe_model(model), model.columns_.matrix(levels(30).X, "model")
    told = 0
    for path in list(paths(description)):
        for wild in (None, -1, [], {}, "odd", np.array([np.nan]), np.array([[1e308]])):
            try:
                found = restore_model(changed(description, path, wild))
            except DamagedModelError:
                told += 1
                continue
            scores = found.matrix_scores(matrix)
            assert np.isfinite(scores).all(), path
            assert (scores >= 0).all(), path
            assert (scores <= 1).all(), path
    assert told > 200


@pytest.mark.parametrize("kind", ["blend", "boosted"])
def test_a_threshold_around_them_is_what_the_schema_says(kind):
    X, y = levels(200)
    inner = MODELS[kind]().fit(X, y)
    model = ThresholdClassifier(inner, cv="prefit").fit(*levels(200, seed=2))
    VALIDATOR.validate(json.loads(to_json(model)))
    np.testing.assert_array_equal(
        from_json(to_json(model)).predict_proba(X), inner.predict_proba(X)
    )
