"""A condition with rows of a table: in a notebook, by matplotlib, with clear refusals."""

import matplotlib
import numpy as np
import pandas as pd
import pytest

from thresher import ImbalancedTreeClassifier, PairFeatures, conditions

matplotlib.use("Agg")
from matplotlib import pyplot


@pytest.fixture(scope="module")
def table():
    random = np.random.default_rng(0)
    X = pd.DataFrame(
        {"force": random.normal(size=800), "<b>": random.normal(size=800)},
    ).assign(line=random.choice(["a", "b", "c"], 800))
    is_scrap = (X.force > 1.0) & (X.line == "b") | (X["<b>"] > 2.0)
    return X, np.where(is_scrap, "scrap", "ok")


@pytest.fixture(scope="module")
def found(table):
    model = ImbalancedTreeClassifier(max_leaf_nodes=6).fit(*table)
    return conditions(model, output="table")


@pytest.fixture(autouse=True)
def close_figures():
    yield
    pyplot.close("all")


def test_pictures_count_the_rows_of_the_condition(found, table):
    assert len(found) >= 2
    for place in range(len(found)):
        good, bad = found.picture(place, *table).data["inside"]
        assert (good + bad, bad) == (found.training.n[place], found.training.hits[place])


def test_columns_are_found_by_name_and_others_are_not_needed(found, table):
    X, y = table
    for place, condition in enumerate(found.conditions):
        few = X[list(condition.given_columns)[::-1]]
        assert found.picture(place, few, y).data == found.picture(place, X, y).data


def test_every_kind_is_drawn(found, table):
    kinds = {found.picture(place, *table).data["kind"] for place in range(len(found))}
    assert len(kinds) >= 2
    for place in range(len(found)):
        figure = found.plot(place, *table)
        assert figure.axes[0].get_title(loc="left").startswith("inside: ")


def test_a_derived_column_is_computed():
    random = np.random.default_rng(0)
    X = pd.DataFrame({"force": random.random(600) + 1.0, "area": random.random(600) + 1.0})
    y = (X.force / X.area > 1.5).astype(int)
    pairs = PairFeatures(operations=["ratio"], random_state=0)
    model = ImbalancedTreeClassifier(max_leaf_nodes=2, derive=pairs).fit(X, y)
    found = conditions(model, output="table")
    assert found.conditions[0].columns == ("force / area",)
    assert found.picture(0, X, y).data["inside"] == [0, int(y.sum())]


def test_a_table_without_the_column_is_refused(found, table):
    X, y = table
    with pytest.raises(ValueError, match=r"X has no column '.*', which the condition asks about"):
        found.picture(0, X[["force"]].rename(columns={"force": "other"}), y)
    with pytest.raises(ValueError, match="X has 800 rows, y has 10"):
        found.picture(0, X, y[:10])


def test_notebooks_show_names_as_they_are(found, table):
    for page in (found._repr_html_(), *(found.picture(k, *table)._repr_html_() for k in (0, 1))):
        assert "<b><" not in page
        assert len(page) < 40_000
    assert "&lt;b&gt; &gt; " in found._repr_html_()
