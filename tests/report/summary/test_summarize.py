"""The summary: plain data, complete, and without a row of the table."""

import json
import re

import numpy as np
import pytest

from tests.report.reports import COSTS, hostile_report, line_report, small_line, table_report
from thresher import ImbalancedTreeClassifier
from thresher.report import render, summarize
from thresher.report.summary.summarize import HOW_TO_GET, read_costs

REPORTS = {"line": line_report, "hostile": hostile_report, "table": table_report}


@pytest.mark.parametrize("name", REPORTS)
def test_json_holds_it(name):
    summary = REPORTS[name]()
    assert json.loads(json.dumps(summary, allow_nan=False)) == summary


def test_sections_without_their_input_say_how_to_get_them():
    assert set(table_report()["missing"]) == {"line", "early", "daily"}
    assert line_report()["missing"] == {}
    assert set(HOW_TO_GET) >= set(table_report()["missing"])


def test_a_hint_is_given_once():
    page = render(table_report())
    assert page.count("Give the station of each column") == 1
    assert page.count("Give the time of each row") == 1


def test_the_line_holds_every_condition_at_its_station():
    summary = line_report()
    stations = summary["line"]["stations"]
    held = [number for station in stations for number in station["conditions"]]
    rows = summary["conditions"]["rows"]
    assert sorted(held) == [row["number"] for row in rows]
    for station in stations:
        for number in station["conditions"]:
            assert rows[number - 1]["station"] == station["name"]
    assert [station["is_test"] for station in stations] == [False] * 5 + [True] * 3


def test_conditions_cover_together_what_a_union_covers():
    line, rows = small_line(), line_report()["conditions"]["rows"]
    together = [row["together"] for row in rows]
    assert together == sorted(together)
    assert together[0] == pytest.approx(rows[0]["coverage"])
    assert max(row["coverage"] for row in rows) <= together[-1] <= 1.0
    assert all(row["scrap"] <= line.y.sum() for row in rows)


def test_days_are_those_of_the_line():
    line, days = small_line(), line_report()["daily"]["rows"]
    assert sum(day["parts"] for day in days) == len(line.y)
    assert sum(day["scrap"] for day in days) == line.y.sum()
    assert [day["day"] for day in days] == sorted(
        set(line.time.astype("datetime64[D]").astype(str))
    )


def test_no_row_of_the_table_is_in_it():
    """Of measurements with all their digits none is found, whatever part of the summary."""
    text = json.dumps(line_report())
    numbers = set(re.findall(r"-?\d+\.\d+", text))
    X = small_line().X.select_dtypes("number")
    shared = {repr(float(value)) for value in X.to_numpy().ravel() if value % 1} & numbers
    assert shared == set()
    assert len(numbers) > 100


def test_the_same_seed_gives_the_same_summary():
    line = small_line()
    model = ImbalancedTreeClassifier(max_leaf_nodes=6).fit(line.X, line.y)
    found = line_report()["conditions"]
    again = [
        summarize(model, line.X, line.y, resampling=True, seed=5, costs=COSTS) for _ in range(2)
    ]
    assert again[0] == again[1]
    assert found is not None


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"costs": {"fp": 1, "miss": 2}}, "unknown entry 'miss'"),
        ({"costs": {"fp": -1, "fn": 2}}, "cost_fp"),
        ({"times": np.array(["2024-01-01"])}, "times must have one entry for each"),
    ],
)
def test_bad_input_is_named(changed, words):
    line = small_line()
    model = ImbalancedTreeClassifier(max_leaf_nodes=3, pruning=None).fit(line.X, line.y)
    with pytest.raises(ValueError, match=words):
        summarize(model, line.X, line.y, resampling=False, **changed)


def test_costs_may_be_left_out():
    assert read_costs(None) is None
