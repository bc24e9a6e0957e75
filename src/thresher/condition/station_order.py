"""The stations of a line: their order, and when all columns of a condition are known."""

from collections.abc import Iterable, Mapping


def station_order(stations: Mapping[str, str]) -> tuple[str, ...]:
    """Return the stations in the order in which the mapping first names them.

    >>> station_order({"force": "press", "depth": "press", "leak": "test"})
    ('press', 'test')
    """
    return tuple(dict.fromkeys(stations.values()))


def known_at(columns: Iterable[str], stations: Mapping[str, str]) -> str | None:
    """Return the first station at which all columns are known; None where there are no columns.

    >>> known_at(["force", "leak"], {"force": "press", "leak": "test"})
    'test'
    """
    order = station_order(stations)
    places = [order.index(_station_of(column, stations)) for column in columns]
    return order[max(places)] if places else None


def _station_of(column: str, stations: Mapping[str, str]) -> str:
    if column not in stations:
        raise ValueError(f"stations does not tell the station of the column {column!r}; add it.")
    return stations[column]
