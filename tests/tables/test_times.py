"""The time of each row."""

import numpy as np
import pytest

from thresher.column import Texts
from thresher.errors import QuestionError
from thresher.tables.table import Table
from thresher.tables.times import read_times


def times(*texts):
    return read_times(Table("'a.csv'", {"at": Texts.of(list(texts))}), "at")


def test_years_of_two_digits_are_of_the_century_that_they_are_near():
    found = times("31.12.99", "01.01.00", "15.06.24", "15.06.68", "15.06.69")
    assert found.astype("datetime64[Y]").astype(str).tolist() == [
        *("1999", "2000", "2024", "2068", "1969")
    ]


def test_rows_within_one_second_keep_their_order():
    found = times("2024-01-01 08:00:00.900", "2024-01-01 08:00:00.100", "2024-01-01 08:00:01")
    assert np.argsort(found).tolist() == [1, 0, 2]


def test_times_with_and_without_a_zone_are_a_question():
    with pytest.raises(QuestionError, match=r"with a zone, as in '.*Z', and without, as in"):
        times("2024-01-01 08:00:00Z", "2024-01-01 08:00:00")
    summer, utc = times("2024-06-01 08:00:00+02:00", "2024-06-01 06:00:00Z")
    assert summer == utc
