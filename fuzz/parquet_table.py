"""Coverage-guided search for bytes on which reading Parquet does anything but refuse or work.

    python fuzz/parquet_table.py -max_total_time=60 CORPUS fuzz/corpus/parquet_table

Half of the changes are whole files anew, with columns of other types, other values, row groups and
encodings; the others are flips of bytes.
"""

import datetime
import decimal
import io
import sys
import tempfile
from pathlib import Path

import atheris
import pyarrow as pa
from pyarrow import parquet

sys.path.insert(0, str(Path(__file__).parents[1]))

# Before the others, for Atheris loses the memory of arrays that it sees compared.
from thresher.tables import planning  # noqa: F401

with atheris.instrument_imports(include=["thresher.tables", "thresher.column"]):
    from thresher.errors import TableError
    from thresher.tables import features, source, table, target, times

from fuzz.harness import start
from fuzz.refusal import refusals

FOLDER = Path(tempfile.mkdtemp(prefix="thresher-fuzz-"))
FILE = FOLDER / "t.parquet"
MAX_ROWS = 6
KINDS = [
    pa.int8(), pa.int64(), pa.uint64(), pa.float16(), pa.float32(), pa.float64(), pa.bool_(),
    pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.large_binary(),
    pa.binary_view(), pa.binary(4), pa.date32(), pa.date64(), pa.time32("s"), pa.time64("ns"),
    pa.timestamp("s"), pa.timestamp("ns", "UTC"), pa.duration("ms"), pa.decimal128(9, 2),
    pa.decimal256(60, 3), pa.null(), pa.list_(pa.int8()), pa.struct([("a", pa.string())]),
    pa.map_(pa.string(), pa.int8()), pa.dictionary(pa.int32(), pa.string()),
    pa.dictionary(pa.int8(), pa.int64()), pa.dictionary(pa.int16(), pa.binary()),
]  # fmt: skip
VALUES = [
    None, 0, 1, -5, 2**62, 1.5, float("nan"), float("inf"), True, "", "a", "NA", "1,5", "=1+1",
    "\x1b", b"", b"abcd", b"\xff\xfe\xfd\xfc", datetime.date(2024, 12, 31), datetime.time(8),
    datetime.datetime(2024, 12, 31, 8), datetime.timedelta(1), decimal.Decimal("1.5"), [1, 2],
    {"a": "b"}, [("a", 1)],
]  # fmt: skip


def read_any(data):
    """Read one input and use it; whatever is raised from here is a finding."""
    FILE.write_bytes(data)
    with refusals(TableError):
        found = source.Source(str(FILE)).read()
        assert {len(column) for column in found.columns.values()} == {len(found)}
        names = list(found.columns)
        found = source.Source(str(FILE)).read(texts=[names[0], names[-1]])
        for use in (
            lambda: target.read_labels(found, names[-1]),
            lambda: times.read_times(found, names[0]),
            lambda: features.make_features(found.without([names[-1]])),
            lambda: [table.texts_of(column) for column in found.columns.values()],
        ):
            with refusals(TableError):
                use()


def changed(draw, data):
    """Write a file anew with a column of another type or other values."""
    columns = _columns(data)
    n_rows = len(next(iter(columns.values()))) if columns else draw.randint(0, MAX_ROWS)
    name = draw.choice([*columns, "new", "x" * 300, "\x1b", ""])
    columns[name] = _column(draw, n_rows)
    if draw.random() < 0.2:
        del columns[draw.choice(list(columns))]
    names = [draw.choice(list(columns)) if draw.random() < 0.05 else one for one in columns]
    file = io.BytesIO()
    parquet.write_table(
        pa.Table.from_arrays(list(columns.values()), names=names),
        file,
        row_group_size=draw.choice([1, 2, 100]),
        use_dictionary=draw.random() < 0.5,
        compression=draw.choice(["none", "snappy", "gzip", "zstd"]),
        data_page_version=draw.choice(["1.0", "2.0"]),
        store_schema=draw.random() < 0.5,
    )
    return file.getvalue()


def _columns(data):
    try:
        found = parquet.read_table(pa.BufferReader(data))
    except (pa.ArrowException, OSError):
        raise ValueError from None
    return {name: found.column(place) for place, name in enumerate(found.column_names)}


def _column(draw, n_rows):
    """Return a column of a type, with those of the drawn values that the type can hold."""
    kind = draw.choice(KINDS)
    fitting = [value for value in VALUES if _fits(value, kind)]
    return pa.array([draw.choice(fitting) for _ in range(n_rows)], kind)


def _fits(value, kind):
    try:
        pa.array([value], kind)
    except (pa.ArrowException, TypeError, ValueError, OverflowError, AttributeError):
        return False
    return True


if __name__ == "__main__":
    start(read_any, changed)
