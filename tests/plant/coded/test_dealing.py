import numpy as np

from thresher.judging.judgement import Fold, Judgement
from thresher.judging.nested_training import NestedJudgement
from thresher.plant.coded.dealing import Budget, outer_folds, side_by_side
from thresher.threshold.score_counts import ScoreCounts
from thresher.threshold.unseen import Unseen


def unseen(rows, scores):
    return Unseen(np.array(rows), np.array(scores))


def judged(outer, inner, threshold):
    """Return a judgement with so many folds as there are rows lists."""
    scores = ScoreCounts.of([0.1, 0.9], [0, 1])
    folds = [Fold(threshold, "tree", scores, scores, 0.5) for _ in outer]
    whole = Judgement(1, 0, 0, 1, "")
    return NestedJudgement(whole, folds, outer[0], inner, outer)


def test_scores_of_codes_stand_side_by_side_for_rows_that_all_have():
    found = side_by_side([unseen([3, 1, 2], [0.3, 0.1, 0.2]), unseen([2, 3], [0.9, 0.8]), None])
    assert found.rows.tolist() == [2, 3]
    assert found.scores.tolist() == [[0.2, 0.9, 0.0], [0.3, 0.8, 0.0]]


def test_a_fold_that_a_code_lacks_never_alerts_for_it():
    outer = [unseen([0, 1], [0.5, 0.6]), unseen([2, 3], [0.7, 0.8])]
    inner = [unseen([2, 3], [0.1, 0.2]), unseen([0, 1], [0.3, 0.4])]
    both, late = judged(outer, inner, 0.4), judged(outer[1:], inner[1:], 0.7)
    found = outer_folds([both, late])
    assert [fold.own.tolist() for fold in found.values()] == [[0.4, 1.0], [0.4, 0.7]]
    first, second = found.values()
    assert first.outer.scores.tolist() == [[0.5, 0.0], [0.6, 0.0]]
    assert second.outer.scores.tolist() == [[0.7, 0.7], [0.8, 0.8]]


def test_a_budget_is_of_rows_in_a_thousand():
    random = np.random.default_rng(0)
    scores, codes = random.random((1000, 2)), random.integers(-1, 2, 1000)
    cuts = Budget(20.0, (1.0, 1.0)).thresholds(scores, codes)
    assert 0 < (scores > cuts).any(axis=1).sum() <= 20
    none = Budget(0.5, (1.0, 1.0)).thresholds(scores, codes)
    assert not (scores > none).any()
