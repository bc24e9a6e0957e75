"""A table as columns: numbers, or texts as codes of their sorted levels."""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from thresher.errors import TableError
from thresher.tables.glance import absent_columns
from thresher.tables.plan import Plan
from thresher.tables.vocabulary import MISSING
from thresher.texts import Numbers, Texts

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
        if not absent:
            return
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
        return self._each(
            lambda column: (
                replace(column, codes=column.codes[rows])
                if isinstance(column, Texts)
                else column[rows]
            )
        )

    def _each(self, change: Callable[[Column], Column]) -> "Table":
        return replace(self, columns={name: change(one) for name, one in self.columns.items()})


def checked(table: Table) -> Table:
    """Return a table that has columns and rows, or raise."""
    if not table.columns:
        raise TableError(f"{table.source} has no columns.")
    if not len(table):
        raise TableError(f"{table.source} has a header but no rows.")
    return table
