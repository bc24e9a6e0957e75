import numpy as np
import pandas as pd
import pytest

from tests.plant.coded.made_line import QUICK
from thresher.errors import GateMissedError, ParameterError
from thresher.plant import CodedModel, train
from thresher.tables.codes import POOLED

BUDGET = {"rule": "budget", "per_1000": 60}


def test_each_code_has_a_model_and_the_budget_is_shared(model, line):
    assert model.codes == ("crack", "leak", "noise")
    counts = line["reason"].value_counts()
    assert {one.code: one.rows for one in model.pareto.codes} == {
        code: int(counts[code]) for code in ("crack", "leak", "noise", "scratch")
    }
    judged = model.judgement
    assert judged.rows == len(line)
    assert judged.tp + judged.fn == int((line["reason"] != "ok").sum())
    low, high = judged.intervals["alerts_per_1000"]
    assert low <= 120 <= high or high < 120
    assert judged.recall > 0.5


def test_alerts_of_models_add_up_to_those_of_all_where_none_overlap(model):
    """Each model's own judgement counts what the Pareto calls found."""
    for one in model.pareto.codes:
        if one.code in model.models:
            assert model.models[one.code].judgement.tp == one.found
    alone = sum(one.judgement.alerts for one in model.models.values())
    assert max(one.judgement.alerts for one in model.models.values()) <= model.judgement.alerts
    assert model.judgement.alerts <= alone


def test_shipped_thresholds_keep_the_budget_on_the_rows_that_chose(model):
    dealt = [one.facts.recipe.per_1000 for one in model.models.values()]
    assert max(dealt) <= 120 <= sum(dealt) + 120
    assert all(one.facts.recipe.rule == "budget" for one in model.models.values())


def test_without_a_budget_each_code_has_its_own_rule(line):
    model = train(line, "reason", codes=["leak", "crack"], folds=2, **QUICK)
    alone = train(line, "reason", positive="leak", folds=2, **QUICK)
    assert model.codes == ("crack", "leak")
    assert model.facts.per_1000 is None
    # One code alone has the same rows, models and rule; only its folds are dealt otherwise.
    assert model.models["leak"].facts.recipe == alone.facts.recipe
    assert model.models["leak"].estimator.tree_.n_nodes == alone.estimator.tree_.n_nodes


def test_a_costly_code_gets_more_of_the_budget(line):
    costs = {"crack": 1.0, "leak": 200.0, "noise": 1.0}
    dear = train(line, "reason", codes="all", cost_fn=costs, folds=2, **BUDGET, **QUICK)
    alike = train(line, "reason", codes="all", folds=2, **BUDGET, **QUICK)
    found = [{one.code: one.found for one in model.pareto.codes}["leak"] for model in (alike, dear)]
    assert found[1] > found[0]
    assert dear.pareto.codes[0].code == "leak"
    assert "cost" in dear.pareto.as_table().columns[-1]


def test_later_rows_judge_where_rows_have_a_time(line):
    timed = line.assign(made=pd.date_range("2026-01-01", periods=len(line), freq="h"))
    shuffled = timed.sample(frac=1.0, random_state=0)
    model = train(shuffled, "reason", codes="all", time="made", folds=3, **BUDGET, **QUICK)
    assert model.facts.never_judged == len(line) - model.judgement.rows > 0
    assert "steps in time" in model.judgement.how
    again = train(timed, "reason", codes="all", time="made", folds=3, **BUDGET, **QUICK)
    assert again.pareto == model.pareto


def test_rare_codes_are_pooled_and_found_together(line):
    split = line.copy()
    crack = split.index[split["reason"] == "crack"]
    split.loc[crack[::3], "reason"] = "crack a"
    split.loc[crack[1::3], "reason"] = "crack b"
    split.loc[crack[2::3], "reason"] = "crack c"
    assert split["reason"].value_counts()[["crack a", "crack b", "crack c"]].max() < 20
    model = train(split, "reason", codes="all", folds=2, **BUDGET, **QUICK)
    assert POOLED in model.codes
    assert any("pooled" in remark for remark in model.facts.remarks)
    found = model.predict_table(split)
    assert set(found["decision"]) <= {"ok", *model.codes}
    report = model.report(split, allow_training_rows=True)
    pooled = next(one for one in report.summary["pareto"]["rows"] if one["code"] == POOLED)
    assert pooled["rows"] == len(crack) + int((line["reason"] == "scratch").sum())


def test_gates_judge_all_codes_together(line):
    with pytest.raises(GateMissedError, match="precision is"):
        train(line, "reason", codes="all", folds=2, min_precision=0.999, **BUDGET, **QUICK)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"codes": "all", "positive": "leak"}, "codes= and positive= are both given"),
        ({"good": "ok"}, "good= is for codes="),
        ({"codes": "all", "stream": True}, "needs the table in memory"),
        ({"codes": "all", "rule": "refer", "miss": 0.1, "false_alarm": 0.1}, "rule='refer' is for"),
        ({"codes": "all", "threshold_by": "gap"}, "threshold_by= is for one class"),
        ({"codes": "all", "confidence": 0.9, **BUDGET}, "confidence= is for one class"),
        ({"codes": "all", "cost_fn": {"leak": 3.0}, **BUDGET}, "'crack' has none"),
        ({"cost_fn": {"leak": 3.0}}, "needs codes="),
        ({"codes": "all", "cost_fn": {}}, "names no code"),
        ({"codes": "all", "cost_fn": {"leak": -1.0}}, "cost_fn['leak']"),
    ],
)
def test_what_does_not_go_with_codes_is_one_sentence(line, options, words):
    with pytest.raises(ParameterError) as caught:
        train(line, "reason", folds=2, **{**QUICK, **options})
    assert words in str(caught.value)


def test_training_twice_gives_the_same(line, model):
    budget = {"rule": "budget", "per_1000": 120}
    words = {"unit": "parts", "event": "scrap"}
    again = train(line, "reason", codes="all", folds=2, **budget, **words, **QUICK)
    assert isinstance(again, CodedModel)
    assert again.to_bytes() == CodedModel(model.models, model.facts).to_bytes()
    assert np.isfinite(again.judgement.f1)
