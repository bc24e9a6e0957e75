"""A card in a plant: trained, judged, printed in the report, kept in a file."""

import re

import pytest

from tests.card.tables import mixed_table
from thresher import ScoreCardClassifier
from thresher.judging.candidates import KINDS
from thresher.plant import PlantModel, train


@pytest.fixture(scope="module")
def model():
    X, y = mixed_table(5, n=200)
    table = X.assign(result=y)
    table["line"] = table["line"].astype(object)
    return train(table, "result", model="card", trees=5, folds=2, derive=None), table


def test_a_card_is_trained_and_judged(model):
    model, table = model
    assert isinstance(model.estimator, ScoreCardClassifier)
    assert [one.name for one in model.facts.candidates] == ["score card"]
    assert model.judgement.f1 > 0.2
    found = model.predict_table(table)
    points = model.estimator.predict_score(table.drop(columns="result"))
    assert ((points > model.estimator.cut_) == (found["decision"] == "scrap")).all()


def test_the_report_prints_the_card_at_the_threshold_of_the_plant(model):
    model, _ = model
    html = model.report().html
    card = model.estimator
    least = int(card.cut_ + 0.5)
    assert f"{least} points or more" in html
    shown = re.findall(r'<span class="points [^"]*">([^<]*)</span>', html)
    assert len(shown) == 2 * card.n_splits_


def test_a_file_keeps_it(model, tmp_path):
    model, table = model
    model.save(tmp_path / "card.thresher")
    found = PlantModel.load(tmp_path / "card.thresher")
    assert found.estimator.export_text() == model.estimator.export_text()
    assert found.predict_table(table).equals(model.predict_table(table))


def test_a_card_stands_between_tree_and_forest():
    assert KINDS.index("tree") < KINDS.index("card") < KINDS.index("forest")
