"""EAT: its trees are those one would grow alone, and its decisions are their vote."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from tests.table_factory import Table
from thresher import AlphaTreesClassifier, ImbalancedTreeClassifier

VOTINGS = ["majority", "soft"]


X, Y = Table(columns=5, noise=0.8, share=0.15).numpy()
X_NEW, Y_NEW = Table(1, columns=5, noise=0.8, share=0.15).numpy()


# ------------------------------------------------------------------- the trees, and what they say


def alone(tree, **changes):
    return clone(tree).set_params(**changes)


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"alphas": np.array([0.0, 0.4, 3.0]), "pruning": None},
        {"pruning": "f1", "threshold": "prior", "max_depth": 4},
        {"class_weight": "balanced", "min_samples_leaf": 5, "min_samples_split": 20},
        {"max_features": 2, "random_state": 3, "max_leaf_nodes": 9},
        {"max_bins": 32, "min_gain": 0.001, "min_weight_fraction_leaf": 0.01, "pos_label": 0},
    ],
)
@pytest.mark.parametrize("with_rows_to_prune_on", [False, True])
def test_trees_are_those_grown_alone(parameters, with_rows_to_prune_on):
    weights = np.random.default_rng(2).integers(0, 3, len(Y))
    rows = {"X_val": X_NEW, "y_val": Y_NEW} if with_rows_to_prune_on else {}
    model = AlphaTreesClassifier(**parameters).fit(X, Y, weights, **rows)
    assert [tree.alpha for tree in model.estimators_] == list(model.alphas)
    for tree in model.estimators_:
        assert tree.criterion == "renyi"
        expected = alone(tree).fit(X, Y, weights, **rows)
        assert tree.tree_.digest() == expected.tree_.digest()
        assert tree.threshold_ == expected.threshold_
        assert (tree.predict(X_NEW) == expected.predict(X_NEW)).all()
    with_parameters = ImbalancedTreeClassifier("renyi").set_params(
        **{name: value for name, value in parameters.items() if name != "alphas"}
    )
    for name, value in with_parameters.get_params().items():
        if name not in ("alpha", "random_state"):
            assert getattr(model.estimators_[-1], name) == value


@pytest.mark.parametrize("threshold", [0.5, 0.1, "prior"])
@pytest.mark.parametrize("alphas", [(0.1, 0.3, 0.5, 0.7, 0.9, 1, 2), (0.1, 1), (0.5,)])
def test_decisions_are_the_vote(alphas, threshold):
    model = AlphaTreesClassifier(alphas, threshold=threshold).fit(X, Y)
    votes = np.array([tree.predict(X_NEW) for tree in model.estimators_])
    assert model.threshold_ == 0.5
    assert (model.predict_proba(X_NEW)[:, 1] == votes.sum(axis=0) / len(alphas)).all()
    assert (model.predict(X_NEW) == (2 * votes.sum(axis=0) > len(alphas))).all()


@pytest.mark.parametrize("threshold", [0.5, 0.1, "prior"])
def test_decisions_are_those_of_the_mean_probability(threshold):
    model = AlphaTreesClassifier(voting="soft", threshold=threshold).fit(X, Y)
    mean = np.mean([tree.predict_proba(X_NEW)[:, 1] for tree in model.estimators_], axis=0)
    np.testing.assert_allclose(model.predict_proba(X_NEW)[:, 1], mean, atol=1e-15)
    assert model.threshold_ == (Y.mean() if threshold == "prior" else threshold)
    assert (model.predict(X_NEW) == (mean > model.threshold_)).all()


@pytest.mark.parametrize("pos_label", [0, 1])
def test_a_tie_is_negative(pos_label):
    model = AlphaTreesClassifier((0.1, 2), pos_label=pos_label).fit(X, Y)
    tied = model.predict_proba(X_NEW)[:, 1] == 0.5
    assert tied.any()
    assert (model.predict(X_NEW)[tied] == 1 - pos_label).all()


@pytest.mark.parametrize("voting", VOTINGS)
def test_equal_trees_decide_as_one(voting):
    """Seven trees of one leaf: rounding must not lift their mean over the share of positives."""
    for n_rows in range(3, 60):
        table, y = np.arange(float(n_rows))[:, None], (np.arange(n_rows) < n_rows / 3).astype(int)
        model = AlphaTreesClassifier(voting=voting, threshold="prior", min_gain=9.0, pos_label=1)
        model.fit(table, y, sample_weight=np.full(n_rows, 7.0))
        assert [tree.get_n_leaves() for tree in model.estimators_] == [1] * 7
        assert not model.predict(table).any(), n_rows


# ------------------------------------------------------------------------------------ weights


@st.composite
def tables(draw):
    """Small integers with ties and missing values, a category column, and a rare class."""
    n_rows = draw(st.integers(8, 60))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    table = random.integers(-4, 5, (n_rows, 3)).astype(float)
    table[:, 2] = random.integers(0, 6, n_rows)
    table[random.random((n_rows, 3)) < draw(st.sampled_from([0.0, 0.1]))] = np.nan
    y = (random.random(n_rows) < draw(st.sampled_from([0.15, 0.4]))).astype(int)
    y[:2] = 0, 1
    return table, y, random.integers(1, 4, n_rows)


@settings(max_examples=40, deadline=None)
@given(tables(), st.sampled_from(VOTINGS), st.sampled_from([0.3, "prior"]))
def test_integer_weights_are_repeated_rows(case, voting, threshold):
    table, y, times = case
    model = AlphaTreesClassifier(
        voting=voting, threshold=threshold, categorical_features=[2], pos_label=1
    )
    weighted = clone(model).fit(table, y, times)
    repeated = clone(model).fit(np.repeat(table, times, axis=0), np.repeat(y, times))
    assert weighted.threshold_ == repeated.threshold_
    assert (weighted.predict_proba(table) == repeated.predict_proba(table)).all()
    assert (weighted.predict(table) == repeated.predict(table)).all()


# ---------------------------------------------------------------------- the table, read only once


def test_one_hold_out_for_all_trees():
    model = AlphaTreesClassifier(pruning_fraction=0.3, random_state=0).fit(X, Y)
    grown_on = model.estimators_[0].unpruned_tree_.rows[0]
    assert grown_on.sum() == len(Y) - round(0.3 * (Y == 0).sum()) - round(0.3 * Y.sum())
    for tree in model.estimators_:  # alone with the same seed it holds out the same rows
        expected = alone(tree, random_state=0).fit(X, Y)
        assert tree.unpruned_tree_.digest() == expected.unpruned_tree_.digest()
        assert tree.tree_.digest() == expected.tree_.digest()


@pytest.mark.parametrize("make_frame", [pd.DataFrame, pl.DataFrame])
@pytest.mark.parametrize("voting", VOTINGS)
def test_data_frames_with_categories(make_frame, voting):
    lines = np.array(["north", "south", "west"])[(X[:, 4] > 0).astype(int) + (X[:, 4] > 1)]
    frame = make_frame({"line": lines.tolist(), "speed": X[:, 0], "force": X[:, 1]})
    model = AlphaTreesClassifier(voting=voting).fit(frame, np.where(Y == 1, "bad", "good"))
    assert model.feature_names_in_.tolist() == ["line", "speed", "force"]
    assert model.columns_.levels[0] == ("north", "south", "west")
    assert all(tree.columns_ is model.columns_ for tree in model.estimators_)
    assert (model.pos_label_, model.n_features_in_) == ("bad", 3)
    turned = frame[["force", "line", "speed"]]
    assert (model.predict(turned) == model.predict(frame)).all()
    assert (model.predict(frame) == "bad")[Y == 1].mean() > 0.7


def test_importances_are_the_mean_of_the_trees_with_a_split():
    model = AlphaTreesClassifier(max_depth=3).fit(X, Y)
    by_tree = [tree.feature_importances_ for tree in model.estimators_ if tree.get_depth()]
    assert 0 < len(by_tree) < 7
    np.testing.assert_allclose(model.feature_importances_, np.mean(by_tree, axis=0))
    assert model.feature_importances_[:2].sum() > 0.6
    stumps = AlphaTreesClassifier(min_gain=9.0).fit(X, Y)
    assert stumps.feature_importances_.tolist() == [0.0] * 5


def test_random_columns_differ_between_trees_and_follow_the_seed():
    def cuts(random_state):
        model = AlphaTreesClassifier((0.5, 0.500001), max_features=1, random_state=random_state)
        return [tree.tree_.feature.tolist() for tree in model.fit(X, Y).estimators_]

    assert cuts(3)[0] != cuts(3)[1]
    assert cuts(3) == cuts(3) == cuts(np.int64(3))
    assert cuts(3) != cuts(4)
    state = np.random.RandomState(3)
    assert cuts(state) != cuts(state)


def test_threads_do_not_change_the_trees():
    table, y = Table(rows=3000, columns=5, noise=0.8).numpy()
    digests = {
        tuple(tree.tree_.digest() for tree in model.fit(table, y).estimators_)
        for model in (AlphaTreesClassifier(n_jobs=n_jobs) for n_jobs in (None, 2, 4))
    }
    assert len(digests) == 1


# ----------------------------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"alphas": ()}, ValueError, "alphas is empty; give at least one order"),
        ({"alphas": 0.5}, TypeError, "alphas must be a list of numbers, one for each tree, got 0"),
        ({"alphas": "0.5"}, TypeError, "alphas must be a list of numbers"),
        ({"alphas": None}, TypeError, "alphas must be a list of numbers"),
        ({"alphas": {0.5, 1}}, TypeError, "alphas must be a list of numbers"),
        ({"alphas": (0.5, -0.1)}, ValueError, r"alphas\[1\] must be at least 0, got -0.1"),
        ({"alphas": (np.nan,)}, ValueError, r"alphas\[0\] must be at least 0, got nan"),
        ({"alphas": (0.5, np.inf)}, ValueError, r"alphas\[1\] must be .* and finite, got inf"),
        ({"alphas": (0.5, "1")}, TypeError, r"alphas\[1\] must be a number, got '1'"),
        ({"alphas": (0.5, True)}, TypeError, r"alphas\[1\] must be a number, got True"),
        ({"alphas": np.ones((2, 2))}, TypeError, "alphas must be a list of numbers"),
        ({"alphas": np.array(0.5)}, TypeError, "alphas must be a list of numbers"),
        ({"alphas": (1, 0.5, 1.0)}, ValueError, "alphas has 1 twice"),
        ({"alphas": np.array([0.5, 0.5])}, ValueError, "alphas has 0.5 twice"),
        ({"voting": "majorety"}, ValueError, "'majorety' is unknown.*did you mean 'majority'"),
        ({"voting": "sofft"}, ValueError, "did you mean 'soft'"),
        ({"voting": None}, ValueError, "voting=None is unknown, choose from 'majority', 'soft'"),
        ({"min_samples_leaf": 0}, ValueError, "min_samples_leaf must be at least 1"),
        ({"max_features": 6}, ValueError, "max_features must be from 1 to 5, got 6"),
        ({"pruning": "mcc"}, ValueError, "pruning must be one of 'bcr'.*got 'mcc'"),
        ({"pruning_fraction": 2}, ValueError, "pruning_fraction must be a number above 0"),
        ({"threshold": "mean"}, ValueError, "threshold must be a number or 'prior'"),
        ({"class_weight": {2: 1}}, ValueError, "class_weight names the class 2"),
        ({"pos_label": 2}, ValueError, "pos_label=2 is not a class of y"),
        ({"categorical_features": [7]}, ValueError, "names the column 7, which X does not have"),
    ],
)  # fmt: skip
def test_parameters(parameters, error, message):
    with pytest.raises(error, match=message):
        AlphaTreesClassifier(**parameters).fit(X, Y)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (X[:, :2], "X has 2 features, but AlphaTreesClassifier is expecting 5 features"),
        (np.where(X[7, 2] == X, np.inf, X), "X contains infinity: column 2, row 7"),
        (X[:0], "0 sample"),
    ],
)
@pytest.mark.parametrize("method", ["predict", "predict_proba"])
def test_tables_to_predict(table, message, method):
    model = AlphaTreesClassifier((0.5, 1)).fit(X, Y)
    with pytest.raises(ValueError, match=message):
        getattr(model, method)(table)


def test_rows_to_prune_on():
    with pytest.raises(ValueError, match="Give X_val and y_val to fit together"):
        AlphaTreesClassifier().fit(X, Y, X_val=X_NEW)
    with pytest.raises(ValueError, match="X has 3 features, but AlphaTreesClassifier is expecting"):
        AlphaTreesClassifier().fit(X, Y, X_val=X_NEW[:, :3], y_val=Y_NEW)


def test_few_rows_get_one_warning_at_the_caller():
    with pytest.warns(UserWarning, match="The 5 rows are fewer than") as caught:
        AlphaTreesClassifier(min_samples_leaf=3).fit(X[:5], [0, 0, 1, 1, 1])
    assert [warning.filename for warning in caught] == [__file__]


def test_orders_are_compared_a_few_times_each():
    class Order(float):
        compared = 0

        def __eq__(self, other):
            Order.compared += 1
            return float(self) == float(other)

        __hash__ = float.__hash__

    alphas = [Order(number) for number in range(1, 2000)]
    with pytest.raises(ValueError, match="alphas has 7 twice"):
        AlphaTreesClassifier([*alphas, Order(7)]).fit(X, Y)
    assert Order.compared < 5 * len(alphas)
