"""Remedies side by side: each way against doing it by hand."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics import f1_score

from thresher import ImbalancedForestClassifier, ImbalancedTreeClassifier, ThresholdClassifier
from thresher.datasets import load_dataset
from thresher.report.summary.case import honest_scores, make_case
from thresher.report.summary.comparison import balanced, comparison_data, rule_of
from thresher.threshold.rules import Costs

X, y = load_dataset("Yeast-me1")


def test_ways_are_what_they_say():
    model = ImbalancedTreeClassifier(max_depth=3).fit(X, y)
    case = make_case(model, X, y)
    scored = honest_scores(case)
    found = comparison_data(case, scored, Costs(1.0, 9.0), resampling=True, seed=0)
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


def informedness(recall, alerts_per_1000, share):
    """Return recall minus the share of false alarms: 0 on average for alerts without knowledge."""
    return recall - (alerts_per_1000 / 1000.0 - share * recall) / (1.0 - share)


def test_a_threshold_gains_nothing_from_the_rows_it_is_judged_on():
    """On noise the best threshold of the rows themselves looks good; chosen on others it is not."""
    flattered, honest = [], []
    for seed in range(20):
        random = np.random.default_rng(seed)
        noise, labels = random.normal(size=(400, 4)), np.arange(400) % 10 == 0
        forest = ImbalancedForestClassifier(15, rule="bcr", random_state=seed, n_bootstrap=0)
        case = make_case(forest.fit(noise, labels), noise, labels)
        scored = honest_scores(case)
        counts = scored.counts_at(forest.threshold_)
        flattered.append(informedness(counts.recall[0], counts.alerts_per_1000[0], 0.1))
        found = comparison_data(case, scored, None, resampling=False, seed=seed)["elsewhere"]
        honest.append(informedness(found["recall"], found["alerts_per_1000"], 0.1))
    assert min(flattered) >= 0.0
    assert np.mean(flattered) > 0.05
    assert np.mean(honest) < 2.0 * np.std(honest) / np.sqrt(len(honest))


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
        ({"rule": None}, "best F1"),
    ],
)
def test_rules_in_words(parameters, words):
    assert rule_of(ThresholdClassifier(ImbalancedTreeClassifier(), **parameters))[0] == words


def test_with_costs_ways_are_compared_by_cost():
    model = ImbalancedTreeClassifier(max_depth=3).fit(X, y)
    case = make_case(model, X, y)
    for costs in (Costs(1.0, 30.0), Costs(30.0, 1.0)):
        found = comparison_data(case, honest_scores(case), costs, resampling=True, seed=0)
        *others, chosen = found["ways"]
        assert chosen["words"] == "Threshold by lowest cost"
        assert f"with a cost of {chosen['cost_per_1000']:,.0f} per 1000: " in found["words"]
        least = min(way["cost_per_1000"] for way in others)
        is_beaten = least < 0.995 * chosen["cost_per_1000"]
        assert found["heading"] == ("What else was tried" if is_beaten else "What did not help")
    assert rule_of(ImbalancedTreeClassifier(), Costs(2.0, 8.0))[1].choose(None, share=0.5) == 0.2


def test_what_helped_is_not_called_useless():
    model = ImbalancedTreeClassifier(max_depth=3).fit(X, y)
    case = make_case(model, X, y)
    found = comparison_data(case, honest_scores(case), None, resampling=True, seed=0)
    *others, chosen = found["ways"]
    helped = any(way["f1"] > chosen["f1"] + 0.005 for way in others)
    assert found["heading"] == ("What else was tried" if helped else "What did not help")
