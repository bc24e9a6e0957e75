"""The public function: a file, a database or a data frame in, named columns out."""

import os
from collections.abc import Collection, Mapping
from typing import Any

from thresher.frames import is_frame
from thresher.tables.frame import raw_frame
from thresher.tables.plan import Plan
from thresher.tables.planning import plan_table
from thresher.tables.source import Source
from thresher.tables.table import Table, checked
from thresher.tables.wishes import Wishes


def read_table(
    place: Any,
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    table: str | None = None,
    query: str | None = None,
    header: bool | None = None,
    skip_lines: int | None = None,
    sheet: str | int | None = None,
    decimal: str | None = None,
    column: Mapping[str, str] | None = None,
    missing: Collection[Any] | None = None,
    texts: Collection[str] = (),
    plan: Plan | None = None,
) -> Table:
    r"""Read a table as people have it; `plan` of the result tells what each column was taken for.

    A column that is numbers but for a few cells is of numbers, and these cells are missing; what
    can be read in two ways is asked.

    Parameters
    ----------
    place : path, URL, data frame, or several paths
        CSV (packed or not), Parquet (several files with the same columns, too), "-" for standard
        input, the URL of a database, or a data frame of pandas, polars or pyarrow.
    delimiter, encoding : str, default=None
        Of CSV; found out by default.
    table, query : str, default=None
        What to read of a database.
    header : bool, default=None
        Whether a line names the columns; found out by default.
    skip_lines : int, default=None
        Lines before it; found out by default.
    sheet : str or int, default=None
        Name or number, from 1, of a sheet of a workbook; the first one that holds a table.
    decimal : {".", ","}, default=None
        The decimal mark; found out by default, column by column.
    column : mapping of name to {"number", "category", "date", "calendar", "text", "id", "constant"}
        What some columns are; of a calendar hour, weekday and month are made.
    missing : values, default=None
        What stands for "no value" beside the usual words and numbers such as -9999, far from all
        others. ["none"], or an empty list: no such number does.
    texts : names
        Columns whose values stay as they are written.
    plan : Plan, default=None
        Of an earlier table; its columns are read the same way.

    Returns
    -------
    Table
        `columns` by name, `len(table)` rows, the `plan` of reading, and `notes` about it.

    Raises
    ------
    TableError
        One sentence: what is wrong, where, and what to do.
    QuestionError
        One sentence about what can be read in two ways, and the parameter that decides.

    Examples
    --------
    >>> path = getfixture("tmp_path") / "parts.csv"
    >>> _ = path.write_text("speed;line\n1,5;a\n;b\n")
    >>> table = read_table(path)
    >>> table.columns["speed"], table.columns["line"].levels
    (array([1.5, nan]), ('a', 'b'))
    """
    if isinstance(place, Table):
        return place
    words = None if missing is None else tuple(map(str, missing))
    wishes = Wishes(texts, column or {}, words, decimal, plan)
    if is_frame(place):
        return checked(plan_table(raw_frame(place, texts), wishes))
    if isinstance(place, Source):
        return place.read(texts, plan)
    source = source_of(
        place,
        delimiter=delimiter,
        encoding=encoding,
        table=table,
        query=query,
        header=header,
        skip_lines=skip_lines,
        sheet=sheet,
        decimal=decimal,
        column=column or {},
        missing=words,
    )
    return source.read(texts, plan)


def source_of(place: Any, **options: Any) -> Source:
    """Return the source behind a path, a URL, or several paths."""
    if isinstance(place, Source):
        return place
    places = [place] if isinstance(place, str | os.PathLike) else list(place)
    first, *more = (os.fspath(one) for one in places)
    return Source(first, more=tuple(more), **options)
