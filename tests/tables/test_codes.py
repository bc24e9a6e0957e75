import numpy as np
import pytest

from thresher.errors import ParameterError, QuestionError, TableError
from thresher.tables.codes import LEAST_ROWS, NO_CODE, POOLED, known_codes, read_codes
from thresher.tables.table import Table
from thresher.texts import Texts


def table_of(**rows):
    """Return a table with so many rows of each value."""
    values = [None if name == "missing" else name for name, n in rows.items() for _ in range(n)]
    return Table("'a.csv'", {"reason": Texts.of(values), "x": np.arange(len(values), dtype=float)})


def test_the_most_frequent_value_is_good_unless_another_is_named():
    table = table_of(ok=50, leak=40, noise=30)
    assert read_codes(table, "reason")[1].good == "ok"
    found = read_codes(table, "reason", good="leak")[1]
    assert (found.good, found.codes) == ("leak", ("ok", "noise"))


def test_rare_codes_are_pooled_where_they_are_enough_together():
    table, found = read_codes(table_of(ok=90, leak=40, a=12, b=9), "reason")
    assert found.codes == ("leak", POOLED)
    assert (found.labels == POOLED).sum() == 21
    assert table.notes == (
        f"Codes of 'reason' with fewer than {LEAST_ROWS} rows are pooled as 'other codes': 'a' (12 "
        "rows), 'b' (9 rows).",
    )


def test_rare_codes_without_a_model_stay_bad_rows():
    table, found = read_codes(table_of(ok=90, leak=40, a=12), "reason")
    assert (found.codes, found.left_out) == (("leak",), ("a",))
    assert "have no model of their own" in table.notes[0]


def test_codes_that_are_not_asked_for_have_no_model():
    found = read_codes(table_of(ok=90, leak=40, noise=30), "reason", ["noise"])[1]
    assert (found.codes, found.left_out) == (("noise",), ("leak",))


def test_rows_without_a_code_are_left_out_or_are_the_good_ones():
    table, found = read_codes(table_of(ok=90, leak=40, noise=30, missing=5), "reason")
    assert len(table) == len(found.labels) == 160
    table, found = read_codes(table_of(missing=90, leak=40, noise=30), "reason", good="")
    assert (found.good, len(table), (found.labels == NO_CODE).sum()) == (NO_CODE, 160, 90)
    later = table_of(missing=1, leak=1)
    assert known_codes(later, "reason", NO_CODE, ["leak"]) == [NO_CODE, "leak"]


def test_one_code_stands_against_all_other_rows():
    found = read_codes(table_of(ok=30, leak=25, noise=25), "reason")[1]
    texts = found.one_against_others("leak")
    assert texts.levels == ("leak", "others")
    assert (texts.codes == 0).sum() == 25


@pytest.mark.parametrize(
    ("rows", "options", "error", "words"),
    [
        ({"ok": 50, "leak": 40}, {}, TableError, "has two values only, 'ok', 'leak'"),
        ({"ok": 50}, {}, TableError, "has one value only, 'ok'"),
        ({"missing": 90, "leak": 40, "noise": 30}, {}, QuestionError, "in 90 of 160 rows"),
        ({"ok": 50, "leak": 40, "a": 30}, {"good": ""}, TableError, "all rows have one"),
        ({"ok": 50, "leak": 40, "a": 30}, {"good": "okay"}, TableError, "did you mean 'ok'?"),
        ({"ok": 50, "leak": 40, "a": 30}, {"wanted": ["leek"]}, TableError, "did you mean 'leak'?"),
        ({"ok": 50, "leak": 40, "a": 9}, {"wanted": ["a"]}, TableError, "'a' has 9 rows"),
        ({"ok": 50, "leak": 9, "a": 8}, {}, TableError, "No code of 'reason' has 20 rows"),
        ({"ok": 50, "leak": 40, "a": 30}, {"wanted": ["ok"]}, ParameterError, "good rows"),
        ({"ok": 50, "leak": 40, "a": 30}, {"wanted": []}, ParameterError, "names no code"),
        ({"ok": 50, "leak": 40, "others": 30}, {}, TableError, "the code 'others'"),
    ],
)
def test_what_cannot_be_codes_is_one_sentence(rows, options, error, words):
    with pytest.raises(error) as caught:
        read_codes(table_of(**rows), "reason", **options)
    assert words in str(caught.value)
    assert str(caught.value).endswith(".")
