"""The transformer: what it chooses, what it refuses, and how scikit-learn uses it."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from thresher import ImbalancedTreeClassifier, LeastSquaresClassifier, PairFeatures
from thresher.pair import Pair
from thresher.pairs.choice import Meaning, candidates, p_value

EXPLICIT = [(0, "product", 1)]


def line(seed=0, rows=2000):
    """Return parts whose power decides, with a category and a column of few values beside."""
    random = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "torque": random.normal(40.0, 10.0, rows),
            "shift": random.choice(["early", "late"], rows),
            "speed": random.normal(1500.0, 200.0, rows),
            "cavity": random.integers(1, 5, rows),
            "humidity": random.normal(50.0, 5.0, rows),
        }
    )
    return X, (X["torque"] * X["speed"] > 85_000.0).to_numpy()


def test_a_product_is_found_and_kept():
    X, y = line()
    found = PairFeatures().fit(X, y)
    assert found.get_feature_names_out().tolist() == [*X.columns, "torque x speed"]
    assert found.pairs_ == found.chosen_ == (Pair(0, "product", 2),)
    assert found.p_value_ <= 0.05
    assert found.gain_ > 0.1


def test_labels_by_chance_keep_nothing():
    X, _ = line()
    y = np.random.default_rng(1).random(len(X)) < 0.05
    found = PairFeatures().fit(X, y)
    assert found.pairs_ == ()
    assert found.p_value_ > 0.05
    assert found.get_feature_names_out().tolist() == list(X.columns)


def test_too_few_rare_rows_show_nothing():
    X, y = line(rows=100)
    y = np.arange(100) < 5
    assert PairFeatures(test=False).fit(X, y).pairs_ == ()


def test_it_is_the_same_each_time_and_for_any_number_of_threads():
    X, y = line(3)
    first = PairFeatures().fit(X, y)
    for other in (PairFeatures(n_jobs=2), PairFeatures(random_state=0)):
        other.fit(X, y)
        assert (other.pairs_, other.gain_, other.p_value_) == (
            first.pairs_,
            first.gain_,
            first.p_value_,
        )


def test_weights_are_rows():
    """Rows of weight zero have no say."""
    X, y = line(4)
    noise = np.random.default_rng(0).random(len(X)) < 0.5
    both = pd.concat([X, X], ignore_index=True)
    labels = np.concatenate([y, noise])
    weights = np.repeat([1.0, 0.0], len(X))
    found = PairFeatures().fit(both, labels, sample_weight=weights)
    plain = PairFeatures().fit(X, y, sample_weight=np.ones(len(X)))
    assert found.pairs_ == plain.pairs_ != ()
    assert found.p_value_ == plain.p_value_


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_frames_keep_their_columns(kind):
    X, y = line()
    X["shift"] = X["shift"].astype("category")
    table = X if kind == "pandas" else pl.from_pandas(X)
    made = PairFeatures([("torque", "ratio", "humidity")]).fit(table, y).transform(table)
    assert type(made) is type(table)
    assert list(made.columns) == [*X.columns, "torque / humidity"]
    assert made["shift"].dtype == table["shift"].dtype
    np.testing.assert_array_equal(
        np.asarray(made["torque / humidity"]), X["torque"] / X["humidity"]
    )


def test_set_output_and_names_of_arrays():
    X, y = line()
    array = X[["torque", "speed"]].to_numpy()
    transformer = PairFeatures(EXPLICIT).set_output(transform="pandas").fit(array, y)
    made = transformer.transform(array)
    assert made.columns.tolist() == ["x0", "x1", "x0 x x1"]
    plain = PairFeatures(EXPLICIT).fit(array).transform(array)
    np.testing.assert_array_equal(plain, made.to_numpy())


def test_a_pipeline_around_another_model():
    X, y = line()
    numbers = X[["torque", "speed", "humidity"]]
    model = make_pipeline(PairFeatures(), LeastSquaresClassifier()).fit(numbers, y)
    assert model[-1].n_features_in_ == 4


def test_parameters_of_derive_are_searched():
    X, y = line(rows=600)
    search = GridSearchCV(
        ImbalancedTreeClassifier(max_leaf_nodes=2, pairs=PairFeatures(test=False)),
        {"pairs": [None, PairFeatures(test=False)]},
        scoring="f1",
        cv=3,
    ).fit(X, y)
    assert search.best_params_["pairs"] is not None
    assert search.best_estimator_.columns_.named_pairs.keys() == {"torque x speed"}


def test_units_forbid_differences_and_allow_sums():
    random = np.random.default_rng(0)
    X = random.normal(10.0, 1.0, (50, 3))
    meaning = Meaning(["a", "b", "c"], {"a": "mm", "b": "mm", "c": "s"}, {})
    found = candidates(X, [0, 1, 2], ("difference", "sum", "distance"), meaning)
    assert found == [Pair(0, "difference", 1), Pair(0, "sum", 1), Pair(0, "distance", 1)]
    unknown = Meaning(["a", "b", "c"], {"a": "mm"}, {})
    found = candidates(X, [0, 1, 2], ("difference", "sum"), unknown)
    assert {pair.operation for pair in found} == {"difference"}


def test_a_ratio_is_there_both_ways_where_signs_differ():
    X = np.array([[1.0, 2.0, -1.0], [2.0, 1.0, 1.0], [3.0, 4.0, 0.0]])
    meaning = Meaning(["a", "b", "c"], {}, {})
    pairs = {(pair.left, pair.right) for pair in candidates(X, [0, 1, 2], ("ratio",), meaning)}
    # Over the last column, which is 0 in places, a ratio would be missing there.
    assert pairs == {(0, 1), (2, 0), (2, 1)}


def test_pairs_within_a_stage_come_first():
    """Of two pairs that matter, one of which has its parts in one stage, that is taken."""
    random = np.random.default_rng(0)
    X = pd.DataFrame(random.normal(10.0, 2.0, (3000, 4)), columns=["a", "b", "c", "d"])
    y = (X["a"] * X["b"] > 148.0) | (X["c"] * X["d"] > 150.0)
    alone = {
        stage: PairFeatures(test=False, max_pairs=1, stages=stages).fit(X, y).pairs_
        for stage, stages in {
            "ab": {"a": "press", "b": "press", "c": "oven", "d": "test"},
            "cd": {"a": "press", "b": "oven", "c": "test", "d": "test"},
        }.items()
    }
    assert alone == {"ab": (Pair(0, "product", 1),), "cd": (Pair(2, "product", 3),)}


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"pairs": [("torque", "product", "weight")]}, "'weight', which X does not have"),
        ({"pairs": [("torque", "product", "shift")]}, "'shift', a category column"),
        ({"pairs": [("torque", "power", "speed")]}, "'power' is unknown"),
        ({"pairs": [("torque", "speed")]}, "a pair is"),
        ({"pairs": [(0, "sum", 2), ("torque", "sum", "speed")]}, "twice"),
        ({"operations": ("power",)}, "'power' is unknown"),
        ({"operations": "product"}, "list of names"),
        ({"max_columns": 1}, "max_columns must be at least 2"),
        ({"max_pairs": 0}, "max_pairs must be at least 1"),
    ],
)
def test_what_cannot_be_made_is_told(parameters, words):
    X, y = line(rows=100)
    with pytest.raises((ValueError, TypeError), match=words):
        PairFeatures(**parameters).fit(X, y)


def test_without_labels_pairs_must_be_given():
    X, _ = line(rows=100)
    with pytest.raises(ValueError, match="requires y"):
        PairFeatures().fit(X)


def test_the_p_value_is_one_of_chance():
    """Without an effect it is below 5 % at most that often."""
    random = np.random.default_rng(0)
    fold_of, weights = np.arange(500) % 5, np.ones(500)
    found = [p_value(random.normal(size=500) ** 3, weights, fold_of) for _ in range(400)]
    assert np.mean(np.array(found) <= 0.05) <= 0.06
