"""Random models decide the same in every place that they are exported to, bit for bit."""

import warnings

import numpy as np
import pytest
from sklearn.base import clone

from tests.export.engines import (
    feeds,
    in_duckdb,
    in_onnxruntime,
    in_postgresql,
    in_python,
    in_sqlite,
)
from tests.export.scored_models import (
    KINDS,
    big_forest,
    make_model,
    new_rows,
    only_a_leaf,
    random_labels,
    random_table,
)
from tests.many_levels import random_table as table_of_many_levels
from tests.many_levels import rows_of_all_kinds
from thresher import (
    AlphaTreesClassifier,
    ImbalancedForestClassifier,
    ImbalancedTreeClassifier,
    export_onnx,
    export_python,
    export_sql,
    load_model,
    save_model,
)
from thresher.export.scoring_of import read_scoring

SEEDS = range(14 * len(KINDS))
EQUAL, EQUAL_FLOAT32 = 1e-12, 1e-6


def expected(model, rows):
    """Return probability, decision and leaf, as the library says them."""
    scoring = read_scoring(model)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        probability = model.predict_proba(rows)[:, scoring.positive]
        inner = getattr(model, "estimator_", model)
        is_tree = isinstance(inner, ImbalancedTreeClassifier)
        leaves = inner.apply(rows).tolist() if is_tree else [None] * len(rows)
        return probability, model.predict(rows).tolist(), leaves


def check(found, model, rows, tolerance=EQUAL):
    probability, labels, leaves = expected(model, rows)
    got, decided, fell_into = zip(*found, strict=True)
    np.testing.assert_allclose(np.array(got, dtype=float), probability, rtol=0, atol=tolerance)
    assert list(decided) == labels
    assert list(fell_into) == leaves


def check_everywhere(model, rows, duck, postgres):
    check(in_python(export_python(model), rows), model, rows)
    check(in_sqlite(export_sql(model, "parts", "sqlite"), rows), model, rows)
    check(in_duckdb(duck, export_sql(model, "parts", "duckdb"), rows), model, rows)
    check(in_postgresql(postgres, export_sql(model, "parts", "postgresql"), rows), model, rows)
    check_onnx(model, rows, "float64", EQUAL)
    if any(of_column and 0.1 in of_column for of_column in read_scoring(model).levels):
        with pytest.raises(ValueError, match=r"has the level 0\.1, which 32 bits do not hold"):
            export_onnx(model)
    else:
        check_onnx(model, as_float32(rows), "float32", EQUAL_FLOAT32)


def as_float32(rows):
    """Return rows with numbers of 32 bits; what these cannot hold becomes the largest they can."""
    rows = rows.copy()
    most = float(np.finfo(np.float32).max)
    for name in rows.columns:
        if rows[name].dtype.kind == "f":
            rows[name] = rows[name].clip(-most, most).astype(np.float32)
    return rows


def check_onnx(model, rows, dtype, tolerance):
    scoring = read_scoring(model)
    inputs = feeds(rows, scoring.levels, dtype)
    labels, probabilities = in_onnxruntime(export_onnx(model, dtype=dtype), inputs)
    probability, decided, _ = expected(model, rows)
    found = probabilities[:, scoring.positive].astype(float)
    np.testing.assert_allclose(found, probability, rtol=0, atol=tolerance)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0, atol=1e-6)
    assert labels.tolist() == decided


def test_there_are_enough_models():
    assert len(SEEDS) >= 200


@pytest.mark.parametrize("seed", SEEDS)
def test_a_random_model(seed, duck, postgres):
    check_everywhere(*make_model(seed), duck, postgres)


def test_a_model_that_comes_from_a_file_is_exported_alike(tmp_path):
    for seed in range(len(KINDS)):
        model, _ = make_model(seed)
        save_model(model, tmp_path / "model.thresher")
        loaded = load_model(tmp_path / "model.thresher")
        assert export_python(loaded) == export_python(model)
        assert export_sql(loaded, "parts") == export_sql(model, "parts")


@pytest.mark.parametrize("kind", [big_forest, only_a_leaf])
@pytest.mark.parametrize("seed", range(3))
def test_a_forest_of_200_and_a_leaf(kind, seed, duck, postgres):
    rng = np.random.default_rng(seed)
    table = random_table(rng, 90, is_float32=seed == 1, with_missing=True, with_levels=True)
    model = kind(rng, table, random_labels(rng, table, (0, 1)))
    check_everywhere(model, new_rows(rng, model, table, most=60), duck, postgres)


MANY_LEVELS = {
    "tree": ImbalancedTreeClassifier(min_samples_leaf=1, pruning=None),
    "forest": ImbalancedForestClassifier(4, max_depth=7, random_state=0, n_bootstrap=0),
    "alpha trees": AlphaTreesClassifier((0.5, 2.0), voting="soft"),
}


@pytest.mark.parametrize("kind", ["text", "number"])
@pytest.mark.parametrize("name", MANY_LEVELS)
def test_other_levels_go_where_the_model_sends_them(name, kind, duck, postgres):
    for seed in range(3):
        table, y = table_of_many_levels(seed, kind)
        # The empty text stands for missing values in ONNX.
        table["cavity"] = table["cavity"].cat.rename_categories({"": "empty"})
        model = clone(MANY_LEVELS[name]).fit(table, y)
        rows = rows_of_all_kinds(table, kind)
        used = {place for tree in read_scoring(model).score.trees for place in tree.feature}
        assert 0 in used
        check_everywhere(model, rows, duck, postgres)
        for dialect in ("ansi", "duckdb", "sqlite"):
            assert export_sql(model, "parts", dialect, verify=rows)
        assert export_python(model, verify=rows)
        assert export_onnx(model, dtype="float64", verify=rows)


def test_an_empty_text_beside_other_levels_is_refused_by_onnx():
    table, y = table_of_many_levels(0)
    y |= table["cavity"] == ""
    model = clone(MANY_LEVELS["tree"]).fit(table, y)
    with pytest.raises(ValueError, match="'cavity' has the empty text as a level") as caught:
        export_onnx(model)
    assert "\n" not in str(caught.value)
    assert export_python(model, verify=rows_of_all_kinds(table, "text"))
