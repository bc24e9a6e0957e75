"""pyarrow, where it is installed: fast CSV, Parquet, and tables for the library."""

from collections.abc import Collection, Mapping, Sequence
from functools import cache
from importlib.util import find_spec
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from thresher.errors import MissingPackageError, TableError
from thresher.frames import MAX_LEVELS
from thresher.tables.csv_file import Layout
from thresher.tables.table import MISSING, Column, best_column, cleaned
from thresher.texts import Texts

NEEDED = "Parquet needs pyarrow: pip install 'thresher[parquet]'."


@cache
def is_installed() -> bool:
    """Whether pyarrow can be imported."""
    return find_spec("pyarrow") is not None


def read_csv(data: bytes, layout: Layout, texts: Collection[str]) -> dict[str, Column] | None:
    r"""Read CSV in UTF-8 as `csv_file.read_columns` does; None where that has to be asked.

    >>> layout = Layout(",", ("id", "speed"), ".")
    >>> read_csv(b"id,speed\n007,1.5\n", layout, ["id"])["speed"]
    array([1.5])
    """
    import pyarrow as pa

    stay = [name for name in layout.names if name in texts]
    try:
        table = _parsed(data, layout, stay)
        # Python knows no dates in CSV: these stay texts.
        others = [field.name for field in table.schema if not _is_plain(field.type)]
        again = _parsed(data, layout, others, only=others) if others else table
    except (pa.ArrowInvalid, pa.ArrowKeyError):
        return None
    return {
        name: _column((again if name in others else table)[name], name in texts)
        for name in layout.names
    }


def _parsed(data: bytes, layout: Layout, texts: list[str], only: Sequence[str] = ()) -> Any:
    """Read some columns, all by default; `texts` as text."""
    import pyarrow as pa
    from pyarrow import csv

    return csv.read_csv(
        pa.BufferReader(data),
        csv.ReadOptions(column_names=list(layout.names), skip_rows=1),
        csv.ParseOptions(delimiter=layout.delimiter),
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


@cache
def _missing_words() -> list[str]:
    """Return the words for "missing" in every mixture of cases, as pyarrow compares exactly."""
    return sorted(
        "".join(letters)
        for word in MISSING
        for letters in product(*({letter, letter.upper()} for letter in word))
    )


def _is_plain(kind: Any) -> bool:
    from pyarrow import types

    return bool(
        types.is_null(kind)
        or types.is_integer(kind)
        or types.is_floating(kind)
        or types.is_string(kind)
        or types.is_dictionary(kind)
    )


def read_parquet(data: bytes, texts: Collection[str], source: str) -> dict[str, Column]:
    """Read the bytes of a Parquet file as columns by name."""
    if not is_installed():
        raise MissingPackageError(NEEDED)
    import pyarrow as pa
    from pyarrow import parquet

    try:
        table = parquet.read_table(pa.BufferReader(data))
    except (pa.ArrowException, OSError) as error:
        reason = str(error).partition("\n")[0].rstrip(".")
        raise TableError(f"{source} cannot be read as Parquet: {reason}.") from None
    if len(set(table.column_names)) < len(table.column_names):
        raise TableError(f"{source} has two columns of one name; rename one of them.")
    return {name: _column(table[name], name in texts) for name in table.column_names}


def read_parquets(files: Sequence[str], texts: Collection[str]) -> dict[str, Column]:
    """Read Parquet files with the same columns as one table."""
    table = _opened(files).to_table()
    return {name: _column(table[name], name in texts) for name in table.column_names}


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
        try:
            parts.append(dataset.dataset(file, format="parquet"))
        except (pa.ArrowException, OSError) as error:
            reason = str(error).partition("\n")[0].rstrip(".")
            raise TableError(f"'{file}' cannot be read as Parquet: {reason}.") from None
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
    if types.is_dictionary(kind) and not types.is_string(kind.value_type):
        return _column(values.cast(kind.value_type), stays_text)
    is_number = types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind)
    if not stays_text and (is_number or types.is_boolean(kind) or types.is_null(kind)):
        return _numbers(values)
    texts = _texts(values)
    return cleaned(texts) if stays_text else best_column(texts)


def _numbers(values: Any) -> Column:
    import pyarrow as pa
    from pyarrow import types

    if types.is_boolean(values.type):
        values = values.cast(pa.int8())
    return np.asarray(values.cast(pa.float64(), safe=False).to_numpy(), dtype=np.float64)


def _texts(values: Any) -> Texts:
    import pyarrow as pa

    # One dictionary for all chunks: pyarrow takes seconds to unify many large ones. Large strings
    # may take more than 2 GB in one chunk.
    whole = values.cast(pa.large_string()).combine_chunks().dictionary_encode()
    codes = whole.indices.fill_null(-1).to_numpy().astype(np.int32)
    return Texts(codes, tuple(whole.dictionary.to_pylist()))
