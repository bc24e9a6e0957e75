"""Early detection: what is known up to a station, judged on rows that had no say."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from thresher import ImbalancedForestClassifier, ImbalancedTreeClassifier
from thresher.datasets import make_assembly_line
from thresher.judging.early import best_f1_counts
from thresher.plant import early_detection


@pytest.fixture(scope="module")
def line():
    return make_assembly_line(2500, random_state=3)


@pytest.fixture(scope="module")
def forest():
    return ImbalancedForestClassifier(60, random_state=0)


@pytest.fixture(scope="module")
def early(line, forest):
    return early_detection(forest, line.X, line.y, line.stations)


def test_stations_in_order_with_all_columns_at_the_end(line, early):
    assert list(early.stations) == list(dict.fromkeys(line.stations.values()))
    assert early.n_columns == (3, 6, 8, 11, 13, 14, 15, 16)
    assert (early.counts.total == len(line.y)).all()


def test_f1_rises_where_a_cause_becomes_known(line, early):
    f1 = dict(zip(early.stations, early.counts.fbeta(), strict=True))
    before = dict(zip(early.stations[1:], early.stations[:-1], strict=True))
    for condition in line.truth:
        assert f1[condition.station] > f1[before[condition.station]] + 0.05
    assert f1["EOL leak test"] > 0.7


def test_interval_is_around_f1(early):
    f1 = early.counts.fbeta()
    assert (early.f1_low < f1).all()
    assert (f1 < early.f1_high).all()


def test_nothing_is_reached_on_noise(line, forest):
    y = np.random.default_rng(0).permutation(line.y)
    early = early_detection(forest, line.X, y, line.stations)
    # Alarms for all parts reach 2 * rate / (1 + rate).
    assert (early.counts.fbeta() < 2 * y.mean() / (1 + y.mean()) + 0.04).all()


def test_table_and_figure(early):
    from matplotlib import pyplot

    frame = early.to_frame()
    assert frame["station"].tolist() == list(early.stations)
    figure = early.plot()
    (ax,) = figure.axes
    lines = {line.get_label(): line.get_ydata() for line in ax.get_lines()}
    np.testing.assert_array_equal(lines["F1"], frame["f1"])
    np.testing.assert_array_equal(lines["recall"], frame["recall"])
    pyplot.close(figure)


@pytest.mark.parametrize("kind", ["polars", "pyarrow"])
def test_other_frames_give_the_same(kind, early, forest):
    other = make_assembly_line(2500, as_frame=kind, random_state=3)
    again = early_detection(forest, other.X, other.y, other.stations)
    np.testing.assert_array_equal(again.counts, early.counts)
    assert type(again.to_frame()).__module__.split(".")[0] == kind


def test_other_models_are_scored_in_folds(line):
    stations = {name: place for name, place in line.stations.items() if name != "flow"}
    tree = ImbalancedTreeClassifier(max_leaf_nodes=16)
    early = early_detection(tree, line.X, line.y, stations, cv=3)
    assert early.n_columns[-1] == 15
    assert early.counts.fbeta()[-1] > early.counts.fbeta()[0] + 0.2
    numbers = line.X[["tool_age", "press_force"]]
    places = {name: line.stations[name] for name in numbers}
    logistic = early_detection(LogisticRegression(), numbers, line.y, places)
    assert logistic.stations == ("S2 bearing press",)


@pytest.mark.parametrize(
    ("stations", "error", "message"),
    [
        ({}, ValueError, "stations is empty"),
        ({"speed": "S1"}, ValueError, "'speed', which X does not have"),
    ],
)
def test_bad_stations(line, forest, stations, error, message):
    with pytest.raises(error, match=message):
        early_detection(forest, line.X, line.y, stations)


def test_names_may_come_beside_an_array(line):
    stations = {name: place for name, place in line.stations.items() if name != "hardness"}
    tree = ImbalancedTreeClassifier(max_leaf_nodes=16)
    named = early_detection(tree, line.X, line.y, stations)
    array, names = line.X.to_numpy(dtype=object), list(line.X)
    texts = [name for name in names if line.X[name].dtype.kind not in "if"]
    places = [names.index(name) for name in texts]
    mask = [name in texts for name in names]
    for told in (places, [place - len(names) for place in places], mask):
        by_place = tree.set_params(categorical_features=told)
        found = early_detection(by_place, array, line.y, stations, names=names)
        np.testing.assert_array_equal(found.counts, named.counts)
        assert found.n_columns == named.n_columns
    by_name = early_detection(tree.set_params(categorical_features=texts), line.X, line.y, stations)
    np.testing.assert_array_equal(by_name.counts, named.counts)


def test_a_table_without_names(forest):
    with pytest.raises(TypeError, match=r"X must have named columns.*give names="):
        early_detection(forest, np.zeros((10, 2)), [0, 1] * 5, {"x": "S1"})
    with pytest.raises(ValueError, match="names has 1 entries, but X has 2 columns"):
        early_detection(forest, np.zeros((10, 2)), [0, 1] * 5, {"x": "S1"}, names=["x"])


def test_the_threshold_of_best_f1_comes_from_other_rows():
    random = np.random.default_rng(0)
    truth = np.arange(400) % 8 == 0
    f1 = [best_f1_counts(random.random(400), truth, seed).fbeta()[0] for seed in range(40)]
    # Noise reaches what alarms for all do, and no more; on the same rows it would.
    assert np.mean(f1) < 2 * truth.mean() / (1 + truth.mean()) + 0.01
    assert best_f1_counts(truth + 0.0, truth).fbeta() == [1.0]
    assert best_f1_counts(np.array([0.1, 0.9]), np.array([False, True])).total == [2.0]
