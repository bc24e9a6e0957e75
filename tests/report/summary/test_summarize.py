"""The summary: plain data, complete, and without a row of the table."""

import json
import re

import numpy as np
import pytest

from tests.report.reports import COSTS, hostile_report, line_report, small_line, table_report
from thresher import ImbalancedTreeClassifier
from thresher.report import summarize

REPORTS = {"line": line_report, "hostile": hostile_report, "table": table_report}


@pytest.mark.parametrize("name", REPORTS)
def test_json_holds_it(name):
    summary = REPORTS[name]()
    assert json.loads(json.dumps(summary, allow_nan=False)) == summary


def test_conditions_cover_together_what_a_union_covers():
    line, rows = small_line(), line_report()["conditions"]["rows"]
    together = [row["together"] for row in rows]
    assert together == sorted(together)
    assert together[0] == pytest.approx(rows[0]["coverage"])
    assert max(row["coverage"] for row in rows) <= together[-1] <= 1.0
    assert all(row["scrap"] <= line.y.sum() for row in rows)


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
    again = [summarize(model, line.X, line.y, seed=5, costs=COSTS) for _ in range(2)]
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
        summarize(model, line.X, line.y, **changed)
