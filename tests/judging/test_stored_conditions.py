"""Conditions that were written are read again as they were."""

import json

import numpy as np
import pytest

from tests import many_levels
from thresher import ImbalancedTreeClassifier, find_conditions
from thresher.errors import DamagedModelError
from thresher.matrix import read_matrix
from thresher.model_file.fields import Record
from thresher.plant.store import read_conditions

pd = pytest.importorskip("pandas")


@pytest.fixture(scope="module")
def table_and_columns():
    """Scrap of a silent sensor, of much force, and of one supplier at high heat."""
    random = np.random.default_rng(0)
    n = 1500
    X = pd.DataFrame(
        {
            "sensor": np.where(random.random(n) < 0.1, np.nan, random.integers(3, size=n)),
            "force": random.normal(size=n),
            "heat": random.normal(size=n),
            "supplier": random.choice(["A", "B", "C"], n),
        }
    )
    scrap = X.sensor.isna() | (X.force > 1.8) | ((X.supplier == "B") & (X.heat > 1.0))
    model = ImbalancedTreeClassifier(max_leaf_nodes=8).fit(X, scrap)
    found = find_conditions(
        model, X, scrap, n_permutations=19, n_bootstrap=5, cost_fp=5, cost_fn=80, output="table"
    )
    return found, read_matrix(X)[1], model.tree_.n_nodes


def test_clauses_are_those_that_were_written(table_and_columns):
    table, columns, n_nodes = table_and_columns
    texts = {str(clause) for one in table.conditions for clause in one.clauses}
    assert "sensor is missing" in texts
    again = read_conditions(Record(json.loads(table.to_json()), "it"), columns, n_nodes)
    assert again.states == table.states
    assert again.conditions == table.conditions
    assert again.to_sql() == table.to_sql()
    assert again.to_json() == table.to_json()


def test_a_clause_on_missing_values_cannot_be_taken_for_none(table_and_columns):
    table, *_ = table_and_columns
    rows = json.loads(table.to_json())["conditions"]
    (silent,) = (row for row in rows if row["text"] == "sensor is missing")
    assert silent["clauses"] == [{"column": "sensor", "present": False, "missing": True}]


@pytest.mark.parametrize("label", [True, False])
def test_other_levels_are_read_again_and_told(label):
    table, y = many_levels.random_table(1)
    model = ImbalancedTreeClassifier(max_leaf_nodes=12, pos_label=label).fit(table, y)
    found = find_conditions(model, output="table")
    data = json.loads(found.to_json())
    again = read_conditions(Record(data, "it"), model.columns_, model.tree_.n_nodes)
    assert again.conditions == tuple(found.conditions)
    clauses = [clause for row in data["conditions"] for clause in row["clauses"]]
    of_cavity = [clause for clause in clauses if clause["column"] == "cavity"]
    assert (not label) in {clause["unnamed_levels"] for clause in of_cavity}
    del of_cavity[0]["unnamed_levels"]
    with pytest.raises(DamagedModelError, match="lacks 'unnamed_levels'"):
        read_conditions(Record(data, "it"), model.columns_, model.tree_.n_nodes)
