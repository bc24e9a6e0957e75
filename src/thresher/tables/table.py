"""A table as columns: numbers, or texts as codes of their sorted levels."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from thresher.column import Numbers, Texts
from thresher.errors import TableError
from thresher.tables.head import absent_columns
from thresher.tables.notation import POINT
from thresher.tables.plan import Plan
from thresher.tables.vocabulary import MISSING

Column: TypeAlias = Numbers | Texts


def cleaned(texts: Texts, missing: Collection[str] = ()) -> Texts:
    """Return a column without spaces around texts and without words for "missing".

    >>> cleaned(Texts.of([" b", "b", "n/a"]))
    Texts(codes=array([ 0,  0, -1], dtype=int32), levels=('b',))
    """

    def clean(text: str) -> str | None:
        word = text.strip()
        return None if word.lower() in MISSING or word.lower() in missing else word

    return changed(texts, clean)


def changed(texts: Texts, change: Callable[[str], str | None]) -> Texts:
    """Return a column with other words for its levels, None for missing; some may become one."""
    new = Texts.of(change(level) for level in texts.levels)
    return Texts(np.append(new.codes, np.int32(-1))[texts.codes], new.levels)


def as_text(number: float) -> str:
    """Return a number as a person would write it.

    >>> as_text(3.0), as_text(0.1), as_text(1e22)
    ('3', '0.1', '1e+22')
    """
    return str(int(number)) if number.is_integer() and abs(number) < 1e15 else repr(number)


def texts_of(column: Column) -> list[str | None]:
    """Return any column as texts, None where a value is missing."""
    if isinstance(column, Texts):
        return column.values()
    return [None if number != number else as_text(number) for number in column.tolist()]


class FileForm(NamedTuple):
    """How a CSV file is written: what separates its cells, its decimal mark, its encoding."""

    delimiter: str = ","
    decimal: str = "."
    encoding: str = "utf-8"


PLAIN_FORM = FileForm()


@dataclass(frozen=True)
class Table:
    """Named columns of one length.

    Attributes
    ----------
    source : what messages call the table.
    columns : the columns by name.
    notes : what a user should know about how it was read.
    kind : library of the data frame that it came from, None for others.
    plan : what each column was taken for, None for a table that was made by hand.
    form : how its file was written, for files to be written like it.
    """

    source: str
    columns: Mapping[str, Column]
    notes: tuple[str, ...] = ()
    kind: str | None = None
    plan: Plan | None = None
    form: FileForm = PLAIN_FORM

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    def need(self, names: Iterable[str], why: str = "") -> None:
        """Raise unless the table has these columns."""
        absent = [name for name in names if name not in self.columns]
        if absent:
            raise absent_columns(self.source, list(self.columns), absent, why, self.notes)

    def without(self, names: Collection[str]) -> "Table":
        """Return the table without some columns."""
        kept = {name: column for name, column in self.columns.items() if name not in names}
        return replace(self, columns=kept)

    def only(self, names: Iterable[str]) -> "Table":
        """Return some columns of the table, in the order of the names."""
        return replace(self, columns={name: self.columns[name] for name in names})

    def take(self, rows: NDArray[Any]) -> "Table":
        """Return some rows of the table."""
        columns = {
            name: replace(column, codes=column.codes[rows])
            if isinstance(column, Texts)
            else column[rows]
            for name, column in self.columns.items()
        }
        return replace(self, columns=columns)


def checked(table: Table) -> Table:
    """Return a table that has columns and rows, or raise."""
    if not table.columns:
        raise TableError(f"{table.source} has no columns.")
    if not len(table):
        raise TableError(f"{table.source} has a header but no rows.")
    return table


@dataclass(frozen=True)
class RawTable:
    """Columns of numbers that are numbers already, or of texts as they are written.

    Attributes
    ----------
    source : what messages call the table.
    columns : by name.
    kind : library of the data frame that it came from, None for others.
    delimiter : of CSV, "" for others.
    decimal : the mark with which numbers were read.
    encoding : of CSV.
    dated : columns that the file itself calls dates.
    marked : columns of numbers that were read with the decimal mark.
    nameless : columns whose name was made; they go where they are empty.
    units : of columns, where a line of the file tells them.
    is_loose : whether lines that are no rows may stand among the rows.
    notes : what a user should know.
    place : where a row is.
    as_written : reads some columns again as texts; None where numbers were never texts.
    """

    source: str
    columns: Mapping[str, Column]
    kind: str | None = None
    delimiter: str = ""
    decimal: str = POINT
    encoding: str = "utf-8"
    dated: frozenset[str] = frozenset()
    marked: frozenset[str] = frozenset()
    nameless: frozenset[str] = frozenset()
    units: Mapping[str, str] = field(default_factory=dict)
    is_loose: bool = False
    notes: tuple[str, ...] = ()
    place: Callable[[int], str] = lambda row: f"row {row + 1}"
    as_written: Callable[[Sequence[str]], Mapping[str, Texts]] | None = None


def as_numbers_where_same(column: Column) -> Column:
    """Return texts as numbers where all of them are whole numbers and written like them.

    A part 007 or 1.5 stays a text, and so does a number that is too long for a double.

    >>> as_numbers_where_same(Texts.of(["7", "12", None]))
    array([ 7., 12., nan])
    >>> as_numbers_where_same(Texts.of(["007", "12"])).values()
    ['007', '12']
    """
    if not isinstance(column, Texts):
        return column
    texts, numbers = column.used(), []
    for level in texts.levels:
        try:
            numbers.append(float(level))
        except ValueError:
            return column
        if not numbers[-1].is_integer() or as_text(numbers[-1]) != level:
            return column
    return np.array([*numbers, np.nan])[texts.codes] if numbers else column
