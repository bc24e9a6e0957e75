"""The studies can be run, their pages are filled, and what they compute follows a law each."""

import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, f1_score
from sklearn.model_selection import StratifiedKFold, cross_val_score

from studies.accuracy import study as accuracy
from studies.readable import study as readable
from studies.readers import study as readers
from tests.tables.dirty.corpus import write_corpus
from thresher import ImbalancedForestClassifier, ImbalancedTreeClassifier
from thresher.datasets import load_dataset

ROOT = Path(__file__).parents[1]
STUDIES = sorted(path.parent for path in ROOT.glob("studies/*/study.py"))
NEEDED = {"costs": "empulse"}


def run(name, *arguments):
    command = [sys.executable, "-m", f"studies.{name}.study", *map(str, arguments)]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=300, cwd=ROOT
    )
    return done.returncode, done.stdout, done.stderr


def row_of(text, start):
    line = next(line for line in text.splitlines() if line.startswith(f"| {start} |"))
    return [cell.strip() for cell in line.strip("|").split("|")]


# -------------------------------------------------------------------------------- every study


@pytest.mark.parametrize("folder", STUDIES, ids=lambda folder: folder.name)
def test_a_study_has_a_script_and_words(folder):
    if folder.name in NEEDED:
        pytest.importorskip(NEEDED[folder.name])  # of the extra studies
    assert callable(import_module(f"studies.{folder.name}.study").main)
    assert (folder / "plan.md").exists() or (folder / "README.md").exists()


@pytest.mark.parametrize("page", sorted(ROOT.glob("studies/*/README.md")), ids=str)
def test_a_page_is_filled_and_its_links_lead_somewhere(page):
    text = page.read_text(encoding="utf-8")
    names = re.findall(r"<!-- (.*?) -->\n", text)
    assert names.count("end") == len(names) / 2
    assert all(part.strip() for part in re.findall(r"-->\n(.*?)<!-- end -->", text, re.DOTALL))
    links = re.findall(r"\]\(([^)#]+)", text)
    assert not [link for link in links if "://" not in link and not (page.parent / link).exists()]


# ----------------------------------------------------------------------------------- accuracy


def test_accuracy_is_that_of_a_loop_over_the_folds(tmp_path):
    given = ("--part", "paper", "--sets", "Ecoli-om", "--folds", 3, "--contenders", "forest")
    code, printed, said = run("accuracy", *given, "--store", tmp_path / "runs.jsonl")
    assert code == 0, said
    X, y = load_dataset("Ecoli-om")
    scores = []
    for train, test in StratifiedKFold(3, shuffle=True, random_state=0).split(X, y):
        model = ImbalancedForestClassifier(random_state=0).fit(X[train], y[train])
        precision = average_precision_score(y[test], model.predict_proba(X[test])[:, 1])
        scores.append([f1_score(y[test], model.predict(X[test])), precision])
    f1, precision = np.mean(scores, axis=0)
    assert row_of(printed, "forest")[1:4] == [f"{f1:.3f}", f"{f1:.3f}", f"{precision:.3f}"]


def test_the_scored_half_needs_the_frozen_code(tmp_path, monkeypatch):
    plan = tmp_path / "plan.md"
    plan.write_text("# Plan\n\nFrozen code: none yet\n\nOne seed.\n")
    monkeypatch.setattr(accuracy, "PLAN", plan)
    with pytest.raises(SystemExit, match="frozen code"):
        accuracy.main(["--part", "score"])
    accuracy.freeze()
    accuracy.check_frozen()
    plan.write_text(plan.read_text().replace("One seed", "Two seeds"))
    with pytest.raises(SystemExit, match="frozen code"):
        accuracy.check_frozen()


# ------------------------------------------------------------------------------ forest_defaults


def test_figures_of_trees_are_those_of_cross_validation(tmp_path):
    given = ("--datasets", "Ecoli-om", "--only", "ARDT", "--seeds", 1)
    code, printed, said = run("forest_defaults", *given, "--runs", tmp_path / "runs.jsonl")
    assert code == 0, said
    X, y = load_dataset("Ecoli-om")
    folds = StratifiedKFold(10, shuffle=True, random_state=0)
    tree = ImbalancedTreeClassifier(random_state=0)
    scorings = ["f1", "balanced_accuracy", "average_precision", "neg_brier_score"]
    means = [abs(cross_val_score(tree, X, y, cv=folds, scoring=one).mean()) for one in scorings]
    assert row_of(printed, "ARDT")[1:] == [f"{mean:.4f}" for mean in means]


# ---------------------------------------------------------------- promises, readable trees, watch


def test_a_tree_that_refers_is_scored_as_by_hand(monkeypatch):
    monkeypatch.setattr(readable, "TREES", 10)
    found = readable.run_fold("Ecoli-om", 1)["results"]
    X, y = load_dataset("Ecoli-om", as_frame=True)
    y = np.asarray(y)
    train, test = list(StratifiedKFold(5, shuffle=True, random_state=0).split(X, y))[1]
    forest = ImbalancedForestClassifier(10, n_bootstrap=0, random_state=0)
    tree = forest.fit(X.iloc[train], y[train]).to_tree(32, refer=0.1, cv=None)
    asked = tree.decide(X.iloc[test]) == "refer"
    joint = np.where(asked, forest.predict(X.iloc[test]), tree.predict(X.iloc[test]))
    assert found["refer .10"]["f1"] == pytest.approx(f1_score(y[test], joint))
    assert found["refer .10"]["referred"] == pytest.approx(asked.mean())


# ------------------------------------------------------------------------------------- readers


def test_readers_are_counted_by_outcome(tmp_path):
    tables = {table.name: table for table in write_corpus(tmp_path)}
    chosen = [tables[name] for name in ("glass_melts-plain", "pump_line-typo_cells")]
    chosen += [tables["motor_bench-utf_16"], tables["pump_line-workbook"]]
    scores = {name: readers.score_reader(name, chosen) for name in ("pandas", "DuckDB")}
    lines = readers.report(scores).splitlines()
    assert sum(line.startswith("| pandas | 3 | 1 | 0 | 1 | 1 |") for line in lines) == 1
    assert sum(line.startswith("| pandas | 1 | 1 | 0 | 0 | 0 |") for line in lines) == 1
    assert "| workbook | 1 | 100.0 | - |" in lines
    assert "| typo cells | 1 | 1 | 1 |" in lines
