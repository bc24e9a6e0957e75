"""The trees of a forest: those one would grow alone, and what their votes add up to."""

import numpy as np
import pandas as pd
import pytest

from tests.forest.tables import mixed, rare
from thresher import ImbalancedForestClassifier, ImbalancedTreeClassifier
from thresher.tree.growing import CRITERIA

X, Y, WEIGHTS = mixed()
X_NEW = mixed(300, seed=7)[0]
FRAME = pd.DataFrame(X, columns=list("abcde")).assign(
    c=pd.Categorical.from_codes(X[:, 2].astype(int), [f"line {i:02}" for i in range(12)])
)
TABLES = {"numbers": rare()[0], "missing values": X, "categories": FRAME}


def both(**parameters):
    """Return a forest of the same tree thrice, and that tree."""
    shared = {"max_features": None, "pos_label": 1} | parameters
    how = {"bootstrap": False, "random_cuts": 0, "rule": None, "random_state": 3}
    forest = ImbalancedForestClassifier(3, **how, **shared)
    return forest, ImbalancedTreeClassifier(pruning=None, **shared)


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("table", TABLES)
def test_without_draws_every_tree_is_the_one_grown_alone(table, weighted, criterion):
    alpha = 0.4 if criterion == "renyi" else None
    forest, tree = both(criterion=criterion, alpha=alpha, class_weight={0: 1.0, 1: 3.5})
    weights = WEIGHTS if weighted else None
    forest.fit(TABLES[table], Y, weights)
    tree.fit(TABLES[table], Y, weights)
    assert tree.get_n_leaves() > 3
    for member in forest.estimators_:
        assert member.tree_.digest() == tree.tree_.digest()
        assert member.predict(TABLES[table]).tolist() == tree.predict(TABLES[table]).tolist()


@pytest.mark.parametrize(
    "parameters",
    [
        {"max_leaf_nodes": 9},
        {"max_depth": 3, "min_samples_leaf": 6, "min_samples_split": 30},
        {"max_bins": 16, "min_gain": 0.001, "min_weight_fraction_leaf": 0.01},
        {"criterion": "renyi", "alpha": 3.0, "min_samples_leaf": 1},
        {"criterion": "gain_ratio", "mdl_correction": True},
        {"alpha_tolerance": 0.05, "class_weight": "balanced"},
        {"pos_label": 0, "categorical_features": [2]},
    ],
    ids=str,
)
def test_parameters_of_growth_reach_the_trees(parameters):
    forest, tree = both(**parameters)
    digest = tree.fit(X, Y, WEIGHTS).tree_.digest()
    assert {m.tree_.digest() for m in forest.fit(X, Y, WEIGHTS).estimators_} == {digest}
    for name, value in parameters.items():
        assert getattr(forest.estimators_[0], name) == value


# ------------------------------------------------------------------------- members as estimators


@pytest.fixture(scope="module")
def drawn():
    """A forest with all that a forest can have."""
    model = ImbalancedForestClassifier(25, bootstrap="plain", n_bootstrap=0, random_state=0)
    return model.fit(FRAME, np.where(Y == 1, "scrap", "good"), WEIGHTS)


def test_members_are_sound_trees_of_their_own(drawn):
    digests = set()
    for member in drawn.estimators_:
        member.tree_.validate(n_features=5)
        assert member.tree_.rows[0].sum() == len(Y)
        assert (member.classes_.tolist(), member.pos_label_) == (["good", "scrap"], "scrap")
        assert member.columns_ is drawn.columns_
        assert member.feature_names_in_.tolist() == list("abcde")
        digests.add(member.tree_.digest())
    assert len(digests) == 25


def test_members_are_a_sequence(drawn):
    members = drawn.estimators_
    digests = [member.tree_.digest() for member in members]
    assert (len(members), repr(members)) == (25, "<25 trees>")
    assert members[-1].tree_.digest() == members[24].tree_.digest() == digests[24]
    assert [member.tree_.digest() for member in members[3:9:2]] == digests[3:9:2]
    assert [member.random_state for member in members[:3]] == [0, 1, 2]
    with pytest.raises(IndexError):
        members[25]
    with pytest.raises(IndexError):
        members[-26]


def test_apply_tells_the_leaf_in_each_member(drawn):
    leaves = drawn.apply(FRAME)
    assert leaves.shape == (len(Y), 25)
    for place, member in enumerate(drawn.estimators_):
        np.testing.assert_array_equal(leaves[:, place], member.apply(FRAME))
        assert member.tree_.is_leaf[leaves[:, place]].all()


def test_impurity_importances_are_the_mean_of_the_members(drawn):
    mean = np.mean([member.feature_importances_ for member in drawn.estimators_], axis=0)
    np.testing.assert_allclose(drawn.feature_importances_, mean / mean.sum(), atol=1e-15)
    assert drawn.feature_importances_.sum() == pytest.approx(1)
    assert drawn.feature_importances_[[0, 2]].min() > drawn.feature_importances_[4]
    stumps = ImbalancedForestClassifier(3, bootstrap=False, rule=None, min_gain=9.0).fit(X, Y)
    assert stumps.feature_importances_.tolist() == [0.0] * 5


# ----------------------------------------------------------------------------------------- votes


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("bootstrap", ["plain", "stratified", "balanced", False])
@pytest.mark.parametrize("weighted", [False, True])
def test_probability_is_the_mean_of_the_members(bootstrap, weighted, dtype):
    model = ImbalancedForestClassifier(
        40, bootstrap=bootstrap, rule=None, random_state=1, class_weight="balanced"
    ).fit(X.astype(dtype), Y, WEIGHTS if weighted else None)
    rows = X_NEW.astype(dtype)
    mean = np.mean([member.predict_proba(rows) for member in model.estimators_], axis=0)
    np.testing.assert_allclose(model.predict_proba(rows), mean, atol=1e-15)


@pytest.mark.parametrize("class_weight", [None, {0: 1.0, 1: 4.0}])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    ("smoothing", "m"), [("laplace", 2.0), ("m_estimate", 2.0), ("m_estimate", 7.5)]
)
def test_smoothing_draws_each_leaf_towards_what_is_known(smoothing, m, weighted, class_weight):
    weights = WEIGHTS if weighted else np.ones(len(Y))
    model = ImbalancedForestClassifier(
        20, smoothing=smoothing, smoothing_m=m, class_weight=class_weight, rule=None, random_state=1
    ).fit(X, Y, weights if weighted else None)
    factors = np.array([1.0, 4.0 if class_weight else 1.0])
    share, row = (weights * Y).sum() * factors[1] / (weights * factors[Y]).sum(), weights.mean()
    expected = np.zeros(len(X_NEW))
    for member in model.estimators_:
        negative, positive = (member.tree_.weight * factors)[member.apply(X_NEW)].T
        if smoothing == "laplace":
            expected += (positive + row) / (negative + positive + 2 * row)
        else:
            expected += (positive + m * share * row) / (negative + positive + m * row)
    np.testing.assert_allclose(model.predict_proba(X_NEW)[:, 1], expected / 20, atol=1e-14)


def test_smoothing_reaches_the_out_of_bag_votes():
    plain, laplace, heavy = (
        ImbalancedForestClassifier(60, random_state=1, **parameters).fit(X, Y)
        for parameters in (
            {},
            {"smoothing": "laplace"},
            {"smoothing": "m_estimate", "smoothing_m": 1e9},
        )
    )
    assert laplace.estimators_[5].tree_.digest() == plain.estimators_[5].tree_.digest()
    votes, smooth = (model.oob_decision_function_[:, 1] for model in (plain, laplace))
    assert (votes == 0).any()
    assert (smooth[votes == 0] > 0).all()
    assert laplace.curve_["threshold"].iloc[-2] < smooth.max()
    np.testing.assert_allclose(heavy.oob_decision_function_[:, 1], Y.mean(), atol=1e-6)


def test_laplace_and_m_estimate_agree_where_half_of_the_rows_are_positive():
    table, y = rare(80)[0], np.arange(80) % 2
    laplace, estimate = (
        ImbalancedForestClassifier(10, smoothing=smoothing, rule=None, random_state=0).fit(table, y)
        for smoothing in ("laplace", "m_estimate")
    )
    np.testing.assert_array_equal(laplace.predict_proba(table), estimate.predict_proba(table))
