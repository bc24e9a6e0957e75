"""Costs in columns and cuts of groups, from a table to decisions, judgement, file and report."""

import numpy as np
import pandas as pd
import pytest

from tests.program import refused, run
from tests.table_factory import Table
from thresher import train
from thresher.errors import ParameterError, TableError
from thresher.export import to_python
from thresher.plant import PlantModel


@pytest.fixture(scope="module")
def line():
    names, labels = ["torque", "speed", "line"], ("ok", "bad")
    X, y = Table(
        rows=1000, columns=2, levels=["xyz"], names=names, labels=labels, noise=0.7
    ).pandas()
    value = np.random.default_rng(0).lognormal(3.0, 1.0, 1000)
    return X.astype({"line": object}).assign(value=value, scrap=y)


@pytest.fixture(scope="module")
def by_cost(line):
    given = {"cost_fn_column": "value", "cost_fp": 5, "folds": 3, "pairs": False}
    return train(line.iloc[:700], "scrap", model="tree", rule="cost", leaves=8, **given)


def spent(rows, is_alert):
    truth = (rows["scrap"] == "bad").to_numpy()
    return float(
        np.where(is_alert, np.where(truth, 0.0, 5.0), np.where(truth, rows["value"], 0.0)).sum()
    )


def test_every_row_is_decided_by_its_own_cost(line, by_cost):
    new = line.iloc[700:]
    found = by_cost.predict_table(new)
    p, alert = found["probability"].to_numpy(), found["decision"].to_numpy() == "bad"
    np.testing.assert_array_equal(alert, p > 5.0 / (5.0 + new["value"].to_numpy()))
    usual = p > by_cost.estimator.threshold_
    assert (usual != alert).any()
    assert "value" not in by_cost.estimator.columns_.names


def test_the_judgement_counts_the_costs_of_its_rows(line, by_cost):
    judgement = by_cost.judgement
    rows = line.iloc[:700]
    truth = rows["scrap"] == "bad"
    assert judgement.rows == 700
    assert judgement.money.silent == pytest.approx(rows["value"][truth].sum())
    assert judgement.money.always == pytest.approx(5.0 * (~truth).sum())
    assert 5.0 * judgement.fp <= judgement.money.spent < judgement.money.silent
    assert judgement.cost_per_1000 == pytest.approx(1000 * judgement.money.spent / 700)
    assert "At the costs of each row, 5 for a false alarm and" in str(by_cost.verdict)
    assert "'value') of its row" in str(by_cost.verdict)
    recipe = by_cost.facts.recipe
    assert recipe.cost_fn == pytest.approx(rows["value"][truth].mean())


def test_new_rows_are_judged_in_money(line, by_cost):
    new = line.iloc[700:]
    alert = by_cost.predict_table(new)["decision"].to_numpy() == "bad"
    judged = by_cost.judge_decisions(by_cost.read(new, ["scrap"]), alert)
    assert judged.money.spent == pytest.approx(spent(new, alert))
    summary = by_cost.report(new).summary
    assert summary["slider"]["costs"]["fn"] == by_cost.facts.recipe.cost_fn
    assert summary["verdict"]["figures"][-1]["label"].startswith("saved per 1000")


def test_the_file_keeps_columns_and_money(line, by_cost, tmp_path):
    by_cost.save(tmp_path / "model.thresher")
    again = PlantModel.load(tmp_path / "model.thresher")
    assert again.estimator.row_cuts_ == by_cost.estimator.row_cuts_
    assert again.judgement == by_cost.judgement
    assert again.facts.recipe.as_data() == by_cost.facts.recipe.as_data()
    assert str(again.verdict) == str(by_cost.verdict)
    new = line.iloc[700:]
    pd.testing.assert_frame_equal(again.predict_table(new), by_cost.predict_table(new))
    assert "amount('value', row)" in to_python(again.estimator, verify=new)


def test_conditions_are_in_money_of_their_rows(line, by_cost):
    rows, table = line.iloc[:700], by_cost.conditions
    truth = (rows["scrap"] == "bad").to_numpy()
    leaves = by_cost.reader.apply(rows[["torque", "speed", "line"]])
    assert len(table)
    for place, (n, money) in enumerate(zip(table.training.n, table.money, strict=True)):
        own = np.isin(leaves, [leaf for leaf, at in table.place_of_leaf.items() if at == place])
        value = rows["value"].to_numpy()[own & truth].mean()
        unseen = table.held.rate[place]
        rate = table.training.rate[place] if np.isnan(unseen) else unseen
        assert money == pytest.approx(n * (rate * value - (1.0 - rate) * 5.0))


def test_what_cannot_be_is_said(line, by_cost):
    with pytest.raises(TableError, match="has no column 'value'; it holds the costs of rows"):
        by_cost.predict_table(line.drop(columns="value"))
    with pytest.raises(TableError, match=r"must be finite and not negative, got -1\.0 in row 2"):
        by_cost.predict_table(line.assign(value=line["value"].where(line.index != 2, -1.0)))
    with pytest.raises(ParameterError, match="has a cut for each row"):
        by_cost.with_threshold(0.3)
    with pytest.raises(ParameterError, match="Columns with costs are for rule='cost'"):
        train(line, "scrap", rule="f1", cost_fn_column="value", cost_fp=1)
    with pytest.raises(ParameterError, match="cost_fn= and cost_fn_column= are both given"):
        train(line, "scrap", rule="cost", cost_fn_column="value", cost_fn=1, cost_fp=1)
    with pytest.raises(ParameterError, match="cost_fp and cost_fn belong together"):
        train(line, "scrap", rule="cost", cost_fn_column="value")
    with pytest.raises(TableError, match="threshold_by='value' is no column that is learnt from"):
        train(line, "scrap", threshold_by="value", ignore="value")


def test_groups_have_cuts_of_their_own(line, tmp_path):
    random = np.random.default_rng(1)
    more = (line["line"] == "x") & (random.random(len(line)) < 0.25)
    rows = line.drop(columns="value").assign(scrap=np.where(more, "bad", line["scrap"]))
    given = {"model": "tree", "leaves": 4, "folds": 3, "pairs": False, "pruning": "none"}
    model = train(rows.iloc[:700], "scrap", threshold_by="line", **given)
    cuts = dict(zip(model.estimator.row_cuts_.groups, model.estimator.row_cuts_.cuts, strict=True))
    assert set(cuts) == {"x", "y", "z"}
    new = rows.iloc[700:].copy()
    new.loc[new.index[:9], "line"] = "unknown"
    found = model.predict_table(new)
    cut = new["line"].map(cuts).fillna(model.estimator.threshold_).to_numpy()
    alert = found["decision"].to_numpy() == "bad"
    np.testing.assert_array_equal(alert, found["probability"].to_numpy() > cut)
    assert "the cut of its group by 'line'" in str(model.verdict)
    model.save(tmp_path / "model.thresher")
    again = PlantModel.load(tmp_path / "model.thresher")
    assert again.estimator.row_cuts_ == model.estimator.row_cuts_
    features = new[["torque", "speed", "line"]]
    np.testing.assert_array_equal(again.estimator.predict(features) == "bad", alert)
    assert model.report(rows.iloc[700:]).html


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["forest", "boosted"])
def test_a_table_is_decided_as_its_estimator_decides(line, kind):
    given = {"model": kind, "folds": 2, "pairs": False}
    rows, new = line.iloc[:250], line.iloc[700:].copy()
    new.loc[new.index[:9], "torque"] = np.nan
    model = train(rows, "scrap", rule="cost", cost_fn_column="value", cost_fp=5, **given)
    answers = model.estimator.decide(new[["torque", "speed", "line"]], cost_fn=new["value"])
    found = model.predict_table(new)
    np.testing.assert_array_equal(answers == "pass", found["decision"] == "ok")
    model = train(rows.drop(columns="value"), "scrap", threshold_by="line", **given)
    new.loc[new.index[9:30], "line"] = "unknown"
    answers = model.estimator.decide(new[["torque", "speed", "line"]])
    found = model.predict_table(new.drop(columns="value"))
    np.testing.assert_array_equal(answers == "pass", found["decision"] == "ok")
    assert {*answers} == {"alert", "pass"}


def test_the_command_line_takes_columns_with_costs(line, tmp_path):
    line.iloc[:700].to_csv(tmp_path / "line.csv", index=False)
    line.iloc[700:].to_csv(tmp_path / "new.csv", index=False)
    line.drop(columns="value").to_csv(tmp_path / "without.csv", index=False)
    out = tmp_path / "out"
    shape = ["--model", "tree", "--leaves", "8", "--folds", "2", "--no-pairs", "--no-report"]
    costs = ["--cost-fn-column", "value", "--cost-fp", "5"]
    table = [tmp_path / "line.csv", "--target", "scrap", "--out", out]
    done = run("train", *table, *shape, *costs)
    assert done.exit_code == 0, done.output
    assert "At the costs of each row" in done.output
    predicted = tmp_path / "predicted.csv"
    done = run("predict", out, tmp_path / "new.csv", "--out", predicted)
    assert done.exit_code == 0, done.output
    assert "By the costs of rows:" in done.output
    found = pd.read_csv(predicted)
    alert = found["decision"] == "bad"
    assert (alert == (found["probability"] > 5.0 / (5.0 + found["value"]))).all()
    done = run("predict", out, tmp_path / "without.csv")
    refused(done, 3, "no column 'value'")
    verify = ["--verify", tmp_path / "new.csv"]
    done = run("export", out, "--to", "sql", "--table", "t", *verify)
    assert done.exit_code == 0, done.output
