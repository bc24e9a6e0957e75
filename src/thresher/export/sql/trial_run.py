"""Queries run on given rows, in an engine that is at hand: SQLite, or DuckDB where installed."""

import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from typing import Any

from thresher.export.sql.dialect import Dialect

ROW = "thresher_row"
"""The column that numbers the rows."""

ENGINES = {"sqlite": "sqlite3", "duckdb": "duckdb", "ansi": "duckdb"}


def check_engine(dialect: str) -> None:
    """Raise where there is no engine to run a dialect in."""
    if dialect not in ENGINES:
        raise ValueError(
            f"verify cannot run the dialect {dialect!r}, for which there is no engine here; leave "
            "verify out and compare on your database, or verify the dialect 'sqlite' or 'duckdb'."
        )
    if ENGINES[dialect] == "duckdb":
        _duckdb()


def run_query(
    dialect: Dialect,
    query: str,
    table: str,
    columns: Mapping[str, Sequence[Any]],
    booleans: Sequence[str],
) -> list[tuple[Any, ...]]:
    """Make a table of rows, run a query on it, and return what it finds in the rows' order."""
    types = {ROW: "INTEGER"} | {
        name: "BOOLEAN" if name in booleans else _type(dialect, values)
        for name, values in columns.items()
    }
    names = ", ".join(f"{dialect.quote(name)} {kind}" for name, kind in types.items())
    values = list(columns.values())
    rows = list(zip(range(len(values[0])), *values, strict=True))
    if ENGINES[dialect.name] == "sqlite3":
        with closing(sqlite3.connect(":memory:")) as database:
            database.execute(f"CREATE TABLE {table} ({names})")
            places = ", ".join("?" * len(types))
            database.executemany(f"INSERT INTO {table} VALUES ({places})", rows)
            return sorted(database.execute(query).fetchall())
    with closing(_duckdb().connect()) as database:
        database.execute(f"CREATE TABLE {table} ({names})")
        _insert(database, table, rows)
        return sorted(database.execute(query).fetchall())


def _type(dialect: Dialect, values: Sequence[Any]) -> str:
    return dialect.varchar if any(isinstance(value, str) for value in values) else dialect.double


def _insert(database: Any, table: str, rows: Sequence[tuple[Any, ...]], at_once: int = 500) -> None:
    """Insert many rows with each statement, for DuckDB takes long for a statement."""
    for first in range(0, len(rows), at_once):
        some = rows[first : first + at_once]
        place = f"({', '.join('?' * len(some[0]))})"
        values = [value for row in some for value in row]
        database.execute(f"INSERT INTO {table} VALUES {', '.join([place] * len(some))}", values)


def _duckdb() -> Any:
    try:
        import duckdb
    except ImportError:
        raise ImportError(
            "verify runs this dialect in DuckDB; pip install duckdb, or leave verify out."
        ) from None
    return duckdb
