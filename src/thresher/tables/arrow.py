"""pyarrow, where it is installed: fast CSV, Parquet, and tables for the library."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from importlib.util import find_spec
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from thresher.column import MAX_LEVELS
from thresher.errors import MissingPackageError, TableError
from thresher.frames import repeated_name
from thresher.tables.layout import Layout
from thresher.tables.table import Column
from thresher.tables.text_file import has_lone_returns
from thresher.tables.vocabulary import MISSING
from thresher.texts import Numbers, Texts
from thresher.wording import quoted

MAX_RATIO, FREE_BYTES = 1000, 8 * 2**20
"""A Parquet file may take this many times its size in memory, and so many bytes in any case."""

MANY_COLUMNS, BYTES_PER_COLUMN = 256, 4096
"""Pyarrow takes some 50 KB for each column of CSV, so that Python reads wide tables of few rows."""

_HEXADECIMAL = re.compile(rb"""(?:^|[\s,;|"+-])0"*[xX]"*[0-9a-fA-F]""")
"""The start of a hexadecimal number, whichever part of it is quoted."""

BYTE_ORDER_MARK = b"\xef\xbb\xbf"

LONGEST = 15
"""Digits of the longest whole numbers that are surely told apart as floats."""

BLOCK, MOST_BLOCKS = 2**15, 64
"""Bytes that are searched for codes at once, and how often in a large file."""

NEEDED = "Parquet needs pyarrow: pip install 'thresher[parquet]'."


@cache
def is_installed() -> bool:
    """Whether pyarrow can be imported."""
    return find_spec("pyarrow") is not None


class Parsed(NamedTuple):
    """Columns by name, and those that pyarrow took for dates."""

    columns: dict[str, Column]
    dated: list[str]


def read_csv(data: bytes, layout: Layout, texts: Collection[str]) -> Parsed | None:
    r"""Read the rows of CSV in UTF-8; columns that are not numbers throughout stay as written.

    None where `csv_file.read_cells` has to read.

    >>> read_csv(b"007,1.5\n", Layout(",", ("id", "speed")), ["id"]).columns["speed"]
    array([1.5])
    """
    import pyarrow as pa

    if len(layout.names) > MANY_COLUMNS and len(data) < BYTES_PER_COLUMN * len(layout.names):
        return None
    has_letter = data.find(b"x", layout.begin) >= 0 or data.find(b"X", layout.begin) >= 0
    if has_letter and _HEXADECIMAL.search(data, max(0, layout.begin - 1)):
        return None  # a number for pyarrow, and a text for Python
    if data.startswith(BYTE_ORDER_MARK, layout.begin) or has_lone_returns(data):
        return None  # which pyarrow skips, or takes for the end of a line
    try:
        table = _parsed(data, layout, [name for name in layout.names if name in texts])
        dated = [field.name for field in table.schema if not _is_plain(field.type)]
        numbers = {one.name: _numbers(table[one.name]) for one in table.schema if _is_number(one)}
        again = list(dict.fromkeys([*dated, *_long(numbers), *_codes(data, layout, numbers)]))
        written = _parsed(data, layout, again, only=again) if again else table
    except (pa.ArrowInvalid, pa.ArrowKeyError):
        return None
    columns = {
        name: numbers[name]
        if name in numbers and name not in again
        else _as_they_are((written if name in again else table)[name])
        for name in layout.names
    }
    return Parsed(columns, dated)


def _is_number(field: Any) -> bool:
    return _is_any(field.type, "integer", "floating")


def read_as_texts(data: bytes, layout: Layout, names: Sequence[str]) -> dict[str, Texts]:
    """Read some columns as they are written."""
    table = _parsed(data, layout, list(names), only=names)
    return {name: _texts(table[name]) for name in names}


def _parsed(data: bytes, layout: Layout, texts: list[str], only: Sequence[str] = ()) -> Any:
    """Read some columns, all by default; `texts` as text."""
    import pyarrow as pa
    from pyarrow import csv

    rows = pa.py_buffer(data)[layout.begin : layout.end]  # not copied
    has_quotes = data.find(b'"', layout.begin) >= 0
    return csv.read_csv(
        pa.BufferReader(rows),
        csv.ReadOptions(column_names=list(layout.names)),
        csv.ParseOptions(delimiter=layout.delimiter, newlines_in_values=has_quotes),
        csv.ConvertOptions(
            column_types=dict.fromkeys(texts, pa.string()),
            include_columns=list(only),
            null_values=_missing_words(),
            strings_can_be_null=True,
            true_values=[],
            false_values=[],
            decimal_point=layout.decimal,
            auto_dict_encode=True,
            auto_dict_max_cardinality=MAX_LEVELS,
        ),
    )


def _as_they_are(values: Any) -> Column:
    """Return numbers as numbers and texts as they are written."""
    return _texts(values) if _is_any(values.type, "string", "dictionary") else _numbers(values)


def _long(numbers: Mapping[str, Numbers]) -> list[str]:
    """Return the columns of numbers so long that floats may not tell them apart: names of rows."""
    return [name for name, values in numbers.items() if _largest(values) >= 10**LONGEST]


def _largest(numbers: Numbers) -> float:
    if not len(numbers):
        return 0.0
    return float(np.nan_to_num(max(np.fmax.reduce(numbers), -np.fmin.reduce(numbers))))


def _codes(data: bytes, layout: Layout, numbers: Mapping[str, Numbers]) -> list[str]:
    """Return the columns of whole numbers if a cell has digits that begin with a zero, as 007."""
    if not numbers or not _has_leading_zero(data, layout):
        return []
    return [name for name, values in numbers.items() if _are_whole(values)]


def _are_whole(numbers: Numbers) -> bool:
    present = numbers[~np.isnan(numbers)]
    return bool((present == np.floor(present)).all())


def _has_leading_zero(data: bytes, layout: Layout) -> bool:
    """Whether a cell is of digits that begin with a zero, in blocks all over the file."""
    mark = re.escape(layout.delimiter.encode())
    pattern = re.compile(rb"(?:^|[%s\n\"+ -])0[0-9]+(?:[%s\r\n\" ]|$)" % (mark, mark))
    begin, end = max(0, layout.begin - 1), layout.end or len(data)
    if pattern.match(data[layout.begin : layout.begin + BLOCK]):
        return True
    step = max(BLOCK, (end - begin) // MOST_BLOCKS)
    starts = range(begin, end, step)
    return any(pattern.search(data, start, min(end, start + BLOCK + 2)) for start in starts)


@cache
def _missing_words() -> list[str]:
    """Return the words for "missing" in every mixture of cases, as pyarrow compares exactly."""
    return sorted(
        "".join(letters)
        for word in MISSING
        for letters in product(*({letter, letter.upper()} for letter in word))
    )


def _is_any(kind: Any, *names: str) -> bool:
    """Whether a type is one of those that pyarrow calls so."""
    from pyarrow import types

    return any(getattr(types, f"is_{name}")(kind) for name in names)


def _is_plain(kind: Any) -> bool:
    return _is_any(kind, "null", "integer", "floating", "string", "dictionary")


def _is_text(kind: Any) -> bool:
    return _is_any(kind, "string", "large_string", "binary", "large_binary")


def read_parquet(data: bytes, texts: Collection[str], source: str) -> dict[str, Column]:
    """Read the bytes of a Parquet file as columns by name."""
    if not is_installed():
        raise MissingPackageError(NEEDED)
    import pyarrow as pa
    from pyarrow import parquet

    reader = pa.BufferReader(data)
    with _as_parquet(source):
        metadata = parquet.read_metadata(reader)
        schema = metadata.schema.to_arrow_schema()
        repeated = repeated_name(schema.names)
        if repeated is not None:
            raise TableError(f"{source} has two columns {repeated!r}; rename one of them.")
        _refuse_swollen(_declared_bytes(metadata), len(data), source)
        # As codes: one long text may stand in millions of rows.
        words = [field.name for field in schema if _is_text(field.type)]
        table = parquet.ParquetFile(reader, metadata=metadata, read_dictionary=words).read()
        table.validate(full=True)  # damaged codes point beyond their dictionary
    return columns_of(table, texts, source)


def read_parquets(files: Sequence[str], texts: Collection[str]) -> dict[str, Column]:
    """Read Parquet files with the same columns as one table."""
    source = f"'{files[0]}' and {len(files) - 1} more"
    whole = _opened(files)
    with _as_parquet(source):
        n_bytes = sum(Path(file).stat().st_size for file in files)
        _refuse_swollen(whole.count_rows() * len(whole.schema.names) * 8, n_bytes, source)
        table = whole.to_table()
        table.validate(full=True)
    return columns_of(table, texts, source)


@contextmanager
def _as_parquet(source: str) -> Iterator[None]:
    """Tell in one sentence what pyarrow cannot read."""
    import pyarrow as pa

    try:
        yield
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        reason = " ".join(str(error).partition("\n")[0].split()).rstrip(".")
        raise TableError(f"{source} cannot be read as Parquet: {reason}.") from None


def _declared_bytes(metadata: Any) -> int:
    """Return how much memory a file says that its values take."""
    # Not by column: pyarrow ends the process where the account of one is damaged.
    groups = [metadata.row_group(place) for place in range(metadata.num_row_groups)]
    unpacked: int = sum(group.total_byte_size for group in groups)
    n_rows: int = max(metadata.num_rows, sum(group.num_rows for group in groups))
    n_columns: int = max(1, metadata.num_columns)
    return max(unpacked, n_rows * n_columns * 8)


def _refuse_swollen(n_bytes: int, n_stored: int, source: str) -> None:
    """Raise before memory is filled, where a file holds far more than its size tells."""
    if n_bytes > FREE_BYTES + MAX_RATIO * n_stored:
        raise TableError(
            f"{source} has {n_stored:,} bytes and would take {n_bytes:,} in memory, more than "
            f"{MAX_RATIO} times as much; write it without compression and dictionaries, if that is "
            "right."
        )


def columns_of(table: Any, texts: Collection[str], source: str) -> dict[str, Column]:
    """Return all columns; raise where one holds neither numbers nor text."""
    import pyarrow as pa

    columns = {}
    for name in table.column_names:
        try:
            columns[name] = _column(table[name], name in texts)
        except (pa.ArrowException, UnicodeDecodeError):
            kind = quoted(str(table.schema.field(name).type)).strip("'")
            raise TableError(
                f"Column {name!r} of {source} holds what is neither a number nor text ({kind}); "
                "leave it out of the file."
            ) from None
    return columns


def bytes_in_memory(files: Sequence[str]) -> int:
    """Return about how much memory the values of Parquet files take."""
    whole = _opened(files)
    return int(whole.count_rows()) * len(whole.schema.names) * 8


def _opened(files: Sequence[str]) -> Any:
    if not is_installed():
        raise MissingPackageError(NEEDED)
    import pyarrow as pa
    from pyarrow import dataset

    parts = []
    for file in files:
        with _as_parquet(f"'{file}'"):
            parts.append(dataset.dataset(file, format="parquet"))
        if parts[-1].schema.names != parts[0].schema.names:
            raise TableError(f"'{file}' has other columns than '{files[0]}'.")
    try:
        return dataset.dataset(parts)
    except pa.ArrowException:
        raise TableError("The columns of these files differ in their types.") from None


def write_parquet(columns: Mapping[str, Column], path: Path) -> None:
    """Write columns to a Parquet file."""
    if not is_installed():
        raise MissingPackageError(NEEDED)
    from pyarrow import parquet

    parquet.write_table(make_table(columns), path)


def make_table(columns: Mapping[str, Column]) -> Any:
    """Return columns as a table of pyarrow; texts are dictionaries, missing values null."""
    import pyarrow as pa

    return pa.table({name: _array(column) for name, column in columns.items()})


def _array(column: Column) -> Any:
    import pyarrow as pa

    if not isinstance(column, Texts):
        return pa.array(column, from_pandas=True)
    codes = pa.array(column.codes, mask=column.codes < 0)
    return pa.DictionaryArray.from_arrays(codes, pa.array(column.levels, pa.string()))


def _column(values: Any, stays_text: bool) -> Column:
    """Return a column of pyarrow in this package's terms."""
    from pyarrow import types

    kind = values.type
    if types.is_dictionary(kind) and not _is_text(kind.value_type):
        return _column(values.cast(kind.value_type), stays_text)
    is_number = types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind)
    if not stays_text and (is_number or types.is_boolean(kind) or types.is_null(kind)):
        return _numbers(values)
    return _texts(values)


def _numbers(values: Any) -> Numbers:
    import pyarrow as pa
    from pyarrow import types

    if types.is_boolean(values.type):
        values = values.cast(pa.int8())
    return np.asarray(values.cast(pa.float64(), safe=False).to_numpy(), dtype=np.float64)


def _texts(values: Any) -> Texts:
    import pyarrow as pa
    from pyarrow import types

    if types.is_dictionary(values.type):
        return _merged(values)
    # One dictionary for all chunks: pyarrow takes seconds to unify many large ones. Large strings
    # may take more than 2 GB in one chunk.
    whole = values.cast(pa.large_string()).combine_chunks().dictionary_encode()
    codes = whole.indices.fill_null(-1).to_numpy().astype(np.int32)
    return Texts(codes, tuple(whole.dictionary.to_pylist()))


def _merged(values: Any) -> Texts:
    """Return chunks that have dictionaries of their own as one column; no text is repeated."""
    import pyarrow as pa

    place: dict[str | None, int] = {None: -1}
    codes = [np.empty(0, dtype=np.int32)]
    for chunk in values.chunks:
        words = chunk.dictionary.cast(pa.large_string()).to_pylist()
        for word in words:
            place.setdefault(word, len(place) - 1)
        of_chunk = np.array([*map(place.__getitem__, words), -1], dtype=np.int32)
        codes.append(of_chunk[chunk.indices.fill_null(-1).to_numpy()])
    return Texts(np.concatenate(codes), tuple(word for word in place if word is not None))
