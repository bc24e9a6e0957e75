"""The public function: columns, sources of evidence, outputs, and errors of one sentence."""

import json
import sqlite3

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression
from statsmodels.stats.multitest import multipletests

from tests.condition.random_trees import random_tree
from tests.table_factory import Table
from thresher import (
    ImbalancedForestClassifier,
    ImbalancedTreeClassifier,
    LeastSquaresClassifier,
    ThresholdClassifier,
    find_conditions,
)
from thresher.condition.table import CHANCE, ConditionTable
from thresher.datasets import make_assembly_line

QUICK = {"n_permutations": 39, "n_bootstrap": 5, "cv": 3}
HELD = ["holdout_parts", "holdout_scrap", "holdout_rate", "holdout_rate_low", "holdout_rate_high"]


@pytest.fixture(scope="module")
def line():
    return make_assembly_line(random_state=0)


@pytest.fixture(scope="module")
def model(line):
    return ImbalancedTreeClassifier(max_leaf_nodes=16).fit(line.X, line.y)


@pytest.fixture(scope="module")
def found(line, model):
    costs = {"cost_fp": 5.0, "cost_fn": 80.0}
    return find_conditions(model, line.X, line.y, stages=line.stages, **costs, **QUICK)


def test_rows_are_counted(line, found):
    for row in found.itertuples():
        parts = line.X.assign(y=line.y).query(
            row.text.replace(" = night", " == 'night'").replace("{B, D}", "['B', 'D']")
        )
        assert (row.parts, row.scrap) == (len(parts), parts.y.sum())
        assert row.rate == pytest.approx(row.scrap / row.parts)
        assert row.rate_low < row.rate < row.rate_high
        assert row.lift == pytest.approx(row.rate / line.y.mean())
        assert row.coverage == pytest.approx(row.scrap / line.y.sum())
    assert found.scrap.is_monotonic_decreasing


def test_planted_conditions_are_found_with_evidence(line, found):
    assert len(found) == 4
    assert set(found.stage) == {condition.stage for condition in line.truth}
    assert (found.p_value == 0.025).all()  # 1 / (39 + 1), the least that 39 permutations can tell
    assert (found.state == "confirmed").all()
    assert (found.stability == 1.0).all()
    assert (abs(found.holdout_rate - 0.86) < 0.1).all()


def test_money_is_at_the_hold_out_rate(found):
    rate = found.holdout_rate
    np.testing.assert_allclose(found.money, found.parts * (80 * rate - 5 * (1 - rate)))


def test_without_rows_there_are_training_counts_only(model):
    table = find_conditions(model)
    leaves = table.leaves.astype(int)
    np.testing.assert_array_equal(table.parts, model.tree_.rows[leaves].sum(axis=1))
    np.testing.assert_array_equal(table.scrap, model.tree_.rows[leaves, 1])
    assert table[[*HELD, "p_value", "stability", "money", "stage"]].isna().all(axis=None)
    assert (table.state == "not tested").all()
    assert table.coverage.sum() == pytest.approx(
        model.tree_.rows[leaves, 1].sum() / model.tree_.rows[0, 1]
    )


def test_hold_out_rows(line, model):
    other = make_assembly_line(random_state=1)
    table = find_conditions(model, line.X, line.y, X_test=other.X, y_test=other.y, n_bootstrap=0)
    with sqlite3.connect(":memory:") as database:
        other.X.assign(y=other.y).to_sql("parts", database, index=False)
        for row in table.itertuples():
            query = f"SELECT count(*), sum(y) FROM parts WHERE {row.sql}"
            assert database.execute(query).fetchone() == (row.holdout_parts, row.holdout_scrap)
    database.close()
    assert (table.p_value < 1e-20).all()
    assert table.stability.isna().all()


def test_hold_out_p_values_are_adjusted_by_holm():
    model, table, y = random_tree(3, max_leaf_nodes=12)
    _, other, y_other = random_tree(4)
    held = find_conditions(model, X_test=other, y_test=y_other, output="table").held
    from scipy.stats import hypergeom

    raw = hypergeom.sf(held.hits - 1, len(other), y_other.sum(), held.n)
    shown = find_conditions(model, X_test=other, y_test=y_other)
    np.testing.assert_allclose(shown.p_value, multipletests(raw, method="holm")[1])
    assert len(shown) > 2
    assert len(find_conditions(model, table, y, **QUICK)) > 0


def test_not_shortened_conditions_are_the_decision(line, model):
    table = find_conditions(
        model, line.X, line.y, shorten=False, cv=None, n_permutations=0, n_bootstrap=0
    )
    alarms = (model.predict(line.X) == 1).sum()
    assert table.parts.sum() == alarms
    assert table[[*HELD, "p_value", "stability"]].isna().all(axis=None)


def test_same_seed_same_table(line, model, found):
    again = find_conditions(
        model, line.X, line.y, stages=line.stages, cost_fp=5.0, cost_fn=80.0, n_jobs=2, **QUICK
    )
    pd.testing.assert_frame_equal(found, again)


@pytest.mark.parametrize("kind", ["polars", "pyarrow"])
def test_frame_is_of_the_users_kind(kind):
    line = make_assembly_line(1000, as_frame=kind, random_state=0)
    model = ImbalancedTreeClassifier(max_leaf_nodes=12).fit(line.X, line.y)
    table = find_conditions(model, line.X, line.y, n_permutations=0, n_bootstrap=0, cv=2)
    assert type(table).__module__.split(".")[0] == kind
    if kind == "polars":
        assert table["p_value"].null_count() == len(table)


def test_text_json_and_sql(line, model):
    table = find_conditions(model, line.X, line.y, stages=line.stages, output="table", **QUICK)
    assert isinstance(table, ConditionTable)
    text = table.to_text()
    assert "torque_3 <= 11.1993 and supplier in {B, D}" in text
    assert "known at S3 shaft" in text
    data = json.loads(table.to_json())
    assert data["parts"] == 5000
    assert data["evidence"] == "out of fold"
    assert [row["text"] for row in data["conditions"]] == list(table.texts)
    with sqlite3.connect(":memory:") as database:
        line.X.to_sql("parts", database, index=False)
        (count,) = database.execute(f"SELECT count(*) FROM parts WHERE {table.to_sql()}").fetchone()
    database.close()
    assert max(table.training.n) < count <= table.training.n.sum()


def test_no_condition():
    X, y = Table(rows=100, columns=2).numpy()
    model = ImbalancedTreeClassifier(max_depth=1, threshold=1.0, pruning=None).fit(X, y)
    assert len(find_conditions(model, X, y)) == 0
    assert find_conditions(model, output="text") == "No condition leads to 1.\n"
    assert find_conditions(model, output="sql") == "1 = 0"


def test_threshold_around_a_tree(line):
    tree = ImbalancedTreeClassifier(max_leaf_nodes=16)
    model = ThresholdClassifier(tree, "cost", cost_fp=1, cost_fn=40, n_bootstrap=0)
    model.fit(line.X, line.y)
    table = find_conditions(
        model, line.X, line.y, shorten=False, n_permutations=0, n_bootstrap=0, cv=None
    )
    assert table.parts.sum() == (model.predict(line.X) == 1).sum()
    # A cheap alarm makes more leaves positive.
    assert len(table) > len(find_conditions(model.estimator_))


def test_forest_is_read_through_the_tree_that_imitates_it():
    line = make_assembly_line(1500, random_state=2)
    forest = ImbalancedForestClassifier(30, random_state=0).fit(line.X, line.y)
    options = {"max_leaf_nodes": 8, "shorten": False, "cv": None}
    table = find_conditions(forest, line.X, line.y, n_permutations=0, n_bootstrap=2, **options)
    tree = forest.to_tree(max_leaf_nodes=8)
    assert table.parts.sum() == (tree.predict(line.X) == 1).sum()
    assert table.stability.isin([0.0, 0.5, 1.0]).all()
    other = make_assembly_line(1500, random_state=3)
    held = find_conditions(forest, X_test=other.X, y_test=other.y, max_leaf_nodes=8)
    assert held.p_value.min() < 1e-6


def test_a_leaf_that_no_training_row_reaches_is_no_condition():
    X, y = Table(5, rows=150, columns=4, share=0.07, signal=lambda X: X.sum(axis=1)).numpy()
    forest = ImbalancedForestClassifier(20, random_state=0).fit(X, y)
    tree = forest.to_tree(32, cv=None)
    is_alert = tree.tree_.is_leaf & (tree.node_answers == "alert")
    is_empty = tree.tree_.rows.sum(axis=1) == 0
    assert (is_alert & is_empty).any()
    options = {"shorten": False, "cv": None, "n_permutations": 0, "n_bootstrap": 0}
    for rows in ((), (X, y)):
        table = find_conditions(forest, *rows, output="table", **options)
        assert table.training.n.min() > 0
        assert sorted(table.place_of_leaf) == np.flatnonzero(is_alert & ~is_empty).tolist()


def test_large_tables_are_sampled():
    line = make_assembly_line(6000, random_state=1)
    model = ImbalancedTreeClassifier(max_leaf_nodes=16).fit(line.X, line.y)
    options = {"cv": None, "n_permutations": 19, "n_bootstrap": 10, "output": "table"}
    whole = find_conditions(model, line.X, line.y, **options)
    part = find_conditions(model, line.X, line.y, max_rows=2500, **options)
    assert part.conditions == whole.conditions
    assert (part.training.n == whole.training.n).all()
    assert part.p_value[:4].tolist() == [0.05] * 4
    assert part.stability[:4].min() >= 0.8
    random = np.random.default_rng(0)
    noise = random.permutation(line.y)
    model.set_params(threshold=0.2).fit(line.X, noise)
    chance = find_conditions(model, line.X, noise, max_rows=2500, **options)
    assert chance.p_value.min() > 0.05
    assert set(chance.states) == {CHANCE}
    assert "may be chance" in chance.to_text()


def test_labels_and_positive_class_of_any_kind():
    model, X, y = random_tree(0)
    names = np.array(["good", "bad"])[y]
    named = ImbalancedTreeClassifier(threshold=0.3, pruning=None).fit(X, names)
    columns = ["text", "parts", "scrap", "p_value", "stability", "holdout_rate"]
    expected = find_conditions(model, X, y, **QUICK)[columns]
    pd.testing.assert_frame_equal(find_conditions(named, X, names, **QUICK)[columns], expected)


def test_weights_are_used_when_the_model_is_fitted_again():
    X, y = Table(rows=300, columns=1).numpy()
    X = np.c_[X, X[::-1]]
    weights = np.where(X[:, 1] > 0, 1.0, 0.0)
    model = ImbalancedTreeClassifier().fit(X, y, sample_weight=weights)
    table = find_conditions(model, X, y, sample_weight=weights, **QUICK)
    assert table.stability.max() == 1.0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (lambda line: {"X": line.X}, "Give X and y"),
        (lambda line: {"X_test": line.X}, "Give X_test and y_test"),
        (lambda line: {"cost_fp": 1.0}, "Give cost_fp and cost_fn"),
        (lambda line: {"output": "html"}, "output='html' is unknown"),
        (lambda line: {"X": line.X[::2], "y": line.y[::2]}, "are not the rows"),
        (lambda line: {"X": line.X, "y": line.y[1:]}, "X has 5000 rows, but y has 4999"),
        (
            lambda line: {"X_test": line.X, "y_test": 0 * line.y},
            "y_test has no row of the positive",
        ),
        (lambda line: {"X_test": line.X, "y_test": np.arange(5000) % 3}, "must have two classes"),
        (lambda line: {"stages": {"flow": "EOL"}}, "stages does not tell the stage"),
        (lambda line: {"n_permutations": -1}, "n_permutations must be at least 0"),
    ],
)
def test_bad_arguments(line, model, arguments, message):
    with pytest.raises(ValueError, match=message):
        find_conditions(model, **arguments(line))


def test_other_models_are_refused():
    with pytest.raises(TypeError, match=r"reads classifiers of two classes.*got LinearRegression"):
        find_conditions(LinearRegression().fit([[0.0], [1.0], [2.0]], [0, 0, 1]))
    model = LeastSquaresClassifier().fit([[0.0], [1.0], [2.0]], [0, 0, 1])
    with pytest.raises(ValueError, match="imitates it: give X and y"):
        find_conditions(model)


def test_a_rule_that_permuted_labels_cannot_keep_finds_no_condition_there():
    """Labels that mean nothing reach no such precision; the p-value is told all the same."""
    X, y = Table(rows=300, columns=1, share=0.2, noise=0.05).numpy()
    forest = ImbalancedForestClassifier(20, rule="recall_at_precision", floor=0.9, random_state=0)
    found = find_conditions(
        forest.fit(X, y), X, y, n_permutations=19, n_bootstrap=3, output="table", random_state=0
    )
    assert found.columns()["p_value"][0] == pytest.approx(1 / 20)
