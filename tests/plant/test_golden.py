"""Folders that `thresher train` of 0.1.0 wrote are read with the same decisions, bit for bit."""

import csv
import json
from pathlib import Path

import pytest

from tests.cli.program import run_here
from thresher.judging.facts import NOT_RECORDED
from thresher.plant import PlantModel

GOLDEN = Path(__file__).parents[1] / "golden" / "plant_0_1_0"


def missing_keys(old, new, way=""):
    """Return the keys of objects that stood in old JSON and are not in new, objects inside too."""
    if isinstance(old, list):
        return missing_keys(old[0], new[0], f"{way}[0]") if old and new else []
    if not isinstance(old, dict) or way in (".files", ".stations"):
        return []
    gone = [f"{way}.{key}" for key in old if key not in new]
    inside = [missing_keys(old[key], new[key], f"{way}.{key}") for key in old if key in new]
    return gone + [key for keys in inside for key in keys]


def test_keys_of_json_of_0_1_0_stay(plant):
    for name, told in (
        ("train", plant.result),
        ("threshold", json.loads(run_here("threshold", plant.out, "--json").stdout)),
    ):
        old = json.loads((GOLDEN / "tree" / f"{name}.json").read_text(encoding="utf-8"))
        assert missing_keys(old, told) == []
    assert missing_keys({"a": {"b": 1}}, {"a": {}}) == [".a.b"]


@pytest.mark.parametrize("name", ["tree", "forest"])
def test_a_folder_of_0_1_0_decides_as_it_did(name):
    model = PlantModel.load(GOLDEN / name)
    found = model.predict_table(GOLDEN / "new.csv")
    with (GOLDEN / name / "predictions.csv").open(encoding="utf-8", newline="") as file:
        expected = list(csv.DictReader(file))
    assert found["probability"].tolist() == [float(row["probability"]) for row in expected]
    assert found["decision"].tolist() == [int(row["decision"]) for row in expected]
    # Since 0.2.0 an alert that meets no condition tells its reasons there.
    told = ["" if text.startswith("reasons: ") else text for text in found["condition"]]
    assert told == [row["condition"] for row in expected]


@pytest.mark.parametrize("name", ["tree", "forest"])
def test_what_it_recorded_is_told_and_what_it_lacks_is_not_recorded(name, tmp_path):
    model = PlantModel.load(GOLDEN / name)
    told = json.loads((GOLDEN / name / "train.json").read_text(encoding="utf-8"))
    again = model.judgement.as_data()
    assert {key: again[key] for key in told["judged"]} == pytest.approx(told["judged"])
    assert model.facts.as_json()["recipe"]["rule"] == told["recipe"]["rule"]
    assert list(model.conditions.texts) == [row["text"] for row in told["conditions"]]
    assert model.judgement.never_judged is None
    assert model.facts.prints is None
    assert model.facts.folds == ()
    assert model.facts.held_out == told["held_out"] != NOT_RECORDED
    # Chosen on the scores that judge it, for the file has no others; and said so.
    moved = model.with_threshold("budget", per_1000=30)
    assert "flatter" in moved.judgement.how
    moved.save(tmp_path / "moved.thresher")
    assert PlantModel.load(tmp_path / "moved.thresher").judgement == moved.judgement
