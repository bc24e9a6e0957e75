"""Conditions with their evidence: as a data frame, text, JSON, or WHERE clauses of SQL."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import isnan
from typing import Any, ClassVar

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from thresher.column import Matrix
from thresher.condition.column_table import ColumnTable
from thresher.condition.condition import Condition, members
from thresher.condition.evidence import Tally, money_at_stake, tally
from thresher.condition.imitation import Imitation
from thresher.condition.picture import ConditionPicture, pictured
from thresher.condition.sql import where
from thresher.condition.words import readable
from thresher.figures.figure import Figure, html_table, in_notebook
from thresher.figures.tree import draw_share
from thresher.statistics import Vector
from thresher.validation import read_labels
from thresher.wording import class_name, counted, name, p_words, percent, plain

MOST_SHOWN = 40
"""Conditions in a notebook."""
LEVEL = 0.05
"""From this p-value on a condition may be chance."""
CONFIRMED, CHANCE = "confirmed", "may be chance"
NOT_MET, NOT_TESTED = "not met by any unseen row", "not tested"
"""What rows that had no part in a condition say of it."""
HOLD_OUT, OUT_OF_FOLD, TRAINING_ROWS = "hold-out", "out of fold", "training rows again"
"""Where the counts beside those of training come from."""
LIKE_IT = {OUT_OF_FOLD: "out of fold, conditions like it"}
"""Out of fold, trees grown without a row stand for the tree: their conditions are like these."""


@dataclass(frozen=True, repr=False)
class ConditionTable(ColumnTable):
    """Conditions, those with most scrap first, and what speaks for each.

    Attributes
    ----------
    conditions : the conditions.
    texts : their words.
    training : counts on the rows that grew the tree.
    held : counts on rows that did not, None where there are none.
    p_value : adjusted p-values, NaN where they are not known.
    stability : share of bootstrap trees with a similar condition, NaN where it is not known.
    money : what is at stake, NaN without costs.
    stages : where each is known, None without stages.
    evidence : "hold-out" or "out of fold", where `held` comes from; None without it.
    pos_label : the class that they lead to.
    permutations : of labels, from which p-values come; 0 where they do not.
    imitation : how a classifier of another library was imitated; None for others.
    target : the column of the classes, None where it has no name.
    """

    TEXTS: ClassVar[frozenset[str]] = frozenset({"text", "state", "stage", "leaves", "sql"})

    conditions: Sequence[Condition]
    texts: Sequence[str]
    training: Tally
    held: Tally | None
    p_value: Vector
    stability: Vector
    money: Vector
    stages: tuple[str | None, ...]
    evidence: str | None
    pos_label: Any
    permutations: int = 0
    imitation: Imitation | None = None
    target: str | None = None

    def __len__(self) -> int:
        return len(self.conditions)

    def __repr__(self) -> str:
        return f"<ConditionTable: {len(self)} conditions, {self.is_confirmed.sum()} confirmed>"

    @property
    def class_name(self) -> str:
        """What people call positive rows."""
        return class_name(self.target, self.pos_label)

    @cached_property
    def states(self) -> tuple[str, ...]:
        """What unseen rows say of each condition: only a confirmed one is named as a cause.

        Confirmed: p < 0.05, and the interval of its unseen rate lies above the average of all
        unseen rows.
        """
        if self.held is None:
            return tuple(CHANCE if p >= LEVEL else NOT_TESTED for p in self.p_value.tolist())
        is_above = self.held.interval[0] > self.held.average
        facts = zip(self.p_value.tolist(), self.held.n.tolist(), is_above.tolist(), strict=True)
        return tuple(self._state(*fact) for fact in facts)

    def _state(self, p: float, n: int, is_above: bool) -> str:
        if self.evidence == TRAINING_ROWS or isnan(p):
            return NOT_TESTED
        if not n:
            return NOT_MET
        return CONFIRMED if p < LEVEL and is_above else CHANCE

    @property
    def is_confirmed(self) -> NDArray[np.bool_]:
        """Whether unseen rows confirm each condition."""
        return np.array([state == CONFIRMED for state in self.states], dtype=np.bool_)

    @cached_property
    def place_of_leaf(self) -> dict[int, int]:
        """The place of the condition of each leaf that has one."""
        pairs = enumerate(self.conditions)
        return {leaf: place for place, condition in pairs for leaf in condition.leaves}

    def columns(self) -> dict[str, list[Any]]:
        """Return the columns by name; what is not known is None."""
        return dict(self._columns)

    @cached_property
    def _columns(self) -> dict[str, list[Any]]:
        numbers = self._counted("", self.training)
        numbers |= {"lift": self.training.lift, "coverage": self.training.coverage}
        numbers |= self._counted("holdout_", self.held)
        numbers |= {"p_value": self.p_value, "stability": self.stability, "money": self.money}
        return {
            "condition": list(range(1, len(self) + 1)),
            "text": list(self.texts),
            **{name: _known(values) for name, values in numbers.items()},
            "state": list(self.states),
            "stage": list(self.stages),
            "leaves": [", ".join(map(str, condition.leaves)) for condition in self.conditions],
            "sql": [where(condition.clauses) for condition in self.conditions],
        }

    def _counted(self, prefix: str, counts: Tally | None) -> dict[str, Any]:
        names = [f"{prefix}{name}" for name in ("parts", "scrap", "rate", "rate_low", "rate_high")]
        if counts is None:
            return dict.fromkeys(names, np.full(len(self), np.nan))
        return dict(zip(names, (counts.n, counts.hits, counts.rate, *counts.interval), strict=True))

    def to_json(self) -> str:
        """Return a JSON object: the whole table's counts, and the conditions with their clauses."""
        columns = self.columns()
        rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
        for row, condition in zip(rows, self.conditions, strict=True):
            row["leaves"] = list(condition.leaves)
            row["clauses"] = [clause.as_data() for clause in condition.clauses]
        whole = {
            "positive_class": str(self.pos_label),
            "parts": self.training.all_n,
            "scrap": self.training.all_hits,
            "evidence": self.evidence,
            "permutations": self.permutations,
        }
        if self.imitation is not None:
            whole["imitation"] = self.imitation._asdict()
        if self.held is not None:
            whole |= {"holdout_parts": self.held.all_n, "holdout_scrap": self.held.all_hits}
        return json.dumps({**whole, "conditions": rows}, ensure_ascii=False, indent=2)

    def to_sql(self) -> str:
        """Return one WHERE clause that holds where any of the conditions does."""
        return "\n   OR ".join(f"({where(found.clauses)})" for found in self.conditions) or "1 = 0"

    def to_text(self) -> str:
        """Return a few lines for each condition."""
        if not self.conditions:
            return f"No condition leads to {self.pos_label}.\n"
        lines = [self.lines(place) for place in range(len(self))]
        if self.imitation is not None:
            lines.insert(0, plain(str(self.imitation)))
        return "\n".join(lines) + "\n"

    def lines(self, place: int) -> str:
        """Return one condition in words, over several lines."""
        row = {name: values[place] for name, values in self._columns.items()}
        counts = [_counted_words("training", row, "", self.class_name)]
        if self.held is not None:
            source = LIKE_IT.get(str(self.evidence), str(self.evidence))
            counts.append(
                _counted_words(source, row, "holdout_", self.class_name)
                if row["holdout_parts"]
                else f"{source}: no rows met it, so it cannot be judged"
            )
        lift, coverage = (values[place] for values in self.shown_shares)
        # None of these rows may meet it.
        times = "" if isnan(lift) else f"{lift:.1f} times the average, "
        share = f"{self.where_shares} {times}{percent(coverage)} of all {self.class_name}"
        proof = [
            words(row, self.class_name) for name, words in PROOF.items() if row[name] is not None
        ]
        if row["p_value"] is not None:
            proof = [p_words(row["p_value"], self.least_p), *proof]
        lines = [f"{row['condition']}. {row['text']}", *counts, "; ".join([share, *proof])]
        return plain("\n   ".join(lines))

    @cached_property
    def shown_shares(self) -> tuple[Vector, Vector]:
        """Lift and coverage as they are shown: on hold-out rows where there are such."""
        counts = self.training
        if self.held is not None and self.evidence == HOLD_OUT:
            counts = self.held
        return counts.lift, counts.coverage

    @property
    def where_shares(self) -> str:
        """Where lift and coverage are counted, in words."""
        is_held = self.held is not None and self.evidence == HOLD_OUT
        return "on hold-out rows" if is_held else "in training"

    @property
    def least_p(self) -> float:
        """The least p-value that so many permutations can give; 0 without permutations."""
        return 1.0 / (self.permutations + 1) if self.permutations else 0.0

    def tested_on(
        self,
        matrix: Matrix,
        names: Sequence[str],
        is_positive: NDArray[np.bool_],
        evidence: str = HOLD_OUT,
    ) -> "ConditionTable":
        """Return the conditions with counts of other rows; those of training test nothing."""
        return self.tested_by(tally(members(self.conditions, matrix, names), is_positive), evidence)

    def tested_by(self, held: Tally, evidence: str = HOLD_OUT) -> "ConditionTable":
        """Return the conditions with counts of other rows that are known already."""
        unknown = np.full(len(self), np.nan)
        p_value = held.holm_p if evidence == HOLD_OUT else unknown
        return replace(self, held=held, evidence=evidence, p_value=p_value, permutations=0)

    def take(self, places: Sequence[int]) -> "ConditionTable":
        """Return some of the conditions."""
        order = np.array(places, dtype=np.intp)
        return replace(
            self,
            conditions=tuple(self.conditions[place] for place in places),
            texts=tuple(self.texts[place] for place in places),
            training=self.training.reordered(order),
            held=None if self.held is None else self.held.reordered(order),
            p_value=self.p_value[order],
            stability=self.stability[order],
            money=self.money[order],
            stages=tuple(self.stages[place] for place in places),
        )

    def joined(self, other: "ConditionTable") -> "ConditionTable":
        """Return these and others of the same rows, those with most positives first.

        Of the others nothing but training counts is taken: unseen rows were not asked for them.
        """
        unknown, none = np.full(len(other), np.nan), np.zeros(len(other), dtype=np.int64)
        held = self.held
        if held is not None:
            held = held.extended(none, none)
        whole = replace(
            self,
            conditions=(*self.conditions, *other.conditions),
            texts=(*self.texts, *other.texts),
            training=self.training.extended(other.training.n, other.training.hits),
            held=held,
            p_value=np.append(self.p_value, unknown),
            stability=np.append(self.stability, unknown),
            money=np.append(self.money, unknown),
            stages=self.stages + other.stages,
        )
        return whole.take(np.argsort(-whole.training.hits, kind="stable").tolist())

    def with_costs(self, cost_fp: float | Vector, cost_fn: float | Vector) -> "ConditionTable":
        """Return the conditions with the money at stake, by the unseen rate where it is known.

        Costs are numbers, or those of each condition.
        """
        rate = self.training.rate
        if self.held is not None:
            rate = np.where(np.isnan(self.held.rate), rate, self.held.rate)
        return replace(self, money=money_at_stake(self.training.n, rate, cost_fp, cost_fn))

    def picture(self, place: int, X: Any, y: Any) -> ConditionPicture:
        """Return the data behind a condition: rows of both classes in bins of its columns.

        Parameters
        ----------
        place : int
            Of the condition, from 0 on.
        X, y : table and labels
            The rows to show; of X the condition's own columns are needed alone.

        Examples
        --------
        >>> from thresher import ImbalancedTreeClassifier, find_conditions
        >>> X, y = [[1.0], [2.0], [3.0], [4.0], [5.0], [6.0]], ["ok"] * 4 + ["scrap"] * 2
        >>> table = find_conditions(ImbalancedTreeClassifier("gini").fit(X, y), output="table")
        >>> table.picture(0, X, y).data["inside"]
        [0, 2]
        """
        is_positive = read_labels(y).astype(str) == str(self.pos_label)
        class_name = f"class {name(self.pos_label, 30)}"
        return pictured(self.conditions[place], X, is_positive, self.texts[place], class_name)

    def plot(self, place: int, X: Any, y: Any) -> Figure:
        """Draw the data behind a condition and return the figure.

        Parameters
        ----------
        place : int
            Of the condition, from 0 on.
        X, y : table and labels
            The rows to show.
        """
        return self.picture(place, X, y).plot()

    def _repr_html_(self) -> str:
        rows = [
            [readable(condition, ()), *_shown(self.training, at), *_shown(self.held, at), state]
            for at, (condition, state) in enumerate(
                zip(self.conditions[:MOST_SHOWN], self.states, strict=False)
            )
        ]
        heading = f"{len(self)} conditions that lead to {name(self.pos_label)}"
        hidden = f"{len(self) - len(rows)} more are not shown." if len(self) > len(rows) else ""
        titles = ["Condition", "in training", "", "unseen", "", "state"]
        return in_notebook(heading, html_table(titles, rows), hidden)


def _shown(counts: Tally | None, place: int) -> tuple[str, Markup]:
    """Return counts of a condition as words and as a bar."""
    if counts is None or not counts.n[place]:
        return "-", Markup("")
    hits, n = int(counts.hits[place]), int(counts.n[place])
    return f"{hits:,} of {n:,} ({percent(hits / n)})", draw_share(hits / n)


def _counted_words(source: str, row: dict[str, Any], prefix: str, class_name: str) -> str:
    """Return counts of one condition with their rate and its interval."""
    n, hits, rate, low, high = (
        row[f"{prefix}{name}"] for name in ("parts", "scrap", "rate", "rate_low", "rate_high")
    )
    return (
        f"{source}: {counted(n, 'rows')}, {hits:,} of them {class_name}: {percent(rate)} "
        f"({percent(low)} to {percent(high)})"
    )


LOOSE = 0.2
"""A condition that fewer samples find again has limits that another sample would set elsewhere."""


FEW = 10
"""Fewer unseen positives than these are no rate to trust where the limits are loose, too."""


def found_again(stability: float, state: str, hits: int, class_name: str) -> str:
    """Return how often other samples lead to a condition, and what that means where it is rare.

    `hits` are the unseen positives behind its rate.

    >>> print(found_again(0.0, CONFIRMED, 40, "scrap").replace(chr(160), " "))
    found again in 0 % of bootstrap samples: trust its rate, not its exact limits
    >>> print(found_again(0.0, CONFIRMED, 2, "leaks").replace(chr(160), " "))
    found again in 0 % of bootstrap samples: it rests on 2 unseen leaks, look for more before you \
act
    """
    words = f"found again in {percent(stability)} of bootstrap samples"
    if state != CONFIRMED or stability >= LOOSE:
        return words
    if hits < FEW:
        rests = counted(hits, f"unseen {class_name}")
        return f"{words}: it rests on {rests}, look for more before you act"
    return f"{words}: trust its rate, not its exact limits"


PROOF: dict[str, Callable[[dict[str, Any], str], str]] = {
    "state": lambda row, _: str(row["state"]),
    "stability": lambda row, class_name: found_again(
        row["stability"], row["state"], row["holdout_scrap"], class_name
    ),
    "money": lambda row, _: f"money at stake {row['money']:,.0f}",
    "stage": lambda row, _: f"known at {row['stage']}",
}
"""The words for what is known beyond counts and p-value, in their order."""


def _known(values: Any) -> list[Any]:
    """Return numbers of Python, None where they are NaN."""
    return [None if isnan(value) else value for value in np.asarray(values).tolist()]
