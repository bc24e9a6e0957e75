"""The counts behind a picture are those of the condition, whatever the columns are like."""

from math import inf

import numpy as np
import pytest

from thresher.column import OTHER_LEVELS
from thresher.condition.clause import Interval, LevelSet
from thresher.condition.condition import Condition, members
from thresher.condition.picture import (
    PictureCounts,
    over_time_data,
    picture_data,
)

NAMES = ["whole", "normal", "skewed", "constant", "few_levels", "many_levels"]
FEW, MANY = ("a", "b", "c"), (*(str(number) for number in range(40)), OTHER_LEVELS)


def random_table(random, n_rows):
    columns = [
        random.integers(0, 9, n_rows),
        random.normal(1e6, 1.0, n_rows),
        random.lognormal(0.0, 3.0, n_rows),
        np.full(n_rows, 7.0),
        random.integers(0, len(FEW), n_rows),
        np.minimum(random.geometric(0.1, n_rows) - 1, len(MANY) - 1),
    ]
    matrix = np.column_stack(columns).astype(np.float64)
    for place in random.choice(len(NAMES), 3, replace=False):
        matrix[random.random(n_rows) < 0.1, place] = np.nan
    return matrix


def random_clause(random, matrix, place):
    missing = bool(random.random() < 0.4)
    if NAMES[place].endswith("levels"):
        known = FEW if place == 4 else MANY
        chosen = random.random(len(known)) < 0.3
        levels = tuple(level for level, wanted in zip(known, chosen, strict=True) if wanted)
        return LevelSet(NAMES[place], levels, known, missing)
    if random.random() < 0.1:
        return Interval(NAMES[place], inf, inf, missing=True)
    values = np.append(matrix[~np.isnan(matrix[:, place]), place], 7.0)
    low, high = np.sort(random.choice(values, 2)).tolist()
    ends = [(low, inf), (-inf, high), (low, np.nextafter(high, inf) if low == high else high)]
    return Interval(NAMES[place], *ends[random.integers(3)], missing=missing)


@pytest.mark.parametrize("seed", range(60))
def test_rows_in_the_box_are_those_that_meet_the_condition(seed):
    random = np.random.default_rng(seed)
    matrix = random_table(random, int(random.choice([1, 5, 300, 2000])))
    is_positive = random.random(len(matrix)) < 0.2
    places = random.choice(len(NAMES), random.integers(1, 5), replace=False)
    condition = Condition(tuple(random_clause(random, matrix, place) for place in places), ())
    met = members([condition], matrix, NAMES)[0]
    data = picture_data(condition, NAMES, matrix, is_positive)
    assert data["inside"] == [int((met & ~is_positive).sum()), int((met & is_positive).sum())]

    shown = {axis["name"] for axis in data["axes"]}
    rest = Condition(tuple(one for one in condition.clauses if one.column not in shown), ())
    among = members([rest], matrix, NAMES)[0]
    counts = np.array([cell[-2:] for cell in data["cells"]]).reshape(-1, 2)
    assert counts.sum(axis=0).tolist() == data["all"]
    assert data["all"] == [int((among & ~is_positive).sum()), int((among & is_positive).sum())]
    assert bool(data["among"]) == bool(rest.clauses)


def test_blocks_of_rows_give_the_same_picture():
    random = np.random.default_rng(3)
    matrix = random_table(random, 900)
    is_positive = random.random(900) < 0.2
    condition = Condition((Interval("normal", low=1e6), LevelSet("few_levels", ("a",), FEW)), ())
    counts = PictureCounts(condition, NAMES, matrix, is_positive)
    for part in np.array_split(np.arange(900), 7):
        counts.add(matrix[part], is_positive[part])
    assert counts.as_data() == picture_data(condition, NAMES, matrix, is_positive)


def test_the_two_clauses_that_matter_have_the_axes():
    random = np.random.default_rng(0)
    matrix = random.random((4000, 3))
    is_positive = (matrix[:, 0] > 0.8) & (matrix[:, 2] > 0.8)
    clauses = tuple(Interval(name, low=0.5) for name in "xyz")
    data = picture_data(Condition(clauses, ()), list("xyz"), matrix, is_positive)
    assert [axis["name"] for axis in data["axes"]] == ["x", "z"]
    assert data["among"] == "y > 0.5"
    assert data["kind"] == "heat map"


def test_periods_count_all_rows_once():
    random = np.random.default_rng(1)
    days = np.datetime64("2024-03-01", "s") + random.integers(0, 86400 * 90, 500)
    met, is_positive = random.random(500) < 0.3, random.random(500) < 0.1
    data = over_time_data(met, is_positive, days)
    assert len(data["periods"]) == 12
    assert np.sum(data["under"], axis=0).tolist() == [met.sum(), (met & is_positive).sum()]
    assert np.sum(data["others"], axis=0).tolist() == [(~met).sum(), (~met & is_positive).sum()]
    first = days < np.datetime64(data["periods"][1])
    assert data["under"][0][0] == (met & first).sum()


def test_one_moment_has_no_picture_over_time():
    moment = np.full(3, np.datetime64("2024-03-01", "s"))
    assert over_time_data(np.ones(3, bool), np.ones(3, bool), moment) is None
