"""The stations of a line: a table that tells the station of each column, in the line's order."""

from collections.abc import Collection

from thresher.tables.errors import BadDataError
from thresher.tables.source import Source
from thresher.tables.table import texts_of


def read_stations(place: str, features: Collection[str], others: Collection[str]) -> dict[str, str]:
    r"""Read a table with the columns `column` and `station`.

    Parameters
    ----------
    place : str
        A CSV or Parquet file.
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
    table = Source(place).read(texts=["column", "station"])
    table.need(["column", "station"])
    pairs = zip(texts_of(table.columns["column"]), texts_of(table.columns["station"]), strict=True)
    stations: dict[str, str] = {}
    for row, (column, station) in enumerate(pairs, start=1):
        if column is None or station is None:
            raise BadDataError(f"{table.source} has an empty value in row {row}; fill it in.")
        if column not in features and column not in others:
            raise BadDataError(
                f"{table.source} names the column {column!r} in row {row}, which the table does "
                "not have."
            )
        if column in stations:
            raise BadDataError(f"{table.source} names the column {column!r} twice.")
        if column in features:
            stations[column] = station
    missing = [name for name in features if name not in stations]
    if missing:
        raise BadDataError(
            f"{table.source} does not tell the station of the column {missing[0]!r}; add it, or "
            f"leave the column out with --ignore {missing[0]!r}."
        )
    return stations
