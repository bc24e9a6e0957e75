"""A plant's model as a file: what comes back is what went in, and nothing damaged is used."""

import json
import random
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from tests.model_file.damage import ways_through
from tests.program import read_csv, refused, run, write_line
from thresher import (
    ImbalancedForestClassifier,
    ImbalancedTreeClassifier,
    LeastSquaresClassifier,
    load_model,
    save_model,
    train,
)
from thresher.condition.finding import find_conditions
from thresher.judging.facts import Facts
from thresher.model_file.file import StoredModel, read_model, write_model
from thresher.plant import PlantModel
from thresher.tables.features import make_features
from thresher.tables.source import Source


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
    found = find_conditions(reader, stages=None, output="table")
    return PlantModel(fitted, reader, found, Facts(target="scrap", positive="scrap"))


def test_a_model_comes_back_as_it_was(model, rows, tmp_path):
    model.save(tmp_path / "model.thresher")
    again = PlantModel.load(tmp_path / "model.thresher")
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
    again.save(tmp_path / "again.thresher")
    first, second = (tmp_path / f"{name}.thresher" for name in ("model", "again"))
    assert second.read_bytes() == first.read_bytes()


@pytest.mark.parametrize("model", ["forest"], indirect=True)
def test_a_forest_from_a_file_knows_the_tree_that_imitates_it(model, tmp_path):
    model.save(tmp_path / "model.thresher")
    again = PlantModel.load(tmp_path / "model.thresher")
    assert again.estimator.to_tree(32) is again.reader
    assert load_model(tmp_path / "model.thresher").to_tree(32).tree_.n_nodes > 1


def test_damaged_notes_are_refused_in_one_sentence_or_still_decide(model, plant, tmp_path):
    """Values of conditions and facts are changed, one at a time; the file around them is sound."""
    path, some = tmp_path / "model.thresher", tmp_path / "some.csv"
    model.save(path)
    lines = plant.parts.read_text(encoding="utf-8").splitlines()
    some.write_text("\n".join(lines[:40]), encoding="utf-8")
    stored = read_model(path)
    draw, codes = random.Random(0), []
    ways = [way for way in ways_through(stored.notes) if way]
    for way in draw.sample(ways, min(len(ways), 100)):
        damaged = json.loads(json.dumps(stored.notes))
        place = damaged
        for key in way[:-1]:
            place = place[key]
        place[way[-1]] = draw.choice([None, -1, 10**9, "x", [], {}, 0.5, True, 1e308])
        write_model(StoredModel(stored.model, damaged), path)
        done = run("predict", path, some, "--id", "part", "--json")
        codes.append(done.exit_code)
        if done.exit_code == 0:
            found = json.loads(done.stdout)["predictions"]
            assert all(0.0 <= row["probability"] <= 1.0 for row in found)
        else:
            refused(done, 3)
    assert codes.count(3) > 20


def test_a_damaged_file_is_refused_in_one_sentence(model, tmp_path, plant):
    path = tmp_path / "model.thresher"
    model.save(path)
    whole = path.read_bytes()
    for share in (0.1, 0.5, 0.99):
        path.write_bytes(whole[: int(share * len(whole))])
        done = run("predict", path, plant.parts)
        refused(done, 3, "is a damaged model file")


def test_a_model_from_python_predicts_and_is_read(tmp_path):
    table = pd.DataFrame({"speed": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], "late": [0, 0, 0, 0, 1, 1]})
    save_model(
        ImbalancedTreeClassifier().fit(table[["speed"]], table["late"]), tmp_path / "m.thresher"
    )
    table.to_csv(tmp_path / "t.csv", index=False)
    done = run("predict", tmp_path / "m.thresher", tmp_path / "t.csv")
    assert done.exit_code == 0, done.stderr
    assert [row["decision"] for row in read_csv(done.stdout)] == ["0"] * 4 + ["1"] * 2
    assert "speed > 4.5" in run("conditions", tmp_path / "m.thresher").stdout
    done = run("conditions", tmp_path / "m.thresher", tmp_path / "t.csv")
    refused(done, 3, "name the column with --target")


@pytest.mark.parametrize(
    ("estimator", "expected"),
    [
        (
            LeastSquaresClassifier(),
            "holds a model (LeastSquaresClassifier) that commands cannot explain",
        ),
        (
            ImbalancedForestClassifier(20, n_bootstrap=0),
            "(ImbalancedForestClassifier without imitation_)",
        ),
        (ImbalancedTreeClassifier(), "was trained on columns without names"),
    ],
)
def test_models_that_commands_cannot_use(estimator, expected, plant, tmp_path):
    X, y = np.arange(40.0)[:, None], np.arange(40) > 30
    save_model(estimator.fit(X, y), tmp_path / "m.thresher")
    done = run("predict", tmp_path / "m.thresher", plant.parts)
    refused(done, 3, expected)


def test_a_model_that_knows_no_plan_reads_numbers_as_it_learnt_them(tmp_path):
    """0.1.0 took -9999 for a number and 007 for 7."""
    x, code = np.random.default_rng(0).normal(50, 5, 200).round(1), np.arange(200) % 7
    frame = pd.DataFrame({"x": x, "code": code, "late": (x > 55).astype(int)})
    model = train(frame, "late", model="tree", folds=2)
    old = replace(model, facts=replace(model.facts, plan=None))
    new = frame.assign(
        x=np.where(np.arange(200) % 9 == 0, -9999.0, x), code=[f"00{c}" for c in code]
    )
    path = tmp_path / "new.csv"
    new.drop(columns="late").to_csv(path, index=False)
    assert np.isnan(model.read(path).columns["x"][0])
    assert old.read(path).columns["x"][0] == -9999.0
    assert len(old.predict_table(path)) == 200


def test_a_name_of_two_lines_is_found_in_a_file(tmp_path):
    x = np.random.default_rng(0).normal(50, 5, 200).round(1)
    frame = pd.DataFrame({"torque\n[Nm]": x, "y": x % 3, "late": (x > 55).astype(int)})
    model = train(frame, "late", model="tree", folds=2)
    frame.drop(columns="late").to_csv(tmp_path / "new.csv", index=False)
    assert len(model.predict_table(tmp_path / "new.csv")) == 200
