"""A table as it is written becomes one whose columns have a meaning, and the plan of how."""

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.column import Numbers, Texts
from thresher.errors import ParameterError, QuestionError, TableError
from thresher.tables.cells import FEW, Cells, Clues, Read, unread_rows
from thresher.tables.dates import TIME_OF_DAY, UNCLEAR
from thresher.tables.head import absent_columns
from thresher.tables.meaning import read_numbers, read_texts
from thresher.tables.notation import COMMA, EITHER, POINT, Evidence, Notation
from thresher.tables.number_column import meaning_of_numbers
from thresher.tables.plan import (
    CALENDAR,
    CATEGORY,
    CONSTANT,
    DATE,
    ID,
    MEANINGS,
    NUMBER,
    TEXT,
    ColumnPlan,
    Plan,
    TrainingRange,
    Unread,
)
from thresher.tables.table import (
    Column,
    FileForm,
    RawTable,
    Table,
    as_text,
    checked,
    cleaned,
    texts_of,
)
from thresher.tables.times import calendar_columns
from thresher.tables.vocabulary import CLOSING
from thresher.wording import counted, first_of, quoted, verb

NOBODY = "none"
"""The word that lets no number stand for "no value"."""


@dataclass(frozen=True)
class Wishes:
    """What a user says of the cells of a table.

    Attributes
    ----------
    texts : columns whose cells stay as they are written.
    column : what some columns are.
    missing : what stands for "no value"; None to find out, "none" alone: nothing beside words.
    decimal : the decimal mark.
    known : the plan of an earlier table, whose columns are read the same way.
    """

    texts: Collection[str] = ()
    column: Mapping[str, str] = field(default_factory=dict)
    missing: tuple[str, ...] | None = None
    decimal: str | None = None
    known: Plan | None = None

    def check(self) -> None:
        """Refuse what there is not."""
        if self.decimal not in (None, POINT, COMMA):
            raise ParameterError(f"decimal={self.decimal!r} must be '.' or ','.")
        for name, meaning in self.column.items():
            if meaning not in MEANINGS:
                raise ParameterError(
                    f"column={{{name!r}: {meaning!r}}} is unknown; a column is one of "
                    f"{', '.join(MEANINGS)}."
                )
            known = None if self.known is None else self.known.columns.get(name)
            if known is not None and known.meaning not in (meaning, CONSTANT):
                raise ParameterError(
                    f"column={{{name!r}: {meaning!r}}} does not fit the model, for which it is a "
                    f"{known.meaning}; leave it out."
                )

    @property
    def words(self) -> tuple[str, ...]:
        """What a user says stands for "no value"."""
        return tuple(word for word in self.missing or () if word != NOBODY)

    @property
    def numbers(self) -> list[float]:
        """The numbers among these words."""
        found = []
        for word in self.words:
            with suppress(ValueError):
                found.append(float(word.replace(COMMA, POINT)))
        return found

    @property
    def has_sentinels(self) -> bool:
        """Whether numbers such as -9999 may stand for "no value"."""
        return self.missing is None or (len(self.missing) > 0 and NOBODY not in self.missing)

    def plan_of(self, name: str) -> ColumnPlan | None:
        """Return how an earlier table had a column; None where a user says what it is."""
        if self.known is None or name in self.column:
            return None
        known = self.known.columns.get(name)
        return None if known is None or known.meaning == CONSTANT else known

    def range_of(self, name: str) -> TrainingRange | None:
        """Return the range of a column in training, where a model knows it."""
        return None if self.known is None else self.known.ranges.get(name)


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
    empty = {name for name in raw.nameless if is_missing(found[name].values).all()}
    kept = {name: read for name, read in found.items() if name not in empty}
    kept |= _calendars(kept, raw.source)
    plans = {}
    for name, (_, plan) in kept.items():
        unit = plan.unit or (raw.units.get(name, "") if plan.meaning == NUMBER else "")
        plans[name] = replace(plan, unit=unit)
        known = wishes.plan_of(name)
        if known is not None and len({known.unit.lower(), unit.lower()} - {""}) > 1:
            raise TableError(
                f"Column {name!r} of {raw.source} is in {unit}, and was in {known.unit} when the "
                "model was trained; convert it."
            )
    marks = [plan.notation.decimal for plan in plans.values() if plan.meaning == NUMBER]
    decimal = COMMA if COMMA in (raw.decimal, *marks) and raw.delimiter != COMMA else POINT
    return checked(
        Table(
            raw.source,
            {name: read.values for name, read in kept.items()},
            (*raw.notes, *_notes(plans)),
            raw.kind,
            Plan(plans, raw.notes),
            FileForm(raw.delimiter or COMMA, decimal, raw.encoding),
        )
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
        for one, numbers in calendar_columns(name, values, plan.order).items():
            made[one] = Read(numbers, ColumnPlan(meaning_of_numbers(numbers)))
    taken = next((name for name in made if name in found), None)
    if taken is not None:
        raise TableError(f"{source} has a column {taken!r} already; rename it.")
    return made


def _read(name: str, raw: RawTable, wishes: Wishes, evidence: Evidence) -> Read:
    column, known = raw.columns[name], wishes.plan_of(name)
    if name in wishes.texts:
        texts = column if isinstance(column, Texts) else Texts.of(texts_of(column))
        plain = cleaned(texts, wishes.words)
        return Read(plain, ColumnPlan(TEXT, levels=len(plain.levels), is_given=True))
    # The mark where no number tells: where commas part the cells it is a point. That of an earlier
    # table says nothing about this one, unless people had typed both.
    mark = POINT if raw.delimiter in ("", COMMA) else None
    clues = Clues(
        name,
        raw.source,
        evidence,
        wishes.decimal,
        EITHER if known is not None and known.notation.decimal == EITHER else mark,
        wishes.range_of(name),
        wishes.column.get(name) if known is None else known.meaning,
        name in raw.dated,
        has_sentinels=wishes.has_sentinels,
        place=raw.place,
    )
    if isinstance(column, Texts):
        cells = Cells.of(column, wishes.words)
        is_read = cells.number_share >= 1 - FEW or not cells.present
        if known is not None and known.meaning == NUMBER and not is_read:
            clues = replace(clues, given=CATEGORY)  # for a message
        values, plan = read_texts(cells, clues)
    else:
        numbers = wishes.numbers
        present = np.where(np.isin(column, numbers), np.nan, column) if numbers else column
        values, plan = read_numbers(present, clues)
        if raw.decimal == COMMA and name in raw.marked:
            plan = replace(plan, notation=Notation(COMMA))
    plan = replace(plan, unread=(*_declared(column, wishes, raw.place), *plan.unread))
    if known is None:
        return Read(values, plan)
    if known.sentinels and not isinstance(values, Texts):
        values = np.where(np.isin(values, known.sentinels), np.nan, values)
    return Read(values, replace(plan, is_given=False))


def _declared(column: Column, wishes: Wishes, place: Callable[[int], str]) -> list[Unread]:
    """Return the cells that a user says stand for "no value"."""
    if isinstance(column, Texts):
        words = {word.strip().lower() for word in wishes.words}
        levels = enumerate(map(str.strip, column.levels))
        found = [(text, column.codes == code) for code, text in levels if text.lower() in words]
    else:
        found = [(as_text(number), column == number) for number in wishes.numbers]
    return [one for text, is_found in found for one in unread_rows(text, is_found, place)]


# ---------------------------------------------------------------------------- the table as a whole


def _evidence(raw: RawTable, wishes: Wishes) -> Evidence:
    """Return what the numbers of all columns tell of their marks."""
    total = Evidence()
    for name, column in raw.columns.items():
        if isinstance(column, Texts) and name not in wishes.texts:
            cells = Cells.of(column)
            if cells.number_share >= 0.5 and not cells.are_codes:
                total += cells.evidence
        elif not isinstance(column, Texts) and name in raw.marked:
            present = column[np.isfinite(column)]
            has_decimals = present != np.floor(present)
            sure = int((has_decimals & ~_may_be_thousands(present)).sum())
            point = raw.decimal == POINT
            total += Evidence(point_decimal=sure) if point else Evidence(comma_decimal=sure)
    return total


def _reread(raw: RawTable, wishes: Wishes, evidence: Evidence) -> RawTable:
    """Read numbers again as texts where their marks may have been taken for others."""
    if raw.as_written is None:
        return raw
    against = evidence.says_comma if raw.decimal == POINT else evidence.says_point
    unclear = evidence.point_unclear + evidence.comma_unclear
    doubtful = []
    for name, column in raw.columns.items():
        if name not in raw.marked or isinstance(column, Texts):
            continue
        present, training = column[np.isfinite(column)], wishes.range_of(name)
        fits = training is None or bool(training.may_have(present).all())
        is_sure = (raw.delimiter == COMMA and fits) or not _may_be_thousands(present).all()
        if against or unclear or not is_sure:
            doubtful.append(name)
    if not doubtful:
        return raw
    return replace(raw, columns={**raw.columns, **raw.as_written(doubtful)})


def _may_be_thousands(values: Numbers) -> NDArray[np.bool_]:
    """Whether each number has three decimals at most and is from 1 to 1,000, as 1.551 is."""
    size = np.abs(values)
    with np.errstate(over="ignore", invalid="ignore"):
        is_short = np.abs(size * 1000 - np.rint(size * 1000)) < 1e-6
    found: NDArray[np.bool_] = (size < 1000) & ((size >= 1) | (size == 0)) & is_short
    return found


# ------------------------------------------------------------------------ what users are told


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


NO_CODE = -2
"""The code of no text; -1 is that of a missing one."""

MOST_TOTALS = 0.2
"""Where more rows than this seem to sum up others, they do not."""


def without_no_rows(raw: RawTable) -> RawTable:
    """Leave out what is no row, with a note for each kind."""
    if not raw.is_loose:
        return raw
    # Repeated headers, as exports of several pages have them.
    texts = {name: one for name, one in raw.columns.items() if isinstance(one, Texts)}
    if len(texts) > 1:
        is_header = _all_of(
            column.codes == (column.levels.index(name) if name in column.levels else NO_CODE)
            for name, column in texts.items()
        )
        n_lines = int(is_header.sum())
        repeat, are = verb(n_lines, "repeat"), verb(n_lines, "are")
        note = f"{counted(n_lines, 'lines')} {repeat} the header and {are} left out."
        raw = _without(raw, is_header, note)
    if len(raw.columns) > 1:
        is_empty = _all_of(map(is_missing, raw.columns.values()))
        n_rows = 0 if is_empty.all() else int(is_empty.sum())
        note = f"{counted(n_rows, 'rows')} without any value {verb(n_rows, 'are')} left out."
        raw = _without(raw, is_empty & (n_rows > 0), note)
    if len(raw.columns) > 2:
        is_total = _sums(raw)
        n_rows = int(is_total.sum())
        sum_up, are = verb(n_rows, "sum"), verb(n_rows, "are")
        note = f"{counted(n_rows, 'rows')} {sum_up} up others and {are} left out."
        raw = _without(raw, is_total, note)
    return raw


def _all_of(masks: Iterator[NDArray[np.bool_]]) -> NDArray[np.bool_]:
    """Whether each row is in all masks; the others are not made where no row is left."""
    found = next(masks)
    for mask in masks:
        if not found.any():
            break
        found = found & mask
    return found


def _sums(raw: RawTable) -> NDArray[np.bool_]:
    """Whether rows sum up others: a word for it, or stars, where most cells are empty."""
    is_total = np.zeros(len(next(iter(raw.columns.values()))), dtype=bool)
    for column in raw.columns.values():
        if isinstance(column, Texts):
            words = [level.strip().lower() for level in column.levels]
            sums = [word.startswith(CLOSING) or set(word) == {"*"} for word in words]
            if any(sums):
                is_total |= np.array([*sums, False])[column.codes]
    if is_total.any():
        gaps = np.sum([is_missing(column)[is_total] for column in raw.columns.values()], axis=0)
        is_total[is_total] = gaps >= len(raw.columns) / 3
        if is_total.mean() > MOST_TOTALS:
            is_total[:] = False
    return is_total


def is_missing(column: Column) -> NDArray[np.bool_]:
    """Whether each cell holds nothing, or a word for it."""
    if not isinstance(column, Texts):
        return np.isnan(column)
    return cleaned(column).codes < 0


def _without(raw: RawTable, is_left_out: NDArray[np.bool_], note: str) -> RawTable:
    """Leave out some rows, with a note."""
    if not is_left_out.any():
        return raw
    rows, again = np.flatnonzero(~is_left_out), raw.as_written

    def take(columns: Mapping[str, Any]) -> dict[str, Any]:
        return {
            name: replace(column, codes=column.codes[rows]).used()
            if isinstance(column, Texts)
            else column[rows]
            for name, column in columns.items()
        }

    return replace(
        raw,
        columns=take(raw.columns),
        notes=(*raw.notes, note),
        place=lambda row: raw.place(int(rows[row])),
        as_written=None if again is None else lambda names: take(again(names)),
    )


def left_aside(table: Table) -> dict[str, str]:
    """Return a sentence for each column that is left out.

    >>> from thresher.tables.source import read_table
    >>> import pandas as pd
    >>> days = pd.DataFrame({"day": ["2024-01-01", "2024-01-02"], "speed": [1.5, 2.5]})
    >>> left_aside(read_table(days))["day"]
    "Column 'day' is a date and is left out; time='day' judges the model in its order."
    """
    plans = {} if table.plan is None else table.plan.columns
    found = {name: plans[name].meaning for name in table.columns if name in plans}
    sentences = {}
    for meanings in ((DATE,), (CALENDAR,), (ID, TEXT)):
        for name in (name for name, meaning in found.items() if meaning in meanings):
            if found[name] == DATE:
                way = f"is a date and is left out; time={name!r} judges the model in its order."
            elif found[name] == CALENDAR:
                way = "is left out but for the calendar that is made of it."
            else:
                column = table.columns[name]
                given = {name: CATEGORY if isinstance(column, Texts) else NUMBER}
                kinds = {ID: "names rows, like a part number,", TEXT: "holds free text,"}
                example = column.levels[0] if isinstance(column, Texts) else as_text(column[0])
                way = f"{kinds[found[name]]} such as {quoted(example)}, and is left out; "
                way += f"column={given} says otherwise."
            sentences[name] = f"Column {name!r} {way}"
    constant = [name for name, meaning in found.items() if meaning == CONSTANT]
    shown = first_of(map(repr, constant), 3)
    are = f"Column {shown} is" if len(constant) == 1 else f"The columns {shown} are"
    return sentences | dict.fromkeys(constant, f"{are} the same in all rows, and left out.")
