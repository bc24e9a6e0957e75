"""What `auto` offers beside a model that people cannot read, and when cards compete."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from thresher.errors import DamagedModelError
from thresher.judging.offer import Offer, Offered, offered_tree
from thresher.model_file.record import Record
from thresher.plant import PlantModel, train
from thresher.wording import plain

SHAPE = {"folds": 2, "trees": 30, "derive": None}


def table_of(is_bad, n=900):
    """Return a table of six columns that tell which rows are bad."""
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(n, 6)), columns=[*"abcdef"])
    return X.assign(result=np.where(is_bad(X), "bad", "good"))


@pytest.fixture(scope="module")
def sums():
    """Return a table of a sum, which trees cannot say in few questions, and its model."""
    table = table_of(lambda X: X.sum(axis=1) > 3.1)
    return table, train(table, "result", unit="parts", **SHAPE)


def test_beside_a_model_that_cannot_be_read_a_tree_that_refers_is_offered(sums):
    table, model = sums
    assert not model.facts.model.startswith(("tree", "score card"))
    offer = model.facts.offer
    assert offer.counts.rows == len(table) == model.judgement.rows
    assert offer.model_f1 == pytest.approx(model.judgement.f1)
    assert 0 < offer.counts.referred < 0.2 * len(table)
    assert offer.f1 <= offer.model_f1 + 0.05
    assert offer.questions == offered_tree(model.estimator).get_n_leaves() - 1
    assert plain(offer.words("parts")) in str(model.verdict)
    assert model.facts.as_json()["offer"] == offer.as_data()


def test_the_counts_are_those_of_the_folds(sums):
    table, model = sums
    training, judged = model.origin.training, model.origin.judged
    total = np.zeros(len(Offered._fields), dtype=int)
    for (train_rows, test), outer in zip(training.hold_out.splits(), judged.outer, strict=True):
        part = training.at(train_rows).run()
        tree = part.estimator.to_tree(32, 0.1, cv=None)
        X = table.drop(columns="result").iloc[test]
        answers, truth = tree.decide(X), (table["result"] == "bad").to_numpy()[test]
        alert = outer.scores > part.chosen.threshold
        asked = answers == "refer"
        joint = np.where(asked, alert, answers == "alert")
        total += [
            *(len(test), asked.sum(), (joint == alert)[~asked].sum(), truth[joint].sum()),
            *(joint.sum(), truth[alert].sum(), alert.sum(), truth.sum(), 1),
        ]
    assert [*model.facts.offer.counts] == total.tolist()


def test_a_file_keeps_the_offer(sums, tmp_path):
    _, model = sums
    model.save(tmp_path / "model.thresher")
    assert PlantModel.load(tmp_path / "model.thresher").facts.offer == model.facts.offer


def test_the_words_say_on_which_rows_the_figures_are(sums):
    offer = sums[1].facts.offer
    where = "on the 900 parts of the 2 folds whose model people cannot read."
    assert offer.words("parts").endswith(where)
    less = replace(offer, counts=offer.counts._replace(rows=450, folds=1))
    where = "on the 450 parts of the 1 fold whose model people cannot read."
    assert less.words("parts").endswith(where)


def test_an_offer_that_does_not_tell_its_folds_is_read(sums):
    data = sums[1].facts.offer.as_data()
    del data["folds"]
    read = Offer.from_record(Record(data, "the offer"))
    assert read.words("parts").endswith("of the folds whose model people cannot read.")


@pytest.mark.parametrize("name", ["referred", "found", "questions"])
def test_a_damaged_offer_is_refused(sums, name):
    data = json.loads(json.dumps(sums[1].facts.offer.as_data()))
    assert Offer.from_record(Record(data, "the offer")) == sums[1].facts.offer
    with pytest.raises(DamagedModelError):
        Offer.from_record(Record(data | {name: data["rows"]}, "the offer"))


def test_nothing_is_offered_where_a_model_was_asked_for(sums):
    table, _ = sums
    assert train(table, "result", model="forest", **SHAPE).facts.offer is None


def test_where_a_tree_is_as_good_no_card_competes_and_nothing_is_offered():
    table = table_of(lambda X: (X["a"] > 0.8) & (X["b"] > 0.0) | (np.arange(len(X)) % 40 == 0))
    facts = train(table, "result", **SHAPE).facts
    assert facts.model.startswith("tree")
    assert facts.offer is None
    assert "score card" not in [one.name for one in facts.candidates]


def test_a_card_competes_where_no_tree_is_as_good_as_the_others(sums):
    names = [one.name for one in sums[1].facts.candidates]
    assert "score card" in names
    assert names.index("score card") < names.index("forest (30 trees)")
