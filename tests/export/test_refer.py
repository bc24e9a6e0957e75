"""Three answers are the same in every place that a model is exported to."""

import warnings
from functools import partial

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

from tests.export.engines import feeds, in_databases, in_onnxruntime, in_python, in_sqlite
from tests.table_factory import random_labels, random_table
from tests.threshold.known_posterior import draw
from tests.zoo import rows_at_cuts
from thresher import ImbalancedForestClassifier, ImbalancedTreeClassifier, ThresholdClassifier
from thresher.answers import ANSWERS
from thresher.export import to_onnx, to_python, to_sql
from thresher.export.readers import read_scoring
from thresher.export.verification import verified_rows

MODELS = {
    "forest": ImbalancedForestClassifier(7, rule="refer", price=0.1, cost_fn=2.0, random_state=0),
    "tree": ThresholdClassifier(
        ImbalancedTreeClassifier(pruning=None), "refer", price=0.1, cost_fn=2.0, random_state=0
    ),
}


@pytest.fixture(scope="module", params=[*MODELS, "shifted"])
def fitted(request):
    """Return a model of mixed columns and rows that it has not seen."""
    name = "forest" if request.param == "shifted" else request.param
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        random = np.random.default_rng(3)
        table = random_table(random, 400, is_float32=False, with_missing=True, with_levels=True)
        labels = random_labels(random, table, ("ok", "scrap"))
        model = clone(MODELS[name]).fit(table, labels)
        if request.param == "shifted":
            model.adjust_prior(0.4)
        # Scores of rows themselves: where an export is off by a bit, an answer is another.
        scores = np.unique(model.predict_proba(table)[:, model.positive_index_])
        places = len(scores) // 3, 2 * len(scores) // 3
        model.threshold_, model.threshold_alert_ = scores[list(places)].tolist()
    return model, rows_at_cuts(random, model, table)


def expected(model, rows):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.predict(rows).tolist(), model.decide(rows).tolist()


def check(found, model, rows):
    labels, answers = expected(model, rows)
    assert [row[1] for row in found] == labels
    assert [row[3] for row in found] == answers


def test_sql_and_python_answer_as_decide_does(fitted, duck, postgres):
    model, rows = fitted
    assert set(expected(model, rows)[1]) == set(ANSWERS)
    check(in_python(to_python(model), rows), model, rows)
    for found in in_databases(partial(to_sql, model, "parts"), rows, duck, postgres):
        check(found, model, rows)


def test_onnx_answers_as_decide_does(fitted):
    model, rows = fitted
    inputs = feeds(rows, read_scoring(model).levels, "float64")
    labels, _, answers = in_onnxruntime(to_onnx(model, dtype="float64"), inputs)
    assert (labels.tolist(), answers.tolist()) == expected(model, rows)


def test_a_line_has_no_answer_for_a_missing_value():
    X, y, _ = draw(500)
    model = ThresholdClassifier(LogisticRegression(), "refer", price=0.2, cost_fn=3.0).fit(X, y)
    rows = pd.DataFrame(X[:40], columns=[f"x[{place}]" for place in range(X.shape[1])])
    rows.iloc[0, 0] = np.nan
    found = in_sqlite(to_sql(model, "parts", "sqlite"), rows)
    assert found[0] == (None, None, None, None)
    assert [row[3] for row in found[1:]] == model.decide(X[1:40]).tolist()


def test_verification_sees_an_answer_that_differs(fitted):
    model, rows = fitted
    to_python(model, verify=rows)
    to_onnx(model, dtype="float64", verify=rows)
    to_sql(model, "parts", "sqlite", verify=rows)
    to_sql(model, "parts", "duckdb", verify=rows)
    seen = verified_rows(model, read_scoring(model), rows)
    given = list(seen.answers)
    given[0] = next(word for word in ANSWERS if word != given[0])
    with pytest.raises(ValueError, match="does not agree with the model on 1 of"):
        seen.compare("text", seen.probability.tolist(), seen.labels, answers=given)
    with pytest.raises(ValueError, match="does not agree"):
        seen.compare("text", seen.probability.tolist(), seen.labels)


def test_the_module_decides_one_row():
    X, y, _ = draw(800)
    model = ThresholdClassifier(LogisticRegression(), "refer", price=0.2, cost_fn=3.0).fit(X, y)
    module = {}
    exec(to_python(model), module)
    rows = [dict(zip(module["COLUMNS"], row, strict=True)) for row in X[:50].tolist()]
    assert [module["decide"](row) for row in rows] == model.decide(X[:50]).tolist()


def test_other_rules_export_what_they_did():
    X, y, _ = draw(500)
    model = ThresholdClassifier(LogisticRegression(), "f1").fit(X, y)
    assert "answer" not in to_sql(model, "parts", "sqlite")
    assert "answer_of" not in to_python(model)
    assert [one.name for one in to_onnx(model).graph.output] == ["label", "probabilities"]


def test_a_kept_column_answer_is_refused_where_the_query_has_its_own():
    X, y, _ = draw(500)
    table = pd.DataFrame(X, columns=["a", "b", "c", "answer"])
    model = ThresholdClassifier(LogisticRegression(), "f1").fit(table, y)
    assert "answer" in to_sql(model, "parts", "sqlite")
    refers = ThresholdClassifier(LogisticRegression(), "refer", price=0.2).fit(table, y)
    with pytest.raises(ValueError, match="two columns 'answer'"):
        to_sql(refers, "parts", "sqlite")
