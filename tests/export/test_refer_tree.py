"""A tree that refers rows is the same in every engine, and can ask its forest in one query."""

import warnings
from functools import partial

import numpy as np
import pandas as pd
import pytest

from tests.export.engines import feeds, in_databases, in_onnxruntime, in_python, in_sqlite
from tests.model_file.copies import copied
from tests.table_factory import random_labels, random_table
from tests.zoo import rows_at_cuts
from thresher import ImbalancedForestClassifier, PairFeatures
from thresher.answers import ANSWERS
from thresher.export import to_onnx, to_python, to_sql
from thresher.export.readers import read_scoring


@pytest.fixture(scope="module", params=["mixed", "numbers", "pairs"])
def fitted(request):
    """Return a forest, a tree that refers rows to it, and rows that they have not seen."""
    random = np.random.default_rng(5)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if request.param == "pairs":
            table = pd.DataFrame(random.random((600, 3)), columns=["a", "b", "c"])
            labels = np.where(table["a"] * table["b"] > 0.45 + 0.1 * table["c"], "scrap", "ok")
            pairs = PairFeatures([("a", "product", "b")], test=False)
        else:
            is_mixed = request.param == "mixed"
            more = {"with_missing": is_mixed, "with_levels": is_mixed}
            table = random_table(random, 400, is_float32=False, **more)
            labels, pairs = random_labels(random, table, ("ok", "scrap")), None
        forest = ImbalancedForestClassifier(30, n_bootstrap=0, random_state=0, pairs=pairs)
        forest.fit(table, labels)
        tree = forest.to_tree(6 if pairs else 12, refer=0.03 if pairs else 0.3, cv=None)
        rows = table if pairs else rows_at_cuts(random, forest, table)
    return forest, tree, rows


def decided(forest, tree, rows):
    """Return decisions where the forest decides about referred rows, and the answers."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        answers = tree.decide(rows)
        joint = np.where(answers == "refer", forest.predict(rows), tree.predict(rows))
        return joint.tolist(), tree.predict(rows).tolist(), answers.tolist()


def test_every_engine_answers_as_the_tree_does(fitted, duck, postgres):
    forest, tree, rows = fitted
    _, labels, answers = decided(forest, tree, rows)
    assert set(answers) == set(ANSWERS)
    databases = in_databases(partial(to_sql, tree, "parts"), rows, duck, postgres)
    for found in (in_python(to_python(tree), rows), *databases):
        assert [row[1] for row in found] == labels
        assert [row[3] for row in found] == answers
    inputs = feeds(rows, read_scoring(tree).levels, "float64")
    found, _, said = in_onnxruntime(to_onnx(tree, dtype="float64"), inputs)
    assert (found.tolist(), said.tolist()) == (labels, answers)


def test_one_query_lets_the_forest_decide_about_referred_rows(fitted, duck, postgres):
    forest, tree, rows = fitted
    joint, labels, answers = decided(forest, tree, rows)
    assert joint != labels  # or there was no need to ask
    leaves = tree.apply(rows).tolist()
    query = partial(to_sql, tree, "parts", refer="model")
    for found in in_databases(query, rows, duck, postgres):
        assert [row[1] for row in found] == joint
        assert [row[2] for row in found] == leaves
        assert [row[3] for row in found] == answers


def test_a_tree_from_a_file_is_given_its_forest_and_verified(fitted):
    forest, tree, rows = fitted
    other = copied(tree)
    with pytest.raises(ValueError, match="refer=forest"):
        to_sql(other, "parts", "sqlite", refer="model")
    wanted = to_sql(tree, "parts", "sqlite", refer="model", verify=rows)
    assert to_sql(other, "parts", "sqlite", refer=forest) == wanted
    kept = to_sql(tree, "parts", "sqlite", keep=["id"], refer="model")
    assert in_sqlite(kept, rows) == in_sqlite(wanted, rows)


def test_what_cannot_be_asked_is_refused(fitted):
    forest, tree, _ = fitted
    with pytest.raises(ValueError, match="refer is for a model that refers rows"):
        to_sql(forest.to_tree(8, cv=None), "parts", refer="model")
    with pytest.raises(ValueError, match="refer"):
        to_sql(tree, "parts", refer="person")
    X, y = np.random.default_rng(0).random((60, 2)), np.arange(60) < 9
    with pytest.raises(ValueError, match="other columns"):
        to_sql(tree, "parts", refer=ImbalancedForestClassifier(3).fit(X, y))
