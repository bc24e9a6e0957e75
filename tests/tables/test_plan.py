"""What a column is taken for, what is said of it, and how a user says otherwise."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from thresher.column import Texts
from thresher.errors import ParameterError, QuestionError, TableError
from thresher.tables import read_table
from thresher.tables.plan import TrainingRange
from thresher.tables.table import Column, FileForm
from thresher.tables.writing import write_columns

N = 200
RANDOM = np.random.default_rng(0)
SPEED = (1000 + 900 * RANDOM.random(N)).round(0)
HEAT = RANDOM.normal(80, 3, N).round(1)


def written(path, columns, delimiter=";"):
    """Write columns of texts, and return the path."""
    lines = [delimiter.join(columns), *map(delimiter.join, zip(*columns.values(), strict=True))]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def path(tmp_path):
    return tmp_path / "t.csv"


def texts(numbers, pattern="{:g}"):
    return [pattern.format(number) for number in numbers]


# ------------------------------------------------------------------------------------------ numbers


def test_a_unit_in_one_cell_of_many_is_a_slip_and_told(path):
    heat = texts(HEAT)
    heat[17] = "1.57 inch"
    table = read_table(written(path, {"heat": heat, "state": ["ok"] * N}, ","))
    assert np.flatnonzero(np.isnan(table.columns["heat"])).tolist() == [17]
    (unread,) = table.plan.columns["heat"].unread
    assert (unread.text, table.plan.columns["heat"].unit) == ("1.57 inch", "")


@pytest.mark.parametrize("unit", [" %", " ‰", "k", "M"])
def test_what_multiplies_some_cells_is_not_taken_for_all(path, unit):
    """5 % is not 5, nor 1k beside 500 a thousandth of it; 0 is 0."""
    heat = texts(HEAT, "{:g}" + unit)
    heat[17], heat[18] = "0.8", "0"
    table = read_table(written(path, {"heat": heat, "state": ["ok"] * N}, ","))
    assert np.flatnonzero(np.isnan(table.columns["heat"])).tolist() == [17]
    assert table.columns["heat"][18] == 0.0
    (unread,) = table.plan.columns["heat"].unread
    assert (unread.text, table.plan.columns["heat"].unit) == ("0.8", unit.strip())
    half = [*texts(HEAT[:100], "{:g}" + unit), *texts(HEAT[100:] / 100, "{:.3f}")]
    with pytest.raises(QuestionError, match="is numbers but for"):
        read_table(written(path, {"heat": half, "state": ["ok"] * N}, ","))


def test_one_cell_that_is_no_number_is_missing_and_told(path):
    heat = texts(HEAT)
    heat[17] = "2x8.1"
    table = read_table(written(path, {"heat": heat, "state": ["ok"] * N}, ","))
    expected = HEAT.copy()
    expected[17] = np.nan
    np.testing.assert_array_equal(table.columns["heat"], expected)
    assert "Column 'heat' is numbers but for 1 cell ('2x8.1', line 19), read as missing." in (
        table.notes
    )
    assert table.plan["heat"].unread == (("2x8.1", 1, "line 19"),)
    kept = read_table(path, column={"heat": "category"})
    assert kept.columns["heat"].values() == heat


def test_many_cells_that_are_no_numbers_are_a_question_with_both_ways(path):
    heat = ["hot" if place % 8 == 0 else text for place, text in enumerate(texts(HEAT))]
    written(path, {"heat": heat, "x": texts(SPEED)}, ",")
    with pytest.raises(QuestionError, match=r"but for 12\.5 % of its cells, such as 'hot'"):
        read_table(path)
    numbers = read_table(path, column={"heat": "number"}).columns["heat"]
    assert np.isnan(numbers).sum() == N / 8
    assert read_table(path, column={"heat": "category"}).columns["heat"].values() == heat


def test_thousands_are_told_from_decimals_by_the_other_columns(path):
    german = [f"{speed:,.0f}".replace(",", ".") for speed in SPEED]
    heat = [text.replace(".", ",") for text in texts(HEAT, "{:.1f}")]
    table = read_table(written(path, {"Drehzahl": german, "Temperatur": heat}))
    np.testing.assert_array_equal(table.columns["Drehzahl"], SPEED)
    np.testing.assert_array_equal(table.columns["Temperatur"], HEAT)
    assert str(table.plan["Drehzahl"].notation) == "1.234,5"


def test_marks_that_nobody_can_tell_are_a_question(path):
    written(path, {"speed": [f"{speed / 1000:.3f}" for speed in SPEED], "line": ["a"] * N})
    with pytest.raises(QuestionError, match=r"say decimal='\.' or decimal=','"):
        read_table(path)
    np.testing.assert_array_equal(read_table(path, decimal=",").columns["speed"], SPEED)
    np.testing.assert_allclose(read_table(path, decimal=".").columns["speed"], SPEED / 1000)


def test_marks_are_those_of_the_table_and_not_of_the_plan(path):
    """A workbook has no marks; whole numbers below 1,000 had none in training."""
    frame = pd.DataFrame({"speed": SPEED, "heat": HEAT})
    plan = read_table(frame).plan
    german = [f"{speed:,.0f}".replace(",", ".") for speed in SPEED]
    heat = [text.replace(".", ",") for text in texts(HEAT, "{:.1f}")]
    table = read_table(written(path, {"speed": german, "heat": heat}), plan=plan)
    np.testing.assert_array_equal(table.columns["speed"], SPEED)
    one = read_table(written(path, {"speed": ["1.010"], "heat": ["80,5"]}), plan=plan)
    assert one.columns["speed"].tolist() == [1010]


def test_a_plan_of_german_marks_reads_english_ones(path):
    german = [f"{speed / 1000:.3f}".replace(".", ",") for speed in SPEED]
    plan = read_table(written(path, {"speed": german, "heat": ["80,5"] * N})).plan
    english = {"speed": texts(SPEED / 1000, "{:.3f}"), "heat": ["80.5"] * N}
    for delimiter in ",;":
        table = read_table(written(path, english, delimiter), plan=plan)
        np.testing.assert_array_equal(table.columns["speed"], np.round(SPEED / 1000, 3))


def test_thousands_that_end_in_zeros_have_a_mark_too(path):
    """Pyarrow reads 2.000 as the whole number 2."""
    written(path, {"speed": ["1.000", "2.000", "12.000"] * 20, "heat": ["80,5"] * 60})
    assert set(read_table(path).columns["speed"].tolist()) == {1000, 2000, 12000}
    written(path, {"speed": ["1.000", "2.000", "12.000"], "line": list("abc")})
    with pytest.raises(QuestionError, match=r"'speed' of .* may have points for decimals"):
        read_table(path)


def test_decimals_that_were_read_at_once_tell_the_marks_of_others(path):
    small = [f"{place / 1000:.3f}".replace(".", ",") for place in range(1, N + 1)]
    large = [f"{speed / 1000:.3f}".replace(".", ",") for speed in SPEED]
    table = read_table(written(path, {"small": small, "large": large}))
    np.testing.assert_array_equal(table.columns["large"], np.round(SPEED / 1000, 3))


WIDE, WHOLE, FINE = (0.5, 5000.0, 3), (0.0, 980.0, 0), (0.2, 9.8, 3)
"""Ranges of training: both readings fit, only whole numbers do, only small ones do."""


@pytest.mark.parametrize(
    ("cells", "training", "expected"),
    [
        (["1.443"], FINE, [1.443]),
        (["1.443", "2.000"], (1168.0, 2886.0, 0), [1443, 2000]),
        (["1,443", "2,000"], (1168.0, 2886.0, 0), [1443, 2000]),
        (["1,443"], FINE, [1.443]),
        (["1.443", "7"], (0.0, 50000.0, 0), [1443, 7]),
        (["1.443"], WIDE, None),
        (["1.000"], (0.0, 50000.0, 0), None),
        (["1.500"], WHOLE, None),  # neither 1500 nor 1.5 was there in training
        (["1.443"], (50.0, 60.0, 3), None),
        (["1.443"], None, None),
    ],
)
def test_what_the_table_does_not_tell_the_range_of_the_training_does(
    path, cells, training, expected
):
    plan = read_table(pd.DataFrame({"speed": SPEED})).plan
    ranges = {} if training is None else {"speed": TrainingRange(*training)}
    plan = replace(plan, ranges=ranges)
    written(path, {"speed": cells, "line": ["a"] * len(cells)})
    if expected is None:
        with pytest.raises(QuestionError, match=r"say decimal='\.' or decimal=','"):
            read_table(path, plan=plan)
        assert read_table(path, plan=plan, decimal=",").columns["speed"][0] >= 1000
    else:
        assert read_table(path, plan=plan).columns["speed"].tolist() == expected


def test_other_columns_tell_more_than_the_range(path):
    """1.010 in a file of decimal commas is beyond the range of training, and no 1.01."""
    plan = read_table(pd.DataFrame({"speed": SPEED, "heat": HEAT})).plan
    plan = replace(plan, ranges={"speed": TrainingRange(*WHOLE)})
    table = read_table(written(path, {"speed": ["1.010"], "heat": ["80,5"]}), plan=plan)
    assert table.columns["speed"].tolist() == [1010]


def test_a_unit_in_one_cell_of_a_small_table_is_asked_about(path):
    heats = ["12.5", "13.1 mm", "12.9", "13.0", "12.8", "13.3"]
    with pytest.raises(QuestionError, match=r"such as '13\.1 mm' .line 3."):
        read_table(written(path, {"heat": heats, "x": list("123456")}, ","))
    twice = [*heats[:4], "12.8 mm", "13.3"]
    table = read_table(written(path, {"heat": twice, "x": list("123456")}, ","))
    assert (table.plan["heat"].unread, table.plan["heat"].unit) == ((), "mm")


def test_units_are_taken_off_and_told(path):
    table = read_table(written(path, {"torque": texts(HEAT, "{:.1f} Nm"), "x": texts(SPEED)}, ","))
    np.testing.assert_array_equal(table.columns["torque"], HEAT)
    assert table.plan["torque"].unit == "Nm"
    written(path, {"torque": texts(100 * HEAT, "{:.0f} Ncm"), "x": texts(SPEED)}, ",")
    with pytest.raises(TableError, match="is in Ncm, and was in Nm when the model was trained"):
        read_table(path, plan=table.plan)


def test_numbers_that_stand_for_no_value_are_missing_and_told(path):
    speed = np.where(np.arange(N) % 20 == 3, -9999, SPEED)
    table = read_table(written(path, {"speed": texts(speed), "line": ["a", "b"] * (N // 2)}, ","))
    assert np.isnan(table.columns["speed"]).sum() == N / 20
    assert table.plan["speed"].sentinels == (-9999.0,)
    assert any("10 cells ('-9999', line 5), read as missing" in note for note in table.notes)
    kept = read_table(path, missing=["none"])
    np.testing.assert_array_equal(kept.columns["speed"], speed)
    few = written(path, {"speed": ["-9999", "5"], "line": ["a", "b"]}, ",")
    assert np.isnan(read_table(few, plan=table.plan).columns["speed"][0])
    assert read_table(few).columns["speed"][0] == -9999


def test_codes_keep_their_zeros(path):
    table = read_table(
        written(path, {"code": ["007", "012", "113", "007"], "x": list("1234")}, ",")
    )
    assert table.columns["code"].values() == ["007", "012", "113", "007"]


# ------------------------------------------------------------------------------ meanings of columns


def plan_of(columns):
    return {
        name: one.meaning for name, one in read_table(pd.DataFrame(columns)).plan.columns.items()
    }


def test_meanings():
    days = pd.date_range("2024-01-01", periods=N, freq="7h")
    found = plan_of(
        {
            "number": HEAT,
            "line": ["a", "b"] * (N // 2),
            "cavity": [f"c{place % 60}" for place in range(N)],
            "serial": [f"SN{place}" for place in range(N)],
            "count": np.arange(N) + 5,
            "remark": [f"tool {place} was changed" for place in range(N)],
            "iso": days.strftime("%Y-%m-%dT%H:%M:%S"),
            "german": days.strftime("%d.%m.%Y %H:%M"),
            "digits": days.strftime("%Y%m%d"),
            "clock": days.strftime("%H:%M"),
            "same": ["x"] * N,
            "empty": [None] * N,
        }
    )
    assert found == {
        "number": "number",
        **dict.fromkeys(["line", "cavity"], "category"),
        **dict.fromkeys(["serial", "count"], "id"),
        "remark": "text",
        **dict.fromkeys(["iso", "german", "digits", "clock"], "date"),
        **dict.fromkeys(["same", "empty"], "constant"),
    }


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"column": {"a": "colour"}}, ParameterError, "a column is one of number, category"),
        ({"decimal": "'"}, ParameterError, "must be '.' or ','"),
        ({"sheet": 1}, ParameterError, "sheet= is for workbooks"),
    ],
)
def test_wishes_that_cannot_be(path, options, error, words):
    with pytest.raises(error, match=words):
        read_table(written(path, {"a": ["1", "2"]}, ","), **options)


# ---------------------------------------------------------------------------------- lines and names


def test_lines_above_and_below_the_rows_are_told(path):
    body = "part;speed;state\n" + "".join(f"p{place};{place}.5;ok\n" for place in range(9))
    path.write_text(f"MES export;;\nLine: 3\n\n{body}Total;;\n", encoding="utf-8")
    table = read_table(path)
    assert list(table.columns) == ["part", "speed", "state"]
    assert len(table) == 9
    assert table.notes[:2] == (
        "The first 3 lines are no part of the table; skip_lines= says otherwise.",
        "The last line, 'Total;;', is no row.",
    )
    assert len(read_table(path, skip_lines=3, header=True)) == 10


def test_a_table_without_names_gets_some(path):
    path.write_text("".join(f"{place},{place / 7:.3f},a\n" for place in range(9)), encoding="utf-8")
    table = read_table(path)
    assert list(table.columns) == ["column 1", "column 2", "column 3"]
    assert len(table) == 9
    assert "The first line holds data" in table.notes[0]
    assert len(read_table(path, header=True)) == 8


def test_names_that_are_missing_or_there_twice(path):
    path.write_text("a,,a,\n1,2,3,\n4,5,6,\n", encoding="utf-8")
    table = read_table(path)
    assert list(table.columns) == ["a", "column 2", "a (2)"]
    assert "Two columns are called 'a'; column 3 is now 'a (2)'." in table.notes


# -------------------------------------------------------------------------- what is written is read

NUMBERS = st.floats(-1e12, 1e12).map(lambda number: round(number, 4))
WORDS = st.sampled_from(
    ["early", "late", "night shift", "ä;ö", 'a "b"', "x,y", "tab\there", "-5 A"]
)


@settings(max_examples=150, deadline=None)
@given(
    numbers=st.lists(st.one_of(NUMBERS, st.none()), min_size=1, max_size=30),
    data=st.data(),
    delimiter=st.sampled_from(",;\t|"),
    decimal=st.sampled_from(".,"),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "latin-1"]),
    suffix=st.sampled_from([".csv", ".xlsx", ".parquet"]),
)
def test_a_table_that_was_written_in_any_form_is_read_as_it_was(
    tmp_path_factory, numbers, data, delimiter, decimal, encoding, suffix
):
    if delimiter == ",":
        decimal = "."
    words = data.draw(st.lists(WORDS, min_size=len(numbers), max_size=len(numbers)))
    values = np.array([np.nan if number is None else number for number in numbers])
    columns: dict[str, Column] = {"speed": values, "shift": Texts.of(words), "scale": values + 0.25}
    path = tmp_path_factory.getbasetemp() / f"form{suffix}"
    write_columns(columns, path, FileForm(delimiter, decimal, encoding))
    form = {"header": True, "skip_lines": 0, "missing": ["none"]}
    meanings = {"speed": "number", "shift": "category", "scale": "number"}
    if suffix == ".csv":
        form |= {"decimal": decimal, "delimiter": delimiter, "encoding": encoding}
    found = read_table(path, column=meanings, **form)
    assert list(found.columns) == list(columns)
    assert found.columns["shift"].values() == words
    for name in ("speed", "scale"):
        np.testing.assert_array_equal(found.columns[name], columns[name])


def test_a_calendar_is_made_on_request_and_again_for_new_tables():
    days = pd.date_range("2024-01-01", periods=N, freq="7h")
    frame = pd.DataFrame({"at": days.strftime("%d.%m.%Y %H:%M"), "x": HEAT})
    assert list(read_table(frame).columns) == ["at", "x"]
    table = read_table(frame, column={"at": "calendar"})
    assert table.columns["at hour"].tolist() == days.hour.tolist()
    assert table.columns["at weekday"].tolist() == (days.day_of_week + 1).tolist()
    assert table.columns["at month"].tolist() == days.month.tolist()
    again = read_table(frame[:1], plan=table.plan)
    assert again.columns["at hour"].tolist() == [0]
    with pytest.raises(TableError, match="has a column 'at hour' already"):
        read_table(frame.assign(**{"at hour": 1.5}), column={"at": "calendar"})
