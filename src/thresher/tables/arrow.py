"""Parquet, and tables of pyarrow as columns and back."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from thresher.column import Numbers, Texts
from thresher.errors import TableError
from thresher.frames import repeated_name
from thresher.tables.table import Column
from thresher.wording import quoted

MAX_RATIO, FREE_BYTES = 1000, 8 * 2**20
"""A Parquet file may take this many times its size in memory, and so many bytes in any case."""


def arrow_buffer(data: bytes, begin: int = 0, end: int | None = None) -> Any:
    """Return a copy of some bytes in memory of pyarrow.

    A thread of pyarrow may give a buffer back while the interpreter ends, and takes its lock for
    one of Python: that aborts the process.
    """
    import pyarrow as pa

    copy = pa.BufferOutputStream()
    copy.write(memoryview(data)[begin:end])
    return copy.getvalue()


def read_parquet(data: bytes, texts: Collection[str], source: str) -> dict[str, Column]:
    """Read the bytes of a Parquet file as columns by name."""
    import pyarrow as pa
    from pyarrow import parquet

    reader = pa.BufferReader(arrow_buffer(data))
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
    return _columns_of(table, texts, source)


def read_parquets(files: Sequence[str], texts: Collection[str]) -> dict[str, Column]:
    """Read Parquet files with the same columns as one table."""
    import pyarrow as pa
    from pyarrow import dataset

    parts = []
    for file in files:
        with _as_parquet(f"'{file}'"):
            parts.append(dataset.dataset(file, format="parquet"))
        if parts[-1].schema.names != parts[0].schema.names:
            raise TableError(f"'{file}' has other columns than '{files[0]}'.")
    try:
        whole = dataset.dataset(parts)
    except pa.ArrowException:
        raise TableError("The columns of these files differ in their types.") from None
    source = f"'{files[0]}' and {len(files) - 1} more"
    with _as_parquet(source):
        n_bytes = sum(Path(file).stat().st_size for file in files)
        _refuse_swollen(whole.count_rows() * len(whole.schema.names) * 8, n_bytes, source)
        table = whole.to_table()
        table.validate(full=True)
    return _columns_of(table, texts, source)


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


def _columns_of(table: Any, texts: Collection[str], source: str) -> dict[str, Column]:
    """Return all columns; raise where one holds neither numbers nor text."""
    import pyarrow as pa

    columns = {}
    for name in table.column_names:
        try:
            columns[name] = as_column(table[name], name in texts)
        except (pa.ArrowException, UnicodeDecodeError):
            kind = quoted(str(table.schema.field(name).type)).strip("'")
            raise TableError(
                f"Column {name!r} of {source} holds what is neither a number nor text ({kind}); "
                "leave it out of the file."
            ) from None
    return columns


def make_table(columns: Mapping[str, Column]) -> Any:
    """Return columns as a table of pyarrow; texts are dictionaries, missing values null."""
    import pyarrow as pa

    arrays = {}
    for name, column in columns.items():
        if isinstance(column, Texts):
            codes = pa.array(column.codes, mask=column.codes < 0)
            levels = pa.array(column.levels, pa.string())
            arrays[name] = pa.DictionaryArray.from_arrays(codes, levels)
        else:
            arrays[name] = pa.array(column, from_pandas=True)
    return pa.table(arrays)


def _is_text(kind: Any) -> bool:
    from pyarrow import types

    is_string = types.is_string(kind) or types.is_large_string(kind)
    return bool(is_string or types.is_binary(kind) or types.is_large_binary(kind))


def as_column(values: Any, stays_text: bool = False) -> Column:
    """Return a column of pyarrow as numbers, or as texts."""
    from pyarrow import types

    kind = values.type
    if types.is_dictionary(kind) and not _is_text(kind.value_type):
        return as_column(values.cast(kind.value_type), stays_text)
    is_number = types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind)
    if not stays_text and (is_number or types.is_boolean(kind) or types.is_null(kind)):
        return as_numbers(values)
    return as_texts(values)


def as_numbers(values: Any) -> Numbers:
    """Return a column of numbers or truth values as floats."""
    import pyarrow as pa
    from pyarrow import types

    if types.is_boolean(values.type):
        values = values.cast(pa.int8())
    return np.asarray(values.cast(pa.float64(), safe=False).to_numpy(), dtype=np.float64)


def as_texts(values: Any) -> Texts:
    """Return a column as texts; chunks may have dictionaries of their own."""
    import pyarrow as pa
    from pyarrow import types

    if not types.is_dictionary(values.type):
        # One dictionary for all chunks: pyarrow takes seconds to unify many large ones. Large
        # strings may take more than 2 GB in one chunk.
        whole = values.cast(pa.large_string()).combine_chunks().dictionary_encode()
        codes = whole.indices.fill_null(-1).to_numpy().astype(np.int32)
        return Texts(codes, tuple(whole.dictionary.to_pylist()))
    place: dict[str | None, int] = {None: -1}
    chunks = [np.empty(0, dtype=np.int32)]
    for chunk in values.chunks:
        words = chunk.dictionary.cast(pa.large_string()).to_pylist()
        for word in words:
            place.setdefault(word, len(place) - 1)
        of_chunk = np.array([*map(place.__getitem__, words), -1], dtype=np.int32)
        chunks.append(of_chunk[chunk.indices.fill_null(-1).to_numpy()])
    return Texts(np.concatenate(chunks), tuple(word for word in place if word is not None))
