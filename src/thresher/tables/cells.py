"""The different texts of a column, each with its rows: how far they are numbers, or dates."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from thresher.column import Numbers, Texts
from thresher.tables import dates
from thresher.tables.notation import (
    EITHER,
    POINT,
    Evidence,
    Form,
    Notation,
    Written,
    written,
)
from thresher.tables.plan import ColumnPlan, TrainingRange, Unread
from thresher.tables.table import Column, cleaned
from thresher.tables.vocabulary import MULTIPLIERS, NO_NUMBER, is_unit

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

    def share(self, is_read: Sequence[bool] | NDArray[np.bool_]) -> float:
        """Return the share of rows with a readable text among those that hold some value."""
        held = int(self.rows[~self.is_empty].sum())
        read = np.asarray(is_read, dtype=bool) & ~self.is_empty
        return float(self.rows[read].sum()) / held if held else 0.0

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
        numbers: list[Written | None] = []
        for one in found:
            if one is not None and one.unit == "":
                is_one = has_plain or one.value(Notation(EITHER)) == 0.0
            else:
                is_one = one is not None and _bare(one.unit).lower() == unit.lower() != ""
            numbers.append(one if is_one else None)
        return tuple(numbers)

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
        counts = dict.fromkeys(Evidence._fields, 0)
        for number, rows in zip(self.numbers, self.rows.tolist(), strict=True):
            if number is None:
                continue
            name = number.form.name.lower()
            if number.form is Form.PLAIN:
                name = "plain_small" if len(number.digits) < 4 else "plain_large"
            if name in counts:
                counts[name] += rows
        return Evidence(**counts)

    @cached_property
    def number_share(self) -> float:
        """The share of rows that are numbers."""
        return self.share([number is not None for number in self.numbers])

    @property
    def are_codes(self) -> bool:
        """Whether digits begin with a zero, as in 007, or are too many for a number."""
        pairs = zip(self.numbers, self.rows.tolist(), strict=True)
        found = [(one.digits, rows) for one, rows in pairs if one is not None]
        if not all(digits.isdigit() for digits, _ in found):
            return False
        if any(len(digits) > 15 for digits, _ in found):
            return True
        rows = sum(rows for digits, rows in found if digits[0] == "0" and len(digits) > 1)
        return rows > 0.05 * self.present or (rows > 0 and len({len(one) for one, _ in found}) == 1)

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
        return self.share([date is not None for date in self.dates])

    @property
    def clock_share(self) -> float:
        """The share of rows that are times without a day."""
        return self.share([dates.is_clock(text) for text in self.texts.levels])


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


FEW = 0.05
"""Up to this share of other cells a column is of numbers; above it, somebody is asked."""

MIN_ROWS = 30
"""Below so many rows any column may look like part numbers."""

MAX_UNREAD = 20
"""Different unread texts that a plan keeps."""

NOTHING_KNOWN = Evidence()


class Read(NamedTuple):
    """A column as it was read, and how."""

    values: Column
    plan: ColumnPlan


@dataclass(frozen=True)
class Clues:
    """What is known of a column beside its cells.

    Attributes
    ----------
    name, source : for messages.
    others : what the numbers of all columns tell of their marks.
    decimal : the decimal mark where a user said it.
    default : the decimal mark where no number of the table tells; None: somebody is asked.
    training : the range of the column in training, where a model knows it.
    given : what a user called the column.
    is_dated : whether the file itself calls it dates.
    has_sentinels : whether numbers such as -9999 may stand for "no value".
    place : where a row is, for messages.
    """

    name: str
    source: str
    others: Evidence = NOTHING_KNOWN
    decimal: str | None = None
    default: str | None = POINT
    training: TrainingRange | None = None
    given: str | None = None
    is_dated: bool = False
    has_sentinels: bool = True
    place: Callable[[int], str] = lambda row: f"row {row + 1}"


def unread_rows(
    text: str, is_found: NDArray[np.bool_], place: Callable[[int], str]
) -> list[Unread]:
    """Return a cell that could not be read, with its rows; nothing where there are none."""
    rows = np.flatnonzero(is_found)
    return [Unread(text, len(rows), place(int(rows[0])))] if len(rows) else []


def unread_texts(
    cells: Cells, is_wrong: NDArray[np.bool_], place: Callable[[int], str]
) -> tuple[Unread, ...]:
    """Return the texts that could not be read, the most frequent first."""
    codes = sorted(np.flatnonzero(is_wrong).tolist(), key=lambda code: -int(cells.rows[code]))
    kept, others = codes[:MAX_UNREAD], codes[MAX_UNREAD:]
    found = [
        Unread(cells.texts.levels[code], int(cells.rows[code]), place(cells.first_row(code)))
        for code in kept
    ]
    if others:
        rows = int(cells.rows[others].sum())
        found.append(Unread("and others", rows, place(cells.first_row(others[0]))))
    return tuple(found)
