"""Cards decide and refer the same in SQL, ONNX and Python, on rows with anything in them."""

import numpy as np
import pytest

from tests.card.tables import mixed_table, new_rows
from tests.export.engines import (
    feeds,
    in_duckdb,
    in_onnxruntime,
    in_postgresql,
    in_python,
    in_sqlite,
)
from thresher import (
    ImbalancedForestClassifier,
    ScoreCardClassifier,
    ThresholdClassifier,
    export_onnx,
    export_python,
    export_sql,
)
from thresher.answers import ANSWERS
from thresher.pairs.features import PairFeatures

CARDS = {
    "points": ScoreCardClassifier(n_estimators=10, random_state=0),
    "shares": ScoreCardClassifier(n_estimators=10, points=False, pos_label="good", random_state=1),
    "refers": ScoreCardClassifier(n_estimators=10, refer=0.2, random_state=2),
    "refers shares": ScoreCardClassifier(n_estimators=10, points=False, refer=0.3, random_state=5),
    "refers the other class": ScoreCardClassifier(
        n_estimators=10, refer=0.2, pos_label="good", random_state=6
    ),
    "pairs": ScoreCardClassifier(
        n_estimators=10,
        max_splits=9,
        derive=PairFeatures(pairs=[("force", "product", "speed")]),
        random_state=3,
    ),
    "a threshold around": ThresholdClassifier(
        ScoreCardClassifier(n_estimators=5, max_splits=7, random_state=4), "bcr", cv=2
    ),
    "a leaf": ScoreCardClassifier(ImbalancedForestClassifier(3), max_splits=1, max_trees=1),
}


@pytest.fixture(scope="module", params=CARDS)
def card(request):
    return CARDS[request.param].fit(*mixed_table(3, n=250))


@pytest.fixture(scope="module")
def rows():
    """Return random rows, and rows at, below and above what cards ask."""
    table = new_rows(9, 300)
    table.loc[:40, "force"] = np.linspace(50.0, 70.0, 41).round(1)
    table.loc[41:80, "speed"] = np.arange(1240.0, 1280.0)
    return table


def check(card, rows, probability, labels, answers=None, tolerance=1e-12):
    expected = card.predict_proba(rows)[:, card.positive_index_]
    np.testing.assert_allclose(np.array(probability, float), expected, rtol=0, atol=tolerance)
    np.testing.assert_array_equal(np.array(labels), card.predict(rows))
    if card.threshold_alert_ is not None:
        np.testing.assert_array_equal(np.array(answers), card.decide(rows))


def test_cards_that_may_refer_do():
    for name, model in CARDS.items():
        if name.startswith("refers"):
            fitted = model.fit(*mixed_table(3, n=250))
            assert set(fitted.decide(new_rows(9, 300))) == set(ANSWERS)


def test_sql(card, rows, duck, postgres):
    for found in (
        in_sqlite(export_sql(card, "parts", "sqlite", verify=rows), rows),
        in_duckdb(duck, export_sql(card, "parts", "duckdb"), rows),
        in_duckdb(duck, export_sql(card, "parts", "ansi"), rows),
        in_postgresql(postgres, export_sql(card, "parts", "postgresql"), rows),
    ):
        probability, labels, *more = zip(*found, strict=True)
        check(card, rows, probability, labels, more[-1])


def test_python(card, rows):
    found = in_python(export_python(card, verify=rows), rows)
    probability, labels, *more = zip(*found, strict=True)
    check(card, rows, probability, labels, more[-1])


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_onnx(card, rows, dtype):
    given = rows.copy()
    if dtype == "float32":
        numbers = ["force", "speed"]
        given[numbers] = given[numbers].astype(np.float32).astype(np.float64)
    exported = export_onnx(card, dtype=dtype, verify=given)
    levels = (card.estimator_ if hasattr(card, "estimator_") else card).columns_.levels
    labels, probability, *answers = in_onnxruntime(exported, feeds(given, levels, dtype))
    tolerance = 1e-12 if dtype == "float64" else 1e-6
    found = probability[:, card.positive_index_]
    check(card, given, found, labels, answers[0] if answers else None, tolerance)
