"""Columns as CSV, Parquet or Excel."""

from collections.abc import Mapping
from dataclasses import replace
from io import StringIO
from itertools import chain
from pathlib import Path

from thresher.column import Texts
from thresher.tables.table import PLAIN_FORM, Column, FileForm, texts_of
from thresher.text_table import Writable, escape_csv, write_rows
from thresher.whole_file import new_file


def write_table(columns: Mapping[str, Column], path: Path, form: FileForm = PLAIN_FORM) -> None:
    """Write columns to a CSV, Parquet or Excel file, as a whole or not at all."""
    with new_file(path) as temporary:
        write_columns(columns, temporary, form)


def write_columns(columns: Mapping[str, Column], path: Path, form: FileForm = PLAIN_FORM) -> None:
    """Write columns to a Parquet or Excel file if the path says so, to CSV otherwise."""
    if path.suffix in (".parquet", ".pq"):
        from pyarrow import parquet

        from thresher.tables.arrow import make_table

        parquet.write_table(make_table(columns), path)
    elif path.suffix == ".xlsx":
        from thresher.tables.excel import write_excel

        write_excel(columns, path)
    else:
        file = StringIO(newline="")
        write_csv(columns, file, form)
        try:
            data = file.getvalue().encode(form.encoding)
        except (UnicodeEncodeError, LookupError):  # it has not all letters
            data = file.getvalue().encode("utf-8-sig")
        path.write_bytes(data)


def write_csv(columns: Mapping[str, Column], file: Writable, form: FileForm = PLAIN_FORM) -> None:
    """Write columns as CSV; nothing where a value is missing. No text is taken for a formula."""
    cells = (_cells(column, form.decimal) for column in columns.values())
    rows = chain([map(escape_csv, columns)], zip(*cells, strict=True))
    write_rows(rows, file, form.delimiter)


def _cells(column: Column, decimal: str) -> list[str | None]:
    if isinstance(column, Texts):
        return replace(column, levels=tuple(map(escape_csv, column.levels))).values()
    texts = texts_of(column)
    if decimal == ".":
        return texts
    return [None if text is None else text.replace(".", decimal) for text in texts]
