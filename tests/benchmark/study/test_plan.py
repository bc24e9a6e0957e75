"""Data sets and methods of a study: every way to give them, and what cannot be studied."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from tests.benchmark.study.own_methods import Plain, make_table
from thresher.benchmark import METHODS, StudyError
from thresher.benchmark.study.contender import Contender
from thresher.benchmark.study.dataset import Folds, check_classes, read_datasets
from thresher.benchmark.study.plan import make_plan

X, Y = make_table(0)
FOLDS = Folds(3, 1, 0)


def plan(datasets=(("a", X, Y),), methods=("LinR",), folds=FOLDS, **parameters):
    return make_plan(datasets, methods, folds, **parameters)


def test_runs_come_in_the_order_of_data_sets_repeats_methods_and_folds():
    found = plan([("a", X, Y), ("b", *make_table(1))], ["LinR", "ARDT"], Folds(2, 2, 0))
    expected = [
        (dataset, method, repeat, fold)
        for dataset in "ab"
        for repeat in range(2)
        for method in ("LinR", "ARDT")
        for fold in range(2)
    ]
    assert [run[:4] for run in found.runs] == expected


@pytest.mark.parametrize(
    "datasets",
    [[("a", X, Y)], {"a": (X, Y)}, [("a", pd.DataFrame(X), pd.Series(Y))], [("a", X.tolist(), Y)]],
    ids=["tuple", "mapping", "pandas", "lists"],
)
def test_own_tables_are_given_in_several_ways(datasets):
    (dataset,) = read_datasets(datasets, FOLDS).values()
    assert dataset.name == "a"
    np.testing.assert_array_equal(dataset.is_positive, Y)


def test_bundled_tables_are_given_by_name():
    assert read_datasets("Yeast-me1", FOLDS)["Yeast-me1"].is_positive.sum() == 44


def test_the_rarer_class_is_the_positive_one():
    labels = np.where(Y == 1, "a scrap", "ok")
    (dataset,) = read_datasets([("a", X, labels)], FOLDS).values()
    np.testing.assert_array_equal(dataset.is_positive, Y)
    (dataset,) = read_datasets([("a", X, 1 - Y)], FOLDS).values()
    np.testing.assert_array_equal(dataset.is_positive, Y)


def test_folds_are_scikit_learn_s_and_differ_between_repeats():
    (dataset,) = read_datasets([("a", X, Y)], Folds(5, 2, 7)).values()
    for repeat in range(2):
        splitter = StratifiedKFold(5, shuffle=True, random_state=7 + repeat)
        for fold, (train, test) in enumerate(splitter.split(X, Y)):
            np.testing.assert_array_equal(dataset.rows(repeat, fold)[0], train)
            np.testing.assert_array_equal(dataset.rows(repeat, fold)[1], test)
    assert not np.array_equal(dataset.rows(0, 0)[1], dataset.rows(1, 0)[1])


@given(st.integers(1, 12), st.integers(1, 30), st.integers(2, 12), st.booleans())
def test_folds_that_pass_the_check_can_be_trained_and_tested(few, more, folds, may_be_empty):
    y = np.repeat([1, 0], [few, few + more])
    (dataset,) = read_datasets([("a", np.zeros((len(y), 1)), y)], Folds(folds, 1, 0)).values()
    try:
        check_classes(dataset, may_be_empty=may_be_empty)
    except StudyError:
        assert few < folds
        return
    for fold in range(folds):
        train, test = dataset.rows(0, fold)
        assert set(y[train]) == {0, 1}
        assert len(test) > 0
        assert may_be_empty or set(y[test]) == {0, 1}


def test_an_estimator_is_cloned_and_gets_the_seed_where_it_leaves_it_open():
    tree = DecisionTreeClassifier()
    assert Contender("a", tree).make(5).random_state == 5
    assert tree.random_state is None
    assert Contender("a", DecisionTreeClassifier(random_state=3)).make(5).random_state == 3
    nested = Contender("a", make_pipeline(StandardScaler(), tree)).make(5)
    assert nested[-1].random_state == 5


def test_a_class_and_a_function_are_factories():
    assert Contender("a", DecisionTreeClassifier).make(5).random_state == 5
    assert Contender("a", METHODS["ARDT"]).make(5).random_state == 5


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"methods": ["LinR", "LinR+XS"]}, r"methods='LinR\+XS' is unknown.*mean 'LinR\+[A-Z]S'"),
        ({"methods": ["LinR", "LinR"]}, "methods names 'LinR' twice"),
        ({"methods": []}, "methods is empty"),
        ({"methods": {"mine": 3}}, "'mine' is neither an estimator nor a function"),
        ({"methods": {"mine": lambda: None}}, "behind method 'mine' must take random_state"),
        ({"datasets": ["Yeast-me1", "Yeast-me"]}, "Yeast-me'.*did you mean.*Yeast-me1"),
        ({"datasets": []}, "datasets is empty"),
        ({"datasets": [("a", X, Y), ("a", X, Y)]}, "datasets names 'a' twice"),
        ({"datasets": [("a", X)]}, r"must be a name or a tuple \(name, X, y\)"),
        ({"datasets": {"a": X}}, r"Data set 'a' must be a pair \(X, y\), got ndarray"),
        ({"datasets": [("a", X, Y[1:])]}, "Data set 'a' cannot be used: X has 120 rows, but y"),
        ({"datasets": [("a", X, 0 * Y)]}, "Data set 'a' cannot be used: y has one class only"),
        ({"datasets": [("a", [["u"], ["v"]], [0, 1])]}, "'a' cannot be used: Column 0 holds text"),
        ({"folds": Folds(1, 1, 0)}, "folds must be at least 2, got 1"),
        ({"folds": Folds(3, 0, 0)}, "repeats must be at least 1, got 0"),
        ({"folds": Folds(3, 1, -1)}, "random_state must be from 0 to"),
        ({"empty_folds": "allow"}, "empty_folds='allow' is unknown"),
        (
            {"folds": Folds(30, 1, 0)},
            "Data set 'a' has 24 rows of its rare class, so that some of 30 folds would have none: "
            "take folds=24 or fewer, or empty_folds='keep'",
        ),
        (
            {"datasets": [("a", X, np.arange(120) == 3)], "empty_folds": "keep"},
            "Data set 'a' has 1 row of its rare class and 119 of the other; 3 folds need at least",
        ),
    ],
)
def test_what_cannot_be_studied_is_said_in_one_sentence(change, sentence):
    with pytest.raises(ValueError, match=sentence) as caught:
        plan(**change)
    assert "\n" not in str(caught.value)


def test_too_few_rows_for_the_folds_even_where_some_may_be_empty():
    y = np.repeat([1, 0], [3, 5])
    with pytest.raises(StudyError, match="3 rows of its rare class and 5 of the other; 6 folds"):
        plan([("a", np.zeros((8, 1)), y)], folds=Folds(6, 1, 0), empty_folds="keep")


def test_a_fold_without_positives_may_be_kept():
    found = plan([("a", X, np.arange(120) < 2)], empty_folds="keep")
    assert len(found.runs) == 3


def broken(*, random_state):
    raise ImportError("needs another package")


def test_a_factory_that_fails_does_not_stop_the_plan():
    found = plan(methods={"broken": broken, "LinR": METHODS["LinR"]})
    assert len(found.runs) == 6
    assert found.settings["methods"]["broken"]["error"] == "ImportError: needs another package"


class Knot:
    def __init__(self):
        self.end = self


def test_an_estimator_that_holds_itself_has_a_key_of_its_own():
    keys = {run.key for end in (Knot(), Knot()) for run in plan(methods={"m": Plain(end)}).runs}
    assert len(keys) == 6
