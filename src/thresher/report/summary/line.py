"""The line: its stations in order, what is measured there, and which conditions are known."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from thresher.condition.station_order import station_order
from thresher.wording import name

_TEST = re.compile(r"\b(eol|end[ -]of[ -]line|tests?|testing|inspection)\b", re.IGNORECASE)


def line_data(
    stations: Mapping[str, str],
    known_at: Sequence[str | None],
    tests: Sequence[str] | None,
    confirmed: Sequence[bool] = (),
) -> dict[str, Any]:
    """Return the stations of a line.

    Parameters
    ----------
    stations : the station of each column, in the order of the line.
    known_at : the station of each condition, in the order of their numbers.
    tests : which stations are end-of-line tests; by default those whose name says so.
    confirmed : whether unseen rows confirm each condition.

    Examples
    --------
    >>> line = line_data({"force": "press", "leak": "EOL leak test"}, ["press"], None)
    >>> [(station["name"], station["is_test"]) for station in line["stations"]]
    [('press', False), ('EOL leak test', True)]
    """
    named = {number for number, is_so in enumerate(confirmed, start=1) if is_so}
    return {
        "stations": [
            {
                "name": name(station, 40),
                "is_test": bool(_TEST.search(station)) if tests is None else station in tests,
                "columns": [name(column) for column, at in stations.items() if at == station],
                "conditions": (
                    numbers := [
                        number for number, at in enumerate(known_at, start=1) if at == station
                    ]
                ),
                "confirmed": [number for number in numbers if number in named],
            }
            for station in station_order(stations)
        ]
    }
