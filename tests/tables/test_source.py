"""Tables in every form, and files that are no tables."""

import csv
import gzip
import io
import re
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.program import refused, run, run_outside
from thresher.column import Texts
from thresher.errors import ParameterError, TableError
from thresher.tables import read_table
from thresher.tables.csv_file import read_csv
from thresher.tables.layout import find_layout, is_no_row
from thresher.tables.planning import Wishes, plan_table
from thresher.tables.source import Source
from thresher.tables.table import RawTable, texts_of
from thresher.text_table import unescape_csv

TEXT = "größe,line,bad\n1.5,north,0\n,süd,1\n-2e3,north,0\n"


def write(path, content):
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return Source(str(path))


def content_of(table):
    return {name: texts_of(column) for name, column in table.columns.items()}


EXPECTED = {
    "größe": ["1.5", None, "-2000"],
    "line": ["north", "süd", "north"],
    "bad": ["0", "1", "0"],
}

# ------------------------------------------------------------------------------------- good files


@pytest.mark.parametrize(
    "data",
    [
        TEXT.encode(),
        TEXT.encode("utf-8-sig"),
        TEXT.encode("utf-16"),
        TEXT.encode("latin-1"),
        TEXT.replace(",", ";").encode(),
        TEXT.replace(",", "\t").encode(),
        TEXT.replace(",", "|").encode(),
        TEXT.replace(",", ";").replace("1.5", "1,5").encode(),
        TEXT.replace("\n", "\r\n").encode(),
        TEXT.replace("-2e3", " -2000 ").replace("1.5,", '"1.5",').encode(),
        TEXT.replace(",süd", "n/A,süd").encode(),
        ("\n" + TEXT.replace("\n", "\n\n")).encode(),
        TEXT.rstrip("\n").encode(),
        gzip.compress(TEXT.encode(), mtime=0),
    ],
)
def test_forms_of_csv(tmp_path, data):
    assert content_of(write(tmp_path / "t.csv", data).read()) == EXPECTED


def test_a_guessed_encoding_is_told_and_can_be_named(tmp_path):
    source = write(tmp_path / "t.csv", TEXT.encode("latin-1"))
    assert "was read as Latin-1; encoding= names another." in source.read().notes[0]
    named = Source(source.place, encoding="latin-1").read()
    assert named.notes == ()
    assert content_of(named) == EXPECTED


def test_any_other_delimiter_can_be_named(tmp_path):
    source = write(tmp_path / "t.csv", TEXT.replace(",", "^"))
    assert content_of(Source(source.place, delimiter="^").read()) == EXPECTED


def test_values_that_must_stay_as_they_are_written(tmp_path):
    source = write(tmp_path / "t.csv", "id,x\n0012,1\n12345678901234567890,2\n1.50,3\n")
    table = source.read(texts=["id"])
    assert table.columns["id"].values() == ["0012", "12345678901234567890", "1.50"]


def test_dates_truth_values_and_quoted_ends_of_lines_are_texts(tmp_path):
    text = 'day,ok,note,x\n2024-01-31,true,"a\nb",1\n2024-02-01,false,c,2\n'
    found = content_of(write(tmp_path / "t.csv", text).read())
    assert found["day"] == ["2024-01-31", "2024-02-01"]
    assert found["ok"] == ["true", "false"]
    assert found["note"] == ["a\nb", "c"]
    assert found["x"] == ["1", "2"]


def test_parquet(tmp_path):
    import pyarrow as pa
    from pyarrow import parquet

    columns = {
        "number": pa.array([1, None, 3]),
        "is_late": [True, False, None],
        "line": pa.array(["a", None, "b"]).dictionary_encode(),
        "level": pa.array([5, 7, 5]).dictionary_encode(),
        "at": pa.array([0, 1, 2], pa.timestamp("ms")),
    }
    parquet.write_table(pa.table(columns), tmp_path / "t.parquet")
    assert content_of(Source(str(tmp_path / "t.parquet")).read(texts=["at"])) == {
        "number": ["1", None, "3"],
        "is_late": ["1", "0", None],
        "line": ["a", None, "b"],
        "level": ["5", "7", "5"],
        "at": [f"1970-01-01 00:00:00.00{row}" for row in range(3)],
    }


CELLS = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.integers(-(10**20), 10**20).map(str),
    st.text("aB 0.,;\"'-é\n", max_size=6),
    st.sampled_from(["", "NA", "n/a", " 1.5 ", "true", "2024-01-31", "1,5", "+3", "1e5", "007"]),
)


@settings(max_examples=150, deadline=None)
@given(
    st.integers(1, 4).flatmap(
        lambda width: st.lists(st.lists(CELLS, min_size=width, max_size=width), max_size=8)
    ),
    st.sampled_from(",;\t"),
)
def test_csv_is_read_as_by_a_reader_of_a_few_lines(rows, delimiter):
    """Cells split by the csv module, all of them texts, mean what the fast reader makes of them."""
    names = [f"column {place}" for place in range(len(rows[0]) if rows else 1)]
    file = io.StringIO()
    csv.writer(file, delimiter=delimiter).writerows([names, *rows])
    data = file.getvalue().encode()
    layout = find_layout(data, "'t.csv'", delimiter=delimiter, has_header=True)
    fast = planned(lambda: read_csv(data, layout, names[:1], "'t.csv'"))
    plain = planned(lambda: split_csv(data, layout))
    if isinstance(plain, str):
        assert fast == plain
        return
    assert list(fast.columns) == list(plain.columns)
    assert [one.meaning for one in fast.plan.columns.values()] == [
        one.meaning for one in plain.plan.columns.values()
    ]
    for name, column in plain.columns.items():
        assert isinstance(fast.columns[name], Texts) == isinstance(column, Texts), name
        if isinstance(column, Texts):
            assert fast.columns[name].values() == column.values()
        else:
            np.testing.assert_array_equal(fast.columns[name], column)


def split_csv(data, layout):
    """Return all cells as they are written, but for what is put around them for spreadsheets."""
    text = data[layout.begin : layout.end].decode()
    lines = list(csv.reader(io.StringIO(text, newline=""), delimiter=layout.delimiter))
    width = len(layout.names)
    lines = [[bare(cell) for cell in line[:width]] for line in lines if line]
    lines = [line for line in lines if not is_no_row(line, width)]
    for line in lines:
        if len(line) != width:
            raise TableError(str(len(line)))
    columns = zip(*lines, strict=True) if lines else [()] * width
    return RawTable(
        "'t.csv'",
        {name: Texts.of(cells) for name, cells in zip(layout.names, columns, strict=True)},
        delimiter=layout.delimiter,
        decimal=layout.decimal,
        is_loose=True,
    )


def bare(cell):
    kept = re.fullmatch('="([^"]*)"', cell)
    return unescape_csv(cell) if kept is None else kept[1]


def planned(read):
    """Return the table, or what is asked about it but for the numbers of lines."""
    try:
        return plan_table(read(), Wishes(["column 0"]))
    except TableError as error:
        return re.sub(r"(row|line) \d+", "", str(error))


# -------------------------------------------------------------------------------------- bad files

HEADER, ROWS = "a,b,y\n", "1,2,0\n3,4,1\n" * 10
BAD = {
    "empty": (b"", "is empty; its first line must name the columns."),
    "blank": (b"\n\n \n", "is empty; its first line must name the columns."),
    "no rows": (HEADER, "has a header but no rows."),
    "no header": (
        ROWS,
        "has no column 'y': the first line holds data, so the columns are called 'column 1' to "
        "'column 3'; --header says otherwise.",
    ),
    "ragged": (f"{HEADER}{ROWS}5,6\n", "Line 22 of"),
    "ragged more": (f"{HEADER}{ROWS}5,6,7,8\n", "has 4 values, and the header 3"),
    "binary": (bytes(range(256)) * 40, "is not text, so it cannot be read as CSV"),
    "no text": (b"\x01\x02\x03\x04\x05\x06" * 99, "is not text, so it cannot be read as CSV"),
    "picture": (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "is not text"),
    "workbook": (b"PK\x03\x04\x14\0\x06\0", "is a zip file, and neither CSV nor a workbook"),
    "utf-16 without mark": (f"{HEADER}{ROWS}".encode("utf-16-le"), "is not text"),
    "open quote": (f'{HEADER}{ROWS}"5,6,0\n', "Line 22 of"),
    "gzip cut": (gzip.compress(f"{HEADER}{ROWS}".encode(), mtime=0)[:-9], "cannot be read as CSV"),
    "no target": (f"a,b,z\n{ROWS}", "has no column 'y'; its columns are a, b, z."),
    "constant": (HEADER + "1,2,0\n" * 9, "Column 'y' has one value in all rows, '0'"),
    "three classes": (
        f"{HEADER}{ROWS}5,6,2\n",
        "Column 'y' has 3 different values: '0' (10 rows), '1' (10 rows), '2' (1 row); say which "
        "one to find with --positive",
    ),
    "unlabelled": (HEADER + "5,6,\n" * 9, "Column 'y' has no value in any row"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_files(tmp_path, name):
    content, expected = BAD[name]
    source = write(tmp_path / "bad.csv", content)
    out = tmp_path / "out"
    out.mkdir()
    (out / "model.thresher").write_text("earlier", encoding="utf-8")
    done = run("train", source.place, "--target", "y", "--out", out)
    refused(done, 3, expected)
    assert [path.read_text() for path in out.iterdir()] == ["earlier"]
    assert {path.name for path in tmp_path.iterdir()} == {"bad.csv", "out"}


@pytest.mark.parametrize(
    ("name", "content"), [("t.csv", b"PAR1" + b"\0" * 99), ("t.parquet", b"a,y\n1,0\n")]
)
def test_broken_parquet(tmp_path, name, content):
    source = write(tmp_path / name, content)
    done = run("train", source.place, "--target", "y", "--out", tmp_path / "out")
    refused(done, 3, "cannot be read as Parquet")


def test_a_bad_file_given_to_the_installed_program(tmp_path):
    content, expected = BAD["binary"]
    source = write(tmp_path / "bad.csv", content)
    done = run_outside("train", source.place, "--target", "y", "--out", tmp_path / "out")
    refused(done, 3, expected)
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_a_wrong_encoding(tmp_path):
    source = write(tmp_path / "t.csv", TEXT.encode("latin-1"))
    for encoding, expected in {
        "utf-8": "is not text in utf-8; name its encoding with --encoding",
        "utf-32": "is not text in utf-32",
        "klingon": "--encoding 'klingon' is unknown",
    }.items():
        done = run(
            *("train", source.place, "--target", "bad", "--encoding", encoding),
            *("--out", tmp_path / "out"),
        )
        refused(done, 3, expected)


def test_one_enormous_line_through_a_pipe(tmp_path):
    """The program stops reading after some megabytes, and does not wait for the end."""
    endless = "import sys\nwhile True: sys.stdout.write('1,' * 500_000)"
    with subprocess.Popen(
        [sys.executable, "-c", endless], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as writer:
        done = run_outside(
            "train", "-", "--target", "y", "--out", tmp_path / "out", stdin=writer.stdout
        )
        writer.kill()
    assert refused(done, 3) == (
        "Error: Standard input has a line of more than 16 MB, so it is no table; check that its "
        "lines end with a line feed."
    )


def test_an_enormous_line_amid_others(tmp_path):
    source = write(tmp_path / "t.csv", f"{HEADER}{ROWS}" + "7" * (17 * 2**20) + f"\n{ROWS}")
    done = run("train", source.place, "--target", "y", "--out", tmp_path / "out")
    refused(done, 3, "has a line of more than 16 MB")


def test_an_absent_column_is_told_with_the_first_and_the_last_of_many(tmp_path):
    names = [f"c{place}" for place in range(30)]
    (tmp_path / "wide.csv").write_text(",".join(names) + "\n" + ",".join(["1"] * 30) + "\n")
    with pytest.raises(TableError) as raised:
        read_table(tmp_path / "wide.csv").need(["scrap"])
    words = str(raised.value)
    assert words.endswith("c15, ... (6 more) ..., c22, c23, c24, c25, c26, c27, c28, c29.")
    assert "c0, c1," in words


@pytest.mark.parametrize("place", [None, [], 3, ["a.parquet", None], object()])
def test_what_is_no_table_is_refused_in_a_sentence(place):
    with pytest.raises(ParameterError, match=r"A table is a data frame .* got \w+; load"):
        read_table(place)
