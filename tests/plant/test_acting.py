"""What a plant's model says may be done: with its training at hand, from a file, for one part."""

import json

import numpy as np
import pytest

from thresher import train
from thresher.datasets import make_assembly_line
from thresher.errors import ParameterError, TableError
from thresher.plant import PlantModel

SETTINGS = ["press_force", "oven_temperature"]


@pytest.fixture(scope="module")
def line():
    return make_assembly_line(2500, random_state=0)


@pytest.fixture(scope="module")
def model(line):
    options = {
        "model": "tree",
        "rule": "f1",
        "folds": 3,
        "pairs": False,
        "leaves": 16,
    }
    table = line.X.assign(scrap=line.y)
    return train(table, "scrap", settings=SETTINGS, cost_fp=5, cost_fn=80, **options)


@pytest.fixture(scope="module")
def later():
    line = make_assembly_line(2500, random_state=1)
    return line.X.assign(scrap=line.y)


def test_the_training_tells_what_may_be_done(model):
    found = model.actions()
    assert found.evidence == "out of fold"
    levers = {one.limit.lever for one in found.actions if one.limit is not None}
    assert levers == set(SETTINGS)
    first = next(one for one in found.actions if one.limit is not None)
    assert first.money[0] == pytest.approx(80.0 * first.avoided[0])


def test_a_file_needs_rows(model, later, tmp_path):
    model.save(tmp_path / "m.thresher")
    loaded = PlantModel.load(tmp_path / "m.thresher")
    assert loaded.facts.settings == tuple(SETTINGS)
    with pytest.raises(ParameterError, match="are not at hand; give rows"):
        loaded.actions()
    found, expected = loaded.actions(later), model.actions(later)
    assert json.loads(found.to_json()) == json.loads(expected.to_json())
    assert found.evidence == "hold-out"


def test_the_report_says_it_under_each_condition(model):
    page = model.report()
    told = [row["action"] for row in page.summary["conditions"]["rows"]]
    assert any(text and text.startswith("hold press_force at or below") for text in told)
    assert any(text is None for text in told)
    text = next(text for text in told if text)
    assert text.split(";")[0].replace(">", "&gt;") in page.html.replace("&#62;", "&gt;")


def test_a_part_is_changed_until_it_passes(model, later):
    decided = model.predict_table(later.drop(columns="scrap"))
    alerts = later[(decided.decision == 1).to_numpy()]
    flips = 0
    for place in range(min(len(alerts), 12)):
        found = model.what_if(alerts.iloc[[place]], X=later)
        if found.changes:
            flips += 1
            assert {change.column for change in found.changes} <= set(SETTINGS)
            assert model.predict_table(found.row)["decision"][0].as_py() == 0
    assert flips > 0


def test_wrong_settings_are_refused(model, line, later):
    with pytest.raises(TableError, match="settings='speed' is no column that is learnt from"):
        train(line.X.assign(scrap=line.y), "scrap", settings="speed", model="tree")
    with pytest.raises(ParameterError, match="settings names 'speed'"):
        model.actions(later, settings="speed")
    plain = train(
        line.X.assign(scrap=line.y)[:600], "scrap", model="tree", folds=2, pairs=False, leaves=4
    )
    with pytest.raises(ParameterError, match="does not know which columns can be set"):
        plain.actions()
    rows = plain.report().summary["conditions"]["rows"]
    assert all(row["action"] is None for row in rows)


def test_another_threshold_needs_rows(model, later):
    scores = np.unique(model.reader.tree_.probability)
    moved = model.with_threshold(float(scores[-2]))
    with pytest.raises(ParameterError, match="are not at hand"):
        moved.actions()
    assert len(moved.actions(later)) > 0


def test_sizes_are_those_of_the_training_rows(model, line, later):
    """As the function says with X, as near as quantiles tell a standard deviation."""
    decided = model.predict_table(later.drop(columns="scrap"))
    part = later[(decided.decision == 1).to_numpy()].iloc[[0]]
    without, with_rows = (model.what_if(part, X=X) for X in (None, line.X))
    assert without.changes == with_rows.changes
    assert without.cost == pytest.approx(with_rows.cost, rel=0.02)
    assert model.what_if(part, scales=dict.fromkeys(SETTINGS, 1.0)).cost != without.cost


def test_what_may_avoid_most_comes_first(model):
    avoided = [one.avoided[0] for one in model.actions().actions if one.limit is not None]
    known = [gain for gain in avoided if not np.isnan(gain)]
    assert known == sorted(known, reverse=True)
    assert [one.limit is None for one in model.actions().actions] == sorted(
        one.limit is None for one in model.actions().actions
    )


def test_models_without_trees_of_their_own_are_refused(line):
    table = line.X.assign(scrap=line.y)[:600]
    boosted = train(table, "scrap", model="boosted", folds=2, pairs=False)
    with pytest.raises(ParameterError, match="follows trees and forests"):
        boosted.what_if(line.X.iloc[[0]], settings=SETTINGS)
