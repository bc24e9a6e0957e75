"""The studies can be run, their pages are filled, and what they compute follows a law each."""

import re
import subprocess
import sys
from dataclasses import replace
from importlib import import_module
from math import log
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import wilcoxon
from sklearn.metrics import average_precision_score, f1_score
from sklearn.model_selection import StratifiedKFold, cross_val_score

from studies.accuracy import report, sets
from studies.accuracy import study as accuracy
from studies.page import fill
from studies.promises import models
from studies.promises import study as promises
from studies.promises import trials as promise_trials
from studies.readable import study as readable
from studies.readers import study as readers
from studies.watch import study as watch
from tests.requirements import data_file
from tests.tables.dirty.corpus import write_corpus
from thresher import ImbalancedForestClassifier, ImbalancedTreeClassifier
from thresher.datasets import load_dataset
from thresher.study import Run, StudyResult

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


def test_lines_between_marks_are_replaced_and_all_else_stays(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("one\n<!-- a -->\nold\n<!-- end -->\n<!-- b -->\nkept\n<!-- end -->\n")
    fill(page, {"a": ["| new |", r"| \1 |"]})
    assert page.read_text() == (
        "one\n<!-- a -->\n| new |\n| \\1 |\n<!-- end -->\n<!-- b -->\nkept\n<!-- end -->\n"
    )


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


def test_the_halves_are_of_whole_families_and_as_the_plan_says():
    data_file("keel-pima")
    develop, score = sets.sets_of("develop"), sets.sets_of("score")
    assert not set(develop.values()) & set(score.values())
    plan = (ROOT / "studies" / "accuracy" / "plan.md").read_text(encoding="utf-8")
    for name, half in {"develop": develop, "score": score}.items():
        cells = row_of(plan, f"`{name}`")
        assert set(cells[2].split(", ")) == set(half.values())
        assert cells[1].startswith(f"{len(half)} of ")


def test_differences_and_claims_follow_from_the_scores():
    scores = {"a1": (0.80, 0.70), "a2": (0.90, 0.85), "b1": (0.60, 0.62), "c1": (0.70, 0.69)}
    runs = []
    for name, both in scores.items():
        for method, score in zip(("auto", "forest"), both, strict=True):
            tp = round(1000 * score)
            done = Run(name, method, 0, 0, "", "done", None, None, 9000, 1000 - tp, 1000 - tp, tp)
            runs.append(replace(done, average_precision=0.5, fit_time=0.25))
    families = {"a1": "a", "a2": "a", "b1": "b", "c1": "c"}
    group = report.Group("made up", StudyResult(tuple(runs), 5), families)
    gap, gaps = group.gap("auto", "forest"), np.array([0.10, 0.05, -0.02, 0.01])
    of_families = np.array([0.075, -0.02, 0.01])
    assert (gap.wins, gap.ties, gap.losses) == (3, 0, 1)
    assert (gap.by_set, gap.p_by_set) == pytest.approx((gaps.mean(), wilcoxon(gaps).pvalue))
    assert gap.by_family == pytest.approx(of_families.mean())
    assert gap.p_by_family == pytest.approx(wilcoxon(of_families).pvalue)
    assert (gap.low, gap.high) == pytest.approx((of_families.min(), of_families.max()))
    ((claim, _, holds),) = report.claims_of(group)
    assert claim.startswith("auto is above forest by 0.01")
    assert not holds  # p is above .05


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


def test_a_neighbour_drawn_by_its_law_is_that_of_all_drawn_rows():
    """The largest of n draws below a score, drawn at once or by drawing all n."""
    random = np.random.default_rng(0)
    negative, positive = np.sort(random.random(1000)), np.full(30, 0.4)
    draw = promise_trials._neighbours
    at_once = [draw(negative, positive, 40, random)[0] for _ in range(4000)]
    one_by_one = []
    for _ in range(4000):
        drawn = random.choice(negative, size=40)
        below = drawn[drawn < 0.4]
        one_by_one.append(below.max() if len(below) else 2.0)
    quantiles = np.linspace(0.1, 0.9, 9)
    expected = np.quantile(one_by_one, quantiles)
    np.testing.assert_allclose(np.quantile(at_once, quantiles), expected, atol=0.01)


@pytest.mark.slow
def test_no_promise_falls_short():
    drawn = models.populations(promises.MODELS)
    cells = promises.cells(promises.exact(drawn, 1))
    assert len(cells) == 100
    assert min(cell["holm"] for cell in cells) >= 0.05
    assert promises.differences(drawn)[0] == 0


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


def test_the_cusum_is_pages():
    scrap = np.random.default_rng(0).binomial(300, 0.012, (20, 60))
    for year, statistic in zip(scrap, watch.cusum(scrap, 2.0), strict=True):
        now = 0.0
        for hits, value in zip(year, statistic, strict=True):
            now = max(0.0, now) + hits * log(2.0) + (300 - hits) * log(0.98 / 0.99)
            assert value == pytest.approx(now)


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
