"""What a column is: numbers, categories, dates, free texts, names of rows, or always the same."""

from dataclasses import replace

import numpy as np

from thresher.column import Numbers, Texts
from thresher.errors import QuestionError
from thresher.tables import dates
from thresher.tables.cells import FEW, MIN_ROWS, Cells, Clues, Read
from thresher.tables.number_column import (
    are_days,
    are_rising_serials,
    as_numbers,
    meaning_of_numbers,
    without_sentinels,
)
from thresher.tables.plan import (
    CALENDAR,
    CATEGORY,
    CONSTANT,
    DATE,
    ID,
    NUMBER,
    TEXT,
    ColumnPlan,
)
from thresher.tables.table import changed, texts_of
from thresher.tables.times import as_dates
from thresher.tables.vocabulary import NO, NO_NUMBER, YES
from thresher.wording import percent, plain, quoted

MANY_NUMBERS = 20
"""More different numbers than this are measured, and no names of things."""


def read_texts(cells: Cells, clues: Clues) -> Read:
    """Decide what a column of texts is, and read it so."""
    if not cells.texts.levels:
        return Read(np.full(len(cells.texts), np.nan), ColumnPlan(CONSTANT))
    readers = {NUMBER: as_numbers, DATE: as_dates, CALENDAR: as_dates}
    meaning = clues.given or _meaning_of_texts(cells, clues)
    if meaning in readers:
        read = readers[meaning](cells, clues)
    else:
        texts = cells.texts if clues.given else _answers(_without_fillers(cells.texts))
        read = Read(texts, ColumnPlan(meaning, levels=len(texts.levels)))
    if read.plan.meaning == NUMBER and not isinstance(read.values, Texts):
        if clues.given is None and are_rising_serials(read.values):
            return _serial_dates(read.values, clues)
        meaning = clues.given or meaning_of_numbers(read.values)
        read = Read(read.values, replace(read.plan, meaning=meaning))
    if clues.given == CALENDAR:
        read = Read(read.values, replace(read.plan, meaning=CALENDAR))
    return Read(read.values, replace(read.plan, is_given=clues.given is not None))


def _meaning_of_texts(cells: Cells, clues: Clues) -> str:
    orders = (dates.DAY_FIRST, dates.MONTH_FIRST)
    exist = [date is not None and any(map(date.moment, orders)) for date in cells.dates]
    is_date = min(cells.date_share, cells.share(exist)) > 1 - FEW
    if clues.is_dated or is_date:
        return DATE
    if cells.number_share >= 1 - FEW and not cells.are_codes:
        return NUMBER
    if cells.date_share >= 0.5 or cells.clock_share > 1 - FEW:
        return DATE
    levels, present = cells.texts.levels, cells.present
    if cells.number_share >= 0.5 and not cells.are_codes:
        numbers = [one for one in cells.numbers if one is not None]
        if len(numbers) > MANY_NUMBERS or not all(one.digits.isdigit() for one in numbers):
            pairs = enumerate(zip(cells.numbers, cells.is_empty, strict=True))
            wrong = next(code for code, (one, empty) in pairs if one is None and not empty)
            text, place = quoted(levels[wrong]), clues.place(cells.first_row(wrong))
            share = plain(percent(1 - cells.number_share))
            raise QuestionError(
                f"Column {clues.name!r} of {clues.source} is numbers but for {share} of its cells, "
                f"such as {text} ({place}); say column={{{clues.name!r}: 'number'}} to read these "
                f"as missing, or column={{{clues.name!r}: 'category'}} to keep all as texts."
            )
    # Words.
    if not levels or (len(levels) == 1 and present == len(cells.texts)):
        return CONSTANT
    alone = int((cells.rows == 1).sum())
    if present < MIN_ROWS or alone <= present / 2:
        return CATEGORY
    words = sum(len(level.split()) for level in levels) / len(levels)
    return TEXT if words >= 2.5 else ID


def _without_fillers(texts: Texts) -> Texts:
    """Read words and signs for "no value" as missing, unless a plus shows that they are signs."""
    if "+" in texts.levels or not any(level.lower() in NO_NUMBER for level in texts.levels):
        return texts
    return changed(texts, lambda level: None if level.lower() in NO_NUMBER else level)


def _answers(texts: Texts) -> Texts:
    """Return several forms of yes and no as two texts; others as they are."""
    words = {level.lower() for level in texts.levels}
    if len(texts.levels) < 3 or not words <= YES | NO or not (words & YES and words & NO):
        return texts
    return changed(texts, lambda level: "true" if level.lower() in YES else "false")


def read_numbers(values: Numbers, clues: Clues) -> Read:
    """Decide what a column is whose file or frame has numbers."""
    if clues.given in (CATEGORY, TEXT, DATE, CALENDAR):
        return read_texts(Cells.of(Texts.of(texts_of(values))), clues)
    if clues.given is None and are_days(values):
        return read_numbers(values, replace(clues, given=DATE))
    if clues.given is None and are_rising_serials(values):
        return _serial_dates(values, clues)
    read = without_sentinels(values, clues)
    assert not isinstance(read.values, Texts)
    meaning = clues.given or meaning_of_numbers(read.values)
    return Read(read.values, replace(read.plan, meaning=meaning, is_given=clues.given is not None))


def _serial_dates(values: Numbers, clues: Clues) -> Read:
    """Read days as Excel counts them as dates."""
    moments = [None if day != day else dates.of_serial(day) for day in values.tolist()]
    texts = Texts.of(None if one is None else one.isoformat(sep=" ") for one in moments)
    return read_texts(Cells.of(texts), replace(clues, is_dated=True))
