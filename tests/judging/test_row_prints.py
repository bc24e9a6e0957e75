"""Rows are known again by their hashes, and repeats explain what they explain."""

import numpy as np
import pytest

from thresher.column import Texts
from thresher.judging.row_prints import RowPrints, row_hashes


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


@pytest.mark.parametrize("rows", [40, 255, 300, 2000, 30_000])
@pytest.mark.parametrize("seed", range(3))
def test_all_none_and_half_of_the_rows_are_told_apart(rows, seed):
    training = hashes(rows, seed)
    prints = RowPrints.of(training)
    assert prints.hashes.nbytes <= 2048
    same = prints.overlap(training[::-1])
    assert same.is_odd
    assert same.words(rows) == f"{rows:,} of {rows:,} rows"
    none = prints.overlap(hashes(rows, seed + 100))
    assert (none.equal, none.is_odd) == (0, False)
    half = prints.overlap(np.concatenate([training[: rows // 2], hashes(rows // 2, seed + 200)]))
    assert half.is_odd
    assert half.equal / half.compared == pytest.approx(0.5, abs=0.12)
    assert half.words(rows).startswith("about ") == (rows > 255)


def test_rows_of_few_coarse_columns_repeat_and_are_not_odd():
    prints = RowPrints.of(hashes(2000, 0, coarse=True))
    for new in (hashes(500, 7, coarse=True), hashes(2000, 0, coarse=True)):
        found = prints.overlap(new)
        assert found.equal == found.compared == len(new)
        assert not found.is_odd


def test_a_few_training_rows_among_new_ones_are_odd_where_all_hashes_are_kept():
    prints = RowPrints.of(hashes(200, 0))
    mixed = np.concatenate([hashes(400, 5), hashes(200, 0)[:12]])
    assert prints.overlap(mixed) == (412, 412, 12, True)
    assert prints.overlap(mixed[:401]) == (401, 401, 1, False)


def test_fresh_tables_are_hardly_ever_called_training_rows():
    """A hundred tables of few columns, whose rows repeat now and then."""

    def coarse(rows, seed):
        speed = np.round(np.random.default_rng(seed).normal(size=rows), 2)
        return row_hashes([("speed", speed)], ["0"] * rows)

    for seed in range(100):
        prints = RowPrints.of(coarse(3000, seed))
        assert not prints.overlap(coarse(1000, 1000 + seed)).is_odd
