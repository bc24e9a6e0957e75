"""Notes in a sealed file that say what no training does: one sentence, whatever the command."""

import json
import random

import numpy as np
import pandas as pd
import pytest

from tests.model_file.damage import (
    WRONG,
    ways_through,
    with_data,
    with_value,
)
from tests.program import refused, run
from thresher import ImbalancedTreeClassifier, load_model, save_model
from thresher.errors import DamagedModelError
from thresher.model_file.container import pack, unpack
from thresher.model_file.file import StoredModel, write_model
from thresher.plant import PlantModel

CONDITION, FACTS = ("conditions", "conditions", 0), ("facts",)
CASES = [
    ((*CONDITION, "parts"), None, "is not an integer"),
    ((*CONDITION, "parts"), 0, "more positives than rows"),
    ((*CONDITION, "parts"), 10**9, "is not from 0 to"),
    ((*CONDITION, "scrap"), 10**9, "is not from 0 to"),
    ((*CONDITION, "money"), 1e308, "is not from -1e+100 to 1e+100"),
    ((*CONDITION, "money"), [], "money is not a finite number"),
    ((*CONDITION, "p_value"), 7, "is not from 0 to 1"),
    ((*CONDITION, "leaves"), [10**6], "names a leaf that its tree does not have"),
    (
        (*CONDITION, "clauses"),
        [{"column": "supplier", "levels": [[]], "missing": False}],
        "names an unknown level",
    ),
    ((*CONDITION, "text"), "\ud800", "has a text that is not made of characters"),
    (("conditions", "scrap"), 10**9, "is not from 1 to"),
    ((*FACTS, "recipe"), "x", "facts.recipe is not an object"),
    ((*FACTS, "recipe", "rule"), "x", "facts.recipe cannot be used: "),
    ((*FACTS, "recipe", "rule"), ["f1"], "rule is not a text"),
    ((*FACTS, "recipe", "beta"), 10**400, "beta is not a finite number"),
    ((*FACTS, "positives"), 10**9, "positives is not from 1 to its rows"),
    ((*FACTS, "held_out"), "\udfff", "has a text that is not made of characters"),
    ((*FACTS, "version"), 9, "version is not from 2 to 2"),
    ((*FACTS, "recipe", "trees"), 10**400, "trees is not from 1"),
    ((*FACTS, "recipe", "seed"), "x", "seed is not an integer"),
    ((*FACTS, "stages"), {"supplier": 1}, "a stage is not a text"),
    ((*FACTS, "stages"), {"+orque": "press"}, "a stage has a column that the model does not"),
    ((*FACTS, "stages"), {}, "a stage has a column that the model does not"),
]


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """Rows that any command reads before it looks at the notes."""
    path = tmp_path_factory.mktemp("rows") / "rows.csv"
    path.write_text("a,b\n1,2\n3,4\n", encoding="utf-8")
    return path


@pytest.mark.parametrize(("way", "value", "expected"), CASES)
def test_damaged_notes_are_one_sentence_of_every_command(
    way, value, expected, table, plant, tmp_path
):
    content = (plant.out / "model.thresher").read_bytes()
    data = json.loads(unpack(content).document)
    path = tmp_path / "model.thresher"
    path.write_bytes(with_data(content, with_value(data, ("notes", *way), value)))
    for command in (
        ["predict", path, table],
        ["conditions", path],
        ["threshold", path],
        ["report", path, table, "--out", tmp_path / "report.html"],
    ):
        done = run(*command)
        assert refused(done, 3, expected).endswith("; take another copy, or train it again.")


@pytest.mark.parametrize(
    ("name", "change", "expected"),
    [
        ("scores/negative", lambda values: np.full_like(values, 1e300), "scores are no scores"),
        ("prints/hashes", lambda values: values[::-1], "hashes are not sorted"),
        ("prints/hashes", lambda values: values.astype(np.int8)[:5], "not of 64 bits"),
    ],
)
def test_damaged_arrays_of_notes(name, change, expected, plant, tmp_path):
    content = (plant.out / "model.thresher").read_bytes()
    contents = unpack(content)
    array = f"notes/facts/{name}"
    arrays = {**contents.arrays, array: np.ascontiguousarray(change(contents.arrays[array]))}
    path = tmp_path / "model.thresher"
    path.write_bytes(pack(contents.document, arrays))
    refused(run("threshold", path), 3, expected)


def test_the_file_itself_is_sound(plant, tmp_path):
    content = (plant.out / "model.thresher").read_bytes()
    data = json.loads(unpack(content).document)
    (tmp_path / "model.thresher").write_bytes(with_data(content, data))
    for command in ("conditions", "threshold"):
        assert run(command, tmp_path / "model.thresher").exit_code == 0


def test_names_that_no_terminal_shows_are_refused(tmp_path):
    rows, y = np.arange(12.0)[:, None], np.arange(12) > 8
    names = pd.Index(["spe\ud800ed"], dtype=object)
    save_model(
        ImbalancedTreeClassifier().fit(pd.DataFrame(rows, columns=names), y),
        tmp_path / "m.thresher",
    )
    assert load_model(tmp_path / "m.thresher").feature_names_in_.tolist() == ["spe\ud800ed"]
    done = run("conditions", tmp_path / "m.thresher")
    refused(done, 3, "has a text that is not made of characters")


def test_levels_that_are_no_texts_are_refused(tmp_path):
    """Tables of people hold categories as texts; numbers would not be known again."""
    table = pd.DataFrame({"shift": pd.Categorical([1, 2, 3, 1, 2, 3] * 4), "late": [0, 0, 1] * 8})
    model = ImbalancedTreeClassifier().fit(table[["shift"]], table["late"])
    save_model(model, tmp_path / "m.thresher")
    table.to_csv(tmp_path / "t.csv", index=False)
    done = run("predict", tmp_path / "m.thresher", tmp_path / "t.csv")
    refused(done, 3, "knows the levels of 'shift' as numbers, and commands read texts")


def test_a_model_that_was_not_judged_says_so(tmp_path):
    table = pd.DataFrame({"speed": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], "late": [0] * 4 + [1] * 2})
    model = ImbalancedTreeClassifier().fit(table[["speed"]], table["late"])
    write_model(StoredModel(model, None), tmp_path / "m.thresher")
    done = run("threshold", tmp_path / "m.thresher")
    refused(done, 3, "does not record how it was judged")


def test_a_damaged_report_is_told_or_shown(plant, tmp_path):
    """Values of the report in a file are changed, one at a time."""
    content = (plant.out / "model.thresher").read_bytes()
    data = json.loads(unpack(content).document)
    draw, path, told = random.Random(0), tmp_path / "model.thresher", []
    ways = [way for way in ways_through(data["notes"]["summary"]) if way]
    for way in draw.sample(ways, 60):
        changed = with_value(data, ("notes", "summary", *way), draw.choice(WRONG))
        path.write_bytes(with_data(content, changed))
        try:
            page = PlantModel.load(path).report().html
        except DamagedModelError as error:
            told.append(str(error))
        else:
            assert page.startswith("<!")
    assert len(told) > 10
    assert {sentence.split(";")[0] for sentence in told} == {
        "The report in the model's file is damaged"
    }
