"""Remedies side by side: each way against doing it by hand."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics import f1_score

from thresher import (
    ImbalancedForestClassifier,
    ImbalancedTreeClassifier,
    ThresholdClassifier,
)
from thresher.datasets import load_dataset
from thresher.report.summary.case import judge_case, make_case, score_case
from thresher.report.summary.comparison import balanced, comparison_data, read_setting
from thresher.threshold.rules import Costs
from thresher.wording import percent

X, y = load_dataset("Yeast-me1")


def compared(model, costs=None):
    case = make_case(model.fit(X, y), X, y)
    judged = judge_case(case, score_case(case), costs, 0)
    words = read_setting(model).words
    return case, judged, comparison_data(case, judged, words, costs, resampling=True, seed=0)


def test_ways_are_what_they_say():
    model = ImbalancedTreeClassifier(max_depth=3)
    case, (scored, _, _), found = compared(model, Costs(1.0, 9.0))
    by_key = {way["key"]: way for way in found["ways"]}
    assert list(by_key) == ["half", "over", "under", "rule"]
    half = f1_score(scored.is_positive, scored.probability > 0.5)
    assert by_key["half"]["f1"] == pytest.approx(half)
    alerts, truths = [], []
    for number, (train, test) in enumerate(case.splits):
        rows = balanced(train, case.is_positive, more=False, seed=[0, number])
        alerts.append(clone(model).fit(X[rows], y[rows]).predict_proba(X[test])[:, 1] > 0.5)
        truths.append(y[test] == 1)
    under = f1_score(np.concatenate(truths), np.concatenate(alerts))
    assert by_key["under"]["f1"] == pytest.approx(under)
    assert by_key["under"]["alerts_per_1000"] > by_key["half"]["alerts_per_1000"]


def test_a_rule_that_resampled_rows_cannot_keep_is_not_asked_of_them():
    """Half of such rows are positive, so that no threshold there keeps a small budget."""
    forest = ImbalancedForestClassifier(20, rule="budget", per_1000=20, random_state=0)
    *_, found = compared(forest)
    assert [way["key"] for way in found["ways"]] == ["half", "over", "under", "rule"]


def test_balanced_rows():
    truth = np.arange(100) % 10 == 0
    rows = np.arange(50)
    more = balanced(rows, truth, more=True, seed=0)
    fewer = balanced(rows, truth, more=False, seed=0)
    assert truth[more].sum() * 2 == len(more) == 90
    assert truth[fewer].sum() * 2 == len(fewer) == 10
    assert set(more) == set(rows)
    assert set(fewer) < set(rows)


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"rule": "f1"}, "best F1"),
        ({"rule": "cost", "cost_fn": 9.0}, "lowest cost"),
        ({"rule": "budget", "per_1000": 20}, "at most 20 alerts per 1000"),
        ({"rule": "precision_at_recall", "floor": 0.8}, "best precision at recall 0.8"),
        ({"rule": "mcc"}, "best MCC"),
        ({"rule": None}, None),
    ],
)
def test_rules_in_words(parameters, words):
    setting = read_setting(ThresholdClassifier(ImbalancedTreeClassifier(), **parameters))
    assert setting.rule == words
    assert setting.words.endswith("of the model" if words is None else f"by {words}")


MODELS = {
    "given": lambda costs: ImbalancedTreeClassifier(max_depth=3),
    "f1": lambda costs: ThresholdClassifier(
        ImbalancedTreeClassifier(max_depth=3), "f1", n_bootstrap=0
    ),
    "cost": lambda costs: ThresholdClassifier(
        ImbalancedTreeClassifier(max_depth=3),
        "cost",
        cost_fp=costs.fp,
        cost_fn=costs.fn,
        n_bootstrap=0,
    ),
}


@pytest.mark.parametrize("costs", [Costs(1.0, 30.0), Costs(30.0, 1.0)], ids=["misses", "alarms"])
@pytest.mark.parametrize("name", MODELS)
def test_each_rule_is_compared_by_what_it_is_after(name, costs):
    """The last way has the counts of the judgement; what did better is not called useless."""
    _, judged, found = compared(MODELS[name](costs), costs)
    *others, chosen = found["ways"]
    assert chosen["f1"] == judged.judgement.f1
    assert chosen["cost_per_1000"] == judged.judgement.cost_per_1000
    assert chosen["alerts_per_1000"] == judged.judgement.alerts_per_1000
    if name == "cost":
        least = min(way["cost_per_1000"] for way in others)
        is_beaten = least <= 1.005 * chosen["cost_per_1000"]
        assert f"with a cost of {chosen['cost_per_1000']:,.0f} per 1000: " in found["words"]
    else:
        is_beaten = max(way["f1"] for way in others) >= chosen["f1"] - 0.005
        assert f"with F1 {percent(chosen['f1'])}: " in found["words"]
    assert found["heading"] == ("What else was tried" if is_beaten else "What did not help")
    helped = (" less", "as good") if name == "cost" else (" points higher", "as good")
    assert any(words in found["words"] for words in helped) == is_beaten


def test_a_rule_that_is_not_after_f1_is_not_compared_by_it():
    tree = ImbalancedTreeClassifier(max_depth=3)
    model = ThresholdClassifier(tree, "precision_at_recall", floor=0.8, n_bootstrap=0)
    _, _, found = compared(model)
    chosen = found["ways"][-1]
    assert "F1" not in found["words"]
    assert f"recall {percent(chosen['recall'])}" in found["words"]
    assert found["heading"] == "What else was tried"
