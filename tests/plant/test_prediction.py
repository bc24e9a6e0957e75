"""The columns that a prediction adds: reasons beside probability, decision and condition."""

import pytest
from sklearn.linear_model import LogisticRegression

from thresher import ImbalancedTreeClassifier, train
from thresher.datasets import make_assembly_line
from thresher.plant.prediction import reason_columns


@pytest.fixture(scope="module")
def model():
    line = make_assembly_line(1200, random_state=0)
    return train(line.X.assign(scrap=line.y), target="scrap", model="tree", folds=2)


def test_predict_table_adds_reasons(model):
    rows = make_assembly_line(200, random_state=1).X
    plain, found = model.predict_table(rows), model.predict_table(rows, reasons=2)
    assert found.columns.tolist() == [*plain.columns, "reason_1", "reason_2"]
    assert found[plain.columns].equals(plain)
    texts = model.estimator.reasons(rows, top=2)
    for column in (0, 1):
        expected = [one[column] if len(one) > column else "" for one in texts]
        assert found[f"reason_{column + 1}"].tolist() == expected


@pytest.mark.parametrize("reasons", [-1, 1.5, "three"])
def test_a_number_of_reasons_is_checked(model, reasons):
    with pytest.raises((ValueError, TypeError), match="reasons"):
        model.predict_table(make_assembly_line(50, random_state=1).X, reasons=reasons)


def test_models_without_reasons_are_refused():
    with pytest.raises(ValueError, match="needs a model of trees, and this one is a Logistic"):
        reason_columns(LogisticRegression(), [[1.0]], 1)
    assert reason_columns(LogisticRegression(), [[1.0]], 0) == []


def test_rows_with_fewer_reasons_have_empty_texts():
    X, y = [[1.0], [2.0], [3.0], [4.0], [5.0], [6.0]], [0, 0, 0, 0, 1, 1]
    model = ImbalancedTreeClassifier("gini").fit(X, y)
    first, second = (column.values() for column in reason_columns(model, X[:1], 2))
    assert [*first] == ["x[0] 1 <= 4.5: -0.33"]
    assert [*second] == [""]


@pytest.fixture(scope="module")
def forest():
    line = make_assembly_line(1200, random_state=0)
    table = line.X.assign(scrap=line.y)
    return train(table, target="scrap", model="forest", trees=40, folds=2, pairs=False)


def test_every_alert_of_a_forest_tells_a_condition_or_reasons(forest):
    rows = make_assembly_line(3000, random_state=1).X
    found = forest.predict_table(rows, reasons=3)
    is_alert = (found.decision == 1).to_numpy()
    assert (found.condition[is_alert] != "").all()
    assert (found.condition[~is_alert] == "").all()
    bare = found[found.condition.str.startswith("reasons: ")]
    assert 0 < len(bare) < is_alert.sum()
    for row in bare.itertuples():
        told = [row.reason_1, row.reason_2, row.reason_3]
        assert row.condition == f"reasons: {'; '.join(told)}"
