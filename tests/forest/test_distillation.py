"""One tree that imitates a forest: what it may not do, what it must reach, what it reports."""

import pickle

import numpy as np
import pytest
from sklearn.metrics import f1_score
from sklearn.model_selection import StratifiedKFold

from tests.table_factory import Table
from thresher import ImbalancedForestClassifier, ImbalancedTreeClassifier
from thresher.datasets import load_dataset
from thresher.tree.imitation import exchanged_rows


@pytest.fixture(scope="module")
def yeast():
    return load_dataset("Yeast-me1")


@pytest.fixture(scope="module")
def forest(yeast):
    return ImbalancedForestClassifier(60, n_bootstrap=0, random_state=0).fit(*yeast)


@pytest.mark.parametrize("leaves", [2, 8, 32])
def test_it_has_at_most_so_many_leaves_and_is_sound(forest, leaves):
    tree = forest.to_tree(leaves, cv=None)
    assert isinstance(tree, ImbalancedTreeClassifier)
    assert tree.get_n_leaves() <= leaves
    tree.tree_.validate(forest.n_features_in_)


def test_rows_are_the_training_rows_with_their_true_labels(forest, yeast):
    X, y = yeast
    tree = forest.to_tree(cv=None)
    leaves = tree.apply(X)
    for leaf in np.unique(leaves):
        inside = y[leaves == leaf]
        assert tree.tree_.rows[leaf].tolist() == [(inside == 0).sum(), (inside == 1).sum()]
    assert tree.tree_.rows[0].tolist() == [(y == 0).sum(), (y == 1).sum()]


def test_decisions_follow_the_one_rule(forest, yeast):
    X, _ = yeast
    tree = forest.to_tree(cv=None)
    above = tree.predict_proba(X)[:, 1] > tree.threshold_
    assert (tree.predict(X) == above).all()


def test_more_leaves_imitate_better_and_a_forest_of_one_rule_is_found_exactly():
    random = np.random.default_rng(0)
    X = random.random((2000, 4))
    y = ((X[:, 0] > 0.8) & (X[:, 2] < 0.4)).astype(int)
    forest = ImbalancedForestClassifier(50, n_bootstrap=0, random_state=0).fit(X, y)
    new = random.random((5000, 4))
    truth = ((new[:, 0] > 0.8) & (new[:, 2] < 0.4)).astype(int)
    agreement = [
        f1_score(forest.predict(new), forest.to_tree(leaves, cv=None).predict(new))
        for leaves in (2, 16)
    ]
    assert agreement[1] > max(agreement[0], 0.9)
    assert f1_score(truth, forest.to_tree(4, cv=None).predict(new)) > 0.9


def test_the_same_forest_gives_the_same_tree(forest, yeast):
    X, y = yeast
    again = ImbalancedForestClassifier(60, n_bootstrap=0, random_state=0, n_jobs=2).fit(X, y)
    assert forest.to_tree(cv=None).tree_.digest() == again.to_tree(cv=None).tree_.digest()


def test_the_report_is_what_a_cross_validation_by_hand_gives(forest, yeast):
    X, y = yeast
    report = forest.to_tree(16, cv=3).distillation_
    decided = {"forest": np.zeros(len(y)), "tree": np.zeros(len(y)), "direct": np.zeros(len(y))}
    for train, test in StratifiedKFold(3, shuffle=True, random_state=0).split(X, y):
        other = ImbalancedForestClassifier(60, n_bootstrap=0, random_state=0)
        other.fit(X[train], y[train])
        direct = ImbalancedTreeClassifier(max_leaf_nodes=16).fit(X[train], y[train])
        models = {"forest": other, "tree": other.to_tree(16, cv=None), "direct": direct}
        for name, model in models.items():
            decided[name][test] = model.predict(X[test])
    assert report.fidelity == pytest.approx((decided["tree"] == decided["forest"]).mean())
    assert report.agreement_f1 == pytest.approx(f1_score(decided["forest"], decided["tree"]))
    assert report.f1 == pytest.approx(f1_score(y, decided["tree"]))
    assert report.forest_f1 == pytest.approx(f1_score(y, decided["forest"]))
    assert report.direct_f1 == pytest.approx(f1_score(y, decided["direct"]))
    assert f"tree {report.f1:.3f}, forest {report.forest_f1:.3f}" in str(report)


def test_names_categories_missing_values_and_weights():
    pd = pytest.importorskip("pandas")
    random = np.random.default_rng(1)
    supplier = random.choice(["A", "B", "C"], 1500)
    torque = np.where(random.random(1500) < 0.1, np.nan, random.normal(10, 1, 1500))
    table = pd.DataFrame({"torque": torque, "supplier": pd.Categorical(supplier)})
    scrap = np.where((supplier == "B") & (torque > 11), "scrap", "ok")
    weights = random.integers(1, 4, 1500)
    forest = ImbalancedForestClassifier(40, n_bootstrap=0, random_state=0, max_features=None)
    tree = forest.fit(table, scrap, weights).to_tree(8, cv=2)
    assert tree.distillation_.fidelity > 0.97
    assert "supplier in {B}" in tree.export_text()
    assert (tree.predict(table) == forest.predict(table)).mean() > 0.98


def test_an_unpickled_forest_asks_for_its_rows(forest, yeast):
    X, y = yeast
    other = pickle.loads(pickle.dumps(forest))
    with pytest.raises(ValueError, match="give X and y to to_tree"):
        other.to_tree(cv=None)
    tree = other.to_tree(cv=None, X=X, y=y)
    assert tree.tree_.digest() == forest.to_tree(cv=None).tree_.digest()
    with pytest.raises(ValueError, match="1484 of 8 columns; X has 1000 of 8"):
        other.to_tree(cv=None, X=X[:1000], y=y[:1000])


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"max_leaf_nodes": 1}, "max_leaf_nodes must be at least 2"),
        ({"max_leaf_nodes": 2.5}, "max_leaf_nodes must be an integer"),
        ({"cv": 1}, "cv must be at least 2"),
    ],
)
def test_bad_parameters(forest, parameters, message):
    with pytest.raises((ValueError, TypeError), match=message):
        forest.to_tree(**parameters)


def test_without_out_of_bag_votes_the_decisions_of_all_trees_are_imitated(yeast):
    X, y = yeast
    forest = ImbalancedForestClassifier(30, bootstrap=False, rule=None, random_state=0).fit(X, y)
    tree = forest.to_tree(cv=None)
    assert (tree.predict(X) == forest.predict(X)).mean() > 0.98


def test_exchanged_rows_keep_every_column_to_its_own_values():
    random = np.random.default_rng(0)
    matrix = random.random((50, 3)) + np.array([0.0, 10.0, 20.0])
    made = exchanged_rows(matrix, random).rows
    assert len(made) >= 8000
    for column in range(3):
        assert np.isin(made[:, column], matrix[:, column]).all()
    whole = (made[:, None, :] == matrix[None, :, :]).all(axis=2).any(axis=1)
    assert 0.3 < 1 - whole.mean() < 0.7


def test_a_forest_that_never_alerts_is_one_silent_leaf():
    X, y = Table(rows=200).numpy()
    forest = ImbalancedForestClassifier(20, random_state=0).fit(X, y)
    forest.threshold_ = 1.5
    tree = forest.to_tree(4, cv=None)
    assert tree.get_n_leaves() == 1
    assert not tree.predict(X).any()
