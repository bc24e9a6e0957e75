"""A table as it is written becomes one whose columns have a meaning, and the plan of how."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from thresher.errors import QuestionError, TableError
from thresher.tables.calendar import calendar_columns
from thresher.tables.cells import Cells
from thresher.tables.clues import FEW, Clues, Read
from thresher.tables.dates import TIME_OF_DAY, UNCLEAR
from thresher.tables.glance import absent_columns
from thresher.tables.meaning import read_numbers, read_texts
from thresher.tables.no_rows import is_missing, without_no_rows
from thresher.tables.notation import COMMA, POINT, Evidence, Notation
from thresher.tables.number_column import meaning_of_numbers
from thresher.tables.plan import (
    CALENDAR,
    CATEGORY,
    NUMBER,
    TEXT,
    ColumnPlan,
    Plan,
    Unread,
)
from thresher.tables.raw_table import RawTable
from thresher.tables.table import Column, FileForm, Table, as_text, checked, cleaned, texts_of
from thresher.tables.wishes import Wishes
from thresher.texts import Numbers, Texts
from thresher.wording import counted, first_of, quoted


def plan_table(raw: RawTable, wishes: Wishes) -> Table:
    """Decide what each column is, and read it so."""
    wishes.check()
    absent = [name for name in wishes.column if name not in raw.columns]
    if absent:
        raise absent_columns(raw.source, list(raw.columns), absent)
    checked(Table(raw.source, raw.columns))
    raw = without_no_rows(raw)
    checked(Table(raw.source, raw.columns))
    evidence = _evidence(raw, wishes)
    as_read, raw = raw, _reread(raw, wishes, evidence)
    evidence = evidence if raw is as_read else _evidence(raw, wishes)
    found = {name: _read(name, raw, wishes, evidence) for name in raw.columns}
    empty = {name for name in raw.nameless if _is_empty(found[name].values)}
    kept = {name: read for name, read in found.items() if name not in empty}
    kept |= _calendars(kept, raw.source)
    plans = {name: _with_unit(read.plan, raw.units.get(name, "")) for name, read in kept.items()}
    _refuse_other_units(plans, wishes, raw.source)
    return Table(
        raw.source,
        {name: read.values for name, read in kept.items()},
        (*raw.notes, *_notes(plans)),
        raw.kind,
        Plan(plans, raw.notes),
        _form(raw, plans),
    )


def _calendars(found: Mapping[str, Read], source: str) -> dict[str, Read]:
    """Return the columns that are made of dates whose calendar a user has asked for."""
    made: dict[str, Read] = {}
    for name, (values, plan) in found.items():
        if plan.meaning != CALENDAR or not isinstance(values, Texts):
            continue
        if plan.order in (UNCLEAR, TIME_OF_DAY):
            raise QuestionError(
                f"Column {name!r} of {source} may have the day or the month first, or no day at "
                "all, so that it has no calendar; write it as 2024-12-31 08:00."
            )
        columns = calendar_columns(name, values, plan.order)
        made |= {
            one: Read(numbers, ColumnPlan(meaning_of_numbers(numbers)))
            for one, numbers in columns.items()
        }
    taken = next((name for name in made if name in found), None)
    if taken is not None:
        raise TableError(f"{source} has a column {taken!r} already; rename it.")
    return made


def _read(name: str, raw: RawTable, wishes: Wishes, evidence: Evidence) -> Read:
    column = raw.columns[name]
    if name in wishes.texts:
        texts = column if isinstance(column, Texts) else Texts.of(texts_of(column))
        plain = cleaned(texts, wishes.words)
        return Read(plain, ColumnPlan(TEXT, levels=len(plain.levels), is_given=True))
    clues = Clues(
        name,
        raw.source,
        evidence,
        wishes.decimal,
        _default_mark(raw, wishes, name),
        wishes.column.get(name),
        name in raw.dated,
        has_sentinels=wishes.has_sentinels,
        place=raw.place,
    )
    known = wishes.plan_of(name)
    if isinstance(column, Texts):
        cells = Cells.of(column, wishes.words)
        clues = replace(clues, given=_as_before(cells, known, clues.given))
        read = read_texts(
            cells, replace(clues, decimal=clues.decimal or _mark_before(cells, known))
        )
    else:
        before = None if known is None else known.meaning
        clues = replace(clues, given=clues.given or before)
        read = read_numbers(_without(column, wishes), clues)
        if (
            raw.decimal == COMMA
            and not isinstance(read.values, Texts)
            and _has_decimals(read.values)
        ):
            read = Read(read.values, replace(read.plan, notation=Notation(COMMA)))
    unread = (*_declared(column, wishes, raw.place), *read.plan.unread)
    read = Read(read.values, replace(read.plan, unread=unread))
    return read if known is None else _like(known, read)


def _mark_before(cells: Cells, known: ColumnPlan | None) -> str | None:
    """Return the decimal mark of an earlier table where its notation reads these numbers too."""
    if known is None or known.meaning != NUMBER:
        return None
    is_read = ~np.isnan(cells.values(known.notation))
    return known.notation.decimal if cells.share(is_read) >= 1 - FEW else None


def _declared(column: Column, wishes: Wishes, place: Callable[[int], str]) -> Iterator[Unread]:
    """Yield the cells that a user says stand for "no value"."""
    words = {word.strip().lower() for word in wishes.words}
    if isinstance(column, Texts):
        for code, level in enumerate(column.levels):
            if level.strip().lower() in words:
                yield from _found(level.strip(), np.flatnonzero(column.codes == code), place)
        return
    for number in wishes.numbers:
        yield from _found(as_text(number), np.flatnonzero(column == number), place)


def _found(text: str, rows: NDArray[np.intp], place: Callable[[int], str]) -> Iterator[Unread]:
    if len(rows):
        yield Unread(text, len(rows), place(int(rows[0])))


def _as_before(cells: Cells, known: ColumnPlan | None, given: str | None) -> str | None:
    """Return what a column was; one that is no longer numbers stays text, for a message."""
    if known is None:
        return given
    is_read = cells.number_share >= 1 - FEW or not cells.present
    return CATEGORY if known.meaning == NUMBER and not is_read else known.meaning


def _refuse_other_units(plans: Mapping[str, ColumnPlan], wishes: Wishes, source: str) -> None:
    """Raise where a column was in another unit in an earlier table."""
    for name, plan in plans.items():
        known = wishes.plan_of(name)
        if known is not None and len({known.unit.lower(), plan.unit.lower()} - {""}) > 1:
            raise TableError(
                f"Column {name!r} of {source} is in {plan.unit}, and was in {known.unit} when the "
                "model was trained; convert it."
            )


def _like(known: ColumnPlan, read: Read) -> Read:
    """Return a column without the sentinels of an earlier table."""
    values = read.values
    if known.sentinels and not isinstance(values, Texts):
        values = np.where(np.isin(values, known.sentinels), np.nan, values)
    return Read(values, replace(read.plan, is_given=False))


def _without(values: Numbers, wishes: Wishes) -> Numbers:
    """Return numbers without those that a user says stand for "no value"."""
    numbers = wishes.numbers
    return np.where(np.isin(values, numbers), np.nan, values) if numbers else values


def _default_mark(raw: RawTable, wishes: Wishes, name: str) -> str | None:
    """Return the decimal mark where no number tells; where commas part the cells it is a point."""
    if wishes.known is not None and name in wishes.known.columns:
        return wishes.known[name].notation.decimal
    return POINT if raw.delimiter in ("", COMMA) else None


# ---------------------------------------------------------------------------- the table as a whole


def _evidence(raw: RawTable, wishes: Wishes) -> Evidence:
    """Return what the numbers of all columns tell of their marks."""
    total = Evidence()
    for name, column in raw.columns.items():
        if isinstance(column, Texts) and name not in wishes.texts:
            cells = Cells.of(column)
            if cells.number_share >= 0.5 and not cells.are_codes:
                total += cells.evidence
    return total


def _reread(raw: RawTable, wishes: Wishes, evidence: Evidence) -> RawTable:
    """Read numbers again as texts where their marks may have been taken for others."""
    if raw.as_written is None:
        return raw
    differing = [
        name
        for name, column in raw.columns.items()
        if (known := wishes.plan_of(name)) is not None
        and known.notation.decimal != raw.decimal
        and not isinstance(column, Texts)
        and _has_decimals(column)
    ]
    if differing:
        raw = replace(raw, columns={**raw.columns, **raw.as_written(differing)})
    assert raw.as_written is not None
    against = evidence.says_comma if raw.decimal == POINT else evidence.says_point
    unclear = evidence.point_unclear + evidence.comma_unclear
    if not (against or unclear) and raw.delimiter == COMMA:
        return raw
    parsed = [
        name
        for name, column in raw.columns.items()
        if not isinstance(column, Texts) and _has_decimals(column)
    ]
    if not (against or unclear):
        parsed = [name for name in parsed if _may_be_thousands(raw.columns[name])]
    if not parsed:
        return raw
    return replace(raw, columns={**raw.columns, **raw.as_written(parsed)})


def _has_decimals(column: Column) -> bool:
    assert not isinstance(column, Texts)
    present = column[np.isfinite(column)]
    return bool((present != np.floor(present)).any())


def _may_be_thousands(column: Column) -> bool:
    """Whether all numbers have three decimals at most and are from 1 to 1,000, as 1.551 is."""
    assert not isinstance(column, Texts)
    present = np.abs(column[np.isfinite(column)])
    thousands = present * 1000
    return bool(
        (present < 1000).all()
        and ((present >= 1) | (present == 0)).all()
        and (np.abs(thousands - np.rint(thousands)) < 1e-6).all()
    )


def _is_empty(column: Column) -> bool:
    return bool(is_missing(column).all())


# ------------------------------------------------------------------------ what users are told


def _with_unit(plan: ColumnPlan, unit: str) -> ColumnPlan:
    return replace(plan, unit=plan.unit or unit) if plan.meaning == NUMBER else plan


def _notes(plans: Mapping[str, ColumnPlan]) -> list[str]:
    """Return a sentence for each column some of whose cells were read as missing."""
    notes = []
    for name, plan in plans.items():
        if plan.unread:
            shown = first_of([f"{quoted(one.text)}, {one.place}" for one in plan.unread], 3)
            kind = "numbers" if plan.meaning == NUMBER else f"{plan.meaning}s"
            cells = counted(plan.unread_rows, "cells")
            notes.append(f"Column {name!r} is {kind} but for {cells} ({shown}), read as missing.")
        notes += [
            f"Column {name!r} has {counted(doubt.rows, 'cells')} of exactly {doubt.text} "
            f"({doubt.place}), which often stands for no value; missing={doubt.text} reads them so."
            for doubt in plan.doubtful
        ]
    return notes


def _form(raw: RawTable, plans: Mapping[str, ColumnPlan]) -> FileForm:
    marks = [plan.notation.decimal for plan in plans.values() if plan.meaning == NUMBER]
    decimal = COMMA if COMMA in (raw.decimal, *marks) and raw.delimiter != COMMA else POINT
    return FileForm(raw.delimiter or COMMA, decimal, raw.encoding)
