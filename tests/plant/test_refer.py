"""Referred rows in the whole workflow: judged on outer folds, in files, words and commands."""

import json

import numpy as np
import pytest

from tests.program import run
from thresher import train
from thresher.answers import answers
from thresher.datasets import make_assembly_line
from thresher.errors import ParameterError
from thresher.plant import PlantModel

LINE = make_assembly_line(1500, random_state=0)
TABLE = LINE.X.assign(scrap=LINE.y)
LIMITS = {"miss": 0.15, "false_alarm": 0.5}
QUICK = {"folds": 3, "pairs": False, "model": "tree"}


@pytest.fixture(scope="module")
def tree():
    return train(TABLE, "scrap", rule="refer", **LIMITS, **QUICK)


def test_it_is_judged_on_the_outer_folds(tree):
    expected = np.zeros((2, 3), dtype=int)
    for fold in tree.facts.folds:
        assert fold.threshold <= fold.threshold_alert
        given = answers(fold.outer.score, fold.threshold, fold.threshold_alert)
        for place, word in enumerate(("pass", "refer", "alert")):
            expected[0, place] += fold.outer.negative[given == word].sum()
            expected[1, place] += fold.outer.positive[given == word].sum()
    found = tree.judgement.referral
    assert list(found.rows.values()) == expected.sum(axis=0).tolist()
    assert found.shares["miss"] == pytest.approx(expected[1, 0] / expected[1].sum())
    assert found.shares["false_alarm"] == pytest.approx(expected[0, 2] / expected[:, 2].sum())
    assert found.shares["referred"] == pytest.approx(expected[:, 1].sum() / expected.sum())
    low, high = found.intervals["referred"]
    assert low < found.shares["referred"] < high
    assert tree.judgement.as_data()["answers"]["refer"] == expected[:, 1].sum()


def test_predictions_have_the_answer(tree):
    found = tree.predict_table(TABLE)
    given = answers(found["probability"], tree.threshold, tree.threshold_alert)
    assert found["answer"].tolist() == given.tolist()
    assert set(given) == {"alert", "pass", "refer"}
    np.testing.assert_array_equal(found["decision"] == 1, given != "pass")
    assert "answer" not in tree.with_threshold("f1").predict_table(TABLE)


def test_the_verdict_tells_both_thresholds_and_what_is_referred(tree):
    told = " ".join(tree.verdict.sentences)
    assert "refers those between (at most 0.15 missed and 0.5 of alerts false" in told
    assert "Of unseen rows it passes" in told
    assert [one["label"] for one in tree.verdict.figures][:2] == [
        "of rows referred",
        "of scrap pass (missed)",
    ]


def test_files_keep_it_and_other_thresholds_drop_it(tree, tmp_path):
    tree.save(tmp_path / "m.thresher")
    again = PlantModel.load(tmp_path / "m.thresher")
    assert again.threshold_alert == tree.threshold_alert
    assert again.judgement == tree.judgement
    assert again.facts.recipe.as_data() == tree.facts.recipe.as_data()
    assert [fold.threshold_alert for fold in again.facts.folds] == [
        fold.threshold_alert for fold in tree.facts.folds
    ]
    assert again.predict_table(TABLE)["answer"].equals(tree.predict_table(TABLE)["answer"])
    for other in (again.with_threshold(0.3), again.with_threshold("f1")):
        assert other.threshold_alert is None
        assert other.judgement.referral is None


def test_another_rule_can_be_moved_to_it(tree):
    moved = tree.with_threshold("f1").with_threshold("refer", **LIMITS)
    assert moved.threshold_alert == tree.threshold_alert
    assert moved.judgement == tree.judgement
    promised = tree.with_threshold("refer", miss=0.3, false_alarm=0.6, confidence=0.8)
    assert str(promised.facts.promise) in promised.verdict.sentences
    priced = tree.with_threshold("refer", price=1.0, cost_fp=5.0, cost_fn=10.0)
    found = priced.judgement
    spent = 5.0 * found.alert_fp + 10.0 * found.fn + found.referral.rows["refer"]
    assert found.cost_per_1000 == pytest.approx(1000.0 * spent / found.rows)


def test_candidates_are_compared_by_what_they_decide(tree):
    chosen = next(one for one in tree.facts.candidates if one.is_chosen)
    assert chosen.measure == "share decided"
    found = tree.facts.scores.answered_at(tree.estimator.threshold_, tree.threshold_alert)
    assert chosen.value == pytest.approx(1.0 - float(found.referred[0]))


def test_what_does_not_go_together_is_refused():
    with pytest.raises(ParameterError, match="price needs cost_fp and cost_fn"):
        train(TABLE, "scrap", rule="refer", price=1.0, **QUICK)
    with pytest.raises(ParameterError, match="needs miss and false_alarm"):
        train(TABLE, "scrap", rule="refer", miss=0.1, **QUICK)


def test_commands_take_and_give_it(tmp_path):
    table = tmp_path / "line.csv"
    TABLE.to_csv(table, index=False)
    options = ["--miss", "0.15", "--false-alarm", "0.5"]
    done = run(
        *("train", table, "--target", "scrap", "--model", "tree", "--folds", 3),
        *(*options, "--no-pairs", "--no-report", "--json", "--out", tmp_path / "m"),
    )
    told = json.loads(done.stdout)
    assert told["recipe"]["rule"] == "refer"
    assert told["threshold"] < told["threshold_alert"]
    assert told["judged"]["answers"]["refer"] > 0
    predicted = json.loads(run("predict", tmp_path / "m", table, "--json").stdout)
    assert {row["answer"] for row in predicted["predictions"]} == {"alert", "pass", "refer"}
    assert set(predicted["judged"]["answers"]) >= {"miss", "false_alarm", "referred"}
    moved = run(
        "threshold", tmp_path / "m", "--rule", "refer", *options, "--confidence", 0.5, "--json"
    )
    new = json.loads(moved.stdout)["new"]
    assert new["promise"]["what"] == "answers"
    assert new["threshold_alert"] >= new["threshold"]
    printed = run("threshold", tmp_path / "m").stdout
    assert "of rows referred" in printed
