"""Trees that refer rows: the front, what is chosen from it, and what the tree then says."""

import pickle

import numpy as np
import pytest
from sklearn.metrics import f1_score

from tests.figures import words_in
from tests.model_file.copies import copied
from tests.tree.test_leaf_budget import every_leaf_set, grown_tree
from thresher import ImbalancedForestClassifier
from thresher.datasets import load_dataset
from thresher.tree.leaf_budget import PRICES, refer_front


@pytest.fixture(scope="module")
def yeast():
    return load_dataset("Yeast-me2", as_frame=True)


@pytest.fixture(scope="module")
def forest(yeast):
    return ImbalancedForestClassifier(60, n_bootstrap=0, random_state=0).fit(*yeast)


@pytest.fixture(scope="module")
def tree(forest):
    return forest.to_tree(16, refer=0.1, cv=None)


@pytest.mark.parametrize("seed", range(20))
def test_every_point_is_what_its_thresholds_say_and_better_than_the_one_before(seed):
    whole = grown_tree(seed, n_rows=150)
    share = whole.rows.sum(axis=1) / whole.rows[0].sum()
    front = refer_front(whole, 5, share).ways
    for one in front:
        negative, positive = whole.weight[one.leaves].T
        p = whole.probability[one.leaves]
        refers = (p > one.low) & (p <= one.high)
        found = positive[p > one.low].sum()
        made = found + negative[p > one.high].sum()
        assert one.agreement == pytest.approx(2 * found / (made + positive.sum()))
        assert one.referred == pytest.approx(share[one.leaves[refers]].sum())
        assert len(one.leaves) <= 5
        assert 0.0 <= one.low <= one.high <= 1.0
    assert (np.diff([one.referred for one in front]) > 0).all()
    assert (np.diff([one.agreement for one in front]) > 0).all()


@pytest.mark.parametrize("seed", range(6))
def test_without_referrals_the_front_starts_at_the_best_f1_of_all_subtrees(seed):
    whole = grown_tree(seed)
    front = refer_front(whole, 4, whole.rows.sum(axis=1) / whole.rows[0].sum()).ways
    best = 0.0
    for leaves in every_leaf_set(whole, 0, 4):
        negative, positive = whole.weight[list(leaves)].T
        order = np.argsort(-positive / (negative + positive))
        hits, made = np.cumsum(positive[order]), np.cumsum((negative + positive)[order])
        best = max(best, (2 * hits / (made + positive.sum())).max())
    assert front[0].referred == 0.0
    assert front[0].agreement == pytest.approx(best)


@pytest.mark.parametrize("seed", range(6))
def test_values_of_another_front_to_start_from_change_nothing(seed):
    whole, other = grown_tree(seed, n_rows=150), grown_tree(seed + 100, n_rows=150)
    share, share_of_other = (one.rows.sum(axis=1) / one.rows[0].sum() for one in (whole, other))
    plain = refer_front(whole, 5, share)
    for start in (refer_front(other, 5, share_of_other).values, np.full(len(PRICES), 1.9)):
        again = refer_front(whole, 5, share, start)
        assert again.values == pytest.approx(plain.values)
        assert [one.agreement for one in again.ways] == pytest.approx(
            [one.agreement for one in plain.ways]
        )


def test_it_refers_at_most_the_share_that_is_allowed_and_says_so(forest, yeast, tree):
    X, _ = yeast
    share = tree.referred_.share
    assert 0.0 < share <= 0.1
    assert tree.referred_.low < share < tree.referred_.high
    assert 0.0 < (tree.decide(X) == "refer").mean() < 0.15
    assert tree.referred_to_ is forest
    assert tree.get_n_leaves() <= 16


def test_referred_rows_that_the_forest_decides_about_bring_the_tree_nearer_to_it(forest, yeast):
    X, _ = yeast
    truth = forest.predict(X)
    agreement = []
    for refer in (0.02, 0.1, 0.3):
        tree = forest.to_tree(16, refer, cv=None)
        asked = tree.decide(X) == "refer"
        agreement.append(f1_score(truth, np.where(asked, truth, tree.predict(X))))
    assert agreement[0] < agreement[1] < agreement[2]


def test_the_front_is_a_table_of_the_library_of_the_rows(tree, yeast):
    front = tree.front_
    assert type(front) is type(yeast[0])
    assert [*front] == ["referred", "f1", "agreement_f1", "leaves", "threshold", "threshold_alert"]
    assert (np.diff(front["referred"]) > 0).all()
    assert (np.diff(front["agreement_f1"]) > 0).all()
    chosen = front[front["referred"] <= 0.1].iloc[-1]
    assert (chosen["threshold"], chosen["threshold_alert"]) == (
        tree.threshold_,
        tree.threshold_alert_,
    )
    assert chosen["leaves"] == tree.get_n_leaves()
    assert chosen["referred"] == tree.referred_.share


def test_no_share_is_todays_tree(forest):
    plain = forest.to_tree(16, cv=None)
    same = forest.to_tree(16, refer=0.0, cv=None)
    assert same.tree_.digest() == plain.tree_.digest()
    assert same.threshold_ == plain.threshold_
    assert same.threshold_alert_ is None
    assert same.referred_ is None
    with pytest.raises(AttributeError, match="refers no rows, so it has no front_"):
        _ = same.front_


def test_text_and_picture_mark_the_leaves_that_refer(tree):
    text = tree.export_text()
    leaf = tree.tree_.is_leaf
    p = tree.tree_.probability[leaf]
    refers = (p > tree.threshold_) & (p <= tree.threshold_alert_)
    assert text.count("-> refer") == refers.sum() > 0
    assert words_in(tree.plot()).count("? refer") == refers.sum()


def test_files_and_pickles_keep_answers_and_share_but_not_the_forest(tree, yeast):
    X, _ = yeast
    for other in (copied(tree), pickle.loads(pickle.dumps(tree))):
        assert (other.decide(X) == tree.decide(X)).all()
        assert other.referred_ == tree.referred_
        assert other.front_.equals(tree.front_)
        assert type(other.front_) is type(tree.front_)
        with pytest.raises(AttributeError, match="leave behind the model that it imitates"):
            _ = other.referred_to_


def test_cross_validation_tells_the_share_and_f1_where_the_forest_decides(forest):
    found = forest.to_tree(16, refer=0.1, cv=2).distillation_
    assert 0.0 < found.referred.share < 0.2
    assert found.joint_f1 is not None
    assert "where the forest decides about these rows" in str(found)
    tree = forest.to_tree(16, refer=0.1, cv=2)
    assert copied(tree).distillation_ == tree.distillation_


def test_a_model_without_its_rows_has_the_share_that_it_has_kept(forest, yeast):
    other = pickle.loads(pickle.dumps(forest))
    other.imitation_ = forest.to_tree(16, refer=0.1, cv=None)
    assert other.to_tree(16, refer=0.1, cv=None) is other.imitation_
    with pytest.raises(ValueError, match=r"which is not what refer=0\.001 asks"):
        other.to_tree(16, refer=0.001, cv=None)
    other.imitation_ = forest.to_tree(16, cv=None)
    with pytest.raises(ValueError, match="of the rows, which is not what refer"):
        other.to_tree(16, refer=0.1, cv=None)


@pytest.mark.parametrize("refer", [-0.1, 1.5, "some"])
def test_a_share_is_between_0_and_1(forest, refer):
    with pytest.raises((ValueError, TypeError), match="refer must be"):
        forest.to_tree(16, refer=refer)


def test_a_fit_forgets_the_referrals(tree, yeast):
    X, y = yeast
    other = pickle.loads(pickle.dumps(tree)).fit(X, y)
    assert other.threshold_alert_ is None
    assert set(other.decide(X)) <= {"alert", "pass"}
