"""One tree for any classifier: what it imitates, and to whom it refers rows."""

import numpy as np
import pytest
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from tests.table_factory import Table
from thresher import ImbalancedForestClassifier, ThresholdClassifier, convert, distil
from thresher.export import to_sql


@pytest.fixture(scope="module")
def table():
    names, labels = ["torque", "speed", "supplier"], ("ok", "scrap")
    return Table(rows=500, columns=2, levels=["BAC"], names=names, labels=labels).pandas()


def pipeline():
    columns = ["torque", "speed"]
    prepared = make_column_transformer(
        (StandardScaler(), columns), (OneHotEncoder(handle_unknown="ignore"), ["supplier"])
    )
    return make_pipeline(prepared, LogisticRegression())


def test_a_pipeline_on_texts_is_read_in_its_own_columns(table):
    X, y = table
    model = pipeline().fit(X, y)
    tree = distil(model, X, y, max_leaf_nodes=12, refer=0.1)
    assert "supplier" in tree.export_text()
    answers = tree.decide(X)
    assert 0.0 < (answers == "refer").mean() <= 0.1
    assert 0.0 < tree.referred_.share <= 0.1
    asked = tree.referred_to_
    assert asked.estimator_ is model
    truth = asked.predict(X)
    plain = distil(model, X, y, max_leaf_nodes=12)
    joint = np.where(answers == "refer", truth, tree.predict(X))
    assert f1_score(truth, joint, pos_label="scrap") > f1_score(
        truth, plain.predict(X), pos_label="scrap"
    )


def test_the_threshold_of_a_model_is_imitated(table):
    X, y = table
    alerts = []
    for per_1000 in (60, 300):
        model = ThresholdClassifier(pipeline(), "budget", per_1000=per_1000, cv=3).fit(X, y)
        tree = distil(model, X, y, max_leaf_nodes=16)
        alerts.append((tree.predict(X) == "scrap").mean())
        assert (tree.predict(X) == model.predict(X)).mean() > 0.9
    assert alerts[0] < alerts[1]


def test_models_of_this_library_do_it_themselves(table):
    X, y = table
    forest = ImbalancedForestClassifier(20, n_bootstrap=0, random_state=0).fit(X, y)
    for refer in (0.0, 0.1):
        found = distil(forest, X, y, 8, refer)
        assert found.tree_.digest() == forest.to_tree(8, refer, cv=None).tree_.digest()
    numbers = X[["torque", "speed"]].to_numpy()
    taken = convert(RandomForestClassifier(10, random_state=0).fit(numbers, y))
    tree = distil(taken, numbers, y, 8, refer=0.1)
    assert tree.referred_.share <= 0.1
    assert tree.referred_to_ is taken


def test_a_line_is_asked_in_one_query(table):
    X, y = table
    numbers = X[["torque", "speed"]]
    model = LogisticRegression().fit(numbers, y)
    tree = distil(model, numbers, y, 6, refer=0.1)
    query = to_sql(tree, "parts", "sqlite", refer="model", verify=numbers)
    assert query.startswith("SELECT")


def test_what_is_not_fitted_is_refused(table):
    X, y = table
    with pytest.raises(ValueError, match="is not fitted"):
        distil(pipeline(), X, y)
    with pytest.raises(ValueError, match="refer must be"):
        distil(pipeline(), X, y, refer=2.0)
