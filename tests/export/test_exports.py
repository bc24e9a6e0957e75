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
from tests.many_levels import random_table as table_of_many_levels
from tests.many_levels import rows_of_all_kinds
from tests.zoo import KINDS, draw_with_rows
from thresher import (
    AlphaTreesClassifier,
    ImbalancedForestClassifier,
    ImbalancedTreeClassifier,
)
from thresher.export import to_onnx, to_python, to_sql
from thresher.export.readers import read_scoring

EXPORTED = (*KINDS, "logistic")
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
    check(in_python(to_python(model), rows), model, rows)
    check(in_sqlite(to_sql(model, "parts", "sqlite"), rows), model, rows)
    check(in_duckdb(duck, to_sql(model, "parts", "duckdb"), rows), model, rows)
    check(in_postgresql(postgres, to_sql(model, "parts", "postgresql"), rows), model, rows)
    check_onnx(model, rows, "float64", EQUAL)
    if any(of_column and 0.1 in of_column for of_column in read_scoring(model).levels):
        with pytest.raises(ValueError, match=r"has the level 0\.1, which 32 bits do not hold"):
            to_onnx(model)
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
    labels, probabilities = in_onnxruntime(to_onnx(model, dtype=dtype), inputs)
    probability, decided, _ = expected(model, rows)
    found = probabilities[:, scoring.positive].astype(float)
    np.testing.assert_allclose(found, probability, rtol=0, atol=tolerance)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0, atol=1e-6)
    assert labels.tolist() == decided


@pytest.mark.parametrize("seed", range(21))
@pytest.mark.parametrize("kind", EXPORTED)
def test_a_random_model(kind, seed, duck, postgres):
    check_everywhere(*draw_with_rows(kind, seed), duck, postgres)


def test_a_forest_of_200(duck, postgres):
    check_everywhere(*draw_with_rows("forest of 200", 0), duck, postgres)


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
            assert to_sql(model, "parts", dialect, verify=rows)
        assert to_python(model, verify=rows)
        assert to_onnx(model, dtype="float64", verify=rows)


def test_an_empty_text_beside_other_levels_is_refused_by_onnx():
    table, y = table_of_many_levels(0)
    y |= table["cavity"] == ""
    model = clone(MANY_LEVELS["tree"]).fit(table, y)
    with pytest.raises(ValueError, match="'cavity' has the empty text as a level") as caught:
        to_onnx(model)
    assert "\n" not in str(caught.value)
    assert to_python(model, verify=rows_of_all_kinds(table, "text"))
