"""Models as JSON text: readable, exact, and nothing unsound is taken."""

import json
import random
import re
from pathlib import Path

import jsonschema
import numpy as np
import pandas as pd
import pytest

from tests import many_levels
from tests.model_file.damage import WRONG, harm, ways_through, with_value
from tests.model_file.random_models import KINDS, draw_model
from thresher import ImbalancedForestClassifier, ImbalancedTreeClassifier, from_json, to_json
from thresher.column import OTHER_LEVELS
from thresher.errors import DamagedModelError, ModelFileError
from thresher.model_file.description import describe_model, restore_model
from thresher.model_file.file import StoredModel, to_bytes

SCHEMA = json.loads(
    (Path(__file__).parents[2] / "docs" / "model-schema.json").read_text(encoding="utf-8")
)
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


@pytest.fixture(scope="module")
def rows():
    random = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "speed": np.round(random.normal(size=200), 2),
            "line": random.choice(["north", "east"], 200),
        }
    )
    return table, np.where((table.speed > 0.5) & (table.line == "east"), "scrap", "ok")


@pytest.mark.parametrize("kind", KINDS)
def test_random_models_come_back_bit_for_bit_and_keep_the_schema(kind):
    """The file of a model holds all of it, so that equal files are equal models."""
    for seed in range(15):
        model, _ = draw_model(kind, seed)
        text = to_json(model)
        content = to_bytes(StoredModel(model, None))
        assert to_bytes(StoredModel(from_json(text), None)) == content
        data = json.loads(text)
        VALIDATOR.validate(data)
        # Other programs may order and indent as they like.
        other = json.dumps(data, sort_keys=True, indent=1)
        assert to_bytes(StoredModel(from_json(other), None)) == content


def test_a_person_reads_names_levels_and_cuts(rows):
    model = ImbalancedTreeClassifier(max_depth=2).fit(*rows)
    tree = json.loads(to_json(model))["model"]["tree"]
    by_column = {node.get("asks"): node for node in tree["nodes"]}
    root = tree["nodes"][0]
    assert root["rows"] == [int((rows[1] == "ok").sum()), int((rows[1] == "scrap").sum())]
    assert sorted(by_column["line"]["levels_left"] + by_column["line"]["levels_right"]) == [
        "east",
        "north",
    ]
    cut = by_column["speed"]["at_most"]
    assert by_column["speed"]["text"].startswith(f"speed <= {cut:.6g}")
    lines = to_json(model).splitlines()
    assert sum(line.lstrip().startswith('{"node": ') for line in lines) == len(tree["nodes"])


def test_a_node_that_is_changed_by_hand_decides_as_it_says(rows):
    table, _ = rows
    model = ImbalancedTreeClassifier(max_depth=1, criterion="gini").fit(
        table[["speed"]], table.speed > 1
    )
    cut = float(model.tree_.cut[0])
    text = to_json(model).replace(f'"at_most": {cut!r}', '"at_most": 0.25')
    changed = from_json(text)
    np.testing.assert_array_equal(changed.predict(table[["speed"]]), table.speed > 0.25)


def test_numbers_are_exact():
    X = np.array([[1e-300], [5e-324], [1.7976931348623157e308], [0.1 + 0.2], [-0.0], [1 / 3]])
    model = ImbalancedTreeClassifier(min_samples_leaf=1, pruning=None).fit(X, [0, 1, 0, 1, 0, 1])
    assert from_json(to_json(model)).tree_.digest() == model.tree_.digest()


def test_a_node_says_where_unnamed_levels_go():
    table, y = many_levels.random_table(0)
    for model in (
        ImbalancedTreeClassifier().fit(table, y),
        ImbalancedForestClassifier(4, random_state=0, n_bootstrap=0).fit(table, y),
    ):
        text = to_json(model)
        data = json.loads(text)
        VALIDATOR.validate(data)
        assert data["model"]["columns"]["unnamed_levels"] == [True, False]
        again = from_json(text)
        assert again.columns_ == model.columns_
        rows = many_levels.rows_of_all_kinds(table, "text")
        assert (again.predict_proba(rows) == model.predict_proba(rows)).all()


def test_unnamed_levels_that_are_moved_by_hand_go_there():
    table, y = many_levels.random_table(0)
    model = ImbalancedTreeClassifier("gini", max_depth=1, pruning=None)
    model.fit(table[["cavity"]], y)
    rows = pd.DataFrame({"cavity": ["never seen", None]})
    before = '"unnamed_levels": "left"'
    assert to_json(model).count(before) == 1
    moved = from_json(to_json(model).replace(before, before.replace("left", "right")))
    assert model.apply(rows).tolist() == [1, 2 - model.tree_.missing_left[0]]
    assert moved.apply(rows).tolist() == [2, 2 - model.tree_.missing_left[0]]


# ------------------------------------------------------------------------------ what is not taken


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"unnamed_levels": None}, "columns.unnamed_levels is not a list"),
        ({"unnamed_levels": [True]}, "'unnamed_levels' of the columns is not sound"),
        ({"unnamed_levels": [True, False, False]}, "'unnamed_levels' of the columns is not sound"),
        ({"unnamed_levels": [1, 0]}, "'unnamed_levels' of the columns is not sound"),
        ({"unnamed_levels": [False, False]}, "'unnamed_levels' of the columns is not sound"),
        ({"unnamed_levels": [False, True]}, "has unnamed levels, and its column has none"),
        ({"unnamed_levels": [True, True]}, "a column of numbers has unnamed levels"),
        ({"levels": [[f"{i:03}" for i in range(255)], None]}, "the levels are not sound"),
        ({"levels": [[], None]}, "has unknown levels"),
    ],
)
def test_unnamed_levels_that_cannot_be(change, sentence):
    table, y = many_levels.random_table(0)
    data = json.loads(to_json(ImbalancedTreeClassifier().fit(table, y)))
    data["model"]["columns"] |= change
    with pytest.raises(ModelFileError, match=re.escape(sentence)) as caught:
        from_json(json.dumps(data))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("levels", [[], [f"{number:03}" for number in range(255)]])
def test_a_column_of_unnamed_levels_names_at_least_one_and_at_most_254(levels):
    X = np.array([[0.0, number] for number in range(20)])
    description = describe_model(ImbalancedTreeClassifier("gini").fit(X, X[:, 1] > 15))
    description["columns"] |= {"levels": [levels, None], "unnamed_levels": [True, False]}
    with pytest.raises(DamagedModelError, match="the levels of a column are wrong"):
        restore_model(description)
    description["columns"]["levels"][0] = ["one"]
    assert restore_model(description).columns_.levels == (("one", OTHER_LEVELS), None)


DEEP = '{{"thresher": 1, "model": {{"kind": "tree", "parameters": {{"alpha": {}}}}}}}'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "its JSON is not valid"),
        ("[1]", "the document is not an object"),
        ("{}", "the document lacks 'thresher'"),
        ('{"thresher": 1}', "the document lacks 'model'"),
        ('{"thresher": 1, "thresher": 1}', "the key 'thresher' is there twice"),
        ('{"thresher": NaN}', "its JSON has the value NaN"),
        ('{"thresher": 1e999}', "the document.thresher is not an integer"),
        ('{"thresher": ' + "9" * 5000 + "}", "its JSON is not valid"),
        ('{"thresher": true}', "the document.thresher is not an integer"),
        ('{"thresher": 1, "model": {"kind": "pickle"}}', "its kind 'pickle' is unknown"),
        ("[" * 100_000, "its JSON has too many parts"),
        ('{"a":' * 100_000, "its JSON has too many parts"),
        ('{"so deep":' * 100_000, "its JSON is nested too deeply"),
    ],
    ids=lambda text: text[:20],
)
def test_texts_that_are_no_model(text, expected):
    with pytest.raises(ModelFileError, match=re.escape(expected)) as caught:
        from_json(text)
    assert "\n" not in str(caught.value)


def test_data_that_are_nested_are_refused_however_deep_python_goes():
    """Python 3.13 reads what 3.11 finds too deep."""
    with pytest.raises(ModelFileError, match=r"nested too deeply|'alpha' is not a number"):
        from_json(DEEP.format("[" * 940 + "]" * 940))


def test_a_newer_version_is_told(rows):
    text = to_json(ImbalancedTreeClassifier().fit(*rows)).replace('"thresher": 1', '"thresher": 2')
    with pytest.raises(ModelFileError, match=r"is of version 2.*install a newer thresher"):
        from_json(text)


def test_bytes_are_not_text():
    with pytest.raises(TypeError, match="text must be a str, got bytes"):
        from_json(b"{}")


@pytest.mark.parametrize("kind", KINDS)
def test_a_changed_value_is_refused_in_one_sentence_or_does_no_harm(kind):
    draw, refused = random.Random(kind), []
    model, table = draw_model(kind, 3)
    data = json.loads(to_json(model))
    ways = [way for way in ways_through(data) if way]
    for way in draw.choices(ways, k=250):
        damaged = with_value(data, way, draw.choice(WRONG))
        try:
            changed = from_json(json.dumps(damaged))
        except ModelFileError as error:
            refused.append(str(error))
        else:
            problem = harm(changed, table)
            assert problem is None, (way, problem)
    assert len(refused) > 100
    endings = ("write it again with to_json.", "install a newer thresher.")
    assert all("\n" not in text and text.endswith(endings) for text in refused)


def test_a_forest_with_weights(rows):
    weights = np.linspace(0.1, 1.0, 200)
    model = ImbalancedForestClassifier(5, random_state=0, n_bootstrap=0).fit(*rows, weights)
    again = from_json(to_json(model))
    assert again.forest_.weight.tobytes() == model.forest_.weight.tobytes()
    assert again.forest_.nodes.tobytes() == model.forest_.nodes.tobytes()


def test_a_name_that_is_no_text_of_any_file_comes_back():
    X = np.array([["a\ud800"], ["b"]] * 20, dtype=object)
    model = ImbalancedTreeClassifier(categorical_features=[0]).fit(X, X[:, 0] == "b")
    text = to_json(model)
    assert "\\ud800" in text.encode("utf-8").decode("utf-8")
    assert from_json(text).columns_ == model.columns_
