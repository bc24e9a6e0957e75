"""What each tree draws, and the votes of the trees that did not draw a row."""

import numpy as np
import pytest
from sklearn.metrics import f1_score

from tests.forest.bags import times_drawn
from tests.forest.tables import mixed
from thresher import ImbalancedForestClassifier, ImbalancedTreeClassifier, _core

BOOTSTRAPS = ["plain", "stratified", "balanced"]
X, Y, WEIGHTS = mixed(200)
RARE = int(Y.sum())


def forest_of(bootstrap="stratified", n_estimators=30, **parameters):
    settings = {"pos_label": 1, "random_state": 0, "n_bootstrap": 0} | parameters
    return ImbalancedForestClassifier(
        n_estimators, bootstrap=bootstrap, categorical_features=[2], **settings
    )


# -------------------------------------------------------------------------------------- the draws


@pytest.mark.parametrize("bootstrap", BOOTSTRAPS)
def test_how_many_rows_a_tree_draws(bootstrap):
    times = times_drawn(forest_of(bootstrap, 200), X, Y)
    drawn = np.stack([times[:, label == Y].sum(axis=1) for label in (0, 1)])
    if bootstrap == "plain":
        assert (drawn.sum(axis=0) == len(Y)).all()
        assert abs(drawn[1].mean() - RARE) < 4 * np.sqrt(RARE / 200)
        assert drawn[1].std() > 0.7 * np.sqrt(RARE)
    elif bootstrap == "stratified":
        assert ([len(Y) - RARE, RARE] == drawn.T).all()
    else:
        assert (drawn == RARE).all()


@pytest.mark.parametrize("bootstrap", BOOTSTRAPS)
def test_draws_are_with_replacement_and_all_rows_alike(bootstrap):
    """Each row is left out with probability (1 - 1/n)^draws, in each tree anew."""
    n_trees = 400
    left_out = times_drawn(forest_of(bootstrap, n_trees, random_state=1), X, Y) == 0
    for label in (0, 1):
        n_rows = {"plain": len(Y)}.get(bootstrap, int((label == Y).sum()))
        draws = {"balanced": RARE}.get(bootstrap, n_rows)
        share = (1 - 1 / n_rows) ** draws
        spread = np.sqrt(share * (1 - share) / n_trees)
        by_row = left_out[:, label == Y].mean(axis=0)
        assert abs(by_row.mean() - share) < 4 * spread / np.sqrt(len(by_row))
        assert np.abs(by_row - share).max() < 4.5 * spread
        assert 0.6 < by_row.std() / spread < 1.4 or len(by_row) < 30
        if bootstrap != "balanced":
            assert by_row.mean() == pytest.approx(np.exp(-1), abs=0.02)


@pytest.mark.parametrize("bootstrap", BOOTSTRAPS)
def test_the_core_tells_what_a_tree_draws(bootstrap):
    forest = forest_of(bootstrap, 3, random_state=5)
    seed = forest.fit(X, Y).forest_state_.seed
    for tree, times in enumerate(times_drawn(forest, X, Y)):
        told = _core.draw_bag(bootstrap, seed, tree, int((Y == 0).sum()), int((Y == 1).sum()))
        for label, of_class in enumerate(told):
            np.testing.assert_array_equal(of_class, times[label == Y])


def test_draws_follow_the_seed_and_the_number_of_the_tree():
    first, same, other = (
        times_drawn(forest_of(random_state=seed, n_estimators=n), X, Y)
        for seed, n in ((0, 30), (0, 50), (1, 30))
    )
    np.testing.assert_array_equal(same[:30], first)
    assert (other != first).any(axis=1).all()
    assert len(np.unique(same, axis=0)) == 50


# -------------------------------------------------------------------- what is made of the draws


def fit_with_all_levels(tree, rows, weights):
    """Fit a tree on some rows; all others are there too, of weight 0, for the levels' sake."""
    both = np.concatenate([rows, np.arange(len(Y))])
    by_row = np.ones(len(Y)) if weights is None else weights
    tree.fit(X[both], Y[both], np.concatenate([by_row[rows], np.zeros(len(Y))]))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("bootstrap", BOOTSTRAPS)
@pytest.mark.parametrize(
    "parameters", [{}, {"criterion": "gain_ratio", "class_weight": "balanced"}]
)
def test_a_tree_is_that_of_its_rows_repeated(bootstrap, weighted, parameters):
    # Whole weights: of others, limits count rows of the whole table, not of the rows drawn.
    weights = np.ceil(2 * WEIGHTS) if weighted else None
    forest = forest_of(bootstrap, max_features=None, **parameters).fit(X, Y, weights)
    members = zip(forest.estimators_, times_drawn(forest, X, Y), strict=True)
    for number, (member, times) in enumerate(members):
        # "balanced" class weights are those of all rows, not of the rows drawn.
        factors = dict(enumerate(member.tree_.class_weight.tolist()))
        alone = ImbalancedTreeClassifier(
            member.criterion,
            pruning=None,
            class_weight=factors,
            categorical_features=[2],
            pos_label=1,
            splitter=member.splitter,
            random_state=_core.tree_seed(forest.forest_state_.seed, number),
        )
        rows = np.repeat(np.arange(len(Y)), times)
        if (Y[rows] == 1).any():
            fit_with_all_levels(alone, rows, weights)
            for name, values in alone.tree_.arrays().items():
                np.testing.assert_array_equal(getattr(member.tree_, name), values, err_msg=name)


def votes_by_hand(forest, times):
    """Return the mean of the members' probabilities over those that did not draw a row."""
    votes = np.array([member.predict_proba(X)[:, 1] for member in forest.estimators_])
    unseen = times == 0
    count = unseen.sum(axis=0)
    with np.errstate(invalid="ignore"):
        return (votes * unseen).sum(axis=0) / count


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("bootstrap", BOOTSTRAPS)
@pytest.mark.parametrize("n_estimators", [4, 40])
def test_out_of_bag_votes_are_those_of_the_trees_that_did_not_see_the_row(
    bootstrap, weighted, n_estimators
):
    forest = forest_of(bootstrap, n_estimators).fit(X, Y, WEIGHTS if weighted else None)
    expected = votes_by_hand(forest, times_drawn(forest, X, Y))
    assert np.isnan(expected).any() == (n_estimators == 4)
    given = forest.oob_decision_function_
    np.testing.assert_allclose(given[:, 1], expected, atol=1e-12)  # votes are rounded to 2^-40
    np.testing.assert_array_equal(given[:, 0], 1 - given[:, 1])


@pytest.mark.parametrize("weighted", [False, True])
def test_rows_without_a_vote_have_no_say_in_the_threshold(weighted):
    weights = WEIGHTS if weighted else np.ones(len(Y))
    forest = forest_of(n_estimators=3).fit(X, Y, WEIGHTS if weighted else None)
    p = forest.oob_decision_function_[:, 1]
    voted = np.isfinite(p)
    assert 10 < voted.sum() < len(Y) - 10
    curve = forest.curve_
    alert = p[voted] > curve["threshold"].to_numpy()[:, None]
    for name, decided, label in (
        ("tp", alert, 1),
        ("fp", alert, 0),
        ("fn", ~alert, 1),
        ("tn", ~alert, 0),
    ):
        by_hand = decided @ (weights[voted] * (Y[voted] == label))
        np.testing.assert_allclose(curve[name], by_hand, atol=1e-9, err_msg=name)
    chosen = p[voted] > forest.threshold_
    f1 = f1_score(Y[voted], chosen, sample_weight=weights[voted])
    assert f1 == pytest.approx(curve["f1"].max(), abs=1e-12)


def test_a_row_of_weight_zero_is_never_drawn_and_has_no_vote():
    weights = np.where(np.arange(len(Y)) % 3 == 1, 0.0, 1.0)
    kept = weights > 0
    forest = forest_of(n_estimators=60).fit(X, Y, weights)
    without = forest_of(n_estimators=60).fit(X[kept], Y[kept])
    np.testing.assert_array_equal(np.isnan(forest.oob_decision_function_[:, 1]), ~kept)
    np.testing.assert_array_equal(
        forest.oob_decision_function_[kept], without.oob_decision_function_
    )
    assert forest.threshold_ == without.threshold_


def test_a_forest_without_bootstrap_sees_every_row():
    forest = forest_of(False, rule=None).fit(X, Y)
    assert not hasattr(forest, "oob_decision_function_")
    assert {tuple(member.tree_.rows[0]) for member in forest.estimators_} == {(len(Y) - RARE, RARE)}
