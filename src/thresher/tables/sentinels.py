"""Numbers that stand for "no value", such as -9999: far from all others, and of a telling form."""

from collections.abc import Iterator

import numpy as np

from thresher.tables.table import as_text
from thresher.texts import Numbers

MIN_ROWS = 20
"""Below so many numbers nothing is far from the others."""

MOST = 4
"""Different sentinels of a column."""

LIMITS = frozenset({"32767", "32768", "65535", "2147483647", "2147483648", "4294967295"})
"""Digits of the ends of ranges in controllers, wherever the decimal point is."""

LARGEST = 9e29
"""Beyond it nothing is measured."""

NINES = tuple(
    sign * float(digits)
    for digits in ("99", "999", "9999", "99999", "99.9", "999.9", "9999.9", "99.99", "999.99")
    for sign in (-1, 1)
)
FEWEST = 5
"""Rows of a number in the middle of others before anybody is told."""


def find_sentinels(values: Numbers) -> tuple[float, ...]:
    """Return the numbers of a column that stand for "no value".

    >>> find_sentinels(np.append(np.arange(50.0), [-9999.0, 999.9]))
    (-9999.0, 999.9)
    """
    ends = np.fmin.reduce(values), np.fmax.reduce(values)
    if not any(_has_form(float(end)) for end in ends if not np.isnan(end)):
        return ()
    present = values[~np.isnan(values)]
    found: list[float] = []
    while len(present) >= MIN_ROWS and len(found) < MOST:
        one = next(_outsiders(present), None)
        if one is None:
            break
        found.append(one)
        present = present[present != one]
    return tuple(sorted(found))


def find_doubtful(values: Numbers) -> tuple[float, ...]:
    """Return numbers in the middle of a column that stand there far too often, and look like one.

    >>> find_doubtful(np.append(np.linspace(950.0, 1050.0, 500), [999.9] * 9))
    (999.9,)
    """
    least, largest = np.fmin.reduce(values), np.fmax.reduce(values)
    return tuple(
        number for number in NINES if least < number < largest and _is_crowded(values, number)
    )


def _is_crowded(values: Numbers, number: float) -> bool:
    """Whether a number has far more rows than each of those around it."""
    rows = int((values == number).sum())
    if rows < FEWEST:
        return False
    around = values[(np.abs(values - number) < 0.1 * abs(number)) & (values != number)]
    different = len(np.unique(around))
    return different >= FEWEST and rows > 5 * len(around) / different


def _outsiders(present: Numbers) -> Iterator[float]:
    """Yield the least and the largest number where it looks like a sentinel."""
    for end in (float(present.min()), float(present.max())):
        if _has_form(end):
            others = present[present != end]
            if len(others) >= MIN_ROWS and _is_far(end, float(others.min()), float(others.max())):
                yield end


def _has_form(number: float) -> bool:
    """Whether a number is all nines, -8888 or the like, or the end of a controller's range."""
    digits = as_text(abs(number)).replace(".", "")
    if digits in LIMITS or abs(number) > LARGEST or (len(digits) >= 2 and set(digits) == {"9"}):
        return True
    return number < 0 and len(digits) >= 4 and set(digits) in ({"8"}, {"7"})


def _is_far(end: float, least: float, largest: float) -> bool:
    """Whether a number is farther from the others than these are from each other."""
    gap = least - end if end < least else end - largest
    return gap > largest - least
