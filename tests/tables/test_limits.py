"""Small files that unpack to large tables are refused before memory is filled with them."""

import gzip
import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet

from thresher.tables import TableError, arrow, read_table
from thresher.tables.head import unique_names
from thresher.tables.layout import find_layout
from thresher.tables.text_file import FREE_BYTES, MAX_RATIO

PEAK = """
import re, sys
from pathlib import Path
from thresher.tables import TableError, read_table
import pyarrow.parquet
def peak(): return int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])
start, path = peak(), sys.argv[1]
try:
    read_table(path)
except TableError as error:
    print(error)
print((peak() - start) // 1024)
"""


def printed_by_a_process(path, code=PEAK):
    """Return what it printed, and by how many MB its memory rose."""
    if not os.path.exists("/proc/self/status"):
        pytest.skip("needs Linux's account of memory")  # the limits themselves are tested beside it
    run = [sys.executable, "-c", code, str(path)]
    done = subprocess.run(run, capture_output=True, text=True, check=True)
    said, rise = done.stdout.splitlines()
    return said, int(rise)


def read_in_a_process(path, expression):
    said, rise = printed_by_a_process(
        path, PEAK.replace("read_table(path)", f"print({expression})")
    )
    return int(said), rise


def write_packed(path, n_bytes):
    """Write lines that pack to a thousandth."""
    lines = b"1,2,0\n" * 200_000
    with gzip.open(path, "wb", compresslevel=9) as file:
        file.write(b"a,b,target\n")
        for _ in range(n_bytes // len(lines)):
            file.write(lines)


def test_a_packed_table_that_swells_is_refused_in_time(tmp_path):
    write_packed(tmp_path / "t.csv.gz", 600 * 2**20)
    sentence, rise = printed_by_a_process(tmp_path / "t.csv.gz")
    assert f"unpacks to more than {MAX_RATIO} times its size" in sentence
    assert "unpack it first" in sentence
    assert rise < 300  # of 600 MB


def test_packed_tables_that_are_small_or_pack_as_tables_do_are_read(tmp_path):
    lines = b"1,2,0\n" * (FREE_BYTES // 7)
    (tmp_path / "small.csv.gz").write_bytes(gzip.compress(b"a,b,target\n" + lines))
    assert read_table(tmp_path / "small.csv.gz").columns["b"].max() == 2.0
    numbers = np.random.default_rng(0).normal(size=200_000).round(3)
    text = "a\n" + "\n".join(map(str, numbers))
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(text.encode()))
    assert read_table(tmp_path / "t.csv.gz").columns["a"].tolist() == numbers.tolist()


def test_a_packed_file_without_lines_is_refused(tmp_path):
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(bytes(range(33, 127)) * 2_000_000))
    with pytest.raises(TableError, match=r"a line of more than 16 MB|more than 100 times its size"):
        read_table(tmp_path / "t.csv.gz")


def test_parquet_that_swells_is_refused_in_time(tmp_path):
    table = pa.table({name: pa.array(np.zeros(4_000_000)) for name in "abcdefghij"})
    parquet.write_table(table, tmp_path / "t.parquet", row_group_size=4_000_000)
    assert (tmp_path / "t.parquet").stat().st_size < 300_000
    sentence, rise = printed_by_a_process(tmp_path / "t.parquet")
    assert "would take 320,000,000 in memory, more than 1000 times as much" in sentence
    assert rise < 150  # of 320 MB and more


def test_several_parquet_files_that_swell_are_refused(tmp_path):
    table = pa.table({name: pa.array(np.zeros(2_000_000)) for name in "abcde"})
    for name in ("s.parquet", "t.parquet"):
        parquet.write_table(table, tmp_path / name, row_group_size=2_000_000)
    with pytest.raises(TableError, match="more than 1000 times as much; write it without"):
        read_table([tmp_path / "s.parquet", tmp_path / "t.parquet"])


def test_one_long_text_in_many_rows_is_kept_once(tmp_path):
    rows = pa.DictionaryArray.from_arrays(pa.array([0] * 3000, pa.int32()), pa.array(["x" * 10**6]))
    parquet.write_table(pa.table({"a": rows, "b": range(3000)}), tmp_path / "t.parquet")
    n_rows, rise = read_in_a_process(tmp_path / "t.parquet", "len(read_table(path))")
    assert n_rows == 3000
    assert rise < 300  # of 3000 MB


@pytest.mark.parametrize(
    "values",
    [
        pa.array([[1], [2]]),
        pa.array([{"a": 1}] * 2),
        pa.array([b"\xff\xfe", b"a"]),
        pa.array([b"\xff\xfe", b"a"]).dictionary_encode(),
    ],
    ids=["lists", "structs", "bytes", "dictionary of bytes"],
)
def test_columns_of_parquet_that_are_neither_numbers_nor_text_are_named(tmp_path, values):
    parquet.write_table(pa.table({"fine": [1, 2], "odd": values}), tmp_path / "t.parquet")
    parquet.write_table(pa.table({"fine": [1, 2], "odd": values}), tmp_path / "s.parquet")
    for place in (tmp_path / "t.parquet", [tmp_path / "t.parquet", tmp_path / "s.parquet"]):
        with pytest.raises(TableError, match=r"Column 'odd' of .* neither a number nor text"):
            read_table(place)


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.binary(), pa.large_binary()])
def test_texts_of_parquet_are_texts_whatever_their_chunks(tmp_path, kind):
    values = ["b", None, "a", "1", "b", "ä"]
    texts = pa.array([None if one is None else one.encode() for one in values], pa.binary())
    for column in (texts.cast(kind), texts.cast(kind).dictionary_encode()):
        table = pa.table({"a": column})
        parquet.write_table(table, tmp_path / "t.parquet", row_group_size=2)
        assert read_table(tmp_path / "t.parquet", texts=["a"]).columns["a"].values() == values


def test_two_columns_of_one_name_in_parquet_are_told(tmp_path):
    table = pa.table([[1], [2]], names=["a", "a"])
    parquet.write_table(table, tmp_path / "t.parquet")
    with pytest.raises(TableError, match="has two columns 'a'; rename one of them"):
        read_table(tmp_path / "t.parquet")


def test_the_names_of_many_columns_are_looked_at_once():
    looked = []

    class Name(str):
        def __eq__(self, other):
            looked.append(1)
            return str.__eq__(self, other)

        __hash__ = str.__hash__

    unique_names([Name(f"c{place}") for place in range(2000)])
    assert len(looked) < 2000
    names = ",".join(f"c{place}" for place in range(100_000))
    assert len(find_layout(names.encode(), "'t.csv'").names) == 100_000


def test_a_header_of_more_than_a_megabyte_is_whole():
    names = ",".join(f"c{place}" for place in range(200_000))
    assert len(names) > 2**20
    layout = find_layout(f"{names}\n{'1,' * 199_999}2\n".encode(), "'t.csv'")
    assert layout.names[-1] == "c199999"


def test_many_columns_of_few_rows_take_little_memory(tmp_path):
    names = ",".join(f"c{place}" for place in range(20_000))
    (tmp_path / "t.csv").write_text(f"{names}\n" + f"{'1,' * 19_999}2\n" * 3)
    n_columns, rise = read_in_a_process(tmp_path / "t.csv", "len(read_table(path).columns)")
    assert n_columns == 20_000
    assert rise < 300  # MB; pyarrow alone takes 900


def test_a_column_may_be_called_names():
    frame = pd.DataFrame({"names": [1, 2], "column_names": [3, 4]})
    assert list(read_table(frame).columns) == ["names", "column_names"]


def test_no_account_of_a_single_column_is_asked_for():
    """Pyarrow 26 ends the process where it is damaged (a histogram of another size)."""

    class Group:
        total_byte_size, num_rows, num_columns = 800, 100, 1

        def column(self, place):
            raise AssertionError(place)

    class Metadata:
        num_rows, num_columns, num_row_groups = 7, 1, 2

        def row_group(self, place):
            return Group()

    assert arrow._declared_bytes(Metadata()) == 1600


def test_damaged_codes_are_refused(tmp_path, monkeypatch):
    """Pyarrow gives codes beyond their dictionary for some damaged files, and reads on."""
    codes = pa.DictionaryArray.from_arrays(pa.array([38, 0]), pa.array(["a"]), safe=False)
    parquet.write_table(pa.table({"a": ["x", "y"]}), tmp_path / "t.parquet")
    monkeypatch.setattr(parquet.ParquetFile, "read", lambda self: pa.table({"a": codes}))
    with pytest.raises(TableError, match=r"cannot be read as Parquet: .*out of bounds"):
        read_table(tmp_path / "t.parquet")
