"""Blends and boosted trees decide the same in SQL, ONNX and Python."""

import duckdb
import numpy as np
import pytest

from tests.blend.tables import levels
from tests.export.engines import feeds, in_duckdb, in_onnxruntime, in_sqlite
from thresher import ImbalancedBlendClassifier
from thresher.blend.boosted import BoostedTreesClassifier
from thresher.export import to_onnx, to_python, to_sql
from thresher.pairs.features import PairFeatures

EQUAL = 1e-6
MODELS = {
    "boosted": BoostedTreesClassifier(6, cv=2, n_bootstrap=0, random_state=0),
    "all that can": ImbalancedBlendClassifier(
        ("forest", "random_cuts", "logistic"), n_estimators=5, cv=2, n_bootstrap=0, random_state=0
    ),
    "boosted inside": ImbalancedBlendClassifier(("boosted",), cv=2, n_bootstrap=0, random_state=0),
    "with derived columns": ImbalancedBlendClassifier(
        ("forest", "boosted", "logistic"),
        n_estimators=4,
        cv=2,
        n_bootstrap=0,
        random_state=0,
        pairs=PairFeatures(pairs=[(0, "product", 1), (3, "ratio", 1)]),
    ),
    "lines": ImbalancedBlendClassifier(("logistic",), cv=3, n_bootstrap=0, random_state=0),
}


@pytest.fixture(scope="module", params=MODELS)
def model(request):
    return MODELS[request.param].fit(*levels(200)).adjust_prior(0.2)


@pytest.fixture(scope="module")
def rows():
    X = levels(60, seed=5).X
    X["machine"] = X["machine"].astype(object)
    X.loc[3, "machine"] = "another"
    X.loc[7, :"s5"] = np.nan
    return X


def check(model, rows, probability, labels):
    expected = model.predict_proba(rows)[:, model.positive_index_]
    np.testing.assert_allclose(np.array(probability, dtype=float), expected, rtol=0, atol=EQUAL)
    is_clear = np.abs(expected - model.threshold_) > EQUAL
    assert (np.array(labels) == model.predict(rows))[is_clear].all()
    assert is_clear.sum() > 50


def test_sql(model, rows):
    with duckdb.connect() as database:
        found = in_duckdb(database, to_sql(model, "parts", "duckdb"), rows)
    for one in (found, in_sqlite(to_sql(model, "parts", "sqlite"), rows)):
        check(model, rows, *list(zip(*one, strict=True))[:2])


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_onnx(model, rows, dtype):
    given = rows.copy()
    numbers = [f"s{place}" for place in range(6)]
    if dtype == "float32":
        given[numbers] = given[numbers].astype(np.float32).astype(np.float64)
    exported = to_onnx(model, dtype=dtype, verify=rows)
    labels, probability = in_onnxruntime(exported, feeds(given, model.columns_.levels, dtype))
    check(model, given, probability[:, model.positive_index_], labels)


@pytest.mark.parametrize("dialect", ["ansi", "postgresql", "sqlserver", "snowflake"])
def test_other_dialects_are_written(model, dialect):
    text = to_sql(model, "parts", dialect)
    uses_logarithm = isinstance(model, ImbalancedBlendClassifier)
    assert ("LOG(" if dialect == "sqlserver" else "LN(") in text or not uses_logarithm


def test_a_kernel_machine_is_refused():
    model = ImbalancedBlendClassifier(("forest", "svm"), n_estimators=5, n_bootstrap=0)
    model.fit(*levels(200))
    for export in (to_python, to_onnx, lambda one: to_sql(one, "parts")):
        with pytest.raises(TypeError, match=r"member 'svm'.*members=\('forest',\)"):
            export(model)
