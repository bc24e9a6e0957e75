"""The benchmarks run, say what they must, and their parts do what they say."""

import json
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
OURS = {
    f"{kind}, {criterion}"
    for kind in ("kernel", "estimator")
    for criterion in ("entropy", "adaptive_renyi")
}


@pytest.fixture
def part(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], ModuleType]:
    """Import a module of the benchmarks, which is a folder of scripts and no package."""
    monkeypatch.syspath_prepend(BENCHMARKS)
    return import_module


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The JSON of a run at 200 rows with one timing of each call."""
    output = tmp_path_factory.mktemp("bench") / "made" / "result.json"
    script = str(BENCHMARKS / "bench.py")
    command = [sys.executable, script, "--rows", "200", "--seconds", "0", "--output", str(output)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert "kernel, entropy" in run.stdout
    content: dict[str, Any] = json.loads(output.read_text())
    return content


def _fits(result: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {each["contender"]: each for each in result["figures"] if each["part"] == "fit"}


def test_json_tells_machine_versions_and_date(result: dict[str, Any]) -> None:
    assert {"date", "mode", "machine", "versions", "figures"} <= set(result)
    assert result["machine"]["cpu"] is not None
    assert {"python", "thresher", "numpy", "scikit-learn"} <= set(result["versions"])


def test_figures_are_ratios_to_scikit_learn(result: dict[str, Any]) -> None:
    fits = _fits(result)
    assert set(fits) >= {"DecisionTreeClassifier", "HistGradientBoosting", *OURS}
    unit = fits["DecisionTreeClassifier"]
    assert unit["value"] == 1.0
    for each in fits.values():
        assert each["value"] == pytest.approx(each["seconds"] / unit["seconds"])
    assert {each["part"] for each in result["figures"]} == {"fit", "predict", "one row"}


def test_figures_carry_their_targets(result: dict[str, Any]) -> None:
    fits = _fits(result)
    assert fits["kernel, entropy"]["target"] == 0.03
    assert fits["estimator, adaptive_renyi"]["target"] == 0.15
    for each in result["figures"]:
        reached = None if each["target"] is None else each["value"] <= each["target"]
        assert each["met"] == reached


def test_trees_have_the_size_of_scikit_learns(result: dict[str, Any]) -> None:
    fits = _fits(result)
    leaves = fits["DecisionTreeClassifier"]["leaves"]
    assert leaves >= 3
    assert fits["kernel, entropy"]["leaves"] == fits["estimator, entropy"]["leaves"] == leaves


@pytest.mark.parametrize(("package", "name"), [("lightgbm", "LightGBM"), ("xgboost", "XGBoost")])
def test_rival_takes_part(result: dict[str, Any], package: str, name: str) -> None:
    pytest.importorskip(package, reason=f"{package} is optional: pip install 'thresher[bench]'")
    assert _fits(result)[name]["leaves"] >= 3


def test_absent_rival_is_left_out(
    part: Callable[[str], ModuleType], monkeypatch: pytest.MonkeyPatch
) -> None:
    contenders = part("contenders")
    monkeypatch.setattr(contenders, "find_spec", lambda package: None)
    assert contenders.absent_rivals() == ["lightgbm", "xgboost"]
    assert set(contenders.contenders()) == {"DecisionTreeClassifier", "HistGradientBoosting", *OURS}


def test_table_is_as_described(part: Callable[[str], ModuleType]) -> None:
    tables = part("tables")
    table = tables.make_table(tables.Shape(5_000))
    assert table.X.dtype == np.float32
    assert table.X.flags.c_contiguous
    assert table.y.sum() == 100
    distinct = [len(np.unique(column)) for column in table.X.T]
    assert sum(count > 4_000 for count in distinct) == 8
    assert sum(8 <= count <= 20 for count in distinct) == 4
    assert sum(2 <= count <= 4 for count in distinct) == 4
    # The first column is part of the signal.
    assert table.X[table.y == 1, 0].mean() > table.X[table.y == 0, 0].mean() + 0.5


def test_threshold_search_is_compared_with_scikit_learns_grid(
    part: Callable[[str], ModuleType],
) -> None:
    search = part("threshold_search")
    figures = search.compare_searches(rows=2_000)
    assert [figure.target for figure in figures] == [None, 1.0, None, 1.0]
    assert all(figure.value == 1.0 for figure in figures[::2])
    assert "exact search, f1" in part("report").as_text(figures)
    scores, y = search.make_scores(part("tables").Shape(20_000, columns=1))
    assert 0.01 < y.mean() < 0.03
    grid = search.grid_threshold(scores, y, "balanced_accuracy")
    exact = search.exact_threshold(scores, y, "bcr")
    assert _bcr(y, scores > exact) >= _bcr(y, scores >= grid)


def _bcr(y: Any, alert: Any) -> float:
    return float(alert[y == 1].mean() + (~alert[y == 0]).mean()) / 2


def test_calls_take_turns_and_the_least_time_counts(part: Callable[[str], ModuleType]) -> None:
    measure = part("measure")
    now = 0.0
    order = []

    def call(name: str, costs: list[float]) -> Callable[[], None]:
        def spend() -> None:
            nonlocal now
            order.append(name)
            now += costs.pop(0) if len(costs) > 1 else costs[0]

        return spend

    calls = {"a": call("a", [1.0, 3.0, 2.0]), "b": call("b", [5.0, 4.0, 5.0])}
    best = measure.best_seconds(calls, seconds=1e-9, clock=lambda: now)
    assert best == {"a": 1.0, "b": 4.0}
    assert order == ["a", "b"] * (1 + measure.LEAST_ROUNDS)


def test_cell_says_whether_the_target_is_met(part: Callable[[str], ModuleType]) -> None:
    figure, shape = part("figures").Figure, part("tables").Shape
    quick = figure("fit", "kernel, adaptive_renyi", shape(2_000), 0.05)
    slow = figure("fit", "kernel, entropy", shape(2_000), 0.05)
    elsewhere = figure("fit", "kernel, entropy", shape(2_000, columns=50), 0.05)
    text = part("report").as_text([quick, slow, elsewhere])
    assert "0.0500 met (<= 0.06)" in text
    assert "0.0500 MISSED (<= 0.03)" in text
    assert "50 columns" in text
    assert elsewhere.met is None


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is read from /proc")
def test_extra_memory_is_that_of_the_fit(part: Callable[[str], ModuleType]) -> None:
    tables, memory = part("tables"), part("memory")
    table = tables.make_table(tables.Shape(50_000))
    extra = memory.extra_bytes(["DecisionTreeClassifier"], table)["DecisionTreeClassifier"]
    # scikit-learn copies the classes at least; ten times the table would be another's memory.
    assert table.y.nbytes <= extra <= 10 * table.X.nbytes
