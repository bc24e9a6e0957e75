"""A trained model knows its columns again: in memory, from a file, and told through the logger."""

import json
import logging
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from tests.model_file.damage import with_data, with_value
from tests.table_factory import Table
from thresher import train
from thresher.datasets import make_assembly_line
from thresher.errors import DamagedModelError, TableError
from thresher.judging.drift import MOST_TOLD
from thresher.model_file.container import pack, unpack
from thresher.plant import PlantModel


@pytest.fixture(scope="module")
def line():
    return make_assembly_line(1600, random_state=1)


def is_new(line):
    return np.random.default_rng(0).permutation(len(line.y)) < 400


@pytest.fixture(scope="module")
def later(line):
    """Rows that had no part in the training, drawn from the same line."""
    return line.X[is_new(line)].sample(frac=1.0, random_state=0)


@pytest.fixture(scope="module")
def model(line):
    table = line.X.assign(scrap=line.y)[~is_new(line)]
    return train(table, "scrap", model="tree", folds=2)


@pytest.fixture(scope="module")
def drifted(later):
    supplier = later["supplier"].astype(str).to_numpy(dtype=object)
    return later.assign(
        torque_3=100.0 * later["torque_3"],
        flow=np.where(np.arange(len(later)) < 200, later["flow"], 30.0),
        supplier=np.where(np.arange(len(later)) % 5 == 0, "Z", supplier),
        humidity=np.where(np.arange(len(later)) % 2 == 0, np.nan, later["humidity"]),
    )


def test_rows_of_one_source_give_no_message(model, later, caplog):
    assert model.find_drift(later) == []
    model.predict_table(later)
    assert caplog.messages == []
    assert model.find_drift(model.origin.rows.features) == []


def test_each_column_that_changed_is_told_once(model, drifted, caplog):
    found = model.find_drift(drifted)
    assert {one.column: one.kind for one in found} == {
        "torque_3": "range",
        "flow": "mix",
        "supplier": "levels",
        "humidity": "missing",
    }
    with caplog.at_level(logging.WARNING, logger="thresher.plant"):
        decided = model.predict_table(drifted, allow_drift=True)
    assert caplog.messages == [one.sentence for one in found]
    assert len(decided) == len(drifted)
    assert [one["kind"] for one in json.loads(json.dumps([one.as_data() for one in found]))] == [
        one.kind for one in found
    ]


def test_a_file_keeps_what_columns_looked_like(model, drifted, tmp_path):
    model.save(tmp_path / "m.thresher")
    again = PlantModel.load(tmp_path / "m.thresher")
    assert again.find_drift(drifted) == model.find_drift(drifted) != []
    again.save(tmp_path / "again.thresher")
    assert (tmp_path / "again.thresher").read_bytes() == (tmp_path / "m.thresher").read_bytes()
    assert model.with_threshold(0.3).find_drift(drifted) == model.find_drift(drifted)
    assert "columns" not in model.facts.as_json()


def test_a_model_without_summaries_keeps_the_note_of_levels_and_says_no_more(
    model, drifted, caplog, tmp_path
):
    replace(model, facts=replace(model.facts, columns=None)).save(tmp_path / "m.thresher")
    old = PlantModel.load(tmp_path / "m.thresher")
    assert old.find_drift(drifted) == []
    old.predict_table(drifted)
    assert caplog.messages == [
        "Column 'supplier' has values that the model has not seen (Z); they count as missing."
    ]


def test_a_level_that_is_new_but_rare_keeps_its_note(model, later, caplog):
    supplier = later["supplier"].astype(str).to_numpy(dtype=object)
    supplier[7] = "Z"
    model.predict_table(later.assign(supplier=supplier))
    assert caplog.messages == [
        "Column 'supplier' has values that the model has not seen (Z); they count as missing."
    ]


def test_a_table_that_does_not_fit_is_refused_as_ever(model, later):
    with pytest.raises(TableError, match="has no column 'flow'"):
        model.find_drift(later.drop(columns="flow"))
    with pytest.raises(TableError, match="held numbers when the model was trained"):
        model.find_drift(later.assign(flow="high"))


def test_columns_that_are_empty_or_hold_numbers_for_texts(caplog):
    """A category of numbers that was text is compared as such; an empty column was never learnt."""
    random = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "speed": random.normal(size=400),
            "line": random.choice(["1", "2", "x"], 400),
            "note": np.full(400, np.nan),
            "late": (np.arange(400) % 9 == 0).astype(int),
        }
    )
    model = train(table, "late", model="tree", folds=2)
    new = table.drop(columns="late").assign(line=random.choice([1, 2, 3], 400))
    caplog.clear()
    assert [(one.column, one.kind) for one in model.find_drift(new)] == [("line", "levels")]
    full = table.drop(columns="late").assign(note=1.0, speed=np.nan)
    found = model.find_drift(full)
    assert [(one.column, one.kind) for one in found] == [("speed", "missing")]


def test_many_columns_that_changed_are_told_in_few_lines(caplog):
    table, late = Table(rows=300, columns=MOST_TOLD + 3).pandas()
    model = train(table.assign(late=late), "late", model="tree", folds=2)
    caplog.clear()
    assert len(model.find_drift(table + 50.0)) == table.shape[1]
    model.predict_table(table + 50.0, allow_drift=True)
    assert len(caplog.messages) == MOST_TOLD + 1


# ------------------------------------------------------------------------------------ hostile files

COLUMNS = ("notes", "facts", "columns")


@pytest.mark.parametrize(
    ("value", "expected"),
    [("x", "facts.columns is not an object"), ({}, "lacks 'is_text'"), ([], "is not an object")],
)
def test_damaged_summaries_are_refused(value, expected, plant, tmp_path):
    content = (plant.out / "model.thresher").read_bytes()
    contents = unpack(content)
    arrays = {name: one for name, one in contents.arrays.items() if "/columns/" not in name}
    data = with_value(json.loads(contents.document), COLUMNS, value)
    path = tmp_path / "model.thresher"
    path.write_bytes(pack(json.dumps(data), arrays))
    with pytest.raises(DamagedModelError, match=expected):
        PlantModel.load(path)


def test_summaries_of_other_columns_are_refused(plant, tmp_path):
    """One text fewer, as sound as the others, is not the model's."""
    content = (plant.out / "model.thresher").read_bytes()
    contents = unpack(content)
    way = "/".join(COLUMNS)
    arrays = dict(contents.arrays)
    (last,) = np.flatnonzero(arrays[f"{way}/is_text"])[-1:]
    for name in ("is_text", "missing", "present"):
        arrays[f"{way}/{name}"] = np.delete(arrays[f"{way}/{name}"], last)
    levels = int(arrays[f"{way}/levels"][-1])
    arrays[f"{way}/levels"] = arrays[f"{way}/levels"][:-1].copy()
    arrays[f"{way}/level_counts"] = arrays[f"{way}/level_counts"][:-levels].copy()
    path = tmp_path / "model.thresher"
    path.write_bytes(pack(contents.document, arrays))
    with pytest.raises(DamagedModelError, match="are not those of the model"):
        PlantModel.load(path)


def test_the_file_itself_is_sound(plant, tmp_path):
    path = tmp_path / "model.thresher"
    path.write_bytes(
        with_data(
            (plant.out / "model.thresher").read_bytes(),
            json.loads(unpack((plant.out / "model.thresher").read_bytes()).document),
        )
    )
    assert PlantModel.load(path).facts.columns is not None


def test_levels_without_a_name_are_neither_missing_nor_new():
    random = np.random.default_rng(0)
    cavity = [f"c{number}" for number in random.integers(400, size=4000)]
    late = (random.random(4000) < np.where(np.array(cavity) == "c7", 0.9, 0.02)).astype(int)
    table = pd.DataFrame({"cavity": cavity, "x": random.normal(size=4000), "late": late})
    model = train(table, "late", model="tree", folds=2)
    assert model.find_drift(table.drop(columns="late")) == []
    new = table.drop(columns="late").assign(cavity="c7")
    assert [(one.column, one.kind) for one in model.find_drift(new)] == [("cavity", "mix")]
