"""Cards in files and as JSON: the same points, and damage is told."""

import json
from pathlib import Path

import jsonschema
import numpy as np
import pytest

from tests.blend.test_files import changed, paths
from tests.card.tables import mixed_table, new_rows
from thresher import (
    ImbalancedForestClassifier,
    ScoreCardClassifier,
    ThresholdClassifier,
    from_json,
    load_model,
    save_model,
    to_json,
)
from thresher.errors import DamagedModelError, ModelFileError
from thresher.model_file.description import describe_model, restore_model

SCHEMA = Path(__file__).parents[2] / "docs" / "model-schema.json"
VALIDATOR = jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text(encoding="utf-8")))


def card_of(**parameters):
    forest = {"n_estimators": 10, "random_state": 0}
    return ScoreCardClassifier(max_splits=9, **forest | parameters)


@pytest.fixture(scope="module", params=[{}, {"points": False, "refer": 0.2}])
def card(request):
    return card_of(**request.param).fit(*mixed_table(1))


def same(one, other):
    rows = new_rows(5, 300)
    assert one.threshold_ == other.threshold_
    np.testing.assert_array_equal(one.predict_proba(rows), other.predict_proba(rows))
    np.testing.assert_array_equal(one.decide(rows), other.decide(rows))
    assert one.export_text() == other.export_text()
    np.testing.assert_array_equal(one.contributions(rows), other.contributions(rows))


def test_a_file_and_json_say_the_same(card, tmp_path):
    save_model(card, tmp_path / "card.thresher")
    found = load_model(tmp_path / "card.thresher")
    same(card, found)
    assert found.get_params() == card.get_params()
    text = to_json(card)
    VALIDATOR.validate(json.loads(text))
    same(card, from_json(text))
    assert to_json(from_json(text)) == text


def test_a_threshold_around_a_card_is_kept(tmp_path):
    X, y = mixed_table(2)
    model = ThresholdClassifier(card_of(), "f1", cv=2, random_state=0).fit(X, y)
    save_model(model, tmp_path / "model.thresher")
    found = load_model(tmp_path / "model.thresher")
    VALIDATOR.validate(json.loads(to_json(model)))
    np.testing.assert_array_equal(found.predict_proba(X), model.predict_proba(X))
    assert found.estimator.get_params() == model.estimator.get_params()


def test_the_estimator_of_a_card_is_left_out_and_that_inside_a_threshold_refused():
    X, y = mixed_table(2)
    card = card_of(estimator=ImbalancedForestClassifier(5, random_state=0))
    assert from_json(to_json(card.fit(X, y))).estimator is None
    with pytest.raises(ModelFileError, match="estimator"):
        to_json(ThresholdClassifier(card, cv=2).fit(X, y))


def test_what_lacks_or_is_odd_is_told_and_never_scores(card):
    description = describe_model(card)
    matrix = card.columns_.matrix(new_rows(6, 30), "card")
    told = 0
    for path in list(paths(description)):
        for wild in (None, -1, [], {}, "odd", np.array([np.nan]), np.array([[1e308]])):
            try:
                found = restore_model(changed(description, path, wild))
            except DamagedModelError:
                told += 1
                continue
            scores = found.matrix_scores(matrix)
            assert ((scores >= 0) & (scores <= 1)).all()
            assert found.export_text()
    assert told > 100
