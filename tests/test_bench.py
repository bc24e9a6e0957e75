"""The benchmarks run, say what they must, and their parts do what they say."""

import json
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
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
        *("forest predict", "forest one row"),
    }


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


def test_forests_predict_and_weigh_beside_scikit_learns(result: dict[str, Any]) -> None:
    for part in ("forest predict", "forest one row", "forest memory", "forest pickle"):
        figures = _figures(result, part)
        assert figures.pop("RandomForestClassifier")["value"] == 1.0
        ours = [each for name, each in figures.items() if name.startswith("estimator")]
        target = {"forest pickle": None, "forest predict": 0.25}.get(part, 0.5)
        assert {each["target"] for each in ours} == {target}
    memory = _figures(result, "forest memory")
    whole = memory["estimator, votes for training rows included"]["value"]
    assert 0 < memory["estimator, trees"]["value"] < whole


@pytest.mark.parametrize(("package", "name"), [("lightgbm", "LightGBM"), ("xgboost", "XGBoost")])
def test_rival_takes_part(result: dict[str, Any], package: str, name: str) -> None:
    pytest.importorskip(package, reason=f"{package} is optional: pip install 'thresher[bench]'")
    assert _fits(result)[name]["leaves"] >= 3


def test_absent_rival_is_left_out(
    part: Callable[[str], ModuleType], monkeypatch: pytest.MonkeyPatch
) -> None:
    contenders = part("contenders")
    monkeypatch.setattr(contenders, "find_spec", lambda package: None)
    assert contenders.absent_rivals() == ["lightgbm", "xgboost", "imbalanced-learn", "shap"]
    assert set(contenders.contenders()) == {"DecisionTreeClassifier", "HistGradientBoosting", *OURS}


def test_forests_do_without_imbalanced_learn(
    part: Callable[[str], ModuleType], monkeypatch: pytest.MonkeyPatch
) -> None:
    forests = part("forests")
    monkeypatch.setattr(forests, "absent_rivals", lambda: ["imbalanced-learn"])
    figures = forests.compare_forests(part("tables").Shape(200), seconds=0)
    parts = {figure.part for figure in figures}
    assert "forest fit, balanced" not in parts
    assert {"forest fit, plain", "forest predict"} < parts


def test_bytes_of_a_forest_are_those_of_its_arrays(part: Callable[[str], ModuleType]) -> None:
    forests, tables = part("forests"), part("tables")
    table = tables.make_table(tables.Shape(500))
    theirs = forests.random_forest(5, table)
    states = [tree.tree_.__getstate__() for tree in theirs.estimators_]
    trees = sum(state["nodes"].nbytes + state["values"].nbytes for state in states)
    # Beside its trees, a forest of scikit-learn holds the classes, in each tree and once more.
    assert trees < forests.array_bytes(theirs) < trees + 1_000
    ours = forests.estimator("plain", "entropy", 5, table)
    # A node has 16 bytes for its cut, 8 for its rows and 8 for its value.
    n_nodes = len(ours.forest_.nodes)
    assert forests.tree_bytes(ours) == 32 * n_nodes + ours.forest_.begin.nbytes
    votes = ours.oob_decision_function_.nbytes
    assert forests.array_bytes(ours) + forests.leaf_value_bytes(ours) > 32 * n_nodes + votes


def test_targets_of_forests_apply_to_the_whole_fit(part: Callable[[str], ModuleType]) -> None:
    figure, shape = part("figures").Figure, part("tables").Shape
    cells = {
        ("forest fit, plain", "estimator, entropy", 2_000): 0.08,
        ("tuned forest", "tuned forest, 200 trees", 200_000): 2.0,
        ("tuned forest", "LightGBM, 100 trees", 2_000): None,
        ("bins", "255 bins, adaptive_renyi", 2_000): 1.0,
        ("forest fit, balanced", "estimator, adaptive_renyi", 200_000): 0.10,
        ("forest fit, balanced", "growth alone, entropy", 20_000): None,
        ("forest fit, plain", "estimator, entropy", 200): None,
        ("forest fit, plain", "RandomForestClassifier", 2_000): None,
    }
    for (name, contender, rows), target in cells.items():
        assert figure(name, contender, shape(rows), 0.12).target == target
    slow = figure("forest fit, balanced", "estimator, entropy", shape(2_000), 0.12)
    assert "0.1200 MISSED (<= 0.1)" in part("report").as_text([slow])


def test_ten_times_the_rows_are_told_where_both_sizes_were_measured(
    part: Callable[[str], ModuleType],
) -> None:
    figures, shape = part("figures"), part("tables").Shape
    measured = [
        figures.Figure("fit", name, shape(rows), 0.1, seconds)
        for name, rows, seconds in (
            ("kernel, entropy", 200, 1.0),
            ("kernel, entropy", 2_000, 12.0),
            ("kernel, entropy", 30_000, 99.0),
            ("LightGBM", 200, 1.0),
            ("LightGBM", 2_000, 2.0),
        )
    ]
    (found,) = figures.compare_sizes(measured)
    assert (found.contender, found.shape.rows, found.value) == ("kernel, entropy", 2_000, 12.0)
    assert found.target == 11.0
    assert not found.met


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


def test_csv_is_compared_with_the_bare_reading(part: Callable[[str], ModuleType]) -> None:
    pytest.importorskip("pyarrow", reason="pyarrow is optional: pip install 'thresher[bench]'")
    figures = part("csv_reading").compare_csv(rows=2_000, seconds=0)
    assert [figure.target for figure in figures] == [None, None, 3.0]
    assert figures[0].value == 1.0
    for figure in figures:
        assert figure.value == pytest.approx(figure.seconds / figures[0].seconds)
    assert "read, encode, fit" in part("report").as_text(figures)


def test_the_csv_is_a_line_with_texts_and_numbers(
    part: Callable[[str], ModuleType], tmp_path: Path
) -> None:
    pytest.importorskip("pyarrow", reason="pyarrow is optional: pip install 'thresher[bench]'")
    csv_reading = part("csv_reading")
    shape = csv_reading.write_parts(tmp_path / "parts.csv", 500)
    table = csv_reading.read_parts(tmp_path / "parts.csv")
    assert len(table) == shape.rows == 500
    texts = [name for name, column in table.columns.items() if hasattr(column, "levels")]
    assert texts == ["shift", "supplier", "seal", "scrap"]
    model = csv_reading.fit_parts(tmp_path / "parts.csv")
    assert model.n_features_in_ == shape.columns == 16


def test_excel_is_compared_with_the_bare_reading(part: Callable[[str], ModuleType]) -> None:
    reason = "python-calamine is optional: pip install 'thresher[bench]'"
    pytest.importorskip("python_calamine", reason=reason)
    excel_reading = part("excel_reading")
    figures = excel_reading.compare_excel(rows=300, seconds=0)
    assert [figure.target for figure in figures] == [None, 2.0]
    assert figures[0].value == 1.0
    assert "python-calamine, to_python" in part("report").as_text(figures)
    rows = excel_reading.read(excel_reading.make_workbook(300))
    assert len(rows) == 301
    assert rows[0] == [*"ABCDEFGHIJKLMNOP"]
    assert [type(cell) for cell in rows[300]] == [float] * 13 + [str] * 3
    assert rows[300][13] in excel_reading.LEVELS
    assert rows[300][15] == "2023-03-15 05:01:00"


def test_model_files_are_loaded_and_weighed(part: Callable[[str], ModuleType]) -> None:
    load, theirs, ours = part("model_file").compare_files(0)
    assert load.leaves == 1_000
    assert load.target == 20.0
    assert theirs.value == 1.0
    assert ours.target == 0.3
    assert ours.leaves > 0.9 * theirs.leaves
    assert ours.met
    text = part("report").as_json([load, theirs, ours], "quick", datetime.now(UTC))
    assert json.loads(text)["figures"][2]["met"]


def test_models_that_were_taken_over_are_compared_with_their_originals(
    part: Callable[[str], ModuleType],
) -> None:
    figures = part("takeover").compare_takeovers(0, rows=300)
    assert {figure.contender for figure in figures} >= {"ExtraTrees", "ExtraTrees, taken over"}
    for original, ours in zip(figures[::2], figures[1::2], strict=True):
        assert (original.value, original.target, ours.target) == (1.0, None, 1.0)
        assert ours.value == pytest.approx(ours.seconds / original.seconds)
    assert "taken over" in part("report").as_text(figures)


@pytest.mark.filterwarnings("ignore")  # of packages that shap imports
def test_contributions_are_compared_on_the_same_trees(part: Callable[[str], ModuleType]) -> None:
    figures = part("explanations").compare_explanations(0, rows=300)
    assert figures[0].contender == "LightGBM: pred_contrib"
    for theirs, ours in zip(figures[::2], figures[1::2], strict=True):
        assert (theirs.value, theirs.target, ours.target) == (1.0, None, 0.3)
        assert ours.value == pytest.approx(ours.seconds / theirs.seconds)
    assert "pred_contrib" in part("report").as_text(figures)


def test_one_tree_is_counted_in_fits_of_its_forest(part: Callable[[str], ModuleType]) -> None:
    fit, tree, refers = part("distillation").compare_distillation(0, rows=400, trees=10)
    assert (fit.value, fit.target, tree.target, refers.target) == (1.0, None, 5.0, 5.0)
    assert refers.value == pytest.approx(refers.seconds / fit.seconds)
    assert "fit of the forest" in part("report").as_text([fit, tree, refers])


def test_a_whole_training_is_counted_in_fits_of_a_forest(
    part: Callable[[str], ModuleType],
) -> None:
    forest, whole = part("training").compare_training(rows=400, columns=16, model="tree", folds=2)
    assert (forest.value, forest.target, whole.target) == (1.0, None, 150.0)
    assert whole.value == pytest.approx(whole.seconds / forest.seconds)
    assert "default forest" in part("report").as_text([forest, whole])


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
    assert order == ["a", "b"] * (1 + measure.MIN_ROUNDS)


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
