"""Random models decide the same in every place that they are exported to, bit for bit."""

import warnings

import numpy as np
import pytest

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
from thresher import (
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
