"""The stations of a line: a table that tells the station of each column, in the line's order."""

from collections.abc import Collection, Mapping
from typing import Any

from thresher.errors import TableError
from thresher.tables.reading import read_table
from thresher.tables.table import texts_of


def read_stations(place: Any, features: Collection[str], others: Collection[str]) -> dict[str, str]:
    r"""Read a table with the columns `column` and `station`.

    Parameters
    ----------
    place : path or data frame
        Anything that `read_table` takes.
    features : names
        The columns that a model learns from; each needs a station.
    others : names
        Further columns of the table, which may be named too.

    Examples
    --------
    >>> path = getfixture("tmp_path") / "stations.csv"
    >>> _ = path.write_text("column,station\nforce,press\nleak,test\n")
    >>> read_stations(str(path), ["force", "leak"], [])
    {'force': 'press', 'leak': 'test'}
    """
    table = read_table(place, texts=["column", "station"])
    table.need(["column", "station"])
    pairs = zip(texts_of(table.columns["column"]), texts_of(table.columns["station"]), strict=True)
    stations: dict[str, str] = {}
    for row, (column, station) in enumerate(pairs, start=1):
        if column is None or station is None:
            raise TableError(f"{table.source} has an empty value in row {row}; fill it in.")
        if column in stations:
            raise TableError(f"{table.source} names the column {column!r} twice.")
        stations[column] = station
    return check_stations(stations, features, others, table.source)


def check_stations(
    stations: Mapping[str, str],
    features: Collection[str],
    others: Collection[str],
    source: str = "stations",
) -> dict[str, str]:
    """Return the stations of the features; raise where one has none, or a name is unknown."""
    for row, column in enumerate(stations, start=1):
        if column not in features and column not in others:
            raise TableError(
                f"{source} names the column {column!r} in row {row}, which the table does not have."
            )
    missing = [name for name in features if name not in stations]
    if missing:
        raise TableError(
            f"{source} does not tell the station of the column {missing[0]!r}; add it, or leave "
            f"the column out with ignore={missing[0]!r}."
        )
    return {column: station for column, station in stations.items() if column in features}
