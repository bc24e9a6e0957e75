"""Rows are held out so that what binds them together is never on both sides."""

import numpy as np
import pytest

from thresher.errors import TableError
from thresher.judging.hold_out import HoldOut

TRUTH = np.arange(120) % 6 == 0


def lots(seed=0):
    return np.random.default_rng(seed).integers(15, size=120).astype(str)


@pytest.mark.parametrize("is_ordered", [False, True])
@pytest.mark.parametrize("groups", [None, lots()])
def test_no_row_and_no_group_is_on_both_sides(is_ordered, groups):
    hold_out = HoldOut(TRUTH, groups, is_ordered, 4, seed=0)
    assert hold_out.is_bound == (is_ordered or groups is not None)
    for train, test in hold_out.splits():
        assert not set(train) & set(test)
        assert 0 < TRUTH[train].sum() < len(train)
        if groups is not None:
            assert not set(groups[train]) & set(groups[test])
        if is_ordered:
            assert train.max() < test.min()


def test_without_time_every_row_is_judged_once():
    tests = [test for _, test in HoldOut(TRUTH, None, False, 5, seed=3).splits()]
    assert sorted(np.concatenate(tests)) == list(range(120))


def test_inside_a_fold_there_are_fewer_folds_where_rare_rows_are_few():
    rows = np.concatenate([np.flatnonzero(TRUTH)[:3], np.flatnonzero(~TRUTH)])
    assert HoldOut(TRUTH, None, False, 5, seed=0).at(rows).count == 3


@pytest.mark.parametrize(
    ("truth", "groups", "words"),
    [
        (
            np.arange(120) < 4,
            None,
            "has 4 rows of the rare class, too few for 5 folds: take folds=4",
        ),
        (TRUTH, np.repeat(["a", "b"], 60), "The table has 2 groups, too few for 5 folds"),
    ],
)
def test_too_few_of_something_is_said_with_the_way_out(truth, groups, words):
    with pytest.raises(TableError, match=words):
        HoldOut(truth, groups, False, 5, seed=0).check()


def test_time_without_a_rare_row_at_the_start_cannot_be_trained_on():
    late = np.arange(120) >= 119
    with pytest.raises(TableError, match="no part to train on has both classes"):
        HoldOut(late, None, True, 2, seed=0).splits()
