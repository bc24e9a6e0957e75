import sqlite3
from contextlib import closing
from math import inf

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from thresher.column import OTHER_LEVELS
from thresher.condition.clause import Interval, LevelSet, implies, inside, joined
from thresher.condition.sql import where

KNOWN = ("A", "B", "C", "D", "E")
MANY = (*KNOWN, OTHER_LEVELS)
TEN = tuple("0123456789")
ENDS = st.sampled_from([-inf, 0.0, 1.0, 2.5, inf])
INTERVALS = st.builds(Interval, st.just("t"), ENDS, ENDS, st.booleans())
LEVEL_SETS = st.builds(
    LevelSet,
    st.just("t"),
    st.lists(st.sampled_from(KNOWN), unique=True).map(tuple),
    st.just(KNOWN),
    st.booleans(),
)


@pytest.mark.parametrize(
    ("clause", "text"),
    [
        (Interval("t", high=11.2), "t <= 11.2"),
        (Interval("t", low=11.2), "t > 11.2"),
        (Interval("t", 1.0, 2.0), "1 < t <= 2"),
        (Interval("t", 1834561.5, 2e6), "1834561.5 < t <= 2000000"),
        (Interval("t", high=11.2, missing=True), "t <= 11.2 (or missing)"),
        (Interval("t", inf, inf, missing=True), "t is missing"),
        (Interval("t"), "t is present"),
        (LevelSet("s", ("B", "D"), KNOWN), "s in {B, D}"),
        (LevelSet("s", ("B",), KNOWN), "s = B"),
        (LevelSet("s", ("A", "B", "C", "D"), KNOWN), "s not in {E}"),
        (LevelSet("s", ("B", "D"), KNOWN, missing=True), "s in {B, D} (or missing)"),
        (LevelSet("s", (), KNOWN, missing=True), "s is missing"),
        (LevelSet("s", KNOWN, KNOWN), "s is present"),
        (LevelSet("s", (1.0, 2.0), (1.0, 2.0, 3.0, 4.0)), "s in {1, 2}"),
        (LevelSet("s", ("B",), MANY), "s = B"),
        (LevelSet("s", ("B", OTHER_LEVELS), MANY), "s not in {A, C, D, E}"),
        (
            LevelSet("s", (OTHER_LEVELS,), MANY, missing=True),
            "s not in {A, B, C, D, E} (or missing)",
        ),
        (LevelSet("s", (*KNOWN[2:], OTHER_LEVELS), MANY), "s not in {A, B}"),
        (LevelSet("s", (*TEN[4:], OTHER_LEVELS), (*TEN, OTHER_LEVELS)), "s not in {0, 1, 2, 3}"),
        (LevelSet("s", KNOWN, MANY), "s in {A, B, C, D, E}"),
        (LevelSet("s", MANY, MANY), "s is present"),
    ],
)
def test_words(clause, text):
    assert str(clause) == text


def test_clauses_are_joined():
    clauses = [Interval("torque_3", high=11.2), LevelSet("supplier", ("B", "D"), KNOWN)]
    assert joined(clauses) == "torque_3 <= 11.2 and supplier in {B, D}"


@pytest.mark.parametrize(
    ("narrow", "wide", "expected"),
    [
        (Interval("t", 1, 2), Interval("t", 1, 3), True),
        (Interval("t", 1, 4), Interval("t", 1, 3), False),
        (Interval("t", 1, 2, missing=True), Interval("t", 1, 3), False),
        (Interval("t", inf, inf, missing=True), Interval("t", 1, 3, missing=True), True),
        (LevelSet("t", ("A",), KNOWN), LevelSet("t", ("A", "B"), KNOWN), True),
        (LevelSet("t", ("A", "C"), KNOWN), LevelSet("t", ("A", "B"), KNOWN), False),
        (LevelSet("t", ("A",), KNOWN, missing=True), LevelSet("t", ("A",), KNOWN), False),
    ],
)
def test_one_implies_the_other(narrow, wide, expected):
    assert implies({"t": narrow}, [wide]) is expected
    assert implies({"t": narrow}, [])
    assert not implies({}, [wide])


@given(INTERVALS)
def test_numbers_inside_an_interval(clause):
    values = np.array([-1.0, 0.0, 0.5, 1.0, 2.0, 2.5, 3.0, np.nan])
    expected = [clause.missing if v != v else clause.low < v <= clause.high for v in values]
    assert inside(clause, values).tolist() == expected


@given(LEVEL_SETS)
def test_codes_inside_a_set_of_levels(clause):
    codes = np.array([4.0, 0.0, np.nan, 2.0, 1.0, 3.0, 0.0])
    expected = [clause.missing if c != c else KNOWN[int(c)] in clause.levels for c in codes]
    assert inside(clause, codes).tolist() == expected


@given(INTERVALS, INTERVALS)
def test_data_of_two_clauses_are_equal_only_if_they_mean_the_same(one, other):
    values = np.array([-1.0, 0.5, 1.5, 3.0, np.nan])
    same = inside(one, values).tolist() == inside(other, values).tolist()
    assert (one.as_data() == other.as_data()) == same


@given(st.lists(st.sampled_from(MANY), unique=True), st.booleans())
def test_other_levels_in_sql(chosen, missing):
    clause = LevelSet("s", tuple(level for level in MANY if level in chosen), MANY, missing)
    assume(not clause.asks_nothing)
    rows = [*KNOWN, "never seen", "other levels", None]
    expected = [
        missing if row is None else (row if row in KNOWN else OTHER_LEVELS) in chosen
        for row in rows
    ]
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute("CREATE TABLE parts (s TEXT)")
        database.executemany("INSERT INTO parts VALUES (?)", [(row,) for row in rows])
        found = database.execute(f"SELECT s FROM parts WHERE {where([clause])}").fetchall()
    assert [row in found for row in [(row,) for row in rows]] == expected
