"""Columns of numbers: their marks, what stands for "no value", and numbers that measure nothing."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from thresher.column import Numbers
from thresher.errors import QuestionError, TableError
from thresher.tables import dates
from thresher.tables.cells import MIN_ROWS, Cells, Clues, Read, unread_rows, unread_texts
from thresher.tables.notation import (
    COMMA,
    EITHER,
    POINT,
    UNCLEAR_FORMS,
    Form,
    Notation,
    decimal_mark,
)
from thresher.tables.plan import CONSTANT, ID, NUMBER, ColumnPlan, TrainingRange, Unread
from thresher.tables.table import as_text
from thresher.wording import quoted

LEAST_READ = 0.5
"""Where a user wants numbers, so many cells have to be some."""

MOST_FIT = 0.9
"""A decimal mark is that of the training where so many unclear numbers fit, and with the other one
so many do not."""

SERIAL_DIGITS = 5
"""Whole numbers of one length, from this one on, that never repeat are part numbers."""


def as_numbers(cells: Cells, clues: Clues) -> Read:
    """Read a column as numbers; cells that are none are missing."""
    notation = _notation(cells, clues)
    of_level = cells.values(notation)
    is_wrong = np.isnan(of_level)
    if cells.share(~is_wrong) < LEAST_READ:
        code = int(np.flatnonzero(is_wrong & ~cells.is_empty)[0])
        text, place = quoted(cells.texts.levels[code]), clues.place(cells.first_row(code))
        told = f"with decimal={clues.decimal!r} " if clues.decimal else ""
        raise TableError(
            f"Column {clues.name!r} of {clues.source} {told}holds hardly any number, but {text} "
            f"({place}) and the like; read it otherwise."
        )
    values, plan = without_sentinels(np.append(of_level, np.nan)[cells.texts.codes], clues)
    unread = (*unread_texts(cells, is_wrong, clues.place), *plan.unread)
    return Read(values, replace(plan, notation=notation, unit=cells.unit, unread=unread))


def _notation(cells: Cells, clues: Clues) -> Notation:
    """Return the notation that reads most rows, with the decimal mark that evidence tells."""
    mark = clues.decimal or decimal_mark(
        cells.evidence, clues.others, clues.default, _fitting_mark(cells, clues.training)
    )
    if mark == EITHER or (mark is None and _has_both_marks(cells)):
        return Notation(EITHER)
    if mark is None:
        mark, word = (POINT, "points") if cells.evidence.point_unclear else (COMMA, "commas")
        numbers = enumerate(cells.numbers)
        code = next(code for code, one in numbers if one is not None and mark in one.digits)
        text, place = quoted(cells.texts.levels[code]), clues.place(cells.first_row(code))
        raise QuestionError(
            f"Column {clues.name!r} of {clues.source} may have {word} for decimals or between "
            f"thousands ({text}, {place}), and nothing else tells; say decimal='.' or decimal=','."
        )
    marks = ("", COMMA if mark == POINT else POINT, "'", " ")
    notations = [Notation(mark, thousands) for thousands in marks]
    return max(notations, key=lambda one: cells.rows[~np.isnan(cells.values(one))].sum())


def _fitting_mark(cells: Cells, training: TrainingRange | None) -> str | None:
    """Return the decimal mark with which unclear numbers, and only with it, fit the training."""
    numbers = cells.numbers
    is_unclear = np.array([one is not None and one.form in UNCLEAR_FORMS for one in numbers])
    if training is None or not is_unclear.any():
        return None
    rows = cells.rows[is_unclear]
    shares = {}
    for mark, other in ((POINT, COMMA), (COMMA, POINT)):
        values = cells.values(Notation(mark, other))[is_unclear]
        shares[mark] = float(rows[training.may_have(values)].sum() / rows.sum())
    least, most = sorted(shares, key=lambda mark: shares[mark])
    return most if shares[most] >= MOST_FIT and shares[least] <= 1 - MOST_FIT else None


def _has_both_marks(cells: Cells) -> bool:
    """Whether numbers have decimal points and decimal commas, and none has thousands in groups."""
    evidence = cells.evidence
    if not evidence.point_decimal or not evidence.comma_decimal:
        return False
    numbers = [one for one in cells.numbers if one is not None]
    if any(len(set(one.digits) & {POINT, COMMA}) > 1 for one in numbers):
        return False
    own = (Form.POINT_DECIMAL, Form.COMMA_DECIMAL)  # marks that tell which one is the decimal mark
    sure = [one.value(Notation(EITHER)) for one in numbers if one.form in own]
    every = cells.values(Notation(EITHER))
    largest = max((abs(number) for number in sure if number is not None), default=0.0)
    groups = evidence.point_groups + evidence.comma_groups
    return groups == 0 and bool(np.nanmax(np.abs(every)) <= 2 * largest)


def without_sentinels(values: Numbers, clues: Clues) -> Read:
    """Read infinite numbers, and those that stand for "no value", as missing; tell how many."""
    infinite = np.isinf(values)
    unread: list[Unread] = []
    if infinite.any():
        first = str(float(values[infinite][0]))
        unread += unread_rows(first, infinite, clues.place)
        values = np.where(infinite, np.nan, values)
    sentinels = find_sentinels(values) if clues.has_sentinels else ()
    for sentinel in sentinels:
        unread += unread_rows(as_text(sentinel), values == sentinel, clues.place)
    if sentinels:
        values = np.where(np.isin(values, sentinels), np.nan, values)
    doubtful: list[Unread] = []
    for number in find_doubtful(values) if clues.has_sentinels else ():
        doubtful += unread_rows(as_text(number), values == number, clues.place)
    plan = ColumnPlan(NUMBER, unread=tuple(unread), sentinels=sentinels, doubtful=tuple(doubtful))
    return Read(values, plan)


def meaning_of_numbers(values: Numbers) -> str:
    """Return whether numbers are measured, name rows, or are always the same."""
    least, largest = np.fmin.reduce(values), np.fmax.reduce(values)
    if np.isnan(least) or (least == largest and not np.isnan(values).any()):
        return CONSTANT
    # Names of rows never repeat, and rise from row to row or have one, large length.
    if len(values) < MIN_ROWS or least < 0 or values[0] != np.floor(values[0]):
        return NUMBER
    if not np.isfinite(values).all() or (values != np.floor(values)).any():
        return NUMBER
    steps, length = np.diff(values), len(str(int(least)))
    if (steps > 0).all() or (steps < 0).all():
        is_id = largest - least < 10 * len(values) or length >= SERIAL_DIGITS
    else:
        is_long = length == len(str(int(largest))) >= SERIAL_DIGITS
        is_id = is_long and len(np.unique(values)) == len(values)
    return ID if is_id else NUMBER


def are_rising_serials(values: Numbers) -> bool:
    """Whether numbers are dates as Excel counts them, with times, one after the other."""
    least, largest = np.fmin.reduce(values), np.fmax.reduce(values)
    if len(values) < MIN_ROWS or not (dates.is_serial(least) and dates.is_serial(largest)):
        return False
    present = values[~np.isnan(values)]
    has_times = bool((present != np.floor(present)).any())
    return has_times and least < largest and bool((np.diff(present) >= 0).all())


def are_days(values: Numbers) -> bool:
    """Whether numbers are dates of eight digits, as in 20241231."""
    least, largest = np.fmin.reduce(values), np.fmax.reduce(values)
    if not 10_000 * dates.FIRST_YEAR < least <= largest < 10_000 * (dates.LAST_YEAR + 1):
        return False
    present = values[~np.isnan(values)]
    if (present != np.floor(present)).any():
        return False
    found = [dates.written(str(int(day))) for day in np.unique(present).tolist()]
    return all(one is not None and one.moment(dates.YEAR_FIRST) is not None for one in found)


FEWEST_NUMBERS = 20
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
    while len(present) >= FEWEST_NUMBERS and len(found) < MOST:
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
            if len(others) < FEWEST_NUMBERS:
                continue
            least, largest = float(others.min()), float(others.max())
            gap = least - end if end < least else end - largest
            if gap > largest - least:  # farther from the others than these are from each other
                yield end


def _has_form(number: float) -> bool:
    """Whether a number is all nines, -8888 or the like, or the end of a controller's range."""
    digits = as_text(abs(number)).replace(".", "")
    if digits in LIMITS or abs(number) > LARGEST or (len(digits) >= 2 and set(digits) == {"9"}):
        return True
    return number < 0 and len(digits) >= 4 and set(digits) in ({"8"}, {"7"})
