"""Columns as CSV or Parquet."""

import csv
from collections.abc import Mapping
from pathlib import Path
from typing import TextIO

from thresher.tables.table import Column, texts_of
from thresher.whole_file import new_file


def write_table(columns: Mapping[str, Column], path: Path) -> None:
    """Write columns to a CSV or Parquet file, as a whole or not at all."""
    with new_file(path) as temporary:
        write_columns(columns, temporary)


def write_columns(columns: Mapping[str, Column], path: Path) -> None:
    """Write columns to a Parquet file if the path says so, to CSV otherwise."""
    if path.suffix in (".parquet", ".pq"):
        from thresher.tables.arrow import write_parquet

        write_parquet(columns, path)
        return
    with path.open("w", encoding="utf-8", newline="") as file:
        write_csv(columns, file)


def write_csv(columns: Mapping[str, Column], file: TextIO) -> None:
    """Write columns as CSV; nothing where a value is missing."""
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*(texts_of(column) for column in columns.values()), strict=True))
