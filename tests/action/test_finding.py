"""Levers and limits of conditions, what they bring, and what else could be the reason."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from studies.actions.study import TRIGGERS, avoided_and_truth, confounded_line, confounders_named
from thresher import ImbalancedTreeClassifier, actions
from thresher.action.finding import act_on
from thresher.condition.finding import make_findings
from thresher.datasets import make_assembly_line

QUICK = {"n_permutations": 0, "n_bootstrap": 0}


@pytest.fixture(scope="module")
def line():
    return make_assembly_line(random_state=0)


@pytest.fixture(scope="module")
def model(line):
    return ImbalancedTreeClassifier(max_leaf_nodes=16).fit(line.X, line.y)


@pytest.fixture(scope="module")
def table(line, model):
    return actions(model, line.X, line.y, settings=TRIGGERS, costs=80.0, output="table", **QUICK)


def planted_levers_are_found(line, table):
    """Check the lever, the limit and the circumstances of each planted condition of a line."""
    for truth in line.truth:
        trigger = truth.clauses[-1]
        limits = (action.limit for action in table.actions if action.limit is not None)
        found = next(limit for limit in limits if limit.lever == trigger.column)
        is_above = np.isfinite(trigger.low)
        limit, cut = (found.good.high, trigger.low) if is_above else (found.good.low, trigger.high)
        assert limit == pytest.approx(cut, abs=0.05 * line.X[trigger.column].std())
        assert truth.clauses[0].column in [clause.column for clause in found.context]


def test_each_planted_lever_and_limit_is_found(line, table):
    planted_levers_are_found(line, table)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 20))
def test_each_planted_lever_and_limit_is_found_on_other_lines(seed):
    line = make_assembly_line(random_state=seed)
    model = ImbalancedTreeClassifier(max_leaf_nodes=16).fit(line.X, line.y)
    found = actions(model, line.X, line.y, settings=TRIGGERS, output="table", **QUICK)
    planted_levers_are_found(line, found)


def test_scrap_avoided_is_the_difference_of_unseen_rates(line, table):
    frame = table.to_frame()
    np.testing.assert_allclose(frame.avoided, frame.parts * (frame.rate - frame.kept_rate))
    np.testing.assert_allclose(frame.money, 80.0 * frame.avoided)
    assert (frame.avoided_low < frame.avoided).all()
    assert (frame.avoided < frame.avoided_high).all()
    assert (frame.avoided < frame.scrap).all()


def test_words_never_claim_a_cause(table):
    text = table.to_text()
    assert "if the lever is the cause" in text
    assert "not proofs of cause" in text
    assert "hold press_force at or below 61.4912 while tool_age > 38.5" in text
    assert "moves with the lever, but leaves the difference: press_depth" in text


def test_a_test_on_the_line_tells_parts_under_the_condition_and_all_of_them(line, table):
    action = table.actions[0]
    needed = 2 * action.test_parts * len(line.X) / action.parts
    assert needed <= action.line_parts < needed + 1
    words = f"2 x {action.test_parts} rows under the condition, about {action.line_parts:,} rows"
    assert f"{words} of the line" in table.lines(0)
    one = replace(table, actions=(replace(action, parts=1),))
    assert "1 row of the table meets the condition" in one.lines(0)


def test_json_and_frame_say_the_same(table):
    data = json.loads(table.to_json())
    frame = table.to_frame()
    assert [row["action"] for row in data["actions"]] == frame.action.tolist()
    first = data["actions"][0]
    assert first["limit"]["column"] == first["lever"]
    assert first["while"][0]["column"] == "shift"
    assert data["evidence"] == "out of fold"
    assert table.to_csv().count("\n") == len(table) + 1
    assert "<table" in table._repr_html_()


def test_conditions_without_a_lever_are_told(line, model):
    found = actions(model, line.X, line.y, settings="humidity", output="table", **QUICK)
    assert all(action.limit is None for action in found.actions)
    assert "no limit: leak_rate and flow cannot be set" in found.to_text()
    assert found.short(1) is None


def test_both_columns_of_a_condition_may_be_levers(line, model):
    found = actions(model, line.X, line.y, settings=["torque_3", "supplier"], **QUICK)
    rows = found[found.lever.notna()]
    assert set(rows.action) == {
        "hold torque_3 above 11.1993 while supplier in {B, D}",
        "keep supplier to A, C or E while torque_3 <= 11.1993",
    }


def test_allowed_windows_shape_the_limit(line, model):
    limits = {"press_force": (50.0, 58.0), "oven_temperature": (100.0, 140.0)}
    found = actions(
        model, line.X, line.y, settings=list(limits), limits=limits, output="table", **QUICK
    )
    by_lever = {one.limit.lever: one for one in found.actions if one.limit is not None}
    force, oven = by_lever["press_force"], by_lever["oven_temperature"]
    assert force.limit.good.high == 58.0
    kept = force.limit.is_kept(np.array([49.9, 50.0, 58.0, 58.1, np.nan]))
    assert kept.tolist() == [False, True, True, False, False]
    assert oven.limit.good is None
    assert "oven_temperature may only be from 100 to 140: no value avoids" in oven.sentence
    assert np.isnan(oven.avoided[0])
    supplier = actions(
        model, line.X, line.y, settings="supplier", limits={"supplier": ["B", "D"]}, **QUICK
    )
    assert supplier.action.str.contains("supplier may only be B or D: no value avoids").any()


@pytest.mark.parametrize(
    ("wishes", "message"),
    [
        ({"settings": []}, "settings is empty"),
        ({"settings": "speed"}, "settings names 'speed', which is no column"),
        ({"settings": "flow", "limits": {"humidity": (1, 2)}}, "which is not in settings"),
        ({"settings": "flow", "limits": {"flow": (3, 2)}}, "wrong way round"),
        ({"settings": "flow", "limits": {"flow": 3}}, "must be a pair"),
        ({"settings": "supplier", "limits": {"supplier": ["Z"]}}, "allows 'Z' for 'supplier'"),
        ({"settings": "flow", "costs": -1}, "costs"),
    ],
)
def test_bad_wishes_are_refused_in_one_sentence(line, model, wishes, message):
    found = make_findings(model, line.X, line.y, cv=None, **QUICK)
    with pytest.raises(ValueError, match=message):
        act_on(found.table, found.columns, found.seen, found.unseen, **wishes)


def test_hold_out_rows_are_evidence(line, model):
    held = make_assembly_line(random_state=1)
    found = actions(
        model,
        line.X,
        line.y,
        settings="press_force",
        X_test=held.X,
        y_test=held.y,
        output="table",
        **QUICK,
    )
    action = next(one for one in found.actions if one.limit is not None)
    inside = (held.X.press_force > action.limit.bad.low) & (held.X.tool_age > 38.5)
    assert found.evidence == "hold-out"
    assert (action.rates.parts, action.rates.scrap) == (inside.sum(), held.y[inside].sum())


def test_comparable_parts_are_the_nearest_that_keep_the_limit():
    random = np.random.default_rng(0)
    X = pd.DataFrame({"force": random.uniform(0.0, 100.0, 6000)})
    rate = np.select([X.force > 90.0, X.force > 80.0], [0.9, 0.15], 0.0)  # a slope to the limit
    y = (random.random(6000) < rate).astype(int)
    model = ImbalancedTreeClassifier(max_leaf_nodes=3, threshold=0.5).fit(X, y)
    found = actions(model, X, y, settings="force", output="table", **QUICK)
    (action,) = found.actions
    assert action.limit.good.high == pytest.approx(90.0, abs=1.0)
    assert 0.1 < action.rates.comparable_rate < 0.2  # not the 0.017 of all that keep it


def test_the_interval_covers_what_the_simulator_says():
    pairs = [pair for seed in range(4) for pair in avoided_and_truth(seed)]
    assert len(pairs) >= 16  # the lever of each of the four planted conditions
    assert sum(low <= truth <= high for _, low, high, truth in pairs) >= 0.9 * len(pairs)


@pytest.mark.slow
def test_the_interval_covers_on_twenty_lines():
    pairs = [pair for seed in range(20) for pair in avoided_and_truth(seed)]
    assert len(pairs) >= 80
    assert sum(low <= truth <= high for _, low, high, truth in pairs) >= 0.9 * len(pairs)


@pytest.mark.parametrize("seed", range(5))
def test_a_confounder_is_named_and_a_mere_companion_is_not(seed):
    named, others = confounders_named(seed)
    assert "humidity" in named
    assert "noise" not in (*named, *others)


def test_a_cause_is_not_taken_for_a_confounder_of_itself():
    X, y = confounded_line(0)
    X = X.assign(humidity=np.random.default_rng(1).permutation(X.humidity))
    model = ImbalancedTreeClassifier(max_leaf_nodes=4).fit(X, y)
    found = actions(model, X, y, settings="oven_temperature", output="table", **QUICK)
    assert all("humidity" not in action.suspects for action in found.actions)
