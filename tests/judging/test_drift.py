"""Columns that have changed are told of, one line each; columns that have not are not."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import hypergeom

from thresher.column import Texts
from thresher.judging.column_summary import summarize
from thresher.judging.drift import (
    COLUMN_LEVEL,
    MOST_TOLD,
    column_drift,
    column_level,
    drift_sentences,
    find_drift,
    rank_bounds,
    unseen_bound,
)


def said(training, new, level=COLUMN_LEVEL):
    levels = training.used().levels if isinstance(training, Texts) else None
    known = summarize(training, levels)
    return column_drift("torque", new, levels, known, level)


def kind_of(training, new):
    found = said(training, new)
    return None if found is None else found.kind


@pytest.fixture
def random():
    return np.random.default_rng(0)


@pytest.fixture
def torque(random):
    return random.normal(40.0, 10.0, 3000)


def texts(random, rows, shares=(0.5, 0.3, 0.2)):
    return Texts.of(random.choice(["a", "b", "c"], rows, p=shares).tolist())


# ----------------------------------------------------------------------------------- what is told


def test_a_shift_is_another_mix(torque):
    found = said(torque[:2000], torque[2000:] + 20.0)
    assert found.kind == "mix"
    assert found.figures["median"] - found.figures["training_median"] == pytest.approx(20, abs=1.5)
    assert found.figures["psi"] > 1.0
    assert "another mix of values than in training (PSI " in found.sentence


def test_values_outside_the_range(torque):
    new = torque[2000:].copy()
    new[:60] = 500.0 + np.arange(60)
    found = said(torque[:2000], new)
    assert found.kind == "range"
    assert found.figures["share"] == 0.06
    assert found.sentence.startswith("Column 'torque': 6.0 % of the values are outside the range")


def test_another_unit_is_found_by_its_range_and_a_sensor_that_stands_still_by_its_mix(torque):
    for factor in (10.0, 100.0, 25.4):
        assert kind_of(torque[:2000], factor * torque[2000:]) == "range"
    for factor in (0.1, 0.01):
        assert kind_of(torque[:2000], factor * torque[2000:]) in ("range", "mix")
    stuck = torque[2000:].copy()
    stuck[500:] = stuck[499]
    assert kind_of(torque[:2000], stuck) == "mix"


def test_more_and_fewer_missing_values(torque):
    holes = np.where(np.arange(3000) % 2 == 0, torque, np.nan)
    found = said(torque[:2000], holes[2000:])
    assert (found.kind, found.figures["share"]) == ("missing", 0.5)
    assert "50.0 % of the values are missing, in training 0 %" in found.sentence
    assert kind_of(holes[:2000], torque[2000:]) == "missing"


def test_levels_that_the_model_has_not_seen(random):
    new = texts(random, 1000).values()
    new[::10] = ["z"] * 100
    found = said(texts(random, 2000), Texts.of(new))
    assert (found.kind, found.figures["share"], found.figures["levels"]) == ("levels", 0.1, ["z"])
    assert found.sentence == (
        "Column 'torque': 10.0 % of the values are ones that the model has not seen (z); they "
        "count as missing."
    )


def test_many_new_levels_of_one_row_each(random):
    new = texts(random, 400).values()
    new[:80] = [f"part {number}" for number in range(80)]
    found = said(texts(random, 2000), Texts.of(new))
    assert (found.kind, found.figures["share"]) == ("levels", 0.2)


def test_another_mix_of_texts(random):
    found = said(texts(random, 2000), texts(random, 1000, (0.2, 0.3, 0.5)))
    assert found.kind == "mix"
    assert found.figures["level"] in "ac"
    assert "PSI" in found.sentence


def test_a_change_that_is_sure_but_small_is_not_told(random):
    rows = 400_000
    training, new = random.normal(size=rows), random.normal(0.1, size=rows)
    assert kind_of(training, new) is None
    assert kind_of(training, new + 0.5) == "mix"


def test_many_columns_are_told_in_few_lines(torque):
    names = [f"c{place}" for place in range(MOST_TOLD + 5)]
    known = [summarize(torque[:2000], None)] * len(names)
    new = [(name, torque[2000:] + 20.0 + place) for place, name in enumerate(names)]
    found = find_drift(new, [None] * len(names), known)
    assert [one.column for one in found] == names
    lines = drift_sentences(found)
    assert len(lines) == MOST_TOLD + 1
    assert lines[0].startswith(f"Column '{names[-1]}'")
    assert lines[-1].startswith("More columns that are not as in training: 5; ")
    assert drift_sentences(found[:3]) == [one.sentence for one in found[:3]]


# ------------------------------------------------------------------------------- what is not told

VALUE = st.one_of(st.just(np.nan), st.integers(-2, 2).map(float), st.floats(-1e300, 1e300))
COLUMN = st.one_of(
    st.lists(VALUE, min_size=1, max_size=60).map(np.array),
    st.lists(st.sampled_from(["a", "b", None]), min_size=1, max_size=60).map(Texts.of),
)


def taken(column, rows):
    return Texts(column.codes[rows], column.levels) if isinstance(column, Texts) else column[rows]


@given(COLUMN, st.integers(1, 4))
def test_the_rows_of_the_training_however_often_give_no_message(column, times):
    rows = np.tile(np.arange(len(column)), times)
    assert said(column, taken(column, rows), level=1.0) is None


@given(st.data())
def test_the_order_of_rows_does_not_matter(data):
    column = data.draw(COLUMN)
    cells = st.sampled_from(["a", "z", None]) if isinstance(column, Texts) else VALUE
    values = data.draw(st.lists(cells, min_size=1, max_size=60))
    new = Texts.of(values) if isinstance(column, Texts) else np.array(values)
    old_order, new_order = (
        np.array(data.draw(st.permutations(range(len(one))))) for one in (column, new)
    )
    found = said(column, new, level=1.0)
    assert said(taken(column, old_order), taken(new, new_order), level=1.0) == found


def test_constant_and_empty_columns():
    constant, empty = np.full(300, 5.0), np.full(300, np.nan)
    assert kind_of(constant, constant[:50]) is None
    assert kind_of(empty, empty[:50]) is None
    assert kind_of(constant, constant[:50] + 1.0) == "range"
    assert kind_of(constant, empty[:50]) == "missing"
    assert kind_of(empty, constant[:50]) == "missing"
    assert kind_of(np.zeros(300), 10.0 * np.zeros(50)) is None


def test_one_row_is_told_of_where_the_training_was_large(torque):
    assert kind_of(torque[:200], np.array([4000.0])) is None
    assert kind_of(torque, np.array([4000.0])) == "range"
    assert kind_of(torque, torque[:1]) is None


def test_a_table_of_many_columns_has_a_lower_level_for_each():
    assert column_level(1) == column_level(5) == 0.01
    assert column_level(500) == pytest.approx(0.0001)


# ------------------------------------------------------------------------- probabilities are bounds

SHAPES = {
    "normal": lambda random, rows: random.normal(size=rows),
    "heavy": lambda random, rows: random.standard_cauchy(rows),
    "coarse": lambda random, rows: np.round(random.normal(size=rows)),
    "rare": lambda random, rows: (random.random(rows) < 0.05) * 1.0,
    "zeros": lambda random, rows: np.where(
        random.random(rows) < 0.7, 0.0, random.normal(size=rows)
    ),
    "holes": lambda random, rows: np.where(
        random.random(rows) < 0.3, np.nan, random.normal(size=rows)
    ),
    "texts": lambda random, rows: texts(random, rows, (0.9, 0.09, 0.01)),
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("new_rows", [1, 5, 50])
def test_chance_gives_few_messages_also_in_small_tables(shape, new_rows, random):
    """The aim is 1 % of 600 trials."""
    make = SHAPES[shape]
    told = sum(kind_of(make(random, 60), make(random, new_rows)) is not None for _ in range(600))
    assert told <= 6


@pytest.mark.parametrize(("old", "new"), [(6, 4), (4, 6), (9, 1), (3, 7)])
def test_the_bounds_of_ranks_are_probabilities_and_hold_with_ties(old, new):
    """Every way to choose the new rows among both, each as likely: distinct values, then ties."""
    ways = [list(way) for way in combinations(range(old + new), new)]
    for ties in (1, 2, 5):
        values = np.floor(np.arange(old + new) / ties)
        found = []
        for way in ways:
            known = summarize(np.delete(values, way), None)
            found.append(rank_bounds(values[way], known))
        if ties == 1:  # one way has all new values below all others, and one above
            assert np.min(found, axis=(0, 2)) == pytest.approx(1 / len(ways))
        found = [bounds.ravel() for bounds in found]
        for column in np.array(found).T:
            share = np.array([(column <= bound).mean() for bound in column])
            assert (share <= column * (1 + 1e-9)).all()
            if ties == 1:
                assert share[column < 0.05] == pytest.approx(column[column < 0.05], rel=0.2)


@settings(max_examples=50)
@given(st.lists(st.integers(1, 4), min_size=1, max_size=4), st.integers(1, 5), st.integers(0, 99))
def test_the_bound_of_unseen_levels_holds(sizes, new, seed):
    """Against the exact probability, by drawing new rows in all ways that matter."""
    both, total = np.array(sizes), sum(sizes)
    new = min(new, total)
    levels, draw = np.repeat(np.arange(len(sizes)), sizes), np.random.default_rng(seed)
    counts = np.array(
        [np.bincount(draw.permutation(levels)[:new], minlength=len(sizes)) for _ in range(300)]
    )
    unseen = (counts * (counts == both)).sum(axis=1)
    for least in range(1, new + 1):
        spread = 4.0 * np.sqrt(0.25 / len(unseen))
        assert unseen_bound(least, both, new) >= (unseen >= least).mean() - spread


def test_the_bound_of_one_level_alone_is_its_probability():
    exact = hypergeom.pmf(8, 1000, 8, 300)
    assert unseen_bound(8, np.array([8, 992]), 300) == pytest.approx(exact, rel=0.01)
