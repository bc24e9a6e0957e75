"""Rows are known again by their hashes, and repeats explain what they explain."""

import numpy as np
import pytest

from thresher.judging import row_prints
from thresher.judging.row_prints import RowPrints, row_hashes
from thresher.texts import Texts


def table(n, seed, coarse=False):
    random = np.random.default_rng(seed)
    numbers = random.integers(3, size=n).astype(float) if coarse else random.normal(size=n)
    line = Texts.of(random.choice(["a", "b", None], n).tolist())
    return [("speed", numbers), ("line", line)], random.choice(["0", "1"], n).tolist()


def hashes(n, seed, coarse=False):
    return row_hashes(*table(n, seed, coarse))


def test_equal_rows_have_one_hash_and_others_have_others():
    columns, labels = table(4000, 0)
    whole = row_hashes(columns, labels)
    assert len(np.unique(whole)) == 4000
    order = np.random.default_rng(1).permutation(4000)
    shuffled = [
        (name, Texts(one.codes[order], one.levels) if isinstance(one, Texts) else one[order])
        for name, one in columns
    ]
    again = row_hashes(shuffled, [labels[place] for place in order])
    np.testing.assert_array_equal(again, whole[order])
    turned = ["1" if label == "0" else "0" for label in labels]
    assert not np.isin(row_hashes(columns, turned), whole).any()


def test_a_level_is_its_text_whatever_its_code():
    first = row_hashes([("line", Texts.of(["b", "a"]))], ["0", "0"])
    second = row_hashes([("line", Texts.of(["a", "c", "b"]))], ["0", "0", "0"])
    assert first[0] == second[2]
    assert first[1] == second[0]


@pytest.mark.parametrize(("coarse", "is_odd"), [(False, True), (True, False)])
def test_training_rows_are_odd_unless_rows_repeat_anyway(coarse, is_odd):
    prints = RowPrints.of(hashes(2000, 0, coarse))
    fresh = prints.overlap(hashes(500, 7, coarse))
    assert not fresh.is_odd
    assert (fresh.equal > 0) == coarse
    seen = prints.overlap(hashes(2000, 0, coarse))
    assert seen.equal == 2000
    assert seen.is_odd == is_odd


def test_a_few_training_rows_among_many_new_ones_are_odd():
    prints = RowPrints.of(hashes(2000, 0))
    mixed = np.concatenate([hashes(400, 5), hashes(2000, 0)[:12]])
    assert prints.overlap(mixed) == (412, 12, True)
    one = np.concatenate([hashes(400, 5), hashes(2000, 0)[:1]])
    assert prints.overlap(one).equal == 1


def test_of_many_rows_the_smallest_hashes_stand_for_all(monkeypatch):
    monkeypatch.setattr(row_prints, "MAX_PRINTS", 300)
    prints = RowPrints.of(hashes(5000, 0))
    assert len(prints.hashes) == 300
    seen = prints.overlap(hashes(5000, 0))
    assert seen.compared == seen.equal == 300
    assert seen.is_odd
    assert prints.overlap(hashes(5000, 8)).equal == 0
