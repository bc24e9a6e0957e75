"""The text of a query, in the dialects of databases."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from thresher import sql as escape
from thresher.answers import ALERT, ANSWERS, PASS, REFER


@dataclass(frozen=True)
class Dialect:
    """A dialect of SQL.

    Attributes
    ----------
    name : as `to_sql` takes it.
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


# -------------------------------------------------------------------------------- stages of a query

TABLE = "thresher_t"
"""Alias of the table; stages are named after it."""

OUTPUTS = ("probability", "decision", "leaf")
ANSWER = "answer"
"""The columns that are added; the last is there where rows are referred."""


@dataclass(frozen=True)
class Stage:
    """Columns that are computed from those of the stages before.

    Attributes
    ----------
    new : expressions by the quoted name of their column.
    carried : columns of earlier stages that later ones still need.
    """

    new: Mapping[str, str]
    carried: tuple[str, ...] = ()

    @property
    def visible(self) -> tuple[str, ...]:
        """What the next stage sees."""
        return (*self.carried, *self.new)


@dataclass(frozen=True)
class Query:
    """A SELECT of kept columns, probability, decision and leaf, and of answers on demand.

    Attributes
    ----------
    table : its quoted name.
    kept : quoted names of columns, or a star alone.
    stages : the first one reads the table as `thresher_t`; all names are quoted.
    probability, decided, leaf : columns that the last stage shows: the probability, what must
        be above the threshold, and the leaf, if there is one.
    cut : what must be exceeded, a literal or a column of the first stage.
    negative, positive : literals.
    alert : what alerts exceed, as a literal; None where no row is referred.
    referred : what decides about referred rows, a column and a literal that it must exceed; None
        where they are taken for alerts.
    """

    dialect: Dialect
    table: str
    kept: Sequence[str]
    stages: Sequence[Stage]
    probability: str
    decided: str
    leaf: str | None
    cut: str
    negative: str
    positive: str
    alert: str | None = None
    referred: tuple[str, str] | None = None

    def text(self) -> str:
        """Return the query."""
        return {
            "exclude": self._exclude,
            "record": self._record,
            "lateral": self._lateral,
            "scalar": self._scalar,
        }[self.dialect.chaining]()

    def _outputs(
        self, probability: str, decided: str, leaf: str | None, cut: str | None = None
    ) -> list[str]:
        # A row without a score or a cut, for want of a number, is in neither class.
        above = self.cut if cut is None else cut
        first = f"WHEN {decided} > {above} THEN {self.positive}"
        if self.referred is not None:
            asked = f"WHEN {decided} > {above} THEN {self._asked(*self.referred)}"
            first = f"WHEN {decided} > {self.alert} THEN {self.positive} {asked}"
        decision = f"CASE {first} WHEN {decided} <= {above} THEN {self.negative} END"
        found = leaf or f"CAST(NULL AS {self.dialect.integer})"
        columns = dict(zip(OUTPUTS, (probability, decision, found), strict=True))
        if self.alert is not None:
            columns[ANSWER] = self._answer(decided, self.alert)
        return self._named(columns, True)

    def _asked(self, column: str, above: str) -> str:
        """Return the class that another model finds for a referred row."""
        if self.dialect.chaining != "scalar":
            return (
                f"CASE WHEN {column} > {above} THEN {self.positive} "
                f"WHEN {column} <= {above} THEN {self.negative} END"
            )
        # The column is a long subquery, which is written once.
        found = f"{self._value(column)} > {above}"
        return f"CASE {found} WHEN 1 THEN {self.positive} WHEN 0 THEN {self.negative} END"

    def _answer(self, decided: str, alert: str) -> str:
        words = {word: self.dialect.text(word) for word in ANSWERS}
        return (
            f"CASE WHEN {decided} > {alert} THEN {words[ALERT]} "
            f"WHEN {decided} > {self.cut} THEN {words[REFER]} "
            f"WHEN {decided} <= {self.cut} THEN {words[PASS]} END"
        )

    def _named(self, expressions: Mapping[str, str], is_output: bool = False) -> list[str]:
        quote = self.dialect.quote if is_output else str
        return [f"{text} AS {quote(name)}" for name, text in expressions.items()]

    def _kept(self) -> str:
        return ", ".join(f"{self._alias()}.{name}" for name in self.kept)

    def _alias(self, place: int | str = "") -> str:
        return self.dialect.quote(f"{TABLE}{place}")

    @property
    def _is_star(self) -> bool:
        return list(self.kept) == ["*"]

    # ---------------------------------------------------------------------- WITH and * EXCLUDE

    def _exclude(self) -> str:
        steps: list[str] = []
        seen: tuple[str, ...] = ()
        source = f"{self.table} AS {self._alias()}"
        for place, stage in enumerate(self.stages):
            gone = [name for name in seen if name not in stage.carried]
            columns = ",\n    ".join([_all_but(gone), *self._named(stage.new)])
            steps.append(f"{self._alias(place)} AS (\n  SELECT {columns}\n  FROM {source})")
            seen, source = stage.visible, self._alias(place)
        kept = _all_but(seen) if self._is_star else ", ".join(self.kept)
        last = ",\n  ".join([kept, *self._outputs(self.probability, self.decided, self.leaf)])
        return f"WITH {', '.join(steps)}\nSELECT {last}\nFROM {source}"

    # -------------------------------------------------------------- WITH and the row as a value

    def _record(self) -> str:
        row = self.dialect.quote(f"{TABLE}_row")
        steps: list[str] = []
        source, first = f"{self.table} AS {self._alias()}", f"{self._alias()} AS {row}"
        for place, stage in enumerate(self.stages):
            columns = ",\n    ".join([first, *stage.carried, *self._named(stage.new)])
            fenced = f"SELECT {columns}\n  FROM {source}{self.dialect.fence_end}"
            steps.append(f"{self._alias(place)} AS (\n  {fenced})")
            source, first = self._alias(place), row
        kept = ", ".join(f"({row}).{name}" for name in self.kept)
        outputs = self._outputs(self.probability, self.decided, self.leaf)
        return f"WITH {', '.join(steps)}\nSELECT {_lines([kept, *outputs])}\nFROM {source}"

    # --------------------------------------------------------------------------- lateral joins

    def _lateral(self) -> str:
        dialect = self.dialect
        lines = [f"FROM {self.table} AS {self._alias()}"]
        for place, stage in enumerate(self.stages):
            columns = ",\n    ".join(self._named(stage.new))
            fenced = f"{dialect.fence_start}{columns}{dialect.fence_end}"
            lines.append(f"{dialect.lateral} (SELECT {fenced}) AS {self._alias(place)}")
        outputs = self._outputs(self.probability, self.decided, self.leaf)
        return f"SELECT {_lines([self._kept(), *outputs])}\n" + "\n".join(lines)

    # ------------------------------------------------------------------ subqueries of one value

    def _scalar(self) -> str:
        """Find each value in a subquery of its own, for SQLite has no lateral joins.

        The inner SELECT adds the probability alone, which is where it belongs in the result.
        """
        quote = self.dialect.quote
        found = quote(OUTPUTS[0] if self._is_star else f"{TABLE}_p")
        decided = found if self.decided == self.probability else self._value(self.decided)
        leaf = None if self.leaf is None else self._value(self.leaf)
        cut = self._value(self.cut) if self.cut in self.stages[0].new else self.cut
        probability, *others = self._outputs(found, decided, leaf, cut)
        kept = "*" if self._is_star else f"{', '.join(self.kept)},\n  {probability}"
        end = self.dialect.fence_end
        return (
            f"SELECT {_lines([kept, *others])}\nFROM (SELECT {self._alias()}.*, "
            f"{self._value(self.probability)} AS {found}\n"
            f"  FROM {self.table} AS {self._alias()}{end}) AS {self._alias()}{end}"
        )

    def _value(self, column: str) -> str:
        steps, source = [], ""
        for place, stage in enumerate(self.stages):
            columns = ",\n    ".join([*stage.carried, *self._named(stage.new)])
            fenced = f"SELECT {columns}{source}{self.dialect.fence_end}"
            steps.append(f"{self._alias(place)} AS ({fenced})")
            source = f" FROM {self._alias(place)}"
            if column in stage.new:
                break
        return f"(WITH {', '.join(steps)}\n  SELECT {column}{source})"


def _all_but(names: Sequence[str]) -> str:
    return f"* EXCLUDE ({', '.join(names)})" if names else "*"


def _lines(columns: Sequence[str]) -> str:
    return ",\n  ".join(columns)
