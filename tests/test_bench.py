"""The benchmarks run, say what they must, and their parts do what they say."""

import json
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
CRITERIA = ("entropy", "adaptive_renyi")
OURS = {
    "255 bins, adaptive_renyi",
    *(f"{kind}, {criterion}" for kind in ("kernel", "estimator") for criterion in CRITERIA),
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
    return _figures(result, "fit")


def _figures(result: dict[str, Any], part: str) -> dict[str, dict[str, Any]]:
    return {each["contender"]: each for each in result["figures"] if each["part"] == part}


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
    assert {each["part"] for each in result["figures"]} == {
        *("fit", "bins", "predict", "one row", "tuned forest"),
        *("forest fit, plain", "forest fit, balanced", "forest memory", "forest pickle"),
        *("forest predict", "forest one row", "random cuts, fit", "random cuts, predict"),
    }


def test_figures_carry_their_targets(result: dict[str, Any]) -> None:
    fits = _fits(result)
    assert fits["kernel, entropy"]["target"] == 0.03
    assert fits["estimator, adaptive_renyi"]["target"] == 0.15
    for each in result["figures"]:
        reached = None if each["target"] is None else each["value"] <= each["target"]
        assert each["met"] == reached


@pytest.mark.parametrize(
    ("bootstrap", "rival"),
    [("plain", "RandomForestClassifier"), ("balanced", "BalancedRandomForestClassifier")],
)
def test_forests_are_ratios_to_the_rival_that_draws_rows_alike(
    result: dict[str, Any], bootstrap: str, rival: str
) -> None:
    fits = _figures(result, f"forest fit, {bootstrap}")
    assert {f"growth alone, {name}" for name in CRITERIA} < set(fits)
    assert fits[rival]["value"] == 1.0
    for each in fits.values():
        assert each["value"] == pytest.approx(each["seconds"] / fits[rival]["seconds"])
        assert each["trees"] == 100
    for name in CRITERIA:
        # The rival draws other rows, hence trees of another, but a similar size.
        leaves = fits[f"estimator, {name}"]["leaves"]
        assert leaves == fits[f"growth alone, {name}"]["leaves"]
        assert 0.5 < leaves / fits[rival]["leaves"] < 2.0


@pytest.mark.parametrize(("package", "name"), [("lightgbm", "LightGBM"), ("xgboost", "XGBoost")])
def test_rival_takes_part(result: dict[str, Any], package: str, name: str) -> None:
    pytest.importorskip(package, reason=f"{package} is optional: pip install 'thresher[bench]'")
    assert _fits(result)[name]["leaves"] >= 3


COMPARISONS: list[tuple[str, str, dict[str, Any], list[float | None], str]] = [
    ("threshold_search", "compare_searches", {"rows": 2_000}, [None, 1.0] * 2, "exact search, f1"),
    (
        "csv_reading",
        "compare_csv",
        {"rows": 2_000, "seconds": 0},
        [None, None, 3.0],
        "read, encode, fit",
    ),
    (
        "excel_reading",
        "compare_excel",
        {"rows": 300, "seconds": 0},
        [None, 2.0],
        "python-calamine, to_python",
    ),
    ("model_file", "compare_files", {"seconds": 0}, [20.0, None, 0.3], "model file"),
    ("takeover", "compare_takeovers", {"seconds": 0, "rows": 300}, [None, 1.0], "taken over"),
    (
        "explanations",
        "compare_explanations",
        {"seconds": 0, "rows": 300},
        [None, 0.3],
        "pred_contrib",
    ),
    (
        "forests",
        "compare_distillation",
        {"seconds": 0, "rows": 400, "trees": 10},
        [None, 5.0, 5.0],
        "fit of the forest",
    ),
    (
        "forests",
        "compare_training",
        {"rows": 400, "columns": 16, "model": "tree", "folds": 2},
        [None, 150.0],
        "default forest",
    ),
]


@pytest.mark.filterwarnings("ignore")  # of packages that shap imports
@pytest.mark.parametrize(("name", "compare", "options", "targets", "words"), COMPARISONS)
def test_a_comparison_has_a_unit_and_targets(
    part: Callable[[str], ModuleType],
    name: str,
    compare: str,
    options: dict[str, Any],
    targets: list[float | None],
    words: str,
) -> None:
    if name == "excel_reading":
        pytest.importorskip("python_calamine", reason="pip install 'thresher[bench]'")
    figures = getattr(part(name), compare)(**options)
    assert [figure.target for figure in figures[: len(targets)]] == targets
    assert sum(figure.value == 1.0 for figure in figures if figure.target is None) > 0
    assert words in part("report").as_text(figures)
    if name == "model_file":  # the size of a file does not depend on the machine
        assert figures[-1].met


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
    assert order == ["a", "b"] * (1 + measure.MIN_ROUNDS)
