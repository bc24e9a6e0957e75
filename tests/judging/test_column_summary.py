"""What is kept of a column is true of it, and comes back from a file as it was."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.column import Texts
from thresher.errors import DamagedModelError
from thresher.judging.column_summary import (
    GRID,
    NumbersSummary,
    columns_data,
    ranks_of,
    read_columns,
    summarize,
)
from thresher.model_file.fields import Record
from thresher.tables.plan import decimals_of

NUMBERS = st.lists(
    st.one_of(st.just(np.nan), st.integers(-3, 3).map(float), st.floats(-1e300, 1e300)),
    min_size=1,
    max_size=80,
)
TEXTS = st.lists(st.sampled_from(["a", "b", "c", None]), min_size=1, max_size=30)


@given(NUMBERS)
def test_a_summary_of_numbers_counts_as_brute_force_does(values):
    column = np.array(values)
    present = np.sort(column[~np.isnan(column)])
    found = summarize(column, None)
    assert (found.missing, found.present, found.rows) == (
        len(column) - len(present),
        len(present),
        len(column),
    )
    if not len(present):
        return
    assert found.quantiles.tolist() == present[ranks_of(len(present)) - 1].tolist()
    assert (found.quantiles[0], found.quantiles[-1]) == (present[0], present[-1])
    assert found.at_most.tolist() == [int((present <= one).sum()) for one in found.quantiles]
    assert found.decimals == decimals_of(present)


@given(TEXTS)
def test_a_summary_of_texts_counts_the_levels_of_the_model(values):
    found = summarize(Texts.of(values), ("a", "b", "c"))
    assert found.counts.tolist() == [values.count(level) for level in "abc"]
    assert found.missing == values.count(None)


def stored(columns):
    return read_columns(Record(columns_data(columns), "facts.columns"))


def fields(summary):
    return {
        name: value.tolist() if isinstance(value, np.ndarray) else value
        for name, value in vars(summary).items()
    }


@given(st.data(), st.integers(1, 40))
def test_summaries_come_back_from_a_file_as_they_were(data, rows):
    number = st.one_of(st.just(np.nan), st.integers(-3, 3).map(float), st.floats(-1e9, 1e9))
    kinds = data.draw(st.lists(st.booleans(), min_size=1, max_size=5))
    columns = [
        summarize(
            Texts.of(
                data.draw(st.lists(st.sampled_from(["a", None]), min_size=rows, max_size=rows))
            ),
            ("a", "b"),
        )
        if is_text
        else summarize(np.array(data.draw(st.lists(number, min_size=rows, max_size=rows))), None)
        for is_text in kinds
    ]
    assert [fields(one) for one in stored(columns)] == [fields(one) for one in columns]


def test_a_summary_is_small_however_many_rows_and_columns():
    random = np.random.default_rng(0)
    columns = [summarize(random.integers(0, 90, 20_000).astype(float), None) for _ in range(30)]
    data = columns_data(columns)
    assert len(data) == 8
    assert sum(array.nbytes for array in data.values()) < 30 * 500


def changed(name, change):
    random = np.random.default_rng(0)
    columns = [
        summarize(np.round(random.normal(size=200), 1), None),
        summarize(np.full(200, np.nan), None),
        summarize(np.full(200, 5.0), None),
        summarize(Texts.of(random.choice(["a", "b", None], 200).tolist()), ("a", "b")),
    ]
    data = columns_data(columns)
    values = data[name].copy()
    return {**data, name: change(values)}


def put(place, value):
    def change(values):
        values[place] = value
        return values

    return change


@pytest.mark.parametrize(
    ("name", "change", "expected"),
    [
        ("is_text", lambda values: values[:2], "wrong shape"),
        ("is_text", lambda values: values.astype(np.int64), "has the type int64"),
        ("is_text", lambda values: values[::-1].copy(), "wrong shape|no column has|not as many"),
        ("missing", put(0, -1), "missing is not made of counts"),
        ("missing", put(0, 2**60), "missing is not made of counts"),
        ("missing", put(0, 7), "columns of other lengths"),
        ("missing", lambda values: values.astype(np.int32), "missing is not made of counts"),
        ("quantiles", put((0, 3), np.nan), "not made of finite 64-bit numbers"),
        ("quantiles", put((0, 3), np.inf), "not made of finite 64-bit numbers"),
        ("quantiles", put((0, 3), 1e9), "no column has"),
        ("quantiles", put((1, 3), 1.0), "no column has"),
        ("quantiles", put((2, -1), 4.0), "no column has"),
        ("quantiles", lambda values: values[:, 1:], "wrong shape"),
        ("quantiles", lambda values: values.astype(np.float32), "not made of finite 64-bit"),
        ("at_most", put((0, -1), 199), "no column has"),
        ("at_most", put((0, 0), 0), "no column has"),
        ("decimals", put(0, 4), "decimals is above 3"),
        ("decimals", put(1, 1), "no column has"),
        ("levels", put(0, 10**6), "levels is above 255"),
        ("levels", put(0, 1), "wrong shape"),
        ("level_counts", put(0, 0), "not as many as there are texts"),
    ],
)
def test_summaries_that_no_column_has_are_refused(name, change, expected):
    with pytest.raises(DamagedModelError, match=expected):
        read_columns(Record(changed(name, change), "facts.columns"))


def test_the_grid_has_its_median_in_the_middle():
    assert GRID[len(GRID) // 2] == 0.5
    assert (np.diff(GRID) > 0).all()
    known = summarize(np.arange(101.0), None)
    assert isinstance(known, NumbersSummary)
    assert known.median == 50.0
