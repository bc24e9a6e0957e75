"""Where a table comes from: a file, standard input, or a database; one reader for all."""

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from thresher.errors import ParameterError, TableError

if TYPE_CHECKING:
    from thresher.tables.table import Column, Table

STDIN = "-"


@dataclass(frozen=True)
class Source:
    """A table to read.

    Attributes
    ----------
    place : a path, "-" for standard input, or the URL of a database.
    more : paths of further Parquet files with the same columns.
    delimiter, encoding : of CSV; None to find out.
    table, query : what to read of a database.
    """

    place: str
    delimiter: str | None = None
    encoding: str | None = None
    table: str | None = None
    query: str | None = None
    more: tuple[str, ...] = ()

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

    def read(self, texts: Collection[str] = ()) -> "Table":
        r"""Read the whole table.

        Parameters
        ----------
        texts : names
            Columns whose values are kept as they are written; other columns become numbers where
            every value is one.

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
        from thresher.tables.table import Table, checked

        self.check()
        if self.is_database:
            from thresher.tables.database import read_database

            columns = read_database(self.place, self.table, self.query, texts)
            return checked(Table(self.shown, columns))
        columns, note = self._file_columns(texts)
        return checked(Table(self.shown, columns, (note,) if note else ()))

    def check(self) -> None:
        """Refuse parameters that do not go together."""
        if self.is_database and (self.table is None) == (self.query is None):
            raise ParameterError("A database needs table=NAME, or query=SELECT... instead.")
        if not self.is_database and (self.table or self.query):
            raise ParameterError("table= and query= are for the URL of a database.")
        for place in self.files if self.more else ():
            if not is_parquet(place):
                raise ParameterError(f"Several tables must be Parquet files; {place!r} is none.")

    def _file_columns(self, texts: Collection[str]) -> tuple[dict[str, "Column"], str | None]:
        from thresher.tables.text_file import as_utf8, read_bytes, refuse_long_line

        if self.more:
            from thresher.tables.arrow import read_parquets

            return read_parquets(self.files, texts), None
        path = None if self.place == STDIN else Path(self.place)
        data = read_bytes(path, self.shown)
        if data.startswith(b"PAR1"):
            from thresher.tables.arrow import read_parquet

            return read_parquet(data, texts, self.shown), None
        if path is not None and path.suffix in (".parquet", ".pq"):
            raise TableError(f"{self.shown} cannot be read as Parquet: it is something else.")
        data, note = as_utf8(data, self.encoding, self.shown)
        refuse_long_line(data, self.shown)
        return self._csv_columns(data.lstrip(b"\r\n"), texts), note

    def _csv_columns(self, data: bytes, texts: Collection[str]) -> dict[str, "Column"]:
        from thresher.tables import arrow
        from thresher.tables.csv_file import find_layout, read_columns

        layout = find_layout(data, self.delimiter, self.shown)
        fast = arrow.read_csv(data, layout, texts) if arrow.is_installed() else None
        return read_columns(data, layout, texts, self.shown) if fast is None else fast


def is_parquet(place: str) -> bool:
    """Whether a path has a suffix of Parquet."""
    return Path(place).suffix in (".parquet", ".pq")


def _stem(name: str) -> str:
    name = name.removesuffix(".gz")
    for suffix in (".csv", ".tsv", ".txt", ".parquet", ".pq"):
        name = name.removesuffix(suffix)
    return name
