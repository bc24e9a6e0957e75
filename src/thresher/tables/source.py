"""Where a table comes from: a file, standard input, or a database; one reader for all."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from thresher.errors import ParameterError, TableError

if TYPE_CHECKING:
    from thresher.tables.layout import Layout
    from thresher.tables.plan import Plan
    from thresher.tables.raw_table import RawTable
    from thresher.tables.table import Table

STDIN = "-"


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
    def files(self) -> tuple[str, ...]:
        """All places."""
        return (self.place, *self.more)

    @property
    def is_database(self) -> bool:
        """Whether the place is a URL."""
        return "://" in self.place

    @property
    def name(self) -> str:
        """The name of the table without folder and suffixes."""
        if self.is_database:
            return self.table or "query"
        return "stdin" if self.place == STDIN else _stem(Path(self.place).name)

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
        from thresher.tables.planning import plan_table
        from thresher.tables.table import checked
        from thresher.tables.wishes import Wishes

        self.check()
        wishes = Wishes(texts, self.column, self.missing, self.decimal, known)
        return checked(plan_table(self._raw(list(texts)), wishes))

    def check(self) -> None:
        """Refuse parameters that do not go together."""
        if self.is_database and (self.table is None) == (self.query is None):
            raise ParameterError("A database needs table=NAME, or query=SELECT... instead.")
        if not self.is_database and (self.table or self.query):
            raise ParameterError("table= and query= are for the URL of a database.")
        for place in self.files if self.more else ():
            if not is_parquet(place):
                raise ParameterError(f"Several tables must be Parquet files; {place!r} is none.")

    def _raw(self, texts: list[str]) -> "RawTable":
        """Return the table as it is written."""
        from thresher.tables.raw_table import RawTable

        if self.is_database:
            from thresher.tables.database import read_database

            columns = read_database(self.place, self.table, self.query, texts)
            return RawTable(self.shown, columns)
        if self.more:
            from thresher.tables.arrow import read_parquets

            return RawTable(self.shown, read_parquets(self.files, texts))
        return self._raw_file(texts)

    def _raw_file(self, texts: list[str]) -> "RawTable":
        from thresher.tables.text_file import read_bytes

        path = None if self.place == STDIN else Path(self.place)
        data = read_bytes(path, self.shown)
        if data.startswith(b"PAR1"):
            from thresher.tables.arrow import read_parquet
            from thresher.tables.raw_table import RawTable

            return RawTable(self.shown, read_parquet(data, texts, self.shown))
        if path is not None and is_parquet(self.place):
            raise TableError(f"{self.shown} cannot be read as Parquet: it is something else.")
        from thresher.tables.excel import is_workbook

        if is_workbook(data, path):
            return self._raw_sheet(data, texts)
        if self.sheet is not None:
            raise ParameterError(f"sheet= is for workbooks; {self.shown} is none.")
        return self._raw_csv(data, texts)

    def _raw_sheet(self, data: bytes, texts: list[str]) -> "RawTable":
        from thresher.tables.excel import read_sheet
        from thresher.tables.sheet_table import sheet_table

        return sheet_table(
            read_sheet(data, self.sheet, self.shown),
            self.shown,
            texts,
            has_header=self.header,
            skip_lines=self.skip_lines,
        )

    def layout_of(self, lines: bytes) -> "Layout":
        """Find out how CSV in UTF-8 is written, as far as nobody has said it."""
        from thresher.tables.layout import find_layout

        return find_layout(
            lines,
            self.shown,
            delimiter=self.delimiter,
            has_header=self.header,
            skip_lines=self.skip_lines,
        )

    def _raw_csv(self, data: bytes, texts: list[str]) -> "RawTable":
        from dataclasses import replace

        from thresher.tables.csv_file import read_csv
        from thresher.tables.text_file import as_utf8, refuse_long_line, with_line_feeds

        text = as_utf8(data, self.encoding, self.shown)
        lines = with_line_feeds(text.data)
        refuse_long_line(lines, self.shown)
        raw = read_csv(lines, self.layout_of(lines), texts, self.shown)
        notes = (text.note, *raw.notes) if text.note else raw.notes
        return replace(raw, notes=notes, encoding=text.encoding)


def is_parquet(place: str) -> bool:
    """Whether a path has a suffix of Parquet."""
    return Path(place).suffix in (".parquet", ".pq")


def _stem(name: str) -> str:
    name = name.removesuffix(".gz")
    for suffix in (
        ".csv",
        ".tsv",
        ".txt",
        ".parquet",
        ".pq",
        ".xlsx",
        ".xlsm",
        ".xlsb",
        ".xls",
        ".ods",
    ):
        name = name.removesuffix(suffix)
    return name
