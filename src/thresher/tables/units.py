"""The units of columns, as cells and headings tell them."""

import re
from collections.abc import Iterable

from thresher.tables.plan import Plan

BRACKETED = re.compile(r"[\[(]\s*([^\[\]()]{1,12}?)\s*[\])]\s*$")
"""A unit at the end of a heading: Torque [Nm], Temperature (°C)."""


def unit_in(name: str) -> str | None:
    """Return the unit at the end of a heading, None where there is none.

    >>> unit_in("Torque [Nm]"), unit_in("Temperature (°C)"), unit_in("speed")
    ('Nm', '°C', None)
    """
    found = BRACKETED.search(name)
    return None if found is None else found.group(1)


def units_of(names: Iterable[str], plan: Plan | None) -> dict[str, str]:
    """Return the unit of each column that has one, behind its numbers or in its heading."""
    known = {} if plan is None else plan.columns
    found = {name: (known[name].unit if name in known else "") or unit_in(name) for name in names}
    return {name: unit for name, unit in found.items() if unit}
