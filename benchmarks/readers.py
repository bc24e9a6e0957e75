"""Readers of tables as most people call them: with a path, and their defaults.

- polars looks at all rows for its types (`infer_schema_length=None`), since its default gives up on
  many files; workbooks are read by openpyxl, which needs no further package.
- DuckDB reads workbooks with an extension that it downloads, so it reads text files only here.
- pandas is there with its default, the comma, and with `sep=None`, which looks for the delimiter.
- skrub cleans what pandas has read (the comma). With `parse_numbers` it gives 32-bit floats; their
  shortest decimal text is taken, so that they may be right.
"""

import warnings
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from tests.tables.dirty.corpus import DirtyTable
from tests.tables.dirty.reading import Reading, warned
from tests.tables.dirty.scoring import Score, score_failure, score_reading, score_thresher

WORKBOOK = ".xlsx"


def read_pandas(path: Path, **options: Any) -> Any:
    import pandas as pd

    return pd.read_excel(path) if path.suffix == WORKBOOK else pd.read_csv(path, **options)


def pandas_default(path: Path) -> Reading:
    return of_pandas(read_pandas(path))


def pandas_sniffing(path: Path) -> Reading:
    return of_pandas(read_pandas(path, sep=None, engine="python"))


def skrub_default(path: Path) -> Reading:
    from skrub import Cleaner

    return of_pandas(Cleaner().fit_transform(read_pandas(path)))


def skrub_numbers(path: Path) -> Reading:
    from skrub import Cleaner

    return of_pandas(Cleaner(parse_numbers=True).fit_transform(read_pandas(path)))


def polars_default(path: Path) -> Reading:
    import polars as pl

    if path.suffix == WORKBOOK:
        frame = pl.read_excel(path, engine="openpyxl", infer_schema_length=None)
    else:
        frame = pl.read_csv(path, infer_schema_length=None)
    return Reading(frame.columns, [column.to_list() for column in frame])


def duckdb_sniffer(path: Path) -> Reading:
    import duckdb

    with duckdb.connect() as connection:
        relation = connection.sql("SELECT * FROM read_csv($path)", params={"path": str(path)})
        table = relation.to_arrow_table()
    return Reading(table.column_names, [column.to_pylist() for column in table.columns])


def of_pandas(frame: Any) -> Reading:
    """Take the columns of a data frame; its index is none of them."""
    columns = [_values(frame.iloc[:, place]) for place in range(frame.shape[1])]
    return Reading([str(name) for name in frame.columns], columns)


def _values(column: Any) -> list[Any]:
    if str(column.dtype).lower() == "float32":
        return [None if value != value else float(str(value)) for value in column.to_numpy()]
    return column.tolist()


def score_rival(read: Callable[[Path], Reading], table: DirtyTable) -> Score:
    """Score what a rival reads; whatever it raises is an error that it tells."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            reading = read(table.path)
        except Exception as error:
            return score_failure(table, error)
    return score_reading(table, replace(reading, warnings=warned(caught)))


RIVALS: Mapping[str, Callable[[Path], Reading]] = MappingProxyType(
    {
        "pandas": pandas_default,
        "pandas, sep=None": pandas_sniffing,
        "polars": polars_default,
        "DuckDB": duckdb_sniffer,
        "skrub": skrub_default,
        "skrub, parse_numbers": skrub_numbers,
    }
)
OURS = "thresher"
READERS = (*RIVALS, OURS)


def score_reader(name: str, tables: list[DirtyTable]) -> list[Score]:
    """Score a reader on the tables that it is meant for."""
    if name == OURS:
        return [score_thresher(table) for table in tables]
    meant = [table for table in tables if name != "DuckDB" or table.path.suffix != WORKBOOK]
    return [score_rival(RIVALS[name], table) for table in meant]
