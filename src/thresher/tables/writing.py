"""Columns as CSV, Parquet or Excel."""

from collections.abc import Mapping
from dataclasses import replace
from io import StringIO
from itertools import chain
from pathlib import Path

from thresher.tables.table import PLAIN_FORM, Column, FileForm, texts_of
from thresher.text_table import Writable, escape_csv, write_rows
from thresher.texts import Texts
from thresher.whole_file import new_file


def write_table(columns: Mapping[str, Column], path: Path, form: FileForm = PLAIN_FORM) -> None:
    """Write columns to a CSV, Parquet or Excel file, as a whole or not at all."""
    with new_file(path) as temporary:
        write_columns(columns, temporary, form)


def write_columns(columns: Mapping[str, Column], path: Path, form: FileForm = PLAIN_FORM) -> None:
    """Write columns to a Parquet or Excel file if the path says so, to CSV otherwise."""
    if path.suffix in (".parquet", ".pq"):
        from thresher.tables.arrow import write_parquet

        write_parquet(columns, path)
    elif path.suffix == ".xlsx":
        from thresher.tables.excel import write_excel

        write_excel(columns, path)
    else:
        path.write_bytes(_encoded(columns, form))


def _encoded(columns: Mapping[str, Column], form: FileForm) -> bytes:
    """Return CSV in the encoding of a form; in UTF-8 with a mark where that has not all letters."""
    file = StringIO(newline="")
    write_csv(columns, file, form)
    try:
        return file.getvalue().encode(form.encoding)
    except (UnicodeEncodeError, LookupError):
        return file.getvalue().encode("utf-8-sig")


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
