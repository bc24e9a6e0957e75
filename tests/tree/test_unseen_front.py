"""How many rows a tree refers, counted on rows that it has not seen."""

from functools import partial

import numpy as np
import pytest

from thresher import ImbalancedForestClassifier
from thresher.answers import ALERT, REFER, Referred, answers
from thresher.datasets import load_dataset
from thresher.forest.distillation import unseen_scores
from thresher.tree.imitation import Taught, _grown, _held_out, exchanged_rows, unseen_front
from thresher.tree.leaf_budget import refer_front

LEAVES = 8


@pytest.fixture(scope="module", params=[False, True], ids=["plain", "weighted"])
def lesson(request):
    X, y = load_dataset("Yeast-me2")
    weights = np.random.default_rng(1).integers(1, 4, len(y)) if request.param else None
    forest = ImbalancedForestClassifier(60, n_bootstrap=0, random_state=0).fit(X, y, weights)
    rows = forest.forest_state_.training_rows
    made = exchanged_rows(rows.matrix, np.random.default_rng(0))
    scores = np.concatenate([unseen_scores(forest, rows), forest.matrix_scores(made.rows)])
    return Taught(rows, made, scores - forest.threshold_), partial(_grown, forest)


def test_what_folds_refer_more_of_unseen_rows_is_added_to_what_the_tree_refers(lesson):
    taught, grow = lesson
    front = unseen_front(taught, grow, LEAVES)
    chosen = front.within(0.1)
    w = np.ones(taught.n_rows) if taught.rows.weights is None else taught.rows.weights
    total = answered(front.tree, chosen.way, taught, w)
    for is_held in _held_out(taught.is_alert):
        tree, way = best_without(taught, is_held, grow, chosen.way.referred)
        flags = np.where(is_held, 1.0, -1.0 / 4.0)
        total += answered(tree, way, taught, w * flags)
    referred, found, alerts = total
    assert chosen.referred.share == pytest.approx(referred / w.sum())
    positives = w[taught.rows.is_positive == 1].sum()
    place = front.ways.index(chosen.way)
    assert front.f1[place] == pytest.approx(2 * found / (alerts + positives))
    assert [*chosen.referred] == pytest.approx(Referred.of_share(referred / w.sum(), w))


def answered(tree, way, taught, weights):
    """Return the weight of referred rows, of positives that are found, and of alerts."""
    small = tree.collapsed(way.leaves.tolist())
    answer = answers(small.probability[small.leaves(taught.rows.matrix, 1)], way.low, way.high)
    alert = np.where(answer == REFER, taught.is_alert, answer == ALERT)
    is_positive = taught.rows.is_positive == 1
    return np.array([weights[one].sum() for one in (answer == REFER, alert & is_positive, alert)])


def best_without(taught, is_held, grow, share):
    """Return the tree without some rows, and its best way that refers at most a share of others."""
    rest = taught.where(~is_held)
    tree = grow(rest.to_grow(by_sureness=True))
    inside = tree.leaves(rest.rows.matrix, 1)
    weights = np.ones(rest.n_rows) if rest.rows.weights is None else rest.rows.weights
    nodes = enumerate(tree.subtree_end)
    at = np.array([weights[(inside >= node) & (inside <= end)].sum() for node, end in nodes])
    ways = refer_front(tree, LEAVES, at / weights.sum()).ways
    return tree, [one for one in ways if one.referred <= share + 1e-9][-1]


def test_a_row_and_what_is_made_of_it_are_left_out_together(lesson):
    taught, _ = lesson
    for is_held in _held_out(taught.is_alert):
        rest = taught.where(~is_held)
        assert rest.n_rows == (~is_held).sum()
        assert len(rest.above) == rest.n_rows + len(rest.made.rows)
        assert len(rest.made.rows) == (~is_held[taught.made.origin]).sum()
        # Most values of a made row are those of its origin.
        same = rest.made.rows == rest.rows.matrix[rest.made.origin]
        assert np.median(same.mean(axis=1)) > 0.7
        scores = rest.above[: rest.n_rows]
        assert (scores == taught.above[: taught.n_rows][~is_held]).all()


def test_every_row_is_held_out_once_and_alerts_are_dealt_evenly():
    is_alert = np.arange(103) % 10 == 0
    folds = np.array(list(_held_out(is_alert)))
    assert (folds.sum(axis=0) == 1).all()
    assert np.ptp((folds & is_alert).sum(axis=1)) <= 1
    assert len(list(_held_out(np.array([True, False, False])))) == 3


def test_more_than_is_allowed_is_never_referred(lesson):
    taught, grow = lesson
    front = unseen_front(taught, grow, LEAVES)
    for share in (1e-9, 0.01, 0.05, 0.2, 1.0):
        assert front.within(share).referred.share <= share
    none = front._replace(share=front.share + 0.5).within(0.1)
    assert none.referred.share == 0.0
    assert none.way.low == none.way.high
