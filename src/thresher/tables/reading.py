"""The public function: a file, a database or a data frame in, named columns out."""

import os
from collections.abc import Collection
from typing import Any

from thresher.frames import is_frame
from thresher.tables.frame import table_of_frame
from thresher.tables.source import Source
from thresher.tables.table import Table


def read_table(
    place: Any,
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    table: str | None = None,
    query: str | None = None,
    texts: Collection[str] = (),
) -> Table:
    r"""Read a table as named columns: numbers, or texts where not every value is a number.

    Parameters
    ----------
    place : path, URL, data frame, or several paths
        CSV (packed or not), Parquet (several files with the same columns, too), "-" for standard
        input, the URL of a database, or a data frame of pandas, polars or pyarrow.
    delimiter, encoding : str, default=None
        Of CSV; found out by default.
    table, query : str, default=None
        What to read of a database.
    texts : names
        Columns whose values stay as they are written.

    Returns
    -------
    Table
        `columns` by name, `len(table)` rows, and `notes` about how it was read.

    Raises
    ------
    TableError
        One sentence: what is wrong, where, and what to do.

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
    if is_frame(place):
        return table_of_frame(place, texts)
    return source_of(place, delimiter, encoding, table, query).read(texts)


def source_of(
    place: Any,
    delimiter: str | None = None,
    encoding: str | None = None,
    table: str | None = None,
    query: str | None = None,
) -> Source:
    """Return the source behind a path, a URL, or several paths."""
    if isinstance(place, Source):
        return place
    places = [place] if isinstance(place, str | os.PathLike) else list(place)
    first, *more = (os.fspath(one) for one in places)
    return Source(first, delimiter, encoding, table, query, tuple(more))
