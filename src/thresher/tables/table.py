"""A table as columns: numbers, or texts as codes of their sorted levels."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from thresher.errors import TableError
from thresher.texts import Numbers, Texts
from thresher.wording import first_of

MISSING = frozenset({"", "?", "na", "n/a", "nan", "null", "none"})
"""What stands for a missing value, in any case."""

Column: TypeAlias = Numbers | Texts


def cleaned(texts: Texts) -> Texts:
    """Return a column without spaces around texts and without words for "missing".

    >>> cleaned(Texts.of([" b", "b", "n/a"]))
    Texts(codes=array([ 0,  0, -1], dtype=int32), levels=('b',))
    """
    clean = Texts.of(_cleaned(level) for level in texts.levels)
    return Texts(np.append(clean.codes, np.int32(-1))[texts.codes], clean.levels)


def _cleaned(text: str) -> str | None:
    word = text.strip()
    return None if word.lower() in MISSING else word


def best_column(texts: Texts) -> Column:
    """Return a column of cleaned texts as numbers where all of them are.

    >>> best_column(Texts.of(["1,5", " 2", "NA"]))
    array([1.5, 2. , nan])
    """
    texts = cleaned(texts)
    numbers = _parsed(texts.levels)
    return texts if numbers is None else np.append(numbers, np.nan)[texts.codes]


def _parsed(levels: Sequence[str]) -> Numbers | None:
    """Return texts as numbers, with a decimal point in all of them or a comma in all of them."""
    for mark in (".", ","):
        try:
            return np.array([_number(level, mark) for level in levels], dtype=np.float64)
        except ValueError:
            continue
    return None


def _number(text: str, mark: str) -> float:
    # Python's own reading takes 1_000, which no table means as a number.
    if "_" in text or (mark == "," and "." in text):
        raise ValueError
    return float(text.replace(mark, "."))


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


@dataclass(frozen=True)
class Table:
    """Named columns of one length.

    Attributes
    ----------
    source : what messages call the table.
    columns : the columns by name.
    notes : what a user should know about how it was read.
    kind : library of the data frame that it came from, None for others.
    """

    source: str
    columns: Mapping[str, Column]
    notes: tuple[str, ...] = ()
    kind: str | None = None

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    def need(self, names: Iterable[str], why: str = "") -> None:
        """Raise unless the table has these columns."""
        absent = [name for name in names if name not in self.columns]
        if not absent:
            return
        if all(_is_number(name) for name in self.columns):
            raise TableError(
                f"{self.source} has no column {absent[0]!r}{why}: its first line, "
                f"{first_of(self.columns, 4)}, must name the columns."
            )
        near = get_close_matches(absent[0], self.columns, n=1, cutoff=0.6)
        hint = f"did you mean {near[0]!r}? Its" if near else "its"
        also = f" (nor {first_of(map(repr, absent[1:]), 4)})" if absent[1:] else ""
        raise TableError(
            f"{self.source} has no column {absent[0]!r}{also}{why}; {hint} columns are "
            f"{first_of(self.columns, 24)}."
        )

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


def _is_number(text: str) -> bool:
    try:
        return _number(text, ",") is not None
    except ValueError:
        return False


def checked(table: Table) -> Table:
    """Return a table that has columns and rows, or raise."""
    if not table.columns:
        raise TableError(f"{table.source} has no columns.")
    if not len(table):
        raise TableError(f"{table.source} has a header but no rows.")
    return table
