"""New values beside the training range: what is noted, what is refused, and where the edges are."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.column import Texts
from thresher.errors import OutsideRangeError
from thresher.judging.column_summary import summarize
from thresher.judging.outside import MIN_VALUES, MOST_NOTES, find_outside, outside_notes
from thresher.judging.outside import refuse_outside as refuse
from thresher.tables.notation import COMMA, Notation
from thresher.tables.plan import NUMBER, ColumnPlan, Plan, TrainingRange
from thresher.tables.table import Table

SPEED = {"speed": TrainingRange(1168.0, 2886.0, 0)}


def outside(values, training=SPEED):
    return find_outside([("speed", np.array(values, dtype=float))], training)


@given(
    st.lists(st.floats(-50, 50), min_size=1, max_size=30),
    st.lists(st.floats(-50, 50) | st.just(np.nan), max_size=15),
)
def test_what_is_refused_by_definition(training, values):
    found = outside(values, {"speed": summarize(np.array(training), None).range})
    low, high = min(training), max(training)
    reach = 0.1 * (high - low if high > low else abs(high))
    present = [value for value in values if value == value]
    far = [value < low - reach or value > high + reach for value in present]
    assert any(one.is_refused for one in found) == (len(far) >= 10 and all(far))
    assert sum(one.values for one in found) == sum(not low <= value <= high for value in present)


@pytest.mark.parametrize("beyond", [11.0, -1.0])
def test_ten_values_beyond_a_tenth_are_refused_and_nine_are_not(beyond):
    training = {"speed": TrainingRange(0.0, 10.0)}
    outward = np.nextafter(beyond, np.inf if beyond > 0 else -np.inf)
    assert not outside([beyond] * MIN_VALUES, training)[0].is_refused
    assert outside([outward] * MIN_VALUES, training)[0].is_refused
    assert outside([*[outward] * MIN_VALUES, np.nan], training)[0].is_refused
    assert not outside([*[outward] * (MIN_VALUES - 1), np.nan], training)[0].is_refused
    assert not outside([*[outward] * 300, 10.0], training)[0].is_refused


def test_a_column_of_one_value_has_a_tenth_of_it():
    training = {"speed": summarize(np.array([50.0, 50.0, np.nan]), None).range}
    assert not outside([55.0] * 10, training)[0].is_refused
    assert outside([55.1] * 10, training)[0].is_refused
    assert outside([0.001] * 10, {"speed": TrainingRange(0.0, 0.0)})[0].is_refused


def test_columns_without_numbers_in_training_are_not_compared():
    assert summarize(np.full(3, np.nan), None).range is None
    assert find_outside([("line", Texts.of(["a"])), ("new", np.array([1.0]))], SPEED) == []


@pytest.mark.parametrize(
    ("table", "way_out"),
    [
        (Table("'new.csv'", {}), "Try decimal=','"),
        (
            Table("'new.csv'", {}, plan=Plan({"speed": ColumnPlan(NUMBER, Notation(COMMA))})),
            "Try decimal='.'",
        ),
        (Table("'new.csv'", {}, kind="pandas"), "Check its unit"),
    ],
)
def test_the_sentence_names_the_column_and_the_way_out(table, way_out):
    with pytest.raises(OutsideRangeError) as error:
        refuse(outside([1.5] * 300), table)
    assert str(error.value) == (
        "'new.csv': all 300 values of 'speed' lie outside the training range 1,168 to 2,886 "
        f"(median 1.5). {way_out}, or add allow_drift=True."
    )


def test_a_unit_that_no_mark_explains_is_not_blamed_on_marks():
    with pytest.raises(OutsideRangeError, match=r"\(median 20\)\. Check its unit, or add"):
        refuse(outside([20.0] * 10), Table("'new.csv'", {}))


def test_several_refused_columns_are_counted():
    names = ["a", "b", "c"]
    found = find_outside(
        [(name, np.full(10, 99.0)) for name in names], dict.fromkeys(names, TrainingRange(1.0, 9.0))
    )
    with pytest.raises(OutsideRangeError, match=r"'a' .*; so do those of 2 more columns\. "):
        refuse(found, Table("'new.csv'", {}))


def test_notes_are_few_and_leave_out_what_was_said():
    names = [f"x{number}" for number in range(9)]
    columns = [(name, np.array([1.0, 12.0, -3.0, 9.5])) for name in names]
    found = find_outside(columns, dict.fromkeys(names, TrainingRange(1.0, 9.0)))
    notes = outside_notes(found, told={"x0"})
    assert notes[0] == "Note: 'x1': 3 values lie outside the training range 1 to 9."
    assert notes[MOST_NOTES:] == ["Note: 5 more columns have values outside the training range."]
    assert outside_notes(found[:4])[-1] == (
        "Note: 1 more column has values outside the training range."
    )


def test_rows_of_many_columns_go_on():
    """As in SECOM, many rows are outside the range of one of the columns; none is refused."""
    random = np.random.default_rng(0)
    table = random.standard_t(2, (1200, 200))
    ranges = {
        f"V{place}": summarize(column[:800], None).range for place, column in enumerate(table.T)
    }
    for size, least in ((1, 0.2), (10, 0.9), (50, 1.0)):
        chunks = [table[row : row + size] for row in range(800, 1200, size)]
        found = [find_outside(zip(ranges, chunk.T, strict=True), ranges) for chunk in chunks]
        assert np.mean([len(columns) > 0 for columns in found]) >= least
        assert not any(column.is_refused for columns in found for column in columns)
