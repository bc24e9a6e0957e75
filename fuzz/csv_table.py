"""Coverage-guided search for bytes on which reading CSV does anything but refuse or work.

    python fuzz/csv_table.py -max_total_time=60 CORPUS fuzz/corpus/csv_table

An input is the file, packed or not. What is read is used as `thresher train` would: the last
column as target, the first as time, the others as features. Where an input is simple enough for a
reader of a few lines, both must find the same cells.
"""

import gzip
import re
import sys
import tempfile
import zlib
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import atheris

sys.path.insert(0, str(Path(__file__).parents[1]))

with atheris.instrument_imports(include=["thresher.tables", "thresher.column"]):
    from thresher.errors import TableError
    from thresher.plant import training_table
    from thresher.tables import (
        csv_file,
        features,
        layout,
        planning,
        source,
        table,
        target,
        text_file,
        times,
    )
    from thresher.tables.writing import write_columns

from fuzz.harness import start
from fuzz.refusal import refusals

FOLDER = Path(tempfile.mkdtemp(prefix="thresher-fuzz-"))
FILE, AGAIN = FOLDER / "t.csv", FOLDER / "again.csv"
SIMPLE = re.compile(rb"[a-z0-9.,\n-]+")
NUMBER = re.compile(r"-?(0|[1-9][0-9]{0,13})(\.[0-9]{1,9})?")
AS_IT_IS = {"missing": ("none",), "decimal": "."}
CELLS = [
    "", "NA", "?", "null", "-5", "+5", "1,5", "1.5", "1e400", "-1e-400", "nan", "inf", "1_0", "007",
    "=1+1", "'=1+1", "@x", '"', '""', '"a;b"', "\t", "\x1b[31m", "\u202e", "\ufeff", "\0", "\x85",
    "\u2028", "\ud7ff", "true", "2024-12-31 08:00", "31.12.2024", "9" * 400, "x" * 300, "\r",
    "\u0661", "12345678901234567890", "0x10", "\u00a05", "-", "--1", "1.2.3", "a" * 20 + "\n" + "b",
]  # fmt: skip
ENCODINGS = ["utf-8", "utf-8-sig", "utf-16", "latin-1", "cp1252", "utf-16-be"]


def read_any(data):
    """Read one input and use it; whatever is raised from here is a finding."""
    FILE.write_bytes(data)
    with refusals(TableError):
        found = source.Source(str(FILE)).read()
        _check_against_naive(data)
        _check_readers_agree()
        names = list(found.columns)
        first, last = names[0], names[-1]
        found = source.Source(str(FILE)).read(texts=[last, first])
        _check_sound(found)
        _written_and_read(found)
        for use in (
            lambda: target.positive_label(target.read_labels(found, last)),
            lambda: times.read_times(found, first),
            lambda: features.make_features(found.without([last])),
            lambda: training_table.read_stages(str(FILE), list(found.columns), []),
        ):
            with refusals(TableError):
                use()


def _check_sound(found):
    lengths = {len(column) for column in found.columns.values()}
    assert lengths == {len(found)}, lengths
    for column in found.columns.values():
        if isinstance(column, table.Texts):
            assert column.codes.min() >= -1
            assert column.codes.max() < len(column.levels)
            assert len(set(column.levels)) == len(column.levels)


def _written_and_read(found):
    """A table that was written has the same texts when it is read again."""
    write_columns(found.columns, AGAIN)
    texts = [name for name, one in found.columns.items() if isinstance(one, table.Texts)]
    form = {"delimiter": ",", "encoding": "utf-8", "header": True, "skip_lines": 0}
    again = source.Source(str(AGAIN), **form).read(texts=texts)
    assert list(again.columns) == list(found.columns)
    for name in texts:
        assert again.columns[name].values() == found.columns[name].values(), name


def _check_against_naive(data):
    """Columns of plain numbers are what Python makes of them."""
    if not SIMPLE.fullmatch(data):
        return
    header, *rows = (line.split(",") for line in data.decode().split("\n") if line)
    is_grid = all(len(row) == len(header) for row in rows)
    if len(header) < 2 or not is_grid or len(set(header)) < len(header) or "" in header:
        return
    found = source.Source(str(FILE), delimiter=",", header=True, skip_lines=0, **AS_IT_IS).read()
    for name, values in zip(header, zip(*rows, strict=True), strict=True):
        if all(map(NUMBER.fullmatch, values)) and found.plan[name].meaning != "date":
            expected = [float(value) for value in values]
            assert found.columns[name].tolist() == expected, (name, expected)


def _check_readers_agree():
    """Where pyarrow reads CSV, it finds the cells that Python finds."""
    text = text_file.as_utf8(text_file.read_bytes(FILE, "it"), None, "it").data
    text = text_file.with_line_feeds(text)
    file = layout.find_layout(text, "it")
    fast = csv_file.read_csv(text, file, (), "it")
    with patch.object(csv_file, "read_rows", return_value=None):
        slow = csv_file.read_csv(text, file, (), "it")
    assert _planned(fast) == _planned(slow), (_planned(fast), _planned(slow))


def _planned(raw):
    """Return the texts of all columns, or the question that they raise."""
    raw = replace(raw, is_loose=False, place=str, notes=())
    try:
        found = planning.plan_table(raw, planning.Wishes())
    except TableError as error:
        return str(error)
    return {name: table.texts_of(column) for name, column in found.columns.items()}


def _unpacked(data):
    try:
        return gzip.decompress(data)[:4096]
    except (OSError, EOFError, zlib.error):
        raise ValueError from None


def changed(draw, data):
    """Change a cell, the delimiter, the encoding, or pack the file."""
    if data.startswith(b"\x1f\x8b"):
        data = _unpacked(data)
    text = data.decode("utf-8", errors="replace")
    delimiter = max(",;\t|", key=text.count)
    rows = [line.split(delimiter) for line in text.split("\n")]
    for _ in range(draw.randint(1, 3)):
        row = draw.choice(rows)
        way = draw.randrange(4)
        if way == 0:
            row.insert(draw.randint(0, len(row)), draw.choice(CELLS))
        elif way == 1:
            rows.append(draw.choice(rows)[:])
        else:
            row[draw.randrange(len(row))] = draw.choice(CELLS)
    delimiter = draw.choice([delimiter] * 6 + list(",;\t|"))
    text = draw.choice(["\n"] * 4 + ["\r\n", "\r"]).join(delimiter.join(row) for row in rows)
    encoding = draw.choice(["utf-8"] * 8 + ENCODINGS)
    data = text.encode(encoding, errors="replace")
    return gzip.compress(data, mtime=0) if draw.random() < 0.1 else data


if __name__ == "__main__":
    start(read_any, changed)
