"""Models as files: what comes back is what went in, and nothing that is damaged is used."""

import json
import random

import numpy as np
import pytest

from tests.cli.program import run_here, sentence, write_line
from thresher.cli.features import make_features
from thresher.cli.model_store import TrainedModel, load, save
from thresher.cli.source import Source
from thresher.condition.finding import conditions
from thresher.forest.classifier import ImbalancedForestClassifier
from thresher.tree.classifier import ImbalancedTreeClassifier


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    folder = tmp_path_factory.mktemp("rows")
    line = write_line(folder, 600)
    table = Source(str(folder / "parts.csv")).read().without(["part", "finished", "scrap"])
    return make_features(table).X, np.array(["ok", "scrap"])[line.y]


@pytest.fixture(scope="module", params=["tree", "forest"])
def model(request, rows):
    if request.param == "tree":
        fitted = reader = ImbalancedTreeClassifier(max_leaf_nodes=8).fit(*rows)
    else:
        fitted = ImbalancedForestClassifier(7, random_state=0, n_bootstrap=0).fit(*rows)
        reader = fitted.to_tree(8, cv=None)
    found = conditions(reader, stations=None, output="table")
    return TrainedModel(fitted, reader, found, {"target": "scrap"})


def test_a_model_comes_back_as_it_was(model, rows, tmp_path):
    save(model, tmp_path / "model.json")
    again = load(tmp_path / "model.json")
    np.testing.assert_array_equal(
        again.estimator.predict_proba(rows[0]), model.estimator.predict_proba(rows[0])
    )
    np.testing.assert_array_equal(
        again.estimator.predict(rows[0]), model.estimator.predict(rows[0])
    )
    assert again.estimator.get_params() == model.estimator.get_params()
    assert again.reader.tree_.digest() == model.reader.tree_.digest()
    assert again.estimator.pos_label_ == "scrap"
    assert again.conditions.to_json() == model.conditions.to_json()
    assert again.conditions.to_text() == model.conditions.to_text()
    assert again.facts == model.facts
    save(again, tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "model.json").read_bytes()


@pytest.mark.parametrize("model", ["forest"], indirect=True)
def test_a_forest_from_a_file_knows_the_tree_that_imitates_it(model, tmp_path):
    save(model, tmp_path / "model.json")
    again = load(tmp_path / "model.json")
    assert again.estimator.to_tree(32) is again.reader


def leaves_of(content, path=()):
    """Return the ways to all values in nested lists and dicts, long lists thinned."""
    if isinstance(content, dict):
        items = list(content.items())
    elif isinstance(content, list):
        items = list(enumerate(content))[:: max(1, len(content) // 6)]
    else:
        return [path]
    return [path, *(leaf for key, value in items for leaf in leaves_of(value, (*path, key)))]


def test_damaged_files_are_refused_in_one_sentence_or_still_decide(model, plant, tmp_path):
    """Values are changed, removed or exchanged for other kinds, one at a time."""
    path, some = tmp_path / "model.json", tmp_path / "some.csv"
    save(model, path)
    lines = plant.parts.read_text(encoding="utf-8").splitlines()
    some.write_text("\n".join(lines[:40]), encoding="utf-8")
    content = path.read_text(encoding="utf-8")
    draw = random.Random(0)
    ways = [way for way in leaves_of(json.loads(content)) if way]
    codes = []
    for way in draw.sample(ways, min(len(ways), 300)):
        damaged = json.loads(content)
        place = damaged
        for key in way[:-1]:
            place = place[key]
        place[way[-1]] = draw.choice([None, -1, 10**9, "x", [], {}, 0.5, True, 1e308])
        path.write_text(json.dumps(damaged), encoding="utf-8")
        done = run_here("predict", path, some, "--id", "part", "--json")
        codes.append(done.exit_code)
        if done.exit_code == 0:
            rows = json.loads(done.stdout)["predictions"]
            assert all(0.0 <= row["probability"] <= 1.0 for row in rows)
        else:
            assert done.exit_code == 3, (way, place[way[-1]], done.exception)
            sentence(done)
    assert codes.count(3) > 100


def test_cut_files_are_refused(model, tmp_path, plant):
    path = tmp_path / "model.json"
    save(model, path)
    whole = path.read_bytes()
    for share in (0.1, 0.5, 0.99):
        path.write_bytes(whole[: int(share * len(whole))])
        done = run_here("predict", path, plant.parts)
        assert done.exit_code == 3
        assert "it is not JSON" in done.stderr
