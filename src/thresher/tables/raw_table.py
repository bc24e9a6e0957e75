"""A table as it is written, before anything is made of its cells."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from thresher.tables.notation import POINT
from thresher.tables.table import Column
from thresher.texts import Texts


def row_number(row: int) -> str:
    """Return where a row is, for messages."""
    return f"row {row + 1}"


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
    nameless: frozenset[str] = frozenset()
    units: Mapping[str, str] = field(default_factory=dict)
    is_loose: bool = False
    notes: tuple[str, ...] = ()
    place: Callable[[int], str] = row_number
    as_written: Callable[[Sequence[str]], Mapping[str, Texts]] | None = None
