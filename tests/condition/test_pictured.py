"""A condition with rows of a table: in a notebook, as a file, with clear refusals."""

import numpy as np
import pandas as pd
import pytest

from tests.figures import words_in
from tests.table_factory import Table
from thresher import ImbalancedTreeClassifier, PairFeatures, find_conditions


@pytest.fixture(scope="module")
def table():
    return Table(
        rows=800,
        columns=2,
        levels=["abc"],
        names=["force", "<b>", "line"],
        labels=("ok", "scrap"),
        signal=lambda X: (X.force > 1.0) & (X.line == "b") | (X["<b>"] > 2.0),
        noise=0.01,
        share=0.07,
    ).pandas()


@pytest.fixture(scope="module")
def found(table):
    model = ImbalancedTreeClassifier(max_leaf_nodes=6).fit(*table)
    return find_conditions(model, output="table")


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


def test_every_kind_is_drawn_with_its_counts(found, table):
    pictures = [found.picture(place, *table) for place in range(len(found))]
    assert len({picture.data["kind"] for picture in pictures}) >= 2
    for place, picture in enumerate(pictures):
        figure = found.plot(place, *table)
        (good, bad), (all_good, all_bad) = picture.data["inside"], picture.data["all"]
        words = words_in(figure)
        assert f"class scrap: {bad} of {all_bad} inside" in words
        assert f"other rows: {good} of {all_good:,} inside" in words
        assert f"{bad} of {all_bad} class scrap" in repr(figure).replace("\u00a0", " ")


def test_a_derived_column_is_computed():
    random = np.random.default_rng(0)
    X = pd.DataFrame({"force": random.random(600) + 1.0, "area": random.random(600) + 1.0})
    y = (X.force / X.area > 1.5).astype(int)
    pairs = PairFeatures(operations=["ratio"], random_state=0)
    model = ImbalancedTreeClassifier(max_leaf_nodes=2, pairs=pairs).fit(X, y)
    found = find_conditions(model, output="table")
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
