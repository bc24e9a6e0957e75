"""Columns of numbers: their marks, what stands for "no value", and numbers that measure nothing."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from thresher.errors import QuestionError, TableError
from thresher.tables import dates
from thresher.tables.cells import Cells
from thresher.tables.clues import MIN_ROWS, Clues, Read, unread_texts
from thresher.tables.notation import COMMA, EITHER, POINT, Notation, decimal_mark
from thresher.tables.plan import CONSTANT, ID, NUMBER, ColumnPlan, Unread
from thresher.tables.sentinels import find_doubtful, find_sentinels
from thresher.tables.table import as_text
from thresher.texts import Numbers
from thresher.wording import quoted

LEAST_READ = 0.5
"""Where a user wants numbers, so many cells have to be some."""

SERIAL_DIGITS = 5
"""Whole numbers of one length, from this one on, that never repeat are part numbers."""


def as_numbers(cells: Cells, clues: Clues) -> Read:
    """Read a column as numbers; cells that are none are missing."""
    notation = _notation(cells, clues)
    of_level = cells.values(notation)
    if cells.share(~np.isnan(of_level)) < LEAST_READ:
        raise _hardly_numbers(cells, np.isnan(of_level), clues)
    values = np.append(of_level, np.nan)[cells.texts.codes]
    unread = unread_texts(cells, np.isnan(of_level), clues.place)
    read = without_sentinels(values, clues)
    unread = (*unread, *read.plan.unread)
    plan = replace(read.plan, notation=notation, unit=cells.unit, unread=unread)
    return Read(read.values, plan)


def _hardly_numbers(cells: Cells, is_wrong: NDArray[np.bool_], clues: Clues) -> TableError:
    code = int(np.flatnonzero(is_wrong & ~cells.is_empty)[0])
    text, place = quoted(cells.texts.levels[code]), clues.place(cells.first_row(code))
    told = f"with decimal={clues.decimal!r} " if clues.decimal else ""
    return TableError(
        f"Column {clues.name!r} of {clues.source} {told}holds hardly any number, but {text} "
        f"({place}) and the like; read it otherwise."
    )


def _notation(cells: Cells, clues: Clues) -> Notation:
    """Return the notation that reads most rows, with the decimal mark that evidence tells."""
    mark = clues.decimal or decimal_mark(cells.evidence, clues.others, clues.default)
    if mark == EITHER:
        return Notation(EITHER)
    if mark is None and _has_both_marks(cells):
        return Notation(EITHER)
    if mark is None:
        raise _unclear(cells, clues)
    marks = ("", COMMA if mark == POINT else POINT, "'", " ")
    notations = [Notation(mark, thousands) for thousands in marks]
    return max(notations, key=lambda one: cells.rows[~np.isnan(cells.values(one))].sum())


def _has_both_marks(cells: Cells) -> bool:
    """Whether numbers have decimal points and decimal commas, and none has thousands in groups."""
    evidence = cells.evidence
    if not evidence.point_decimal or not evidence.comma_decimal:
        return False
    if any(one is not None and len(set(one.digits) & {POINT, COMMA}) > 1 for one in cells.numbers):
        return False
    sure = [one.value(Notation(EITHER)) for one in cells.numbers if one is not None and one.is_sure]
    every = cells.values(Notation(EITHER))
    largest = max((abs(number) for number in sure if number is not None), default=0.0)
    groups = evidence.point_groups + evidence.comma_groups
    return groups == 0 and bool(np.nanmax(np.abs(every)) <= 2 * largest)


def _unclear(cells: Cells, clues: Clues) -> QuestionError:
    evidence = cells.evidence
    mark = POINT if evidence.point_unclear else COMMA
    code = next(
        code for code, one in enumerate(cells.numbers) if one is not None and mark in one.digits
    )
    word = "points" if mark == POINT else "commas"
    text, place = quoted(cells.texts.levels[code]), clues.place(cells.first_row(code))
    return QuestionError(
        f"Column {clues.name!r} of {clues.source} may have {word} for decimals or between "
        f"thousands ({text}, {place}), and nothing else tells; say decimal='.' or decimal=','."
    )


def without_sentinels(values: Numbers, clues: Clues) -> Read:
    """Read infinite numbers, and those that stand for "no value", as missing; tell how many."""
    infinite = np.isinf(values)
    unread: list[Unread] = []
    if infinite.any():
        first = int(np.flatnonzero(infinite)[0])
        unread.append(Unread(str(float(values[first])), int(infinite.sum()), clues.place(first)))
        values = np.where(infinite, np.nan, values)
    sentinels = find_sentinels(values) if clues.has_sentinels else ()
    for sentinel in sentinels:
        rows = np.flatnonzero(values == sentinel)
        unread.append(Unread(as_text(sentinel), len(rows), clues.place(int(rows[0]))))
    if sentinels:
        values = np.where(np.isin(values, sentinels), np.nan, values)
    kept = find_doubtful(values) if clues.has_sentinels else ()
    doubts = [(number, np.flatnonzero(values == number)) for number in kept]
    return Read(
        values,
        ColumnPlan(
            NUMBER,
            unread=tuple(unread),
            sentinels=sentinels,
            doubtful=tuple(
                Unread(as_text(number), len(rows), clues.place(int(rows[0])))
                for number, rows in doubts
            ),
        ),
    )


def meaning_of_numbers(values: Numbers) -> str:
    """Return whether numbers are measured, name rows, or are always the same."""
    least, largest = np.fmin.reduce(values), np.fmax.reduce(values)
    if np.isnan(least) or (least == largest and not np.isnan(values).any()):
        return CONSTANT
    return ID if len(values) >= MIN_ROWS and _are_serials(values, least, largest) else NUMBER


def _are_serials(values: Numbers, least: float, largest: float) -> bool:
    """Whether whole numbers never repeat, and rise from row to row or have one, large length."""
    if least < 0 or values[0] != np.floor(values[0]) or not np.isfinite(values).all():
        return False
    if (values != np.floor(values)).any():
        return False
    steps = np.diff(values)
    if (steps > 0).all() or (steps < 0).all():
        return bool(largest - least < 10 * len(values)) or len(str(int(least))) >= SERIAL_DIGITS
    one_length = len(str(int(least))) == len(str(int(largest))) >= SERIAL_DIGITS
    return one_length and len(np.unique(values)) == len(values)


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
