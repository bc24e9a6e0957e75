"""What differs between the dialects of SQL: types, literals, quotes, and how stages are chained."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from thresher import sql_escape as escape


@dataclass(frozen=True)
class Dialect:
    """A dialect of SQL.

    Attributes
    ----------
    name : as `export_sql` takes it.
    chaining : how one stage hands its columns to the next: "exclude" (a chain of WITH, whose
        helper columns `* EXCLUDE` leaves out), "record" (the same, with the row as one value
        beside them), "lateral" (joins that see what stands before
        them), "scalar" (a chain of WITH inside a subquery of one value).
    quote, text, number : escapers.
    double, integer, varchar : names of types.
    nan : the literal of NaN, None where numbers have none.
    level : a category column, ready to be compared byte by byte.
    level_end : what `level` adds to a text, and the literals too.
    true, false : literals.
    has_booleans : whether a column can stand as a condition; SQL Server's bits are numbers.
    lateral : the words before a subquery that sees the tables before it.
    logarithm : name of the natural logarithm.
    fence_start, fence_end : what keeps an optimiser from copying one stage into the next, which
        would double a query's work with each stage.
    """

    name: str
    chaining: str
    quote: Callable[[str], str] = escape.identifier
    text: Callable[[str], str] = escape.text
    number: Callable[[float], str] = escape.number
    double: str = "DOUBLE PRECISION"
    integer: str = "INTEGER"
    varchar: str = "VARCHAR"
    nan: str | None = None
    level: str = "{}"
    level_end: str = ""
    true: str = "TRUE"
    false: str = "FALSE"
    has_booleans: bool = True
    lateral: str = "CROSS JOIN LATERAL"
    logarithm: str = "LN"
    fence_start: str = ""
    fence_end: str = ""

    def as_double(self, column: str) -> str:
        """Return a column as a double, NULL where it is missing."""
        cast = f"CAST({column} AS {self.double})"
        return cast if self.nan is None else f"NULLIF({cast}, {self.nan})"

    def label(self, value: Any) -> str:
        """Return a class as a literal."""
        if isinstance(value, bool):
            return self.true if value else self.false
        if isinstance(value, str):
            return self.text(value)
        return str(value) if isinstance(value, int) else self.number(value)


def _of_standard(value: float) -> str:
    # Some databases read a bare literal as a decimal.
    return f"CAST({escape.number(value)} AS DOUBLE PRECISION)"


def _of_postgresql(value: float) -> str:
    return f"float8 '{float(value) + 0.0!r}'"


def _of_snowflake(value: float) -> str:
    return f"CAST('{float(value) + 0.0!r}' AS DOUBLE)"


DIALECTS = {
    dialect.name: dialect
    for dialect in (
        Dialect("ansi", "lateral", number=_of_standard, fence_end=" OFFSET 0 ROWS"),
        Dialect(
            "duckdb",
            "exclude",
            double="DOUBLE",
            nan="CAST('NaN' AS DOUBLE)",
            level="CAST({} AS VARCHAR) COLLATE C",
        ),
        Dialect(
            "postgresql",
            "record",
            text=escape.text_of_postgresql,
            number=_of_postgresql,
            double="float8",
            varchar="text",
            nan="float8 'NaN'",
            level='CAST({} AS text) COLLATE "C"',
            fence_end=" OFFSET 0",
        ),
        Dialect(
            "sqlite",
            "scalar",
            number=escape.exact_number,
            double="REAL",
            varchar="TEXT",
            level="CAST({} AS TEXT) COLLATE BINARY",
            true="1",
            false="0",
            fence_end=" LIMIT -1",
        ),
        Dialect(
            "sqlserver",
            "lateral",
            quote=escape.bracketed,
            text=escape.text_of_sqlserver,
            double="double precision",
            integer="int",
            varchar="nvarchar(max)",
            # Comparison ignores spaces at the end of a text, hence a mark behind it.
            level="(CAST({} AS nvarchar(max)) + N'|') COLLATE Latin1_General_100_BIN2",
            level_end="|",
            true="CAST(1 AS bit)",
            false="CAST(0 AS bit)",
            has_booleans=False,
            lateral="CROSS APPLY",
            logarithm="LOG",
            fence_start="TOP (9223372036854775807) ",
        ),
        Dialect(
            "snowflake",
            "exclude",
            text=escape.text_with_backslashes,
            number=_of_snowflake,
            double="DOUBLE",
            nan="CAST('NaN' AS DOUBLE)",
        ),
    )
}
