"""Unseen scores: no member's score of a row knows its label."""

import numpy as np
import pytest

from tests.blend.tables import numbers
from thresher import ImbalancedBlendClassifier
from thresher.blend.committee import fit_committee
from thresher.blend.folds import deal_folds
from thresher.blend.kernel_machine import fit_kernel_machine
from thresher.blend.logistic_line import fit_logistic_line
from thresher.blend.members import FITTERS, Setting
from thresher.threshold.unseen import Problem, can_vote, out_of_bag
from thresher.tree.sample import Rows, read_rows

ROW = 7


@pytest.mark.parametrize("fit", [fit_kernel_machine, fit_logistic_line])
def test_a_label_does_not_change_the_score_of_its_own_row(fit):
    X, y = numbers(200)
    rows = Rows(X, y.astype(np.uint8), None)
    other = rows._replace(is_positive=np.where(np.arange(200) == ROW, 1 - y, y).astype(np.uint8))
    fold, n_levels = deal_folds(rows, 4, seed=0), np.zeros(6, dtype=np.intp)

    def unseen(of_rows):
        return fit_committee(of_rows, fold, lambda part, held: fit(part, n_levels))[1]

    mine, others = unseen(rows), unseen(other)
    assert mine[ROW] == others[ROW]
    assert np.mean(mine == others) < 0.5  # the other folds have learned from it


@pytest.mark.parametrize("name", FITTERS)
def test_labels_without_a_pattern_are_not_found_again(name):
    """A member that had seen the rows it scores would rank them far better than chance."""
    random = np.random.default_rng(3)
    X, y = random.normal(size=(600, 5)), (np.arange(600) % 3 == 0).astype(int)
    sample = read_rows(ImbalancedBlendClassifier(), X, y, None)
    model, unseen = FITTERS[name](Setting(sample, 60, 5, seed=0, n_jobs=None))
    rank = np.argsort(np.argsort(unseen))
    area = (rank[y == 1].mean() - (200 - 1) / 2) / 400
    assert abs(area - 0.5) < 0.08  # standard error .025
    seen = np.argsort(np.argsort(model.matrix_scores(X)))
    assert (seen[y == 1].mean() - (200 - 1) / 2) / 400 > area + 0.02  # rows that it did see


def test_every_fold_has_rows_of_both_classes():
    random = np.random.default_rng(0)
    for n_positive in (2, 3, 7, 40):
        y = np.zeros(90, dtype=np.uint8)
        y[random.choice(90, n_positive, replace=False)] = 1
        fold = deal_folds(Rows(np.zeros((90, 1)), y, None), 5, seed=1)
        counts = np.array([np.bincount(fold, y == label) for label in (0, 1)])
        assert (np.ptp(counts, axis=1) <= 1).all()
        assert counts.min() > 0
        assert counts.shape[1] == min(5, n_positive)


def test_rows_without_weight_move_no_other_row():
    X, y = numbers(80)
    weights = np.ones(80)
    weights[::9] = 0.0
    kept = weights > 0
    rows = Rows(X, y.astype(np.uint8), weights)
    fold = deal_folds(rows, 5, seed=2)
    np.testing.assert_array_equal(fold[kept], deal_folds(rows.where(kept), 5, seed=2))


def test_thresholds_are_chosen_on_what_the_blend_keeps():
    X, y = numbers(200)
    model = ImbalancedBlendClassifier(("forest", "logistic"), n_estimators=20, random_state=0)
    assert can_vote(model)
    model.fit(X, y)
    found = out_of_bag(Problem(model, X, y, model.classes_, model.positive_index_), model)
    np.testing.assert_array_equal(found.scores, model.threshold_state_.scores)
