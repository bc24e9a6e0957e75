"""The different texts of a column, each with its rows: how far they are numbers, or dates."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.tables import dates
from thresher.tables.notation import (
    EITHER,
    Evidence,
    Form,
    Notation,
    Written,
    evidence_of,
    written,
)
from thresher.tables.table import cleaned
from thresher.tables.vocabulary import MULTIPLIERS, NO_NUMBER, is_unit
from thresher.texts import Numbers, Texts

SAMPLE, LEAST_SHARE = 200, 0.3
"""Of so many texts this share has to be numbers (dates), or the others are not looked at."""

DOMINANT, LEAST_NUMBERS = 0.9, 10
"""A word is taken for a unit where it stands behind so many of the numbers, if they are so many."""

LEAST_WITH_UNIT, LEAST_CELLS = 0.05, 2
"""A known unit behind fewer of the numbers, in share or in cells, is a slip: who knows what the
others are in?"""

SAME_SIZE = 10.0
"""Numbers whose medians differ by less are of one size; what multiplies changes it by more."""

MAX_UNIT = 10
_UNIT = re.compile(r"[^\W\d_]|[%‰°µ€$£]")


@dataclass(frozen=True)
class Cells:
    """A column of texts, spaces and words for "missing" taken away."""

    texts: Texts
    extra: frozenset[str] = frozenset()

    @classmethod
    def of(cls, texts: Texts, missing: Sequence[str] = ()) -> "Cells":
        """Clean a column; `missing`: further words for "missing"."""
        extra = frozenset(word.strip().lower() for word in missing)
        return cls(cleaned(texts, extra).used(), extra)

    @cached_property
    def rows(self) -> NDArray[np.int64]:
        """How many rows have each text."""
        codes = self.texts.codes
        return np.bincount(codes[codes >= 0], minlength=len(self.texts.levels)).astype(np.int64)

    @property
    def present(self) -> int:
        """Rows that have a text."""
        return int(self.rows.sum())

    @cached_property
    def is_empty(self) -> NDArray[np.bool_]:
        """Whether each text stands for no value, among numbers."""
        levels = self.texts.levels
        return np.array([level.lower() in NO_NUMBER for level in levels], dtype=bool)

    def first_row(self, code: int) -> int:
        """Return the first row that has a text."""
        return int(np.flatnonzero(self.texts.codes == code)[0])

    def share(self, is_read: NDArray[np.bool_]) -> float:
        """Return the share of rows with a readable text among those that hold some value."""
        held = int(self.rows[~self.is_empty].sum())
        return float(self.rows[is_read & ~self.is_empty].sum()) / held if held else 0.0

    # ------------------------------------------------------------------------------------ numbers

    @cached_property
    def numbers(self) -> tuple[Written | None, ...]:
        """Each text taken apart as a number with its unit, None where it is none."""
        levels = self.texts.levels
        if len(levels) > 2 * SAMPLE:
            some = levels[:: len(levels) // SAMPLE]
            if sum(written(level) is not None for level in some) < LEAST_SHARE * len(some):
                return (None,) * len(levels)
        pairs = zip(levels, self.is_empty, strict=True)
        found = [None if empty else written(level) for level, empty in pairs]
        unit = _main_unit(found, self.rows)
        has_plain = _are_alike(found, unit)
        return tuple(
            one if one is not None and _is_in(one, unit, has_plain) else None for one in found
        )

    @cached_property
    def unit(self) -> str:
        """The unit behind the numbers, "" where there is none."""
        units = Counter[str]()
        for number, rows in zip(self.numbers, self.rows.tolist(), strict=True):
            if number is not None and number.unit:
                units[_bare(number.unit)] += rows
        return max(units, key=lambda unit: units[unit], default="")

    @cached_property
    def evidence(self) -> Evidence:
        """What the numbers tell of their marks."""
        pairs = zip(self.numbers, self.rows.tolist(), strict=True)
        return evidence_of((number, rows) for number, rows in pairs if number is not None)

    @cached_property
    def number_share(self) -> float:
        """The share of rows that are numbers."""
        return self.share(np.array([number is not None for number in self.numbers], dtype=bool))

    @property
    def are_codes(self) -> bool:
        """Whether digits begin with a zero, as in 007, or are too many for a number."""
        numbers = [one for one in self.numbers if one is not None]
        plain = [one for one in numbers if one.form is Form.PLAIN and one.digits.isdigit()]
        if len(plain) < len(numbers):
            return False
        zeros = [one.digits for one in plain if one.digits[:1] == "0" and one.digits[1:2].isdigit()]
        if any(len(one.digits) > 15 for one in plain if one.digits.isdigit()):
            return True
        rows = sum(
            int(count)
            for one, count in zip(self.numbers, self.rows.tolist(), strict=True)
            if one is not None and one.form is Form.PLAIN and one.digits in set(zeros)
        )
        return bool(zeros) and (
            rows > 0.05 * self.present or len({len(one.digits) for one in plain}) == 1
        )

    def values(self, notation: Notation) -> Numbers:
        """Return the number of each text in a notation, NaN where it is none."""
        numbers = [None if one is None else one.value(notation) for one in self.numbers]
        return np.array([np.nan if one is None else one for one in numbers], dtype=np.float64)

    # -------------------------------------------------------------------------------------- dates

    @cached_property
    def dates(self) -> tuple[dates.Written | None, ...]:
        """Each text taken apart as a date, None where it is none."""
        levels = self.texts.levels
        some = levels[:: max(1, len(levels) // SAMPLE)]
        if sum(dates.written(level) is not None for level in some) < LEAST_SHARE * len(some):
            return (None,) * len(levels)
        return tuple(map(dates.written, levels))

    @cached_property
    def date_share(self) -> float:
        """The share of rows that are dates."""
        return self.share(np.array([date is not None for date in self.dates], dtype=bool))

    @property
    def clock_share(self) -> float:
        """The share of rows that are times without a day."""
        return self.share(
            np.array([dates.is_clock(text) for text in self.texts.levels], dtype=bool)
        )


def _main_unit(found: Sequence[Written | None], rows: NDArray[Any]) -> str:
    """Return the unit of most numbers, "" where what stands behind them is none."""
    behind = Counter[str]()
    total = 0
    for one, count in zip(found, rows.tolist(), strict=True):
        if one is not None:
            total += count
            behind[_bare(one.unit)] += count
    plain = behind.pop("", 0)
    unit = max(behind, key=lambda one: behind[one], default="")
    if not _are_alike(found, unit):
        return unit if behind[unit] >= plain else ""
    if is_unit(unit):
        least = max(LEAST_WITH_UNIT * total, min(LEAST_CELLS, total))
        return unit if behind[unit] >= least else ""
    is_word = len(unit) <= MAX_UNIT and _UNIT.match(unit) and not any(map(str.isdecimal, unit))
    is_common = behind[unit] >= DOMINANT * total and len(found) >= LEAST_NUMBERS
    return unit if is_word and is_common else ""


def _bare(unit: str) -> str:
    return unit.strip("[]() ") or unit


def _are_alike(found: Sequence[Written | None], unit: str) -> bool:
    """Whether numbers without a unit may be in that of the others.

    They may not where that unit multiplies and the two are of other sizes: 5 % beside 0.05.
    """
    if unit not in MULTIPLIERS:
        return True
    sizes: dict[bool, list[float]] = {True: [], False: []}
    for one in found:
        size = None if one is None else one.value(Notation(EITHER))
        if one is not None and size:
            sizes[one.unit == ""].append(abs(size))
    if not all(sizes.values()):
        return True
    plain, others = (float(np.median(sizes[is_plain])) for is_plain in (True, False))
    return others / SAME_SIZE <= plain <= others * SAME_SIZE


def _is_in(number: Written, unit: str, has_plain: bool) -> bool:
    """Whether a number is one of the column's, whose unit may stand behind some of them alone."""
    if number.unit == "":
        return has_plain or number.value(Notation(EITHER)) == 0.0
    return bool(unit) and _bare(number.unit).lower() == unit.lower()
