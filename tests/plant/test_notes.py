"""Notes in a sealed file that say what no training does: one sentence, whatever the command."""

import json
import random
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tests.cli.program import run_here, sentence
from tests.model_file.damage import (
    WRONG,
    contents_of,
    packed_like,
    ways_through,
    with_data,
    with_value,
)
from thresher import ImbalancedTreeClassifier, load_model, save_model
from thresher.errors import DamagedModelError
from thresher.model_file.file import StoredModel, write_model
from thresher.plant import PlantModel

ROOT = Path(__file__).parents[2]
PRESENT = ROOT / "fuzz" / "corpus" / "command_line" / "tree_with_report.thresher"
OLD = ROOT / "tests" / "golden" / "plant_0_1_0" / "tree" / "model.thresher"
CONDITION, FACTS = ("conditions", "conditions", 0), ("facts",)
BOTH = [
    ((*CONDITION, "parts"), None, "is not an integer"),
    ((*CONDITION, "parts"), 0, "more positives than rows"),
    ((*CONDITION, "parts"), 10**9, "is not from 0 to"),
    ((*CONDITION, "scrap"), 10**9, "is not from 0 to"),
    ((*CONDITION, "money"), 1e308, "is not from -1e+100 to 1e+100"),
    ((*CONDITION, "money"), [], "money is not a finite number"),
    ((*CONDITION, "p_value"), 7, "is not from 0 to 1"),
    ((*CONDITION, "leaves"), [10**6], "names a leaf that its tree does not have"),
    ((*CONDITION, "clauses"), [{"column": "supplier", "levels": [[]], "missing": False}],
     "names an unknown level"),
    ((*CONDITION, "text"), "\ud800", "has a text that is not made of characters"),
    (("conditions", "scrap"), 10**9, "is not from 1 to"),
    ((*FACTS, "recipe"), "x", "facts.recipe is not an object"),
    ((*FACTS, "recipe", "rule"), "x", "facts.recipe cannot be used: "),
    ((*FACTS, "recipe", "rule"), ["f1"], "rule is not a text"),
    ((*FACTS, "recipe", "beta"), 10**400, "beta is not a finite number"),
    ((*FACTS, "positives"), 10**9, "positives is not from 1 to its rows"),
    ((*FACTS, "held_out"), "\udfff", "has a text that is not made of characters"),
]  # fmt: skip
PRESENT_ONLY = [
    ((*FACTS, "version"), 9, "version is not from 2 to 2"),
    ((*FACTS, "recipe", "trees"), 10**400, "trees is not from 1"),
    ((*FACTS, "recipe", "seed"), "x", "seed is not an integer"),
    ((*FACTS, "stations"), {"supplier": 1}, "a station is not a text"),
    ((*FACTS, "stations"), {"+orque": "press"}, "a station has a column that the model does not"),
    ((*FACTS, "stations"), {}, "a station has a column that the model does not"),
]
OLD_ONLY = [
    ((*FACTS, "scores", "negative", 2), 1e308, "are no scores"),
    ((*FACTS, "scores", "negative", 2), "x", "is not a finite number"),
    ((*FACTS, "scores", "score", 2), 7.0, "are no scores"),
]
CASES = [
    *((PRESENT, *case) for case in BOTH + PRESENT_ONLY),
    *((OLD, *case) for case in BOTH + OLD_ONLY),
]


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """Rows that any command reads before it looks at the notes."""
    path = tmp_path_factory.mktemp("rows") / "rows.csv"
    path.write_text("a,b\n1,2\n3,4\n", encoding="utf-8")
    return path


@pytest.mark.parametrize(("source", "way", "value", "expected"), CASES)
def test_damaged_notes_are_one_sentence_of_every_command(
    source, way, value, expected, table, tmp_path
):
    content = source.read_bytes()
    data = json.loads(contents_of(content).document)
    path = tmp_path / "model.thresher"
    path.write_bytes(with_data(content, with_value(data, ("notes", *way), value)))
    for command in (
        ["predict", path, table],
        ["conditions", path],
        ["threshold", path],
        ["report", path, table, "--out", tmp_path / "report.html"],
    ):
        done = run_here(*command)
        assert done.exit_code == 3, (command, done.exception)
        assert expected in sentence(done)
        assert sentence(done).endswith("; take another copy, or train it again.")


@pytest.mark.parametrize(
    ("name", "change", "expected"),
    [
        ("scores/negative", lambda values: np.full_like(values, 1e300), "scores are no scores"),
        ("scores/positive", np.zeros_like, "has scores of one class only"),
        ("prints/hashes", lambda values: values[::-1], "hashes are not sorted"),
        ("prints/hashes", lambda values: values.astype(np.int8)[:5], "not of 64 bits"),
    ],
)
def test_damaged_arrays_of_notes(name, change, expected, tmp_path):
    content = PRESENT.read_bytes()
    contents = contents_of(content)
    array = f"notes/facts/{name}"
    arrays = {**contents.arrays, array: np.ascontiguousarray(change(contents.arrays[array]))}
    path = tmp_path / "model.thresher"
    path.write_bytes(packed_like(content, contents.document, arrays))
    done = run_here("threshold", path)
    assert done.exit_code == 3, done.exception
    assert expected in sentence(done)


def test_the_files_themselves_are_sound(tmp_path):
    for source in (PRESENT, OLD):
        content = source.read_bytes()
        data = json.loads(contents_of(content).document)
        (tmp_path / "model.thresher").write_bytes(with_data(content, data))
        for command in ("conditions", "threshold"):
            assert run_here(command, tmp_path / "model.thresher").exit_code == 0


def test_names_that_no_terminal_shows_are_refused(tmp_path):
    rows, y = np.arange(12.0)[:, None], np.arange(12) > 8
    names = pd.Index(["spe\ud800ed"], dtype=object)
    save_model(
        ImbalancedTreeClassifier().fit(pd.DataFrame(rows, columns=names), y),
        tmp_path / "m.thresher",
    )
    assert load_model(tmp_path / "m.thresher").feature_names_in_.tolist() == ["spe\ud800ed"]
    done = run_here("conditions", tmp_path / "m.thresher")
    assert done.exit_code == 3
    assert "has a text that is not made of characters" in sentence(done)


def test_levels_that_are_no_texts_are_refused(tmp_path):
    """Tables of people hold categories as texts; numbers would not be known again."""
    table = pd.DataFrame({"shift": pd.Categorical([1, 2, 3, 1, 2, 3] * 4), "late": [0, 0, 1] * 8})
    model = ImbalancedTreeClassifier().fit(table[["shift"]], table["late"])
    save_model(model, tmp_path / "m.thresher")
    table.to_csv(tmp_path / "t.csv", index=False)
    done = run_here("predict", tmp_path / "m.thresher", tmp_path / "t.csv")
    assert done.exit_code == 3
    assert "knows the levels of 'shift' as numbers, and commands read texts" in sentence(done)


def test_a_model_that_was_not_judged_says_so(tmp_path):
    table = pd.DataFrame({"speed": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], "late": [0] * 4 + [1] * 2})
    model = ImbalancedTreeClassifier().fit(table[["speed"]], table["late"])
    write_model(StoredModel(model, None), tmp_path / "m.thresher")
    done = run_here("threshold", tmp_path / "m.thresher")
    assert done.exit_code == 3
    assert "does not record how it was judged" in sentence(done)


def test_a_damaged_report_is_told_or_shown(tmp_path):
    """Values of the report in a file are changed, one at a time."""
    content = PRESENT.read_bytes()
    data = json.loads(contents_of(content).document)
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
