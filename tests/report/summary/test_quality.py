"""What is said of the table itself."""

import numpy as np

from tests.table_factory import Table
from thresher.matrix import read_matrix
from thresher.report.summary.quality import MAX_COLUMNS, quality_data, repeated_rows


def test_columns_are_described():
    import pandas as pd

    table = pd.DataFrame(
        {
            "speed": [1.5, np.nan, 2.5, 3.5],
            "same": [7.0] * 4,
            "rare": [np.nan, np.nan, np.nan, 1.0],
            "line": ["a", "b", None, "a"],
        }
    )
    data = quality_data(*read_matrix(table), {"speed": "press"}, ["Mind the gap."], seed=0)
    columns = {column["name"]: column for column in data["columns"]}
    assert columns["speed"]["missing"] == 0.25
    assert columns["speed"]["stage"] == "press"
    assert columns["same"]["remark"] == "never changes"
    assert columns["rare"]["remark"] == "never changes"
    assert (columns["line"]["kind"], columns["line"]["distinct"]) == ("category", 2)
    assert columns["line"]["low"] is None
    assert data["complete_rows"] == 1
    assert data["notes"] == ["Mind the gap."]


def test_repeated_rows_are_counted_with_their_gaps():
    table, _ = Table(rows=500, columns=4, missing=0.1).numpy()
    assert repeated_rows(table, seed=1) == 0
    assert repeated_rows(np.concatenate([table, table[:40]]), seed=1) == 40


def test_a_wide_table_is_cut():
    matrix, columns = read_matrix(np.zeros((3, MAX_COLUMNS + 5)))
    data = quality_data(matrix, columns, {}, [], seed=0)
    assert (len(data["columns"]), data["hidden"]) == (MAX_COLUMNS, 5)
