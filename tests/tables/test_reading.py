"""A table is one table, whether it comes as a file or as a data frame of any library."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from thresher.errors import TableError
from thresher.tables import read_table
from thresher.tables.table import Table, texts_of

FRAME = pd.DataFrame(
    {
        "speed": [1.5, np.nan, 3.0],
        "count": [1, 2, 3],
        "line": ["a", None, "b"],
        "made": pd.to_datetime(["2024-01-01", "2024-01-02", "2024-01-03"]),
        "ok": [True, False, True],
    }
)


def content(table):
    return {name: texts_of(column) for name, column in table.columns.items()}


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.from_pandas, pa.Table.from_pandas])
def test_frames_of_every_library_are_one_table(kind):
    made = kind(FRAME)
    assert content(read_table(made)) == content(read_table(FRAME))
    texts = content(read_table(made, texts=["ok"]))
    assert texts["ok"] == ["true", "false", "true"]
    assert [text[:10] for text in texts["made"]] == ["2024-01-01", "2024-01-02", "2024-01-03"]
    assert texts["line"] == ["a", None, "b"]


def test_a_file_and_its_frame_are_one_table(tmp_path):
    numbers = FRAME[["speed", "count", "line"]]
    numbers.to_csv(tmp_path / "t.csv", index=False)
    numbers.to_parquet(tmp_path / "t.parquet", index=False)
    expected = content(read_table(numbers))
    assert content(read_table(tmp_path / "t.csv")) == expected
    assert content(read_table(str(tmp_path / "t.parquet"))) == expected
    both = read_table([tmp_path / "t.parquet", tmp_path / "t.parquet"])
    assert len(both) == 6


def test_a_table_is_taken_as_it_is():
    table = Table("'a'", {"x": np.array([1.0])})
    assert read_table(table) is table


@pytest.mark.parametrize(
    ("frame", "words"),
    [
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "two columns 'a'; rename one of them"),
        (pd.DataFrame({"a": []}), "has a header but no rows"),
    ],
)
def test_frames_that_cannot_be_used_are_one_sentence(frame, words):
    with pytest.raises(TableError, match=words):
        read_table(frame)
