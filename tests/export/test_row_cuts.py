"""Models that cut row by row decide the same in every place that they are exported to."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

from tests.export.engines import (
    feeds,
    in_duckdb,
    in_onnxruntime,
    in_postgresql,
    in_python,
    in_sqlite,
)
from tests.table_factory import Table
from thresher import ImbalancedForestClassifier, ImbalancedTreeClassifier, ThresholdClassifier
from thresher.export import to_onnx, to_python, to_sql
from thresher.export.readers import read_scoring

VALUE, FEE = 'the "value"', "fee; --"


def made_table(seed, kind):
    levels = ("A", "a", "naïve ☃", "b") if kind == "text" else (1.5, -1.0, 4.0, 6.5)
    names = ("torque", "speed", "it's line")
    X, y = Table(seed, columns=2, levels=[levels], names=names, noise=1.0).pandas()
    random = np.random.default_rng(seed)
    costs = {VALUE: random.lognormal(2.0, 1.0, len(y)), FEE: random.uniform(0.0, 3.0, len(y))}
    return X.astype({"it's line": type(levels[0])}), y, pd.DataFrame(costs)


def everywhere(model, rows, duck, postgres, costs=None, **columns):
    """Compare decisions in all engines with what predict says; cost columns are in `costs`."""
    given = {} if costs is None else {name: costs[column] for name, column in columns.items()}
    names = {f"{name}_column": column for name, column in columns.items()}
    expected = model.predict(rows, **given).tolist()
    assert 0 < sum(expected) < len(expected)
    whole = rows if costs is None else pd.concat([rows, costs[list(columns.values())]], axis=1)
    found = {
        "python": in_python(to_python(model, **names, verify=whole), whole),
        "sqlite": in_sqlite(to_sql(model, "parts", "sqlite", **names, verify=whole), whole),
        "duckdb": in_duckdb(duck, to_sql(model, "parts", "duckdb", **names), whole),
        "postgresql": in_postgresql(postgres, to_sql(model, "parts", "postgresql", **names), whole),
        "lateral": in_postgresql(
            postgres, to_sql(model, "parts", "postgresql", keep=("id",), **names), whole
        ),
    }
    for engine, answers in found.items():
        assert [answer[1] for answer in answers] == expected, engine
    inputs = feeds(rows, read_scoring(model).levels, "float64")
    if costs is not None:
        inputs |= {one: costs[one].to_numpy()[:, None] for one in columns.values()}
    exported = to_onnx(model, dtype="float64", **names, verify=whole)
    assert in_onnxruntime(exported, inputs)[0].tolist() == expected
    assert to_onnx(model, **names, verify=whole.iloc[:50])


MODELS = {
    "tree": ThresholdClassifier(ImbalancedTreeClassifier(max_depth=5), "cost", n_bootstrap=0),
    "forest": ImbalancedForestClassifier(
        8, rule="cost", gain_tp=0.5, gain_tn=0.1, n_bootstrap=0, random_state=0
    ),
    "budget": ImbalancedForestClassifier(
        8, rule="budget", per_1000=120, correct_prior=True, n_bootstrap=0, random_state=0
    ),
}


@pytest.mark.parametrize("name", MODELS)
def test_costs_of_rows(name, duck, postgres):
    X, y, costs = made_table(0, "text")
    model = MODELS[name].fit(X, y, cost_fp=costs[FEE], cost_fn=costs[VALUE])
    everywhere(model, X, duck, postgres, costs, cost_fp=FEE, cost_fn=VALUE)
    if name != "budget":
        everywhere(model, X, duck, postgres, costs, cost_fn=VALUE)


def test_costs_of_rows_beside_a_line(duck, postgres):
    X, y, costs = made_table(1, "number")
    model = ThresholdClassifier(LogisticRegression(), "cost", n_bootstrap=0).fit(X, y)
    everywhere(model, X, duck, postgres, costs, cost_fp=FEE, cost_fn=VALUE)


def test_a_row_that_costs_nothing_or_has_no_cost():
    X, y, _ = made_table(2, "number")
    model = ThresholdClassifier(LogisticRegression(), "cost", n_bootstrap=0).fit(X, y)
    rows = X.iloc[:3].assign(**{FEE: [0.0, np.nan, 1.0], VALUE: [0.0, 1.0, 0.0]})
    query = to_sql(model, "parts", "sqlite", cost_fp_column=FEE, cost_fn_column=VALUE)
    assert [answer[1] for answer in in_sqlite(query, rows)] == [0, None, 0]
    text = to_python(model, cost_fp_column=FEE, cost_fn_column=VALUE)
    with pytest.raises(ValueError, match="'fee; --' must hold a cost, finite and not negative"):
        in_python(text, rows)


@pytest.mark.parametrize("kind", ["text", "number"])
@pytest.mark.parametrize("name", ["tree", "forest", "line"])
def test_cuts_of_groups(name, kind, duck, postgres):
    X, y, _ = made_table(3, kind)
    given = {"threshold_by": "it's line", "n_bootstrap": 0}
    if name == "line":
        if kind == "text":
            return
        model = ThresholdClassifier(LogisticRegression(), "f1", **given)
    elif name == "tree":
        tree = ImbalancedTreeClassifier(max_depth=4)
        model = ThresholdClassifier(tree, "bcr", **given)
    else:
        model = ImbalancedForestClassifier(8, rule="f1", random_state=0, **given)
    model.fit(X, y)
    assert len({*model.thresholds_.values()}) > 1
    rows = X.copy()
    rows.loc[:20, "it's line"] = "unknown" if kind == "text" else 77.0
    if name != "line":
        rows.loc[20:30, "it's line"] = None
    everywhere(model, rows, duck, postgres)


def test_costs_are_asked_of_models_that_decide_by_them():
    X, y, _ = made_table(4, "text")
    forest = ImbalancedForestClassifier(4, random_state=0, n_bootstrap=0).fit(X, y)
    with pytest.raises(ValueError, match="are for models that decide by costs"):
        to_sql(forest, "parts", cost_fn_column="value")
    grouped = ImbalancedForestClassifier(
        4, random_state=0, n_bootstrap=0, threshold_by="it's line"
    ).fit(X, y)
    with pytest.raises(ValueError, match="so it takes no cost columns"):
        to_python(grouped, cost_fn_column="value")


def test_a_wrong_cost_column_is_refused_where_rows_verify():
    X, y, _ = made_table(5, "number")
    model = ThresholdClassifier(LogisticRegression(), "cost", n_bootstrap=0).fit(X, y)
    with pytest.raises(ValueError, match="X has no column 'value'"):
        to_sql(model, "parts", "sqlite", cost_fn_column="value", verify=X)
    with pytest.raises(ValueError, match=r"cost_fn must be finite and not negative, got -1\.0"):
        to_sql(model, "parts", "sqlite", cost_fn_column="v", verify=X.assign(v=-1.0))
    with pytest.raises(ValueError, match="cost column 'X' cannot be an input"):
        to_onnx(model, cost_fn_column="X")
