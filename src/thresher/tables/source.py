"""Where a table comes from: a file, standard input, a database or a data frame; one reader.

Nothing heavy is loaded before a table is read, so that a mistake is told at once.
"""

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from thresher.errors import ParameterError, TableError

if TYPE_CHECKING:
    from thresher.tables.layout import Layout
    from thresher.tables.plan import Plan
    from thresher.tables.table import RawTable, Table

STDIN = "-"
TEXT_SUFFIXES, PARQUET_SUFFIXES = (".csv", ".tsv", ".txt"), (".parquet", ".pq")

FIRST_BYTES = 2**20
OTHER_KINDS = (b"PAR1", b"PK\x03\x04", b"\xd0\xcf\x11\xe0", b"\x1f\x8b")
"""How files begin that are no text, or packed text."""


@dataclass(frozen=True)
class Source:
    """A table to read.

    Attributes
    ----------
    place : a path, "-" for standard input, or the URL of a database.
    delimiter, encoding : of CSV; None to find out.
    table, query : what to read of a database.
    more : paths of further Parquet files with the same columns.
    header : whether a line names the columns; None to find out.
    skip_lines : lines before it; None to find out.
    sheet : name or number of a sheet of a workbook; None: the first one that holds a table.
    decimal : decimal mark; None to find out.
    column : what some columns are, by name.
    missing : what stands for "no value" beside the usual words; None to find out.
    """

    place: str
    delimiter: str | None = None
    encoding: str | None = None
    table: str | None = None
    query: str | None = None
    more: tuple[str, ...] = ()
    header: bool | None = None
    skip_lines: int | None = None
    sheet: str | int | None = None
    decimal: str | None = None
    column: Mapping[str, str] = field(default_factory=dict)
    missing: tuple[str, ...] | None = None

    @property
    def is_database(self) -> bool:
        """Whether the place is a URL."""
        return "://" in self.place

    @property
    def name(self) -> str:
        """The name of the table without folder and suffixes."""
        if self.is_database:
            return self.table or "query"
        if self.place == STDIN:
            return "stdin"
        from thresher.tables.workbook import SUFFIXES

        name = Path(self.place).name.removesuffix(".gz")
        for suffix in (*TEXT_SUFFIXES, *PARQUET_SUFFIXES, *SUFFIXES):
            name = name.removesuffix(suffix)
        return name

    @property
    def shown(self) -> str:
        """What messages call the table."""
        if self.is_database:
            from thresher.tables.database import shown

            return shown(self.place)
        return "Standard input" if self.place == STDIN else f"'{self.place}'"

    def read(self, texts: Collection[str] = (), known: "Plan | None" = None) -> "Table":
        r"""Read the whole table.

        Parameters
        ----------
        texts : names
            Columns whose values are kept as they are written.
        known : Plan, default=None
            Of an earlier table; its columns are read the same way.

        Raises
        ------
        TableError
            In one sentence: what is wrong, where, and what to do.

        Examples
        --------
        >>> path = getfixture("tmp_path") / "parts.csv"
        >>> _ = path.write_text("speed;line\n1,5;a\n;b\n")
        >>> table = Source(str(path)).read()
        >>> table.columns["speed"], table.columns["line"].levels
        (array([1.5, nan]), ('a', 'b'))
        """
        from thresher.tables.planning import Wishes, plan_table

        self.check()
        wishes = Wishes(texts, self.column, self.missing, self.decimal, known)
        return plan_table(self._raw(list(texts)), wishes)

    def check(self) -> None:
        """Refuse parameters that do not go together."""
        if self.is_database and (self.table is None) == (self.query is None):
            raise ParameterError("A database needs table=NAME, or query=SELECT... instead.")
        if not self.is_database and (self.table or self.query):
            raise ParameterError("table= and query= are for the URL of a database.")
        for place in (self.place, *self.more) if self.more else ():
            if Path(place).suffix not in PARQUET_SUFFIXES:
                raise ParameterError(f"Several tables must be Parquet files; {place!r} is none.")

    def _raw(self, texts: list[str]) -> "RawTable":
        """Return the table as it is written."""
        from thresher.tables import arrow, csv_file, text_file
        from thresher.tables.excel import sheet_table
        from thresher.tables.table import RawTable
        from thresher.tables.workbook import is_workbook, read_sheet

        if self.is_database:
            from thresher.tables.database import read_database

            columns = read_database(self.place, self.table, self.query, texts)
            return RawTable(self.shown, columns)
        if self.more:
            columns = arrow.read_parquets((self.place, *self.more), texts)
            return RawTable(self.shown, columns)
        path = None if self.place == STDIN else Path(self.place)
        data = text_file.read_bytes(path, self.shown)
        if data.startswith(b"PAR1"):
            return RawTable(self.shown, arrow.read_parquet(data, texts, self.shown))
        if path is not None and path.suffix in PARQUET_SUFFIXES:
            raise TableError(f"{self.shown} cannot be read as Parquet: it is something else.")
        if is_workbook(data, path):
            sheet = read_sheet(data, self.sheet, self.shown)
            return sheet_table(
                sheet, self.shown, texts, has_header=self.header, skip_lines=self.skip_lines
            )
        if self.sheet is not None:
            raise ParameterError(f"sheet= is for workbooks; {self.shown} is none.")
        text = text_file.as_utf8(data, self.encoding, self.shown)
        lines = text_file.with_line_feeds(text.data)
        text_file.refuse_long_line(lines, self.shown)
        raw = csv_file.read_csv(lines, self._layout_of(lines), texts, self.shown)
        notes = (text.note, *raw.notes) if text.note else raw.notes
        return replace(raw, notes=notes, encoding=text.encoding)

    def _layout_of(self, lines: bytes) -> "Layout":
        """Find out how CSV in UTF-8 is written, as far as nobody has said it."""
        from thresher.tables.layout import find_layout

        return find_layout(
            lines,
            self.shown,
            delimiter=self.delimiter,
            has_header=self.header,
            skip_lines=self.skip_lines,
        )

    def check_columns(self, names: Sequence[str]) -> None:
        """Raise at once where a text file cannot be read, or its header lacks a name.

        What a first look cannot tell is left to the reader.
        """
        from thresher.tables.head import absent_columns
        from thresher.tables.text_file import as_utf8, with_line_feeds

        path = Path(self.place)
        if self.is_database or self.more or not path.is_file():
            return
        with path.open("rb") as file:
            start = file.read(FIRST_BYTES)
        if start.startswith(OTHER_KINDS) or path.suffix in (*PARQUET_SUFFIXES, ".gz"):
            return
        whole = start if len(start) < FIRST_BYTES else start[: start.rfind(b"\n") + 1]
        if b"\0" in whole:  # in UTF-16 a line feed has two bytes
            return
        text = with_line_feeds(as_utf8(whole, self.encoding, self.shown).data)
        layout = self._layout_of(text)
        absent = [name for name in names if name not in layout.names]
        if absent:
            raise absent_columns(self.shown, layout.names, absent, notes=layout.notes)


def read_table(
    place: Any,
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    table: str | None = None,
    query: str | None = None,
    header: bool | None = None,
    skip_lines: int | None = None,
    sheet: str | int | None = None,
    decimal: str | None = None,
    column: Mapping[str, str] | None = None,
    missing: Collection[Any] | None = None,
    texts: Collection[str] = (),
    plan: "Plan | None" = None,
) -> "Table":
    r"""Read a table as people have it; `plan` of the result tells what each column was taken for.

    A column that is numbers but for a few cells is of numbers, and these cells are missing; what
    can be read in two ways is asked.

    Parameters
    ----------
    place : path, URL, data frame, or several paths
        CSV (packed or not), Parquet (several files with the same columns, too), "-" for standard
        input, the URL of a database, or a data frame of pandas, polars or pyarrow.
    delimiter, encoding : str, default=None
        Of CSV; found out by default.
    table, query : str, default=None
        What to read of a database.
    header : bool, default=None
        Whether a line names the columns; found out by default.
    skip_lines : int, default=None
        Lines before it; found out by default.
    sheet : str or int, default=None
        Name or number, from 1, of a sheet of a workbook; the first one that holds a table.
    decimal : {".", ","}, default=None
        The decimal mark; found out by default, column by column.
    column : mapping of name to {"number", "category", "date", "calendar", "text", "id", "constant"}
        What some columns are; of a calendar hour, weekday and month are made.
    missing : values, default=None
        What stands for "no value" beside the usual words and numbers such as -9999, far from all
        others. ["none"], or an empty list: no such number does.
    texts : names
        Columns whose values stay as they are written.
    plan : Plan, default=None
        Of an earlier table; its columns are read the same way.

    Returns
    -------
    Table
        `columns` by name, `len(table)` rows, the `plan` of reading, and `notes` about it.

    Raises
    ------
    TableError
        One sentence: what is wrong, where, and what to do.
    QuestionError
        One sentence about what can be read in two ways, and the parameter that decides.

    Examples
    --------
    >>> path = getfixture("tmp_path") / "parts.csv"
    >>> _ = path.write_text("speed;line\n1,5;a\n;b\n")
    >>> table = read_table(path)
    >>> table.columns["speed"], table.columns["line"].levels
    (array([1.5, nan]), ('a', 'b'))
    """
    from thresher.frames import is_frame
    from thresher.tables.frame import raw_frame
    from thresher.tables.planning import Wishes, plan_table
    from thresher.tables.table import Table

    if isinstance(place, Table):
        return place
    words = None if missing is None else tuple(map(str, missing))
    if is_frame(place):
        wishes = Wishes(texts, column or {}, words, decimal, plan)
        return plan_table(raw_frame(place, texts), wishes)
    source = source_of(
        place,
        delimiter=delimiter,
        encoding=encoding,
        table=table,
        query=query,
        header=header,
        skip_lines=skip_lines,
        sheet=sheet,
        decimal=decimal,
        column=column or {},
        missing=words,
    )
    return source.read(texts, plan)


def source_of(place: Any, **options: Any) -> Source:
    """Return the source behind a path, a URL, or several paths."""
    if isinstance(place, Source):
        return place
    places = [place] if isinstance(place, str | os.PathLike) else place
    is_known = isinstance(places, list | tuple) and len(places) > 0
    if not is_known or not all(isinstance(path, str | os.PathLike) for path in places):
        raise ParameterError(
            "A table is a data frame in memory, a path, a URL or a list of paths, got "
            f"{type(place).__name__}; load it into memory, or use thresher.scale."
        )
    first, *more = (os.fspath(path) for path in places)
    return Source(first, more=tuple(more), **options)
