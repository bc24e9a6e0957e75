"""Units that a column may have changed to: which of them makes new values look like the old."""

from typing import NamedTuple

import numpy as np

from thresher.judging.number_drift import NewNumbers
from thresher.texts import Numbers

NEAR = 0.1
"""Distributions are alike where the shares up to any value differ by at most this,"""
CRITICAL = 1.36
"""or by at most this many times the root of 1/n + 1/m, as 95 % of like ones do (Kolmogorov)."""
CLEARER = 2.0
"""And the new values as they are must be so many times as far away."""
LEAST_VALUES = 20
"""Fewer values, new ones or known, fit too many units."""


class UnitChange(NamedTuple):
    """New values are `factor` times the old ones, plus `offset`."""

    factor: float
    offset: float
    words: str

    def undone(self, values: Numbers) -> Numbers:
        """Return new values in the unit of the training."""
        with np.errstate(over="ignore"):
            return (values - self.offset) / self.factor

    @property
    def figures(self) -> dict[str, float]:
        """The factor and the offset, for programs."""
        return {"factor": self.factor, "offset": self.offset}


def _changes() -> tuple[UnitChange, ...]:
    factors = (10.0, 100.0, 1000.0, 25.4)
    larger = [UnitChange(f, 0.0, f"{f:g} times as large") for f in factors]
    smaller = [UnitChange(1.0 / f, 0.0, f"{f:g} times as small") for f in factors]
    degrees = [
        UnitChange(1.0, 273.15, "273.15 larger (kelvin, formerly degrees Celsius)"),
        UnitChange(1.0, -273.15, "273.15 smaller (degrees Celsius, formerly kelvin)"),
        UnitChange(1.8, 32.0, "like degrees Fahrenheit, formerly Celsius"),
        UnitChange(5.0 / 9.0, -160.0 / 9.0, "like degrees Celsius, formerly Fahrenheit"),
    ]
    return (*larger, *smaller, *degrees)


CHANGES = _changes()


def find_unit_change(new: NewNumbers) -> UnitChange | None:
    """Return the change of unit that explains new values, None where there is none.

    >>> from thresher.judging.column_summary import summarize
    >>> torque = np.random.default_rng(0).normal(40.0, 10.0, 3000)
    >>> new = NewNumbers.of(100.0 * torque[:500], summarize(torque[500:], None))
    >>> find_unit_change(new).words
    '100 times as large'
    """
    if min(new.present, new.known.present) < LEAST_VALUES:
        return None
    away = [NewNumbers(one.undone(new.values), new.known).distance for one in CHANGES]
    least = min(away)
    allowed = max(NEAR, CRITICAL * (1.0 / new.present + 1.0 / new.known.present) ** 0.5)
    is_clear = least <= allowed and new.distance >= CLEARER * least
    return CHANGES[away.index(least)] if is_clear else None
