"""Trees are those grown in memory, forests those of one machine, whatever engine holds the rows."""

import numpy as np
import pyarrow as pa
import pytest
from sklearn.linear_model import LogisticRegression

from tests.scale.spark_sessions import expected_warning
from tests.scale.tables import (
    TARGET,
    WEIGHT,
    RandomTable,
    check_forest,
    check_tree,
    random_table,
)
from thresher import (
    AlphaTreesClassifier,
    ImbalancedForestClassifier,
    ImbalancedTreeClassifier,
    PairFeatures,
)
from thresher.column import has_others
from thresher.scale import fit

pytestmark = expected_warning

TREES = [
    {},
    {"criterion": "gini", "class_weight": "balanced"},
    {"criterion": "gain_ratio", "max_features": 2, "random_state": 3},
    {"criterion": "renyi", "alpha": 3.0, "max_bins": 16, "class_weight": "balanced"},
    {"criterion": "gain_ratio", "mdl_correction": True, "min_samples_leaf": 5},
    {"criterion": "hellinger", "max_leaf_nodes": 12, "class_weight": {"scrap": 3.0}},
    {"min_weight_fraction_leaf": 0.01, "max_depth": 5, "threshold": "prior", "pruning": "f1"},
]
FORESTS = [
    {},
    {"bootstrap": "balanced", "class_weight": "balanced", "min_samples_leaf": "auto"},
    {"bootstrap": "plain", "max_leaf_nodes": 9, "criterion": "hellinger", "smoothing": "laplace"},
    {"bootstrap": False, "rule": "prior", "max_depth": 4, "min_weight_fraction_leaf": 0.01},
    {"importance": "permutation", "max_bins": 16, "max_features": 2, "n_jobs": 2},
]
LITTLE = 60_000
"""Bytes: the rows of these tables go to a file, and their trees take many rounds."""


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("parameters", TREES)
def test_tree(engine, parameters, weighted):
    table = random_table(seed=len(str(parameters)))
    model = check_tree(table, engine(table), weighted=weighted, memory=LITTLE, **parameters)
    assert model.unpruned_tree_.n_nodes > 9


@pytest.mark.parametrize("n_parts", [1, 16])
def test_tree_of_other_parts_and_memory(engine, n_parts):
    table = random_table(seed=n_parts)
    rows = engine(table, n_parts)
    for memory in (2 * LITTLE, None):
        check_tree(table, rows, weighted=n_parts == 1, memory=memory)


def test_tree_in_a_single_byte_of_memory(engine):
    table = random_table(seed=3, n_rows=300)
    check_tree(table, engine(table), weighted=False, memory=1, max_depth=2)


@pytest.mark.parametrize("weighted", [False, True])
def test_more_levels_than_codes(engine, weighted):
    table = random_table(seed=7, n_rows=1500, many_levels=True)
    model = check_tree(table, engine(table), weighted=weighted, memory=LITTLE, max_depth=4)
    assert has_others(model.columns_.levels[2])


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("parameters", FORESTS)
def test_forest(engine, parameters, weighted):
    table = random_table(seed=8, n_rows=1500, many_levels=len(parameters) == 3)
    check_forest(table, engine(table), weighted=weighted, **parameters)


@pytest.mark.parametrize("n_parts", [1, 16])
def test_forest_of_other_parts_and_of_one_tree(engine, n_parts):
    table = random_table(seed=3, n_rows=600)
    rows = engine(table, n_parts)
    check_forest(table, rows, weighted=True)
    check_forest(table, rows, weighted=True, n_estimators=1, rule=None)


def test_every_pass_is_said(engine, capsys):
    table = random_table(seed=4)
    fit(ImbalancedTreeClassifier(), engine(table), TARGET, memory=LITTLE, verbose=True)
    said = capsys.readouterr().err
    assert "3,000 rows x 6 columns are 0.00 GB of bins" in said
    assert "nodes, counting" in said
    assert "nodes, finishing" in said


# ----------------------------------------------------------------------------------------- refusals


def refused(kind, words, rows, target=TARGET, estimator=None, **options):
    with pytest.raises(kind, match=words) as caught:
        fit(estimator or ImbalancedTreeClassifier(), rows, target, **options)
    assert "\n" not in str(caught.value)


def test_columns_that_are_not_there(engine):
    rows = engine(random_table(seed=2, n_rows=100))
    sentence = "The table has no column 'none'; its columns are"
    refused(ValueError, sentence, rows, "none")
    refused(ValueError, sentence, rows, sample_weight="none")
    refused(ValueError, sentence, rows, ignore=["none"])
    others = ["tied", "holed", "single", "whole", "supplier", WEIGHT]
    refused(ValueError, "The table has no column to learn from", rows, ignore=others)


@pytest.mark.parametrize(
    ("column", "value", "words"),
    [
        (TARGET, "good", "one class only"),
        (TARGET, None, "missing"),
        ("tied", np.inf, "infinity: column 'tied'"),
        (WEIGHT, -1.0, "sample_weight must be finite and not negative"),
    ],
)
def test_bad_rows(engine, column, value, words):
    frame = random_table(seed=2, n_rows=100).frame
    frame.loc[10:, column] = value
    if value == "good":
        frame[column] = value
    refused(ValueError, words, engine(RandomTable(frame)), sample_weight=WEIGHT)


def test_texts_that_are_no_categories_and_many_classes(engine):
    table = random_table(seed=2, n_rows=100)
    plain = ImbalancedTreeClassifier(categorical_features=None)
    refused(ValueError, "text", engine(table), estimator=plain)
    refused(ValueError, "Only binary classification", engine(table), "whole")


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"max_bins": 256}, "max_bins must be from 2 to 255, got 256"),
        ({"pruning_fraction": 0.2}, "pruning_fraction=0.2 needs all rows in memory; leave it out"),
        ({"pairs": PairFeatures()}, "pairs=PairFeatures.* needs all rows in memory"),
        ({"splitter": "random"}, "splitter='random' needs all rows in memory"),
        ({"importance": "shap"}, "importance='shap' needs all rows in memory"),
        ({"pos_label": "nope"}, "pos_label='nope' is not a class of y"),
        ({"criterion": "what"}, "criterion='what' is unknown"),
    ],
)
def test_parameters_of_a_tree(parameters, words):
    rows = random_table(seed=2, n_rows=100).frame
    refused(ValueError, words, rows, estimator=ImbalancedTreeClassifier(**parameters))


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"warm_start": True}, "warm_start=True needs all rows in memory"),
        ({"threshold_by": "supplier"}, "threshold_by='supplier' needs all rows in memory"),
        ({"importance": "shap"}, "importance='shap' needs all rows in memory"),
        ({"rule": "prior", "bootstrap": "all"}, "bootstrap='all' is unknown"),
    ],
)
def test_parameters_of_a_forest(parameters, words):
    rows = random_table(seed=2, n_rows=100).frame
    refused(ValueError, words, rows, estimator=ImbalancedForestClassifier(**parameters))


def test_options_and_other_estimators():
    rows = random_table(seed=2, n_rows=100).frame
    refused(ValueError, "memory must be at least 1", rows, memory=0)
    for estimator in (LogisticRegression(), AlphaTreesClassifier(), ImbalancedTreeClassifier):
        words = f"fit takes an ImbalancedTreeClassifier .*, got {type(estimator).__name__}"
        refused(TypeError, words, rows, estimator=estimator)


def test_an_empty_table():
    rows = pa.table({"x": [1.0, np.inf, 2.0], "y": [0, 1, 0]})
    refused(ValueError, "The table is empty", rows.slice(0, 0), "y")
