"""The journal: batches counted once, whatever their order, and labels that come later."""

import numpy as np
import pytest

from thresher.errors import TableError
from thresher.judging.watch.journal import MAX_HASHES, Batch, Journal, Seen


def rows(n, seed):
    random = np.random.default_rng(seed)
    hashes = random.integers(0, 2**64, n, dtype=np.uint64)
    return hashes, random.random(n) < 0.2, random.random(n) < 0.3


def batch(n=200, seed=0, day=None, labelled=None):
    hashes, is_alert, is_positive = rows(n, seed)
    known = np.arange(n) < (n if labelled is None else labelled)
    return Batch.of(day, hashes, is_alert, known, is_positive)


def test_counts():
    hashes, is_alert, is_positive = rows(500, 3)
    known = np.arange(500) < 350
    entry = Batch.of("2024-01-02", hashes, is_alert, known, is_positive).entry
    assert (entry.rows, entry.alerts, entry.labelled) == (500, is_alert.sum(), 350)
    assert entry.positives == is_positive[:350].sum()
    assert entry.misses == (is_positive & ~is_alert)[:350].sum()


def test_the_order_of_rows_changes_nothing():
    hashes, is_alert, is_positive = rows(300, 1)
    known = np.arange(300) % 3 > 0
    order = np.random.default_rng(9).permutation(300)
    first = Batch.of("2024-01-02", hashes, is_alert, known, is_positive)
    again = Batch.of("2024-01-02", *(one[order] for one in (hashes, is_alert, known, is_positive)))
    assert first.entry == again.entry
    left, right = (Journal().with_batches([one], "t") for one in (first, again))
    np.testing.assert_array_equal(left.seen.hashes, right.seen.hashes)


def test_a_batch_counts_once():
    once = Journal().with_batches([batch(seed=0), batch(seed=1)], "t")
    twice = once.with_batches([batch(seed=1)], "t").with_batches([batch(seed=0)], "t")
    assert twice.entries == once.entries
    np.testing.assert_array_equal(twice.seen.counts, once.seen.counts)


def test_labels_that_come_later_are_added_once_and_alerts_are_not():
    journal = Journal()
    for labelled in (0, 120, 120, 60, 200):
        journal = journal.with_batches([batch(labelled=labelled)], "t")
    assert [one.labelled for one in journal.entries] == [0, 120, 80]
    assert [one.rows for one in journal.entries] == [200, 0, 0]
    (whole,) = journal.batches
    assert whole == batch().entry
    assert sum(one.alerts for one in journal.entries) == whole.alerts


def test_labels_that_have_changed_are_refused():
    hashes, is_alert, is_positive = rows(50, 0)
    known = np.ones(50, dtype=bool)
    journal = Journal().with_batches([batch(50, day="2024-01-02")], "t")
    for changed in (~is_positive, is_positive & (np.arange(50) > 20)):
        other = Batch.of("2024-01-02", hashes, is_alert, known, changed)
        with pytest.raises(TableError, match="Labels of the batch of 2024-01-02 have changed"):
            journal.with_batches([other], "t")


@pytest.mark.parametrize("shared", [30, 100, 199])
def test_rows_of_another_batch_are_refused_and_nothing_is_lost(shared):
    journal = Journal()
    for day in range(1, 60):
        journal = journal.with_batches([batch(seed=day)], "t")
    old, new = batch(seed=7).hashes, batch(seed=77)
    mixed = np.r_[old[:shared], new.hashes[shared:]]
    part = Batch.of(None, mixed, *(np.zeros(200, dtype=bool) for _ in range(3)))
    with pytest.raises(TableError, match=r"rows of 'x\.csv' that were compared"):
        journal.with_batches([batch(seed=88), part], "'x.csv'")
    assert len(journal.entries) == 59
    assert len(journal.with_batches([new], "t").entries) == 60


def test_two_tables_of_one_day_are_two_batches():
    journal = Journal()
    for seed in (0, 1):
        journal = journal.with_batches([batch(seed=seed, day="2024-01-02")], "t")
    assert [one.rows for one in journal.entries] == [200, 200]


def test_coarse_rows_repeat_and_are_not_refused():
    random, journal = np.random.default_rng(0), Journal()
    for _ in range(30):
        hashes = random.integers(0, 40, 300, dtype=np.uint64)
        flags = [np.zeros(300, dtype=bool)] * 3
        journal = journal.with_batches([Batch.of(None, hashes, *flags)], "t")
    assert len(journal.entries) == 30


def test_the_smallest_hashes_are_kept_however_rows_are_dealt():
    hashes = np.random.default_rng(0).integers(0, 20_000, 30_000, dtype=np.uint64)
    together = Seen.nothing().with_rows(hashes)
    piecewise = Seen.nothing()
    for part in np.array_split(hashes, 17):
        piecewise = piecewise.with_rows(part)
    expected, counts = np.unique(hashes, return_counts=True)
    for found in (together, piecewise):
        np.testing.assert_array_equal(found.hashes, expected[:MAX_HASHES])
        np.testing.assert_array_equal(found.counts, counts[:MAX_HASHES])
