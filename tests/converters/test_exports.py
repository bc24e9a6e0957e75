"""Models that were taken over decide the same in SQL, ONNX and Python."""

import duckdb
import numpy as np
import pandas as pd
import pytest

from tests.converters.originals import LIBRARIES, draw
from tests.export.engines import feeds, in_duckdb, in_onnxruntime, in_python, in_sqlite
from thresher import ThresholdClassifier, convert
from thresher.export import to_onnx, to_python, to_sql
from thresher.export.readers import read_scoring

EQUAL = 1e-6


def check(model, rows, probability, labels):
    expected = model.predict_proba(rows.to_numpy())[:, model.positive_index_]
    np.testing.assert_allclose(np.array(probability, dtype=float), expected, rtol=0, atol=EQUAL)
    is_clear = np.abs(expected - model.threshold_) > EQUAL
    decided = model.predict(rows.to_numpy())
    assert (np.array(labels) == decided)[is_clear].all()


def check_everywhere(model, rows):
    with duckdb.connect() as database:
        found = in_duckdb(database, to_sql(model, "parts", "duckdb"), rows)
    for one in (
        found,
        in_sqlite(to_sql(model, "parts", "sqlite"), rows),
        in_python(to_python(model), rows),
    ):
        check(model, rows, *list(zip(*one, strict=True))[:2])
    levels = read_scoring(model).levels
    for dtype in ("float64", "float32"):
        given = rows.astype(np.float32).astype(np.float64) if dtype == "float32" else rows
        exported = to_onnx(model, dtype=dtype)
        labels, probability = in_onnxruntime(exported, feeds(given, levels, dtype))
        check(model, given, probability[:, model.positive_index_], labels)


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("seed", range(10))
def test_random_models(library, seed):
    original, problem = draw(library, seed, most_trees=12)
    model = convert(original, pos_label=seed % 2)
    names = [f"x[{place}]" for place in range(model.n_features_in_)]
    rows = pd.DataFrame(problem.asked[:80], columns=names)
    check_everywhere(model, rows)
    rows_with_both = problem.X if model.allows_missing_ else np.nan_to_num(problem.X)
    around = ThresholdClassifier(model, rule="f1", cv="prefit", pos_label=seed % 2)
    check_everywhere(around.fit(rows_with_both, problem.y), rows)
