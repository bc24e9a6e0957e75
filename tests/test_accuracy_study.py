"""The harness of the accuracy study: halves, runs that go on, statistics, the frozen plan."""

import os
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from scipy.stats import wilcoxon
from sklearn.metrics import average_precision_score, f1_score
from sklearn.model_selection import StratifiedKFold

from tests.benchmark.made_up_study import study_of
from tests.requirements import data_file
from thresher import ImbalancedForestClassifier
from thresher.datasets import load_dataset

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
RIVALS = {"LightGBM": "lightgbm", "XGBoost": "xgboost", "CatBoost": "catboost"}
SCORES = {
    "a1": {"auto": 0.80, "forest": 0.70, "LightGBM": 0.75, "tree": 0.5},
    "a2": {"auto": 0.90, "forest": 0.85, "LightGBM": 0.90, "tree": 0.5},
    "b1": {"auto": 0.60, "forest": 0.62, "LightGBM": 0.50, "tree": 0.5},
    "c1": {"auto": 0.70, "forest": 0.69, "LightGBM": 0.60, "tree": 0.5},
}
FAMILIES = {"a1": "a", "a2": "a", "b1": "b", "c1": "c"}

Part = Callable[[str], ModuleType]
Study = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def part(monkeypatch: pytest.MonkeyPatch) -> Part:
    monkeypatch.syspath_prepend(BENCHMARKS)
    return import_module


@pytest.fixture
def study(tmp_path: Path) -> Study:
    """Run the study on one small set, with a store of its own."""

    def run(*arguments: str, sets: str = "Ecoli-om") -> "subprocess.CompletedProcess[str]":
        command = [sys.executable, str(BENCHMARKS / "accuracy_study.py"), "--part", "paper"]
        command += ["--sets", sets, "--store", str(tmp_path / "runs.sqlite"), *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)

    return run


def row_of(text: str, start: str) -> list[str]:
    line = next(line for line in text.splitlines() if line.startswith(f"| {start} |"))
    return [cell.strip() for cell in line.strip("|").split("|")]


# ------------------------------------------------------------------------------------------- runs


def test_figures_are_those_of_a_loop_over_the_folds(study: Study) -> None:
    run = study("--folds", "3", "--contenders", "forest")
    assert run.returncode == 0, run.stderr
    X, y = load_dataset("Ecoli-om")
    scores = []
    for train, test in StratifiedKFold(3, shuffle=True, random_state=0).split(X, y):
        model = ImbalancedForestClassifier(random_state=0).fit(X[train], y[train])
        precision = average_precision_score(y[test], model.predict_proba(X[test])[:, 1])
        scores.append([f1_score(y[test], model.predict(X[test])), precision])
    f1, precision = np.mean(scores, axis=0)
    assert row_of(run.stdout, "forest")[1:4] == [f"{f1:.3f}", f"{f1:.3f}", f"{precision:.3f}"]


@pytest.mark.slow
def test_a_study_goes_on_where_it_was_and_a_report_runs_nothing(study: Study) -> None:
    first = study("--folds", "2", "--contenders", "forest")
    assert first.stderr.count(": done") == 2
    both = ("--folds", "2", "--contenders", "forest", "tree")
    early = study(*both, "--report")
    assert ": done" not in early.stderr
    assert "Not complete, hence without a row: tree." in early.stdout
    second = study(*both)
    assert second.stderr.count(": done") == 2
    assert study(*both, "--report").stdout == second.stdout
    everything = row_names(study("--folds", "2", "--report").stdout)
    assert everything == row_names(second.stdout)


def row_names(text: str) -> set[str]:
    return {line.split("|")[1].strip() for line in text.splitlines() if line.startswith("| ")}


def test_a_run_out_of_time_is_recorded_and_shown(study: Study) -> None:
    run = study("--folds", "2", "--contenders", "auto", "--timeout", "0.001")
    assert run.returncode == 1
    assert "timeout: Ecoli-om, auto, fold 0: Stopped after 0.001 s" in run.stderr
    assert row_of(run.stdout, "Ecoli-om")[1:4] == ["auto", "timeout", "2"]


def test_a_run_that_fails_is_recorded_with_its_error(
    part: Part, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A contender that the worker processes do not know."""
    registry = part("accuracy_contenders").CONTENDERS
    monkeypatch.setitem(registry, "here alone", registry["forest"])
    arguments = ["--part", "paper", "--sets", "Ecoli-om", "--folds", "2"]
    arguments += ["--store", str(tmp_path / "runs.sqlite"), "--contenders", "here alone", "tree"]
    assert part("accuracy_study").main(arguments) == 1
    printed, said = capsys.readouterr()
    assert "failed: Ecoli-om, here alone, fold 0: KeyError: 'here alone'" in said
    assert "| Ecoli-om | here alone | failed | 2 | KeyError: 'here alone' |" in printed
    assert row_of(printed, "tree")


@pytest.mark.parametrize("name", ["tree", "forest", "auto", "auto tree", *RIVALS])
def test_a_contender_scores_and_decides(part: Part, name: str) -> None:
    package = RIVALS.get(name)
    if package and find_spec(package) is None:
        pytest.skip(f"{package} is not installed (extra study)")  # too heavy for every run
    frame, y = load_dataset("Ecoli-om", as_frame=True)
    frame = frame.set_axis([f"size [{place}]" for place in range(frame.shape[1])], axis=1)
    frame["line"] = (frame.iloc[:, 0] > 0.5).map({True: "north", False: "south"}).astype("category")
    model: Any = part("accuracy_contenders").CONTENDERS[name](frame, y, seed=0)
    scores, decisions = model.scores(frame), model.decisions(frame)
    assert average_precision_score(y, scores) > 0.7
    assert set(decisions) == {0, 1}
    assert scores[decisions == 1].min() > scores[decisions == 0].max()


def test_rivals_that_are_not_installed_are_left_out_and_named(
    part: Part, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(part("accuracy_rivals"), "absent_rivals", lambda: ["CatBoost", "XGBoost"])
    study = part("accuracy_study")
    _, names = study._plan(study.parse(["--contenders", "tree", "CatBoost"]), ["Ecoli-om"])
    assert list(names) == ["tree"]
    assert "Left out, since not installed: CatBoost (pip" in capsys.readouterr().err


# ----------------------------------------------------------------------------- keys and the plan


def test_a_hash_follows_the_code_that_matters(part: Part, tmp_path: Path) -> None:
    contenders = part("accuracy_contenders")
    for name in ("forest", "cli"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.py").write_text("1")
    found = []
    for changed in ("cli", "forest"):
        (tmp_path / changed / "a.py").write_text("2")
        found.append(contenders.hashed(contenders.package_files(tmp_path)))
    (tmp_path / "forest" / "a.py").write_text("1")
    before = contenders.hashed(contenders.package_files(tmp_path))
    assert found[0] == before
    assert found[1] != before
    names = ["forest", "leaf auto", "auto", "auto tree"]
    assert len({contenders.code_of(name) for name in names}) == len(names)


def test_the_scored_half_needs_the_frozen_code(
    part: Part, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = part("accuracy_study")
    plan = tmp_path / "plan.md"
    plan.write_text("# Plan\n\nFrozen code: none yet\n\nOne seed.\n")
    monkeypatch.setattr(study, "PLAN", plan)
    with pytest.raises(SystemExit, match="frozen code"):
        study.main(["--part", "score"])
    study.freeze()
    study.check_frozen()
    plan.write_text(plan.read_text().replace("One seed", "Two seeds"))
    with pytest.raises(SystemExit, match="frozen code"):
        study.check_frozen()


def test_the_halves_are_of_whole_families_and_as_the_plan_says(part: Part) -> None:
    data_file("keel-pima")
    sets = part("accuracy_sets")
    develop, score = sets.sets_of("develop"), sets.sets_of("score")
    assert not set(develop.values()) & set(score.values())
    assert {**develop, **score} == sets.fresh_families()
    plan = (BENCHMARKS / "accuracy_plan.md").read_text()
    for name, half in {"develop": develop, "score": score}.items():
        cells = row_of(plan, f"`{name}`")
        assert set(cells[2].split(", ")) == set(half.values())
        assert cells[1].startswith(f"{len(half)} of ")


def test_every_contender_is_in_the_plan(part: Part) -> None:
    plan = (BENCHMARKS / "accuracy_plan.md").read_text()
    for name in part("accuracy_contenders").CONTENDERS:
        assert row_of(plan, f"`{name}`")


# ------------------------------------------------------------------------------------ the report


def test_differences_are_those_of_scipy(part: Part) -> None:
    group = part("accuracy_report").Group("made up", study_of(SCORES), FAMILIES)
    gap = group.gap("auto", "forest")
    differences = np.array([own["auto"] - own["forest"] for own in SCORES.values()])
    families = np.array([differences[:2].mean(), differences[2], differences[3]])
    assert gap.by_set == pytest.approx(differences.mean())
    assert (gap.wins, gap.ties, gap.losses) == (3, 0, 1)
    assert gap.p_by_set == pytest.approx(wilcoxon(differences).pvalue)
    assert gap.by_family == pytest.approx(families.mean())
    assert gap.p_by_family == pytest.approx(wilcoxon(families).pvalue)
    assert (gap.low, gap.high) == pytest.approx((families.min(), families.max()))


def test_a_contender_that_lacks_a_run_has_no_row(part: Part) -> None:
    accuracy_report = part("accuracy_report")
    group = accuracy_report.Group("made up", study_of(SCORES, [("b1", "forest")]), FAMILIES)
    text = accuracy_report.report([group])
    assert "Not complete, hence without a row: forest." in text
    assert "auto - LightGBM" in text
    assert "auto - forest" not in text
    assert "| b1 | forest | failed | 1 | ValueError: it broke |" in text


@pytest.mark.parametrize(("above", "holds"), [(0.02, True), (0.005, False), (-0.02, False)])
def test_a_claim_holds_where_the_margin_and_the_test_say_so(
    part: Part, above: float, holds: bool
) -> None:
    scores = {f"s{row}": {"auto": 0.5 + above, "forest": 0.5} for row in range(8)}
    families = {name: name for name in scores}
    group = part("accuracy_report").Group("made up", study_of(scores), families)
    ((claim, _, found),) = part("accuracy_report").claims_of(group)
    assert claim.startswith("auto is above forest by 0.01")
    assert found == holds


def test_auto_may_be_a_little_below_the_best_rival(part: Part) -> None:
    claims_of, group_of = part("accuracy_report").claims_of, part("accuracy_report").Group
    for below, holds in {0.008: True, 0.012: False}.items():
        own = {"auto": 0.6 - below, "LightGBM": 0.5, "XGBoost": 0.6, "CatBoost": 0.55}
        group = group_of("made up", study_of({"s": own}), {"s": "s"})
        claim, _, found = next(iter(claims_of(group)))
        assert "best rival, XGBoost" in claim
        assert found == holds


@pytest.mark.skipif("THRESHER_DATA" not in os.environ, reason="THRESHER_DATA names no folder")
def test_categories_of_ai4i_stay_categories(part: Part) -> None:
    data_file("ai4i2020")
    X, y = part("accuracy_sets").load("ai4i2020")
    assert [name for name in X if X[name].dtype == "category"] == ["Type"]
    assert int(y.sum()) == 339
