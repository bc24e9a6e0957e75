"""A column that knows the answer is the first sentence of everything that `train` says."""

import json
import re
import shlex

import numpy as np
import pandas as pd
import pytest

from tests.program import run
from tests.table_factory import Table
from thresher import train
from thresher.plant import PlantModel

OPTIONS = {"model": "tree", "folds": 2, "pairs": False}


@pytest.fixture(scope="module")
def table():
    X, y = Table(seed=4, rows=900, columns=4, share=0.12).pandas()
    random = np.random.default_rng(1)
    wrong = random.random(len(y)) < 0.01
    return X.assign(
        unit_no=random.permutation(len(y)),
        seq=np.arange(len(y)),
        **{"repair, minutes": np.where((y == 1) ^ wrong, 30.0, 0.0)},
        scrap=y,
    )


def leaks(sentence):
    return sentence.startswith("'repair, minutes' differs from its usual value 0 in ")


def test_the_first_sentence_of_a_model_names_the_leak(table, tmp_path):
    model = train(table, "scrap", **OPTIONS)
    assert leaks(model.verdict.heading)
    assert leaks(str(model.verdict))
    assert not any("confirmed" in sentence for sentence in model.verdict.sentences)
    assert set(model.estimator.feature_names_in_).isdisjoint({"unit_no", "seq"})
    assert "repair, minutes" in model.estimator.feature_names_in_
    heading = re.search(r"<h1[^>]*>(.*?)</h1>", model.report().html, re.DOTALL)
    assert heading is not None
    assert "differs from its usual value" in heading[1]
    model.save(tmp_path / "m.thresher")
    again = PlantModel.load(tmp_path / "m.thresher")
    assert again.verdict == model.verdict
    assert again.with_threshold(0.3).verdict.heading == model.verdict.heading


def test_ids_and_numbers_of_rows_are_notes(table):
    remarks = train(table, "scrap", **OPTIONS).facts.remarks
    assert any("'unit_no' looks like an ID" in each and "To use it:" in each for each in remarks)
    assert any("'seq' numbers the rows in their order; not used" in each for each in remarks)


def test_without_the_leak_nothing_is_said(table):
    model = train(table.drop(columns="repair, minutes"), "scrap", **OPTIONS)
    assert not model.facts.leaks
    assert "seen coming" in model.verdict.heading


def test_few_positives_are_not_checked(table):
    few = pd.concat([table[table.scrap == 0], table[table.scrap == 1][:9]])
    model = train(few, "scrap", **OPTIONS)
    assert "Fewer than 10 rows with scrap = 1; columns were not checked for leakage." in (
        model.facts.remarks
    )


def test_the_command_line_prints_the_training_without_it(table, tmp_path):
    table.to_csv(tmp_path / "parts.csv", index=False)
    told = ["train", tmp_path / "parts.csv", "--target", "scrap", "--model", "tree", "--folds", 2]
    told += ["--no-pairs", "--no-report", "--out"]
    done = run(*told, tmp_path / "out")
    assert leaks(done.stdout)
    assert "Warning: 'repair, minutes' differs" in done.stderr
    assert "To use it: --column unit_no=number." in done.stderr
    again = shlex.split(done.stdout.rpartition("To train without: ")[2])
    assert "can be seen coming" in run(*again[1:]).stdout
    as_json = json.loads(run(*told, tmp_path / "json", "--json").stdout)
    assert leaks(as_json["verdict"]["heading"])
    assert [each["columns"] for each in as_json["leakage"]] == [["repair, minutes"]]
