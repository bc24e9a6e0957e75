"""Stages of named expressions, chained to one SELECT in the way of a dialect."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from thresher.answers import ALERT, ANSWERS, PASS, REFER
from thresher.export.sql.dialect import Dialect

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
