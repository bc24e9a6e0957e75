"""A table or a query of a database, through SQLAlchemy."""

from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, Any

from thresher.errors import MissingPackageError, TableError
from thresher.tables.frame import column_of
from thresher.tables.table import Column

if TYPE_CHECKING:
    from sqlalchemy import Executable

ROWS_AT_ONCE = 10_000
NEEDED = "A database needs SQLAlchemy: pip install 'thresher[database]'."


def shown(url: str) -> str:
    """Return a URL as messages show it, without its password.

    >>> shown("postgresql://anna:secret@localhost/plant")
    "'postgresql://anna:***@localhost/plant'"
    """
    try:
        from sqlalchemy import make_url
        from sqlalchemy.exc import ArgumentError
    except ImportError:
        raise MissingPackageError(NEEDED) from None
    try:
        return repr(make_url(url).render_as_string(hide_password=True))
    except (ArgumentError, ValueError):
        raise TableError(
            "The URL of the database cannot be read; it looks like "
            "postgresql+psycopg://user:password@host/database or sqlite:///file.db."
        ) from None


def read_database(
    url: str, table: str | None, query: str | None, texts: Collection[str]
) -> dict[str, Column]:
    """Read the columns of a table or of a query; those in `texts` become text."""
    source = shown(url)
    from sqlalchemy import MetaData, Table, create_engine, inspect, select, text
    from sqlalchemy.exc import SQLAlchemyError

    try:
        engine = create_engine(url)
    except ImportError as error:
        raise MissingPackageError(
            f"{source} needs the driver {error.name!r}: install it, or name another in the URL, as "
            "in postgresql+psycopg://."
        ) from None
    except SQLAlchemyError as error:
        raise TableError(f"{source} cannot be read: {_reason(error)}.") from None
    file = engine.url.database
    # SQLite would make a new, empty file.
    if engine.dialect.name == "sqlite" and file and not Path(file).is_file():
        raise TableError(f"{source} cannot be read: there is no file '{file}'.")
    try:
        with engine.connect() as connection:
            if query is not None:
                statement: Executable = text(query.replace(":", "\\:"))
            else:
                schema, _, name = (table or "").rpartition(".")
                there = inspect(connection)
                known = there.get_table_names(schema or None) + there.get_view_names(schema or None)
                if name not in known:
                    listed = ", ".join(known) or "none"
                    raise TableError(f"{source} has no table {table!r}; its tables are: {listed}.")
                described = Table(name, MetaData(), schema=schema or None, autoload_with=connection)
                statement = select(described)
            found = connection.execution_options(stream_results=True).execute(statement)
            if not found.returns_rows:
                raise TableError(f"The query to {source} returns no rows; give a SELECT.")
            names = list(found.keys())
            lists: list[list[Any]] = [[] for _ in names]
            for rows in found.partitions(ROWS_AT_ONCE):
                for values, more in zip(lists, zip(*rows, strict=True), strict=True):
                    values.extend(more)
    except SQLAlchemyError as error:
        raise TableError(f"{source} cannot be read: {_reason(error)}.") from None
    finally:
        engine.dispose()
    if len(set(names)) < len(names):
        raise TableError(f"The query to {source} has two columns of one name; rename one.")
    return {
        name: column_of(values, name in texts) for name, values in zip(names, lists, strict=True)
    }


def _reason(error: Exception) -> str:
    """Return the first line of what the database says."""
    said = str(getattr(error, "orig", None) or error).strip()
    return " ".join(said.partition("\n")[0].split()).rstrip(".")
