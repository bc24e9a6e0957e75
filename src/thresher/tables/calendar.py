"""Hour, weekday and month of a date as columns, where a user asks for them."""

import numpy as np

from thresher.tables import dates
from thresher.texts import Numbers, Texts

PARTS = ("hour", "weekday", "month")
"""Weekdays count from 1, a Monday, to 7."""


def calendar_columns(name: str, texts: Texts, order: str) -> dict[str, Numbers]:
    """Return the parts of each date by the names of their columns.

    >>> days = Texts.of(["2024-12-31 08:00", "2024-12-30 08:00", None])
    >>> calendar_columns("made", days, dates.YEAR_FIRST)["made weekday"]
    array([ 2.,  1., nan])
    """
    written = [dates.written(level) for level in texts.levels]
    moments = [None if one is None else one.moment(order) for one in written]
    of_level = {
        "hour": [np.nan if one is None else one.hour for one in moments],
        "weekday": [np.nan if one is None else one.isoweekday() for one in moments],
        "month": [np.nan if one is None else one.month for one in moments],
    }
    return {f"{name} {part}": np.array([*of_level[part], np.nan])[texts.codes] for part in PARTS}
