"""One table, three formats: the same cells in each, whatever their names are."""

import csv
import io
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.text_table import (
    Cell,
    TextTable,
    escape_markdown,
    unescape_csv,
)

HOSTILE = "a|b & 50% of <i>_x_\\{y}~^#`*$\n[z]"
TABLE = TextTable(
    "F1",
    ("data set", "tree", "line"),
    [["one", Cell(0.8125, is_best=True), 0.5], [HOSTILE, None, float("nan")]],
    ["A note."],
)
NAMES = st.text(min_size=1).filter(lambda text: text.split())


def markdown_rows(text):
    lines = [line for line in text.splitlines() if line.startswith("|")]
    return [re.split(r"(?<!\\)\|", line)[1:-1] for line in lines]


@given(
    st.lists(
        st.tuples(NAMES, st.floats(allow_nan=False, allow_infinity=False)), min_size=1, max_size=5
    )
)
def test_csv_has_every_digit_and_every_name(rows):
    table = TextTable("t", ("name", "value"), rows)
    header, *read = csv.reader(io.StringIO(table.as_csv()))
    assert header == ["name", "value"]
    assert [float(value) for _, value in read] == [value for _, value in rows]
    assert [unescape_csv(name) for name, _ in read] == [" ".join(name.split()) for name, _ in rows]


@given(st.lists(st.lists(NAMES, min_size=3, max_size=3), min_size=1, max_size=4))
def test_names_do_not_break_the_grid(rows):
    table = TextTable("t", ("x", "y", "z"), rows)
    assert [len(row) for row in markdown_rows(table.as_markdown())] == [3] * (len(rows) + 2)


def test_text_is_aligned_and_marks_the_best():
    lines = TABLE.as_text().splitlines()
    assert lines[0] == "F1"
    assert lines[3].split() == ["-" * len(lines[3].split()[0]), "------", "-----"]
    assert lines[4].split() == ["one", "0.812*", "0.500"]
    assert lines[5].endswith("-      -")
    assert lines[-1] == "A note."
    assert len({line.rindex("0.500") for line in lines if "0.500" in line}) == 1


def test_markdown_marks_the_best_in_bold():
    assert markdown_rows(TABLE.as_markdown())[2][1].strip() == "**0.812**"


def test_escaped_names_can_be_read_back():
    plain = re.sub(r"\\(.)", r"\1", escape_markdown(HOSTILE))
    assert plain == " ".join(HOSTILE.split())


@pytest.mark.parametrize(
    ("cell", "text", "raw"),
    [
        (Cell(0.12345, decimals=2), "0.12", "0.12345"),
        (Cell(-0.0004), ">-0.001", "-0.0004"),
        (Cell(0.0), "0.000", "0.0"),
        (Cell(3), "3", "3"),
        (Cell(False), "no", "no"),
        (Cell(float("nan")), "-", ""),
        (Cell(None), "-", ""),
        (Cell("-"), "-", "-"),
    ],
)
def test_a_value_for_readers_and_for_programs(cell, text, raw):
    assert cell.text == text
    assert cell.raw == raw


def test_a_carriage_return_in_a_heading_stays_in_its_cell_of_csv():
    text = TextTable("t", ("name", "a\rb"), [["x", 1]]).as_csv()
    assert list(csv.reader(io.StringIO(text, newline=""))) == [["name", "a\rb"], ["x", "1"]]
