"""A training on a table whose scrap comes from a product of two columns, from table to file."""

import numpy as np
import pandas as pd
import pytest

from thresher import train
from thresher.export import to_sql
from thresher.judging.competitor import Derived
from thresher.plant import PlantModel
from thresher.tables.plan import units_of
from thresher.wording import p_words


@pytest.fixture(scope="module")
def table():
    random = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "torque [Nm]": random.normal(40.0, 10.0, 1500),
            "speed [rpm]": random.normal(1500.0, 200.0, 1500),
            "humidity [%]": random.normal(50.0, 5.0, 1500),
        }
    )
    power = X["torque [Nm]"] * X["speed [rpm]"]
    return X.assign(scrap=(power > power.quantile(0.95)).astype(int))


@pytest.fixture(scope="module")
def model(table):
    return train(table, "scrap", model="tree", folds=2)


def test_the_product_is_found_in_every_fold_and_named(model):
    assert model.facts.model.endswith(", derived columns")
    assert {fold.model.endswith(", derived columns") for fold in model.facts.folds} == {True}
    assert model.estimator.columns_.wide_names[-1] == "torque [Nm] x speed [rpm]"
    assert model.conditions.texts[0].startswith("torque [Nm] x speed [rpm] > ")
    assert model.judgement.f1 > 0.9
    plain = [one for one in model.facts.candidates if "derived" not in one.name]
    assert max(one.value for one in plain) < model.judgement.f1


def test_the_model_takes_the_original_columns_everywhere(model, table, tmp_path):
    assert model.estimator.n_features_in_ == 3
    found = model.predict_table(table)
    model.save(tmp_path / "m.thresher")
    back = PlantModel.load(tmp_path / "m.thresher")
    again = back.predict_table(table)
    for column in ("probability", "decision", "condition"):
        assert again[column].tolist() == found[column].tolist()
    assert "torque [Nm] x speed [rpm]" in model.report().html
    assert "CAST" in to_sql(back.estimator, "parts", dialect="duckdb", verify=table[:200])
    assert not back.find_drift(table)


def test_what_earned_its_place_is_told_everywhere_and_kept_in_the_file(model, tmp_path):
    derived = model.facts.derived
    assert derived.is_kept
    assert derived.p <= 0.05
    assert "torque [Nm] x speed [rpm]" in derived.tried
    said = f"earned their place ({p_words(derived.p)}): {derived.tried[0]}"
    assert said in str(model.verdict)
    assert "does without them" not in str(model.verdict)
    assert model.facts.as_json()["derived"] == derived.as_data()
    model.save(tmp_path / "m.thresher")
    assert PlantModel.load(tmp_path / "m.thresher").facts.derived == derived


def test_what_was_tried_and_not_kept_is_told_with_its_p(table):
    random = np.random.default_rng(1)
    noise = table.assign(scrap=(random.random(len(table)) < 0.05).astype(int))
    model = train(noise, "scrap", model="tree", folds=2)
    derived = model.facts.derived
    assert derived.tried
    assert not derived.is_kept
    assert derived.p > 0.05
    assert f"were tried and not kept: unseen rows gained too little (p = {derived.p:.3f})" in str(
        model.verdict
    )


def test_the_words_know_whether_the_model_uses_them_and_whether_any_were_tried():
    kept = Derived(("a x b",), True, 0.01)
    assert kept.words("tree (entropy), derived columns").endswith("(p = 0.010): a x b.")
    assert kept.words("forest").endswith("a x b; the model that was taken does without them.")
    assert Derived((), False, None).words("forest").startswith("No columns made of two others")


def test_derived_columns_can_be_left_out(table):
    model = train(table, "scrap", model="tree", folds=2, pairs=False)
    assert model.facts.derived is None
    assert "made of two others" not in str(model.verdict)
    assert not any("derived" in one.name for one in model.facts.candidates)
    assert model.facts.recipe.pairs is False


def test_units_are_those_of_headings():
    names = ["torque [Nm]", "Temperature (°C)", "part (left side of the line)", "speed"]
    assert units_of(names, None) == {"torque [Nm]": "Nm", "Temperature (°C)": "°C"}
