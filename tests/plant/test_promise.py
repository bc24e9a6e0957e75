"""Promises of the whole workflow: facts, verdict, card, files, other thresholds."""

import json

import numpy as np
import pytest

from tests.program import run
from thresher import train
from thresher.datasets import make_assembly_line
from thresher.errors import ParameterError, RuleNotMetError
from thresher.plant import PlantModel
from thresher.report import render

LINE = make_assembly_line(1500, random_state=0)
TABLE = LINE.X.assign(scrap=LINE.y)
QUICK = {"folds": 3, "pairs": False, "rule": "precision_at_recall", "floor": 0.7}


@pytest.fixture(scope="module")
def tree():
    return train(TABLE, "scrap", model="tree", confidence=0.9, **QUICK)


def test_facts_know_the_promise(tree):
    promise = tree.facts.promise
    assert (promise.what, promise.bound, promise.unseen) == ("recall", 0.7, "out of fold")
    assert promise.positives == int(LINE.y.sum())
    assert not promise.exact
    assert tree.facts.threshold_interval is None
    counts = tree.facts.scores.counts_at(tree.estimator.threshold_)
    assert promise.alerts_per_1000 == pytest.approx(float(counts.alerts_per_1000[0]))
    without = train(TABLE, "scrap", model="tree", **QUICK)
    assert without.facts.promise is None
    assert without.threshold > tree.threshold
    assert without.estimator.threshold_ > tree.estimator.threshold_


def test_verdict_card_and_page_say_the_same_sentence(tree):
    sentence = str(tree.facts.promise)
    assert sentence in tree.verdict.sentences
    summary = tree.report().summary
    assert summary["card"]["facts"]["Promise"] == sentence
    assert render(summary).count(sentence) == 3


def test_files_keep_it_and_other_thresholds_drop_it(tree, tmp_path):
    tree.save(tmp_path / "m.thresher")
    again = PlantModel.load(tmp_path / "m.thresher")
    assert again.facts.promise == tree.facts.promise
    assert again.facts.recipe.confidence == 0.9
    assert tree.with_threshold(0.3).facts.promise is None
    assert tree.with_threshold("f1").facts.promise is None
    budget = tree.with_threshold("budget", per_1000=200, confidence=0.9)
    assert budget.facts.promise.what == "alerts_per_1000"
    assert str(budget.facts.promise) in budget.verdict.sentences


def test_a_forest_promises_out_of_bag(tmp_path):
    settings = {**QUICK, "folds": 2, "min_samples_leaf": 5, "trees": 10}
    model = train(TABLE[:400], "scrap", model="forest", confidence=0.9, **settings)
    assert model.facts.promise.unseen == "out of bag"
    assert model.estimator.promise_ == model.facts.promise
    moved = model.with_threshold(0.4)
    assert moved.estimator.promise_ is None
    moved.save(tmp_path / "m.thresher")
    assert PlantModel.load(tmp_path / "m.thresher").estimator.promise_ is None


def test_groups_and_too_few_positives_are_refused():
    with pytest.raises(ParameterError, match="which those of one group are not"):
        train(TABLE, "scrap", model="tree", confidence=0.9, group="supplier", **QUICK)
    few = TABLE.iloc[np.r_[np.flatnonzero(LINE.y)[:30], np.flatnonzero(LINE.y == 0)[:300]]]
    settings = {**QUICK, "floor": 0.95}
    with pytest.raises(RuleNotMetError, match="45 positives are needed"):
        train(few, "scrap", model="tree", confidence=0.9, **settings)


def test_the_command_line_trains_with_a_promise(tmp_path):
    TABLE[:500].to_csv(tmp_path / "parts.csv", index=False)
    options = ("--target", "scrap", "--model", "tree", "--folds", 2, "--no-report", "--json")
    done = run(
        "train",
        tmp_path / "parts.csv",
        *(*options, "--floor", 0.7, "--confidence", 0.9, "--out", tmp_path / "out"),
    )
    assert done.exit_code == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["promise"]["bound"] == 0.7
    assert found["recipe"]["rule"] == "precision_at_recall"
    assert any("Recall is at least 0.7" in one for one in found["verdict"]["sentences"])
