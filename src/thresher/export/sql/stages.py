"""A Scoring as stages of SQL expressions: inputs, trees or line, steps, probability."""

from collections.abc import Iterator, Sequence

from thresher.column import Levels, has_others, named
from thresher.export.scoring import (
    ZERO,
    Clip,
    Complement,
    CostCut,
    Line,
    Logistic,
    RowCut,
    Scoring,
    ScoringTree,
    Step,
    Trees,
)
from thresher.export.sql.query import TABLE, Dialect, Stage
from thresher.export.sql.tree import Outcome, TreeCases
from thresher.sql import guarded

TREES_AT_ONCE = 24
"""Trees whose values stand side by side in one stage."""

MEANS_AT_ONCE = 6
"""Values that enter the running mean in one stage; each doubles the text of its expression."""

TERMS_AT_ONCE = 100
"""Terms of a sum in one expression."""

MIN_EXPONENT = -745.0
"""Below it, exp is 0, which PostgreSQL takes for an error."""


class Stages:
    """The stages of one model.

    Attributes
    ----------
    stages : in order.
    probability, decided, leaf : quoted columns of the last stage, `leaf` None without one.
    cut : what must be exceeded: a literal, or a column of all stages.
    referred : what decides about referred rows, a column and a literal that it must exceed; None
        for nobody.
    """

    def __init__(
        self,
        scoring: Scoring,
        dialect: Dialect,
        booleans: Sequence[str] = (),
        referred_to: Scoring | None = None,
    ) -> None:
        self._scoring, self._dialect = scoring, dialect
        self._scorings = [scoring] if referred_to is None else [scoring, referred_to]
        self.referred: tuple[str, str] | None = None
        self.stages: list[Stage] = []
        self.leaf: str | None = None
        self._inputs: list[str] = [""] * scoring.columns.width
        self._prefix, self._held = "", list[str]()
        self.cut = self._number(scoring.threshold)
        self._read_inputs(set(booleans))
        if any(one.derived for one in self._scorings):
            self._derive()
        if referred_to is not None:
            self._held += self._inputs
        self._decide(scoring)
        if referred_to is not None:
            self._ask(referred_to)

    def _decide(self, scoring: Scoring) -> None:
        """Add the stages from the inputs to what is decided by."""
        score = scoring.score
        self.decided = self._line(score) if isinstance(score, Line) else self._trees(score)
        self.probability = self.decided
        for place, step in enumerate(scoring.steps):
            self._apply(place, step)
        if not scoring.decides_on_score:
            self.decided = self.probability

    def _ask(self, scoring: Scoring) -> None:
        """Add the stages of the model that decides about referred rows, behind the others.

        SQLite then computes them for these rows alone.
        """
        found = self.probability, self.decided, self.leaf
        self._held += [name for name in found if name is not None]
        self._prefix = "model_"
        self._decide(scoring)
        self.referred = self.decided, self._number(scoring.threshold)
        self._held.append(self.decided)
        self.probability, self.decided, self.leaf = found

    def _column(self, name: str) -> str:
        return self._dialect.quote(f"thresher_{self._prefix}{name}")

    def _add(self, new: dict[str, str], carried: Sequence[str] = ()) -> None:
        wanted = (*carried, *self._held)
        kept = tuple(dict.fromkeys(name for name in wanted if name and name not in new))
        self.stages.append(Stage(new, kept))

    def _number(self, value: float) -> str:
        return self._dialect.number(value)

    # ------------------------------------------------------------------------------------ inputs

    def _read_inputs(self, booleans: set[str]) -> None:
        scoring, new = self._scoring, {}
        for place in sorted({place for one in self._scorings for place in one.used}):
            name, column = scoring.names[place], self._column(f"x{place}")
            new[column] = self._input(name, scoring.levels[place], name in booleans)
            if place in scoring.zero_is_missing:
                new[column] = self._without_zero(new[column])
            self._inputs[place] = column
        if scoring.cut is not None:
            self.cut = self._column("cut")
            new[self.cut] = self._row_cut(scoring.cut, booleans)
            self._held = [self.cut]
        # A model that asks nothing still has a stage for others to stand on.
        self._add(new or {self._column("x"): "0"})

    def _row_cut(self, cut: RowCut, booleans: set[str]) -> str:
        if isinstance(cut, CostCut):
            return self._cost_cut(cut)
        name, number = self._scoring.names[cut.place], self._number
        code = self._input(name, cut.groups, name in booleans)
        cases = " ".join(f"WHEN {place} THEN {number(one)}" for place, one in enumerate(cut.cuts))
        return f"CASE {code} {cases} ELSE {number(self._scoring.threshold)} END"

    def _cost_cut(self, cut: CostCut) -> str:
        """Return the cut by costs; NULL for a row without them."""
        number, quote = self._number, self._dialect.quote
        fp, fn = (
            self._dialect.as_double(f"{quote(TABLE)}.{quote(one)}")
            if isinstance(one, str)
            else number(one)
            for one in (cut.fp, cut.fn)
        )
        total = f"({fp} + {fn} + {number(cut.gain_tp)} + {number(cut.gain_tn)})"
        base = f"({fp} + {number(cut.gain_tn)} + {number(cut.least_saving)})"
        zero = number(0.0)
        cases = f"WHEN {total} > {zero} THEN {base} / {total} WHEN {total} <= {zero} THEN"
        return f"CASE {cases} {number(1.0)} END"

    def _derive(self) -> None:
        """Add a stage with the derived columns."""
        new, inputs = {}, self._inputs
        derived = {place: pair for one in self._scorings for place, pair in one.derived.items()}
        for place, pair in derived.items():
            left, right = (inputs[part] for part in pair.parts)
            column = self._column(f"x{place}")
            new[column] = guarded(pair.operation, left, right, self._number)
            inputs[place] = column
        self._add(new, inputs)

    def _input(self, name: str, levels: Levels | None, is_boolean: bool) -> str:
        dialect = self._dialect
        column = f"{dialect.quote(TABLE)}.{dialect.quote(name)}"
        if is_boolean and dialect.has_booleans:
            one, zero = self._number(1.0), self._number(0.0)
            number = f"CASE WHEN {column} THEN {one} WHEN NOT {column} THEN {zero} END"
        else:
            number = dialect.as_double(column)
        if levels is None:
            return number
        names = named(levels)
        if names and isinstance(names[0], str):
            texts = [self._level(level) for level in names]
            return _coded(dialect.level.format(column), texts, has_others(levels))
        return _coded(number, [self._number(float(level)) for level in names], has_others(levels))

    def _without_zero(self, number: str) -> str:
        low, high = self._number(-ZERO), self._number(ZERO)
        return f"CASE WHEN {number} < {low} OR {number} > {high} THEN {number} END"

    def _level(self, level: object) -> str:
        return self._dialect.text(f"{level}{self._dialect.level_end}")

    # ------------------------------------------------------------------------------------- trees

    def _trees(self, trees: Trees) -> str:
        if trees.combination == "only":
            return self._only(trees.trees[0])
        if trees.combination == "votes":
            return self._votes(trees.trees)
        if trees.combination == "sum":
            return self._sum(trees.trees, self._number(trees.base))
        return self._mean(trees.trees, by_share=trees.combination == "shares")

    def _cases(self, tree: ScoringTree) -> TreeCases:
        return TreeCases(tree, self._inputs, self._scoring.wide_levels, self._number)

    def _only(self, tree: ScoringTree) -> str:
        self.leaf = self._leaf(tree, "leaf")
        probability = self._column("p")
        self._add({probability: self._value_at(tree, self.leaf)}, [self.leaf])
        return probability

    def _value_at(self, tree: ScoringTree, leaf: str) -> str:
        values = tree.value.tolist()
        cases = [f"WHEN {node} THEN {self._number(values[node])}" for node in tree.leaves]
        return f"CASE {leaf} {' '.join(cases)} END"

    def _leaf(self, tree: ScoringTree, name: str, carried: Sequence[str] = ()) -> str:
        """Add the stages that find the leaf; return its column."""
        names = [self._column(name)]

        def at(stage: int) -> str:
            while len(names) <= stage:
                names.append(self._column(f"{name}_{len(names)}"))
            return names[stage]

        stages = self._cases(tree).stages(at)
        for place, text in enumerate(stages):
            self._add({at(place): text}, [*self._inputs, *carried])
        return at(len(stages) - 1)

    def _values(
        self, trees: Sequence[ScoringTree], first: int, carried: Sequence[str]
    ) -> list[str]:
        """Add stages with what some trees say; return their columns."""
        new: dict[str, str] = {}
        done: list[str] = []
        for place, tree in enumerate(trees, start=first):
            column, cases = self._column(f"v{place}"), self._cases(tree)
            if cases.is_flat:
                new[column] = cases.whole(self._value_of(tree))
            else:
                leaf = self._leaf(tree, f"at{place}", [*carried, *done])
                self._add({column: self._value_at(tree, leaf)}, [*self._inputs, *carried, *done])
                done.append(column)
        if new:
            self._add(new, [*self._inputs, *carried, *done])
        return [self._column(f"v{place}") for place in range(first, first + len(trees))]

    def _value_of(self, tree: ScoringTree) -> Outcome:
        return lambda node: self._number(float(tree.value[node]))

    def _batches(self, trees: Sequence[ScoringTree]) -> Iterator[tuple[int, Sequence[ScoringTree]]]:
        for first in range(0, len(trees), TREES_AT_ONCE):
            yield first, trees[first : first + TREES_AT_ONCE]

    def _votes(self, trees: Sequence[ScoringTree]) -> str:
        total = self._sum(trees, "")
        share = self._column("p")
        self._add({share: f"{total} / {self._number(float(len(trees)))}"})
        return share

    def _sum(self, trees: Sequence[ScoringTree], total: str) -> str:
        """Add stages with the sum of trees, from left to right; return its column."""
        for first, batch in self._batches(trees):
            values = self._values(batch, first, [total] if first else [])
            column = self._column(f"sum{first}")
            self._add({column: " + ".join(filter(None, [total, *values]))}, self._inputs)
            total = column
        return total

    def _mean(self, trees: Sequence[ScoringTree], *, by_share: bool) -> str:
        mean, count = "", 0
        for first, batch in self._batches(trees):
            values = self._values(batch, first, [mean])
            while values:
                text, column = mean, self._column(f"mean{count + 1}")
                for value in values[:MEANS_AT_ONCE]:
                    count += 1
                    text = self._next_mean(text, value, count, by_share)
                values = values[MEANS_AT_ONCE:]
                # The inputs are read again by the next trees only.
                self._add({column: text}, [*self._inputs, *values])
                mean = column
        return mean

    def _next_mean(self, mean: str, value: str, count: int, by_share: bool) -> str:
        if not mean:
            return value
        number = self._number(float(count))
        if by_share:
            share = f"({self._number(1.0)} / {number})"
            return f"({mean} + {share} * ({value} - {mean}))"
        return f"({mean} + ({value} - {mean}) / {number})"

    # ------------------------------------------------------------------------------- line, steps

    def _line(self, line: Line) -> str:
        terms = [
            f"{column} * {self._number(slope)}"
            for column, slope in zip(self._inputs, line.coefficients.tolist(), strict=True)
        ]
        total = ""
        for first in range(0, len(terms), TERMS_AT_ONCE):
            column = self._column(f"sum{first}")
            sums = filter(None, [total, *terms[first : first + TERMS_AT_ONCE]])
            self._add({column: " + ".join(sums)}, self._inputs)
            total = column
        score = self._column("score")
        self._add({score: f"{total} + {self._number(line.intercept)}"})
        return score

    def _apply(self, place: int, step: Step) -> None:
        column = self._column(f"p{place}")
        text = self._step(step, self.probability)
        self._add({column: text}, [self.decided])
        self.probability = column

    def _step(self, step: Step, p: str) -> str:
        one, zero = self._number(1.0), self._number(0.0)
        if isinstance(step, Clip):
            return f"CASE WHEN {p} < {zero} THEN {zero} WHEN {p} > {one} THEN {one} ELSE {p} END"
        if isinstance(step, Complement):
            return f"{one} - {p}"
        if isinstance(step, Logistic):
            score = p if step.slope == 1.0 else f"({self._number(step.slope)} * {p})"
            return self._logistic(score, one, zero)
        scaled = f"{self._number(step.factor)} * {p}"
        return f"({scaled}) / (({scaled}) + ({one} - {p}))"

    def _logistic(self, score: str, one: str, zero: str) -> str:
        """Take exp of numbers below 0 only, so that nothing overflows."""
        least = self._number(MIN_EXPONENT)
        return (
            f"CASE WHEN {score} < {least} THEN {zero} "
            f"WHEN {score} < {zero} THEN EXP({score}) / ({one} + EXP({score})) "
            f"WHEN {score} > {self._number(-MIN_EXPONENT)} THEN {one} "
            f"ELSE {one} / ({one} + EXP(-{score})) END"
        )


def _coded(value: str, levels: Sequence[str], has_others: bool) -> str:
    """Return the code of a level: the last one where it is unknown, or NULL without others."""
    cases = " ".join(f"WHEN {level} THEN {code}" for code, level in enumerate(levels))
    if has_others:
        # No WHEN holds for NULL, which an ELSE would take for one of the others.
        return f"CASE WHEN {value} IS NOT NULL THEN CASE {value} {cases} ELSE {len(levels)} END END"
    return f"CASE {value} {cases} END" if cases else "NULL"
