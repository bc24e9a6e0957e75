"""`thresher threshold` as a user runs it."""

import json
import re

import numpy as np
import pytest

from tests.program import read_csv, refused, run
from thresher.judging.verdict import PROMISED_ON
from thresher.model_file.file import read_model, write_model
from thresher.plant import PlantModel


def choose(plant, *options):
    done = run("threshold", plant.out, *options, "--json")
    assert done.exit_code == 0, done.stderr
    return json.loads(done.stdout)


def test_the_present_threshold(plant):
    done = run("threshold", plant.out)
    assert done.exit_code == 0, done.stderr
    assert "precision" in done.stdout
    now = choose(plant)["now"]
    assert now["threshold"] == plant.result["threshold"]
    assert sum(now[name] for name in ("tn", "fp", "fn", "tp")) == 1000


def test_f1_is_the_rule_that_it_was_trained_by(plant):
    found = choose(plant, "--rule", "f1")
    assert found["new"] == found["now"]
    assert found["now"] == {
        "threshold": plant.result["threshold"],
        "alerts_on": None,
        "promise": None,
        **plant.result["judged"],
    }


def test_costs_of_the_training_are_known(plant):
    found = choose(plant, "--rule", "cost")
    assert found["new"]["threshold"] == 5 / 85
    now = found["now"]
    assert now["cost_per_1000"] == pytest.approx(5 * now["fp"] + 80 * now["fn"])


def test_a_budget_is_kept_and_the_model_moved(plant, tmp_path):
    out, curve = tmp_path / "model.thresher", tmp_path / "curve.csv"
    budget = choose(plant)["now"]["alerts_per_1000"] * 0.8
    found = choose(plant, "--rule", "budget", "--per-1000", budget, "--out", out, "--curve", curve)
    rows = read_csv(curve.read_text(encoding="utf-8"))
    kept = [row for row in rows if float(row["alerts_per_1000"]) <= budget]
    best = max(float(row["tp"]) for row in kept)
    (chosen,) = {
        row["tp"]
        for row in kept
        if float(row["tp"]) == best and float(row["threshold"]) <= found["new"]["threshold"]
    }
    assert float(chosen) == best
    # Judged on rows that did not choose, a budget is kept about, not exactly.
    assert found["new"]["alerts_per_1000"] < found["now"]["alerts_per_1000"]
    moved = PlantModel.load(out)
    assert moved.estimator.threshold_ == found["new"]["threshold"]
    threshold, tree = moved.estimator.threshold_, moved.reader.tree_
    assert threshold > plant.result["threshold"]
    leaves = {leaf for one in moved.conditions.conditions for leaf in one.leaves}
    assert set(np.flatnonzero(tree.is_leaf & (tree.probability > threshold))) <= leaves
    done = run("predict", out, plant.parts, "--id", "part")
    rows = read_csv(done.stdout)
    alerts = [row for row in rows if row["decision"] == "1"]
    assert alerts
    assert all(float(row["probability"]) > threshold for row in alerts)
    assert all(row["condition"] for row in alerts)


def test_a_lower_threshold_adds_conditions(plant, tmp_path):
    out = tmp_path / "model.thresher"
    choose(plant, "--set", 0.01, "--out", out)
    before, after = PlantModel.load(plant.out).conditions, PlantModel.load(out).conditions
    assert set(before.texts) < set(after.texts)
    done = run("predict", out, plant.parts, "--id", "part")
    for row in read_csv(done.stdout):
        assert (float(row["probability"]) > 0.01) == bool(row["condition"])


def test_a_floor_with_a_confidence_is_promised(plant):
    found = choose(plant, "--floor", 0.7, "--confidence", 0.9)
    promise = found["new"]["promise"]
    assert (promise["what"], promise["bound"], promise["confidence"]) == ("recall", 0.7, 0.9)
    assert not promise["exact"]
    assert found["now"]["promise"] is None
    shown = run("threshold", plant.out, "--floor", 0.7, "--confidence", 0.9).stdout
    assert "Recall is at least 0.7 with confidence 0.9 (measured:" in " ".join(shown.split())
    assert " ".join(shown.split()).endswith(PROMISED_ON)
    assert PROMISED_ON not in " ".join(run("threshold", plant.out).stdout.split())


@pytest.mark.parametrize(
    ("required", "missed"),
    [
        (["recall=0.01", "precision=0", "f1=0.01", "positives=10", "alerts=999", "cost=1e6"], ""),
        (["recall=0.999"], r"recall is 0\.\d+ on held-out rows, --require recall=0\.999\."),
        (["alerts=0.1", "cost=1"], r"alerts is .*, --require alerts=0\.1; cost is .* cost=1\."),
        (["positives=1e6"], r"positives is 1?\d\d on held-out rows, --require positives=1e\+06\."),
    ],
)
def test_gates(plant, required, missed, tmp_path):
    options = [part for text in required for part in ("--require", text)]
    done = run("threshold", plant.out, *options)
    assert done.exit_code == (4 if missed else 0), done.stderr
    assert re.search(f"Error: Gate not met: {missed}\n" if missed else "", done.stderr)
    moved = ("--set", 0.99, "--out", tmp_path / "m.thresher")
    done = run("threshold", plant.out, *moved, "--require", "precision=0.1", "--require", "f1=0.9")
    assert done.exit_code == 4
    assert done.stderr.endswith("The files were written.\n")
    assert (tmp_path / "m.thresher").exists()


@pytest.mark.parametrize("text", ["recal=0.5", "recall", "recall=2", "cost=nan", "=1", "f1=high"])
def test_gates_that_are_none_are_refused(plant, text):
    refused(run("threshold", plant.out, "--require", text), 2, f"{text!r} is not NAME=NUMBER")


@pytest.mark.parametrize(
    ("options", "code", "expected"),
    [
        (["--rule", "f1", "--set", "0.5"], 2, "Give --rule or --set, not both."),
        (["--out", "x.json"], 2, "--out needs a new threshold: give --rule or --set."),
        (["--rule", "budget"], 2, "needs --per-1000"),
        (["--set", "1.5"], 2, "--set"),
        (["--set", "0.5", "--floor", "0.5"], 2, "Give --rule or --set, not both."),
        (["--confidence", "0.9"], 2, "--confidence needs --rule, which it is for."),
        (["--floor", "0.999", "--confidence", "0.9"], 4, "2302 positives are needed"),
        (["--rule", "budget", "--per-1000", "0.001"], 4, "No threshold that makes an alert"),
    ],
)
def test_bad_options(plant, options, code, expected):
    done = run("threshold", plant.out, *options)
    assert done.exit_code == code, done.stderr
    assert expected in " ".join(done.stderr.split())


def test_scores_that_are_damaged_are_not_used(plant, tmp_path):
    stored = read_model(plant.out / "model.thresher")
    scores = stored.notes["facts"]["scores"]
    scores["positive"] = scores["positive"][:-1].copy()
    write_model(stored, tmp_path / "model.thresher")
    done = run("threshold", tmp_path / "model.thresher")
    refused(done, 3, "is a damaged model file: notes.facts.scores.positive has the wrong shape")
