"""Rules: their formulas, their parameters, their refusals, and functions as rules."""

import math

import numpy as np
import pytest

from thresher.errors import RuleNotMetError
from thresher.threshold.counts import Costs
from thresher.threshold.rules import RULE_NAMES, make_rule, rule_for
from thresher.threshold.search import ScoredRows

NEEDS = {
    "precision_at_recall": {"floor": 0.5},
    "recall_at_precision": {"floor": 0.5},
    "budget": {"per_1000": 900.0},
    "refer": {"price": 0.1},
}


@pytest.fixture
def cuts():
    return ScoredRows.of([0.1, 0.3, 0.4, 0.6, 0.9], [0, 1, 0, 1, 0]).cuts()


@pytest.mark.parametrize("name", RULE_NAMES)
def test_every_name_makes_a_rule(name, cuts):
    rule = make_rule(name, **NEEDS.get(name, {}))
    assert rule.name == name
    assert 0.0 <= rule.choose(cuts) <= 1.0


def test_elkans_threshold_with_gains():
    assert Costs(fp=1, fn=4).threshold == 0.2
    assert Costs(fp=1, fn=3, gain_tp=2, gain_tn=1).threshold == pytest.approx(2 / 7)
    assert Costs(fp=0, fn=1).threshold == 0.0


def test_expected_cost_of_a_row(cuts):
    costs = Costs(fp=1, fn=10, gain_tp=4, gain_tn=0.5)
    tn, fp, fn, tp = (column[2] for column in cuts.counts)
    assert costs.per_row(cuts.counts)[2] == pytest.approx(
        (fp + 10 * fn - 4 * tp - 0.5 * tn) / 5, rel=1e-12
    )


def test_function_of_vectors_is_called_once(cuts):
    calls = []

    def rule(tn, fp, fn, tp):
        calls.append(len(tp))
        return tp - fp

    assert make_rule(rule).choose(cuts) == make_rule(lambda tn, fp, fn, tp: tp - fp).choose(cuts)
    assert calls == [6]


def test_function_of_numbers_is_called_cut_by_cut(cuts):
    def harmonic(tn, fp, fn, tp):
        if tp == 0:
            return 0.0
        return 2 * tp / (2 * tp + fp + fn)

    def rooted(tn, fp, fn, tp):
        return math.sqrt(tp / (tp + fn) * tn / (tn + fp))

    assert make_rule(harmonic).choose(cuts) == make_rule("f1").choose(cuts)
    assert make_rule(rooted).choose(cuts) == make_rule("gmean").choose(cuts)


def test_function_that_is_nan_is_not_chosen_there(cuts):
    # 0 / 0 where there is no alert.
    chosen = make_rule(lambda tn, fp, fn, tp: tp / (tp + fp)).choose(cuts)
    assert chosen == make_rule(lambda tn, fp, fn, tp: np.nan_to_num(tp / (tp + fp))).choose(cuts)
    with pytest.raises(ValueError, match="NaN for every threshold"):
        make_rule(lambda tn, fp, fn, tp: tp * np.nan).choose(cuts)


def test_infinite_values_of_a_function_are_compared(cuts):
    assert make_rule(lambda tn, fp, fn, tp: np.where(fp == 2, np.inf, 0.0)).choose(
        cuts
    ) == pytest.approx(0.25)


@pytest.mark.parametrize(
    ("rule", "parameters", "message"),
    [
        ("f2", {}, "rule='f2' is unknown.*did you mean 'f1'"),
        (3, {}, "rule=3 is unknown"),
        ("budget", {}, "rule='budget' needs per_1000"),
        ("precision_at_recall", {}, "rule='precision_at_recall' needs floor"),
        ("precision_at_recall", {"floor": 1.2}, "floor must be above 0 and at most 1, got 1.2"),
        ("recall_at_precision", {"floor": 0.0}, "floor must be above 0 and at most 1, got 0.0"),
        ("budget", {"per_1000": 2000}, "per_1000 must be above 0 and at most 1000, got 2000"),
        ("f1", {"floor": 0.5}, "floor is for the rule .* only, got rule='f1'"),
        ("f1", {"per_1000": 5}, "per_1000 is for the rule 'budget' only"),
        ("f1", {"beta": 2.0}, "beta=2.0 is for rule='fbeta' only"),
        ("fbeta", {"beta": 0.0}, "beta must be above 0"),
        ("cost", {"costs": Costs(fp=-1.0)}, "cost_fp must be at least 0"),
        ("cost", {"costs": Costs(gain_tn=-1.0)}, "gain_tn must be at least 0"),
        ("cost", {"costs": Costs(fp=0.0, fn=0.0)}, "are all 0"),
    ],
)
def test_bad_parameters_are_refused(rule, parameters, message):
    with pytest.raises(ValueError, match=message):
        make_rule(rule, **parameters)


def test_parameters_of_another_type_are_refused():
    with pytest.raises(TypeError, match="floor must be a number"):
        make_rule("recall_at_precision", floor="high")


def test_precision_that_no_threshold_reaches_names_the_best(cuts):
    rule = make_rule("recall_at_precision", floor=0.9)
    with pytest.raises(RuleNotMetError, match=r"precision of 0\.9 .* value is 0\.5\."):
        rule.choose(cuts)


def test_budget_below_the_rows_of_the_highest_score_names_the_least():
    cuts = ScoredRows.of([0.1, 0.2, 0.9, 0.9], [0, 1, 0, 1]).cuts()
    with pytest.raises(RuleNotMetError, match=r"at or below 100 .* value is 500"):
        make_rule("budget", per_1000=100).choose(cuts)


def test_full_recall_can_always_be_met(cuts):
    assert make_rule("precision_at_recall", floor=1.0).choose(cuts) == pytest.approx(0.2)


@pytest.mark.parametrize(
    ("given", "rule"),
    [
        ({}, None),
        ({"cost_fp": 1.0, "cost_fn": None}, None),
        ({"cost_fp": 0.0, "cost_fn": 9.0}, "cost"),
        ({"cost_fp": 1.0, "cost_fn_column": "value"}, "cost"),
        ({"cost_fp": 1.0, "cost_fn": 9.0, "per_1000": 20.0}, "budget"),
        ({"cost_fp": 1.0, "cost_fn": 9.0, "price": 0.0}, "refer"),
        ({"floor": 0.9, "per_1000": None}, "precision_at_recall"),
    ],
)
def test_parameters_tell_which_rule_they_are_for(given, rule):
    assert rule_for(given) == rule
