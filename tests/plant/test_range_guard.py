"""Tables outside the training range: refused, allowed, noted, or an alarm of the watch."""

import logging
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from thresher import train
from thresher.errors import OutsideRangeError, TableError
from thresher.plant import PlantModel, Watch

ROWS = 400


def table_of(seed, rows=ROWS):
    random = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "speed": random.integers(1168, 2887, rows),
            "torque": np.round(random.uniform(4, 77, rows), 1),
            "line": random.choice(["a", "b"], rows),
        }
    )
    is_bad = table["speed"] * table["torque"] > 120_000
    return table.assign(state=np.where(is_bad ^ (random.random(rows) < 0.01), "bad", "good"))


@pytest.fixture(scope="module")
def model():
    return train(table_of(0), "state", model="tree", pairs=False, folds=2)


@pytest.fixture
def new():
    return table_of(1, 60)


@pytest.fixture
def far(new):
    return new.assign(speed=new["speed"] / 1000)


SENTENCE = (
    r"The table: all 60 values of 'speed' lie outside the training range 1,1\d\d to 2,8\d\d "
    r"\(median \d\.\d+\)\. Check its unit, or add allow_drift=True\."
)


@pytest.mark.parametrize("way", ["predict_table", "report"])
def test_rows_far_outside_are_decided_only_where_that_is_allowed(way, far, new, model):
    method = getattr(model, way)
    with pytest.raises(OutsideRangeError, match=SENTENCE) as error:
        method(far)
    assert isinstance(error.value, TableError)
    assert method(far, allow_drift=True) is not None
    assert method(new) is not None


def test_nine_rows_go_on_and_ten_do_not(model, far, caplog):
    with caplog.at_level(logging.INFO, logger="thresher.plant"):
        assert len(model.predict_table(far[:9])) == 9
    assert sum("'speed'" in message for message in caplog.messages) == 1
    with pytest.raises(OutsideRangeError):
        model.predict_table(far[:10])
    near = far[:10].assign(speed=[2000, *far["speed"][1:10]])
    assert len(model.predict_table(near)) == 10


def test_a_single_row_outside_goes_on_with_a_note(model, new, caplog):
    row = new[:1].assign(speed=4000)
    with caplog.at_level(logging.INFO, logger="thresher.plant"):
        model.predict_table(row)
    (note,) = caplog.messages
    assert note.startswith("Note: 'speed': 1 value lies outside the training range 1,1")


def test_a_file_and_another_threshold_keep_the_range(model, far, tmp_path):
    model.save(tmp_path / "m.thresher")
    for other in (PlantModel.load(tmp_path / "m.thresher"), model.with_threshold(0.3)):
        with pytest.raises(OutsideRangeError):
            other.predict_table(far)


def test_a_model_that_does_not_know_its_training_refuses_nothing(model, far):
    old = replace(model, facts=replace(model.facts, columns=None))
    assert len(old.predict_table(far)) == len(far)


def test_conditions_and_drift_are_told_of_any_rows(model, far):
    model.test_conditions(far)
    assert [one.column for one in model.find_drift(far)] == ["speed"]


def test_the_watch_alarms_and_does_not_count_the_rows(model, far, new):
    watch = Watch(model)
    look = watch.look(far)
    assert look.is_alarm
    assert [one.column for one in look.outside] == ["speed"]
    assert look.sentence.startswith("Alarm: all 60 values of 'speed' lie outside the training")
    assert (look.advice, look.new, look.batches) == ("columns", (), ())
    assert look.as_data()["outside"][0]["column"] == "speed"
    assert not watch.is_alarm
    look = watch.look(new)
    assert (look.is_alarm, look.outside, len(look.new)) == (False, (), 1)
    look = watch.look(far, allow_drift=True)
    assert (look.outside, len(look.new)) == ((), 1)
