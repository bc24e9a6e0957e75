"""Exports compute derived columns from the original ones and decide as the model does."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.export.engines import (
    feeds,
    in_duckdb,
    in_onnxruntime,
    in_postgresql,
    in_python,
    in_sqlite,
)
from tests.pairs.given import EXTREMES, features, labels_of, random_pairs, random_table, widened
from thresher import ImbalancedForestClassifier, ImbalancedTreeClassifier
from thresher.export import to_onnx, to_python, to_sql
from thresher.pair import OPERATIONS, Pair
from thresher.sql import guarded, number

NAMES = ["a b", 'say "x"', "c - d", "e"]
KEPT = ("id",)


def made(seed, is_forest):
    random = np.random.default_rng(seed)
    X, pairs = random_table(random), random_pairs(random)
    y = labels_of(random, widened(X, pairs))
    table = pd.DataFrame(X, columns=NAMES)
    make = (
        ImbalancedForestClassifier(4, random_state=0, n_bootstrap=0, pairs=features(pairs))
        if is_forest
        else ImbalancedTreeClassifier(pairs=features(pairs), pruning=None)
    )
    # Rows of other values, on which derived columns are missing in all ways.
    new = pd.DataFrame(random_table(random), columns=NAMES)
    return make.fit(table, np.where(y, "scrap", "ok")), pd.concat([table, new], ignore_index=True)


def check(found, model, rows, tolerance=1e-12):
    probability, labels = zip(*[row[:2] for row in found], strict=True)
    place = model.classes_.tolist().index("scrap")
    expected = model.predict_proba(rows)[:, place]
    np.testing.assert_allclose(np.array(probability, dtype=float), expected, atol=tolerance)
    assert list(labels) == model.predict(rows).tolist()


@given(seed=st.integers(0, 2**32 - 1), is_forest=st.booleans())
@settings(max_examples=30, deadline=None)
def test_databases_and_python_decide_alike(seed, is_forest):
    duckdb = pytest.importorskip("duckdb")
    model, rows = made(seed, is_forest)
    check(in_sqlite(to_sql(model, "parts", "sqlite", KEPT), rows), model, rows)
    with duckdb.connect() as database:
        check(in_duckdb(database, to_sql(model, "parts", "duckdb", KEPT), rows), model, rows)
        check(in_duckdb(database, to_sql(model, "parts", "ansi", KEPT), rows), model, rows)
    check(in_python(to_python(model), rows), model, rows)


@pytest.mark.parametrize("is_forest", [False, True])
def test_postgresql_ends_no_query(postgres, is_forest):
    """It takes an infinite result for an error, so none may be computed."""
    for seed in range(5):
        model, rows = made(seed, is_forest)
        # What is next to nothing is an error there too, which the page says.
        rows = rows.where(~(rows.abs() < 1e-100), 0.0)
        query = to_sql(model, "parts", "postgresql", KEPT)
        check(in_postgresql(postgres, query, rows), model, rows)


@given(seed=st.integers(0, 2**32 - 1), is_forest=st.booleans())
@settings(max_examples=30, deadline=None)
def test_onnx_decides_alike(seed, is_forest):
    model, rows = made(seed, is_forest)
    with np.errstate(over="ignore"):
        short = rows.astype(np.float32)
    short = short.where(~np.isinf(short), 0.0)
    for dtype, table, tolerance in (("float64", rows, 1e-12), ("float32", short, 1e-6)):
        exported = to_onnx(model, dtype=dtype)
        inputs = feeds(table, model.columns_.levels, dtype)
        labels, probabilities = in_onnxruntime(exported, inputs)
        place = model.classes_.tolist().index("scrap")
        check(zip(probabilities[:, place], labels, strict=True), model, table, tolerance)


@pytest.mark.parametrize("operation", OPERATIONS)
def test_the_guard_of_sql_is_exact(operation):
    """Next to the largest number too, what is infinite is NULL and nothing else is."""
    duckdb = pytest.importorskip("duckdb")
    largest = np.finfo(np.float64).max
    powers = 2.0 ** np.arange(-1074, 1024, 61)
    values = np.concatenate([EXTREMES, powers, [largest, largest / 2, np.nextafter(1, 0)]])
    near = np.concatenate([largest / powers[powers >= 1.0], largest * powers[powers < 1.0]])
    values = np.unique(np.concatenate([values, near, np.nextafter(near, 0), -values]))
    left, right = (grid.ravel() for grid in np.meshgrid(values, values))
    expected = Pair(0, operation, 1).values(np.column_stack([left, right]))
    rows = pd.DataFrame({"a": left, "b": right, "place": np.arange(len(left))})
    text = guarded(operation, "a", "b", number)
    found = duckdb.sql(f"SELECT {text} AS v FROM rows ORDER BY place").fetchnumpy()["v"]
    np.testing.assert_array_equal(np.ma.filled(found.astype(float), np.nan), expected)
    assert len(rows) > 1000
