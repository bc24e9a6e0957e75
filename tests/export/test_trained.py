"""Whatever `train` makes goes everywhere: SQL, ONNX and Python decide as it, reasons add up."""

import duckdb
import numpy as np
import pytest
from scipy.special import logit

from tests.export.engines import feeds, in_duckdb, in_onnxruntime, in_python, in_sqlite
from tests.table_factory import Table
from thresher import train
from thresher.export import to_onnx, to_python, to_sql

EQUAL = 1e-12
TABLES = {
    "numbers": Table(1, 500, columns=4, missing=0.1, share=0.15, decimals=1),
    "levels": Table(2, 500, columns=3, levels=["abc", "xyz"], missing=0.1, share=0.2),
    "hostile names": Table(3, 500, columns=3, levels=["pq"], missing=0.05, names="hostile"),
}


@pytest.fixture(scope="module", params=TABLES)
def rows(request):
    """Rows to train on with their target, and new ones with values that training did not have."""
    X, y = TABLES[request.param].pandas()
    levels = X.columns[X.dtypes == "category"]
    X = X.astype(dict.fromkeys(levels, object))
    new = X[400:].reset_index(drop=True)
    new.loc[3, X.columns[0]] = 1e6
    for name in levels:
        new.loc[5, name] = "never seen"
        new.loc[7, name] = None
    return X[:400].assign(target=y[:400]), new


@pytest.fixture(scope="module", params=["tree", "forest", "boosted"])
def model(request, rows):
    return train(rows[0], "target", model=request.param, trees=10, folds=2, pairs=True).estimator


def check(found, model, rows):
    probability, labels, *_ = zip(*found, strict=True)
    expected = model.predict_proba(rows)[:, model.positive_index_]
    np.testing.assert_allclose(np.array(probability, dtype=float), expected, rtol=0, atol=EQUAL)
    assert [str(label) for label in labels] == [str(one) for one in model.predict(rows)]


def test_every_export_decides_as_predict(model, rows):
    _, new = rows
    check(in_python(to_python(model), new), model, new)
    check(in_sqlite(to_sql(model, "parts", "sqlite"), new), model, new)
    with duckdb.connect() as database:
        check(in_duckdb(database, to_sql(model, "parts", "duckdb"), new), model, new)
    given = feeds(new, model.columns_.levels, "float64")
    labels, probability = in_onnxruntime(to_onnx(model, dtype="float64"), given)
    check(zip(probability[:, model.positive_index_], labels, strict=True), model, new)


def test_contributions_add_up_to_the_score(model, rows):
    _, new = rows
    score = model.predict_proba(new)[:, model.positive_index_]
    if hasattr(model, "learning_rate"):
        score = logit(score)
    np.testing.assert_allclose(model.contributions(new).sum(axis=1), score, rtol=0, atol=1e-9)
    assert all(reasons for reasons in model.reasons(new))
