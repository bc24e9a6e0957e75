import json

import numpy as np
import pandas as pd
import pytest

from tests.plant.coded.made_line import make_line
from thresher import load_model
from thresher.errors import DamagedModelError, ModelFileError, ParameterError, TableError
from thresher.plant import CodedModel, PlantModel
from thresher.plant.loading import load_plant


@pytest.fixture(scope="module")
def stored(model, tmp_path_factory):
    """Return the models from their file, and the file."""
    model.report()
    path = tmp_path_factory.mktemp("coded") / "codes.thresher"
    model.save(path)
    return CodedModel.load(path), path


def test_a_prediction_names_the_likely_codes_the_most_probable_first(model):
    new = make_line(300, seed=3)
    found = model.predict_table(new)
    scores = found[[f"probability of {code}" for code in model.codes]].to_numpy()
    cuts = np.array([one.estimator.threshold_ for one in model.models.values()])
    for row, codes, decision in zip(scores, found["codes"], found["decision"], strict=True):
        named = codes.split("; ") if codes else []
        places = [model.codes.index(code) for code in named]
        assert sorted(places) == np.flatnonzero(row > cuts).tolist()
        assert (np.diff(row[places]) <= 0).all()
        assert decision == (named[0] if named else "ok")
    has_alert = found["codes"] != ""
    assert has_alert.any()
    assert (found["condition"][has_alert] != "").all()
    assert (found["condition"][~has_alert] == "").all()


def test_each_model_scores_as_it_does_alone(model):
    new = make_line(50, seed=3).drop(columns="reason")
    found = model.predict_table(new)
    for code, one in model.models.items():
        alone = one.predict_table(new)["probability"]
        assert np.array_equal(found[f"probability of {code}"], alone)


def test_a_file_gives_back_the_same_models(model, stored):
    back, path = stored
    new = make_line(100, seed=4)
    pd.testing.assert_frame_equal(back.predict_table(new), model.predict_table(new))
    assert json.dumps(back.as_json()) == json.dumps(model.as_json())
    assert back.report().html == model.report().html
    assert back.to_bytes() == path.read_bytes()
    assert isinstance(load_plant(path), CodedModel)
    assert back.conditions_as("text") == model.conditions_as("text")


def test_files_of_one_and_of_several_models_are_told_apart(model, stored, tmp_path):
    path = stored[1]
    with pytest.raises(ModelFileError, match="a model for each of several reason codes"):
        PlantModel.load(path)
    with pytest.raises(ModelFileError, match="holds 3 models, one a reason code"):
        load_model(path)
    model.models["leak"].save(tmp_path / "leak.thresher")
    with pytest.raises(ModelFileError, match="holds one model"):
        CodedModel.load(tmp_path / "leak.thresher")
    assert isinstance(load_plant(tmp_path / "leak.thresher"), PlantModel)


@pytest.mark.parametrize(
    ("way", "value"),
    [
        (("facts", "version"), 2),
        (("facts", "per_1000"), 0.0),
        (("facts", "per_1000"), "many"),
        (("facts", "good_rows"), -1),
        (("facts", "false_alarms"), 10**9),
        (("facts", "counts"), []),
        (("facts", "counts", 0, "found"), 10**9),
        (("facts", "counts", 1, "code"), "crack"),
        (("facts", "costs"), {"leak": -3.0}),
        (("codes", 0, "code"), "leak"),
        (("codes", 0, "notes"), None),
        (("codes", 0, "notes", "facts", "judged"), None),
        (("codes",), []),
        (("summary",), [1]),
        (("facts",), None),
    ],
)
def test_notes_that_are_not_sound_are_one_sentence(stored, way, value):
    from thresher.model_file.file import StoredModel, read_model
    from thresher.plant.coded.store import codes_in

    content = read_model(stored[1])
    notes = content.notes
    *path, last = way
    for key in path:
        notes = notes[key]
    notes[last] = value
    with pytest.raises(DamagedModelError) as caught:
        codes_in(StoredModel(content.model, content.notes), "'m'")
    assert "Traceback" not in str(caught.value)


def test_a_condition_that_no_training_row_meets_can_be_kept(stored):
    """A tree that imitates a forest may have a leaf of made rows only."""
    from thresher.model_file.file import StoredModel, read_model
    from thresher.plant.coded.store import codes_in

    content = read_model(stored[1])
    row = content.notes["codes"][0]["notes"]["conditions"]["conditions"][0]
    row.update(parts=0, scrap=0, rate=None, rate_low=None, rate_high=None)
    found = codes_in(StoredModel(content.model, content.notes), "'m'")
    assert next(iter(found.models.values())).conditions.columns()["parts"][0] == 0


def test_a_report_in_a_file_that_is_damaged_is_said(stored):
    back = CodedModel(stored[0].models, stored[0].facts, {"verdict": {}})
    with pytest.raises(DamagedModelError, match="report in the model's file is damaged"):
        back.report()


def test_new_rows_whose_codes_are_known_are_judged(model):
    new = make_line(300, seed=3)
    page = model.report(new)
    table = model.read(new, ["reason"])
    found = model.judge_decisions(table, model.predict_columns(table).is_alert)
    rows = {one["code"]: one["rows"] for one in page.summary["pareto"]["rows"]}
    counts = new["reason"].value_counts()
    assert rows == {code: int(counts[code]) for code in ("crack", "leak", "noise", "scratch")}
    for shown, one in zip(page.summary["pareto"]["rows"], found.codes, strict=True):
        assert shown == {**one._asdict(), "missed": one.missed}
    assert found.judgement("").rows == 300


def test_conditions_of_each_code_are_tested_on_new_rows(model):
    tables = model.test_conditions(make_line(300, seed=3))
    assert list(tables) == list(model.codes)
    assert all(table.evidence == "hold-out" for table in tables.values() if len(table))


def test_training_rows_are_refused_as_unseen(model, line):
    with pytest.raises(TableError, match="equal rows that the model was trained on"):
        model.report(line)


def test_a_table_without_codes_cannot_judge(model, line):
    table = model.read(line.drop(columns="reason"))
    assert model.judge_decisions(table, np.zeros((len(table), 3), dtype=bool)) is None
    empty = line.head(30).assign(reason=None)
    with pytest.raises(TableError, match="no value in any row"):
        model.report(empty)


def test_a_column_that_is_taken_is_refused(model, line):
    with pytest.raises(TableError, match="has a column 'codes' already"):
        model.predict_table(line.assign(codes=""))


def test_each_code_has_actions_of_its_own(model, stored):
    found = model.actions(settings=["press_force", "glue"])
    assert list(found) == list(model.codes)
    words = [one.sentence for one in found["crack"].actions if one.limit is not None]
    assert any("press_force" in text for text in words)
    alone = model.models["crack"].actions(settings=["press_force", "glue"])
    assert alone.to_json() == found["crack"].to_json()
    new = stored[0].actions(make_line(300, seed=3), settings="press_force")
    assert len(new["crack"])
    with pytest.raises(ParameterError, match="which columns can be set"):
        model.actions()
