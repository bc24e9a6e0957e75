"""Deep trees cost what their nodes cost: nothing is done for each node of each way."""

import tracemalloc
from functools import partial

import numpy as np
import pytest

from tests.processor_time import least_time
from tests.tree.chains import chain_model
from thresher import find_conditions
from thresher.condition.firing import fired
from thresher.export import to_python, to_sql
from thresher.tree.text import MAX_INDENTS

USES = {
    "text": lambda model: find_conditions(model, output="text"),
    "frame": find_conditions,
    "conditions as json": lambda model: find_conditions(model, output="json"),
    "sql of conditions": lambda model: find_conditions(model, output="sql"),
    "export_text": lambda model: model.export_text(),
    "to_sql": lambda model: to_sql(model, "parts"),
    "to_python": to_python,
}


@pytest.mark.parametrize("use", USES)
def test_four_times_as_many_splits_take_about_four_times_as_long(use):
    short, long = (least_time(partial(USES[use], chain_model(depth))) for depth in (1000, 4000))
    assert long < 8 * short


def test_a_deep_leaf_has_two_bounds_a_column():
    table = find_conditions(chain_model(4000), output="table")
    deepest = table.conditions[table.place_of_leaf[4000]]
    assert deepest.text() == " and ".join(
        f"c{place} <= {bound} (or missing)" for place, bound in ((0, 1), (1, 3), (2, 2))
    )


def test_alerts_far_down_a_chain_name_all_their_conditions():
    table = find_conditions(chain_model(600, n_columns=600), output="table")
    leaves = np.array([1200, 1199, 1200, 600, 1198])
    texts = fired(table, leaves, np.array([True, True, True, True, False]))
    assert texts[0] == texts[2] == "c0 > 600"
    assert texts[1] == "c0 <= 600 (or missing) and c1 > 599"
    assert texts[3].count(" and ") == 599
    assert texts[4] == ""


def test_the_indent_of_a_line_is_limited():
    model = chain_model(300)
    lines = model.export_text().splitlines()
    assert max(map(len, lines)) < 4 * MAX_INDENTS + 80
    assert lines[MAX_INDENTS].startswith("|   " * (MAX_INDENTS - 1) + "|-- c0 <= ")
    assert lines[300].startswith("[300] |   ")


def test_the_path_of_a_row_takes_memory_for_itself():
    model = chain_model(4000)
    X = np.full((2, 3), -1.0)
    X[1] = 1e9
    tracemalloc.start()
    paths = model.tree_.decision_path(model.tree_.leaves(X))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert paths[0].indices.tolist() == list(range(4001))
    assert paths[1].indices.tolist() == [0, 8000]
    assert peak < 4 * 2**20
