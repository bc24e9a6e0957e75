"""Rows on which an export must agree with the model that it came from."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.answers import REFER
from thresher.column import Level, Levels, Texts, has_others, named, refuse_infinity
from thresher.export.readers import read_scoring
from thresher.export.scoring import CostCut, Floats, Scoring
from thresher.frames import read_column
from thresher.threshold.counts import Costs
from thresher.threshold.row_cuts import CostCuts
from thresher.validation import check_choice

EQUAL, EQUAL_FLOAT32 = 1e-12, 1e-6
"""How far probabilities may be apart; decisions may not differ at all."""


@dataclass(frozen=True, eq=False)
class VerifiedRows:
    """Rows as plain values, and what the model says of them.

    Attributes
    ----------
    columns : values of each column: numbers, texts, None where missing.
    costs : the same of columns with costs, by name.
    labels : what `predict` says.
    probability : what `predict_proba` says of the positive class.
    thresholds : the model's, or the cuts of the rows, if its sums are rounded otherwise: a decision
        may differ where the probability is within `EQUAL_FLOAT32` of one, and probabilities may by
        as much.
    answers : what `decide` says, None where no row is referred.
    """

    columns: list[list[Any]]
    labels: list[Any]
    probability: Floats
    thresholds: tuple[float | Floats, ...] = ()
    costs: dict[str, list[Any]] = field(default_factory=dict)
    answers: list[Any] | None = None

    def __len__(self) -> int:
        return len(self.labels)

    def compare(
        self,
        what: str,
        probability: Sequence[float | None],
        labels: Sequence[Any],
        tolerance: float = EQUAL,
        answers: Sequence[Any] | None = None,
    ) -> None:
        """Raise one sentence unless an export says the same."""
        found = np.array([np.nan if p is None else p for p in probability], dtype=np.float64)
        same = np.array([_same(*pair) for pair in zip(labels, self.labels, strict=True)])
        if self.answers is not None:
            given = [None] * len(self) if answers is None else list(answers)
            same &= np.array([_same(*pair) for pair in zip(given, self.answers, strict=True)])
            labels = list(zip(labels, given, strict=True))
        for threshold in self.thresholds:
            same |= np.abs(self.probability - threshold) <= EQUAL_FLOAT32
            tolerance = max(tolerance, EQUAL_FLOAT32)
        wrong = np.flatnonzero(~(same & (np.abs(found - self.probability) <= tolerance)))
        if not len(wrong):
            return
        row = int(wrong[0])
        raise ValueError(
            f"The {what} does not agree with the model on {len(wrong)} of {len(self)} rows and is "
            f"not exported: in row {row} (counted from 0) it says {labels[row]!r} with probability "
            f"{found[row]!r}, the model says {self._expected(row)!r} with "
            f"{self.probability[row]!r}."
        )

    def _expected(self, row: int) -> Any:
        return self.labels[row] if self.answers is None else (self.labels[row], self.answers[row])


def _same(found: Any, expected: Any) -> bool:
    # A database may hand out a boolean as 0 or 1, and a whole number as a float.
    return bool(found == expected) and isinstance(found, str) == isinstance(expected, str)


def verified_rows(
    model: Any, scoring: Scoring, X: Any, *, as_float32: bool = False
) -> VerifiedRows:
    """Return the rows of a table in the terms of the model, and what it says of them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        matrix = scoring.columns.matrix(X, type(model).__name__)
        refuse_infinity(matrix)
        columns = [
            _plain(matrix[:, place], levels, as_float32)
            for place, levels in enumerate(scoring.levels)
        ]
        table = _table(columns)
        probability = model.predict_proba(table)[:, scoring.positive].astype(np.float64)
        costs = _costs(scoring, X, as_float32)
        labels, cuts = _decided(model, scoring, table, probability, costs)
        given = None if scoring.threshold_alert is None else model.decide(table).tolist()
    both = (cuts, scoring.threshold_alert)
    thresholds = tuple(one for one in both if one is not None) if scoring.is_rounded else ()
    return VerifiedRows(columns, labels, probability, thresholds, costs, given)


def _costs(scoring: Scoring, X: Any, as_float32: bool) -> dict[str, list[Any]]:
    """Return the columns of a table that hold costs."""
    found = {}
    for name in scoring.cut.columns if scoring.cut is not None else ():
        values = read_column(X, name)
        if isinstance(values, Texts):
            raise ValueError(f"The column {name!r} holds texts; costs are numbers.")
        kept = values.astype(np.float32) if as_float32 else values
        found[name] = kept.astype(np.float64).tolist()
    return found


def _decided(
    model: Any, scoring: Scoring, table: Any, probability: Floats, costs: dict[str, list[Any]]
) -> tuple[list[Any], float | Floats]:
    """Return what the model decides, and what it decides by."""
    if not isinstance(scoring.cut, CostCut):
        by = scoring.threshold
        if scoring.cut is not None:
            by = model.row_cuts_.in_table(table, scoring.names, scoring.threshold)
        return model.predict(table).tolist(), by
    fp, fn = (
        costs[one] if isinstance(one, str) else one for one in (scoring.cut.fp, scoring.cut.fn)
    )
    usual = Costs(0.0, 0.0, scoring.cut.gain_tp, scoring.cut.gain_tn)
    cuts = CostCuts(usual, scoring.cut.least_saving).of(fp, fn, len(probability))
    assert cuts is not None
    if hasattr(model, "cuts_of"):
        return model.predict(table, cost_fp=fp, cost_fn=fn).tolist(), cuts
    negative, positive = (scoring.classes[scoring.positive ^ other] for other in (1, 0))
    return [positive if above else negative for above in probability > cuts], cuts


def _plain(values: NDArray[Any], levels: Levels | None, as_float32: bool) -> list[Any]:
    if levels is None:
        numbers = values.astype(np.float32 if as_float32 else np.float64)
        return [None if value != value else value for value in numbers.astype(np.float64).tolist()]
    known: list[Any] = [*named(levels)]
    if as_float32 and known and not isinstance(known[0], str):
        known = np.array(known).astype(np.float32).astype(np.float64).tolist()
    known += [another_level(levels, "other")] if has_others(levels) else []
    known.append(None)
    return [known[-1 if code != code else int(code)] for code in values.tolist()]


def another_level(levels: Levels, start: str) -> Level:
    """Return a value like the levels of a column that is none of them.

    >>> another_level(("a", "other 0"), "other"), another_level((0.0, 2.0), "other")
    ('other 1', 1.0)
    """
    are_texts = not levels or isinstance(levels[0], str)
    candidates = (f"{start} {place}" if are_texts else float(place) for place in count())
    return next(level for level in candidates if level not in levels)


def _table(columns: list[list[Any]]) -> NDArray[Any]:
    """Return columns as a matrix of floats, or of objects where there are texts."""
    if any(isinstance(value, str) for column in columns for value in column):
        table = np.empty((len(columns[0]), len(columns)), dtype=object)
        for place, column in enumerate(columns):
            table[:, place] = column
        return table
    rows = [[np.nan if value is None else value for value in column] for column in columns]
    return np.array(rows, dtype=np.float64).T


# ------------------------------------------------------------------------------------ referred rows


def model_asked(model: Any, refer: Any) -> Any:
    """Return the model that decides about referred rows; raise where there is none."""
    if getattr(model, "threshold_alert_", None) is None:
        raise ValueError(
            "refer is for a model that refers rows; this one has no threshold_alert_. "
            "to_tree(..., refer=0.1) makes a tree that does."
        )
    if not isinstance(refer, str):
        return refer
    check_choice("refer", refer, ("model",))
    if not hasattr(model, "referred_to_"):
        raise ValueError(
            "refer='model' needs the model that this one imitates, which files and pickles leave "
            "behind; give the model itself: refer=forest."
        )
    return model.referred_to_


def scoring_asked(scoring: Scoring, asked: Any) -> Scoring:
    """Return how the model scores that decides about referred rows, on the same columns."""
    found = read_scoring(asked)
    if found.columns != scoring.columns or found.zero_is_missing:
        raise ValueError("The model of refer reads other columns than the tree that refers rows.")
    if found.classes[found.positive] != scoring.classes[scoring.positive]:
        raise ValueError(
            f"The model of refer finds {found.classes[found.positive]!r}, the tree that refers "
            f"rows {scoring.classes[scoring.positive]!r}."
        )
    if found.cut is not None:
        raise ValueError("The model of refer has cuts for groups or costs of rows; take one cut.")
    return found


def with_referred(rows: VerifiedRows, asked: Any, X: Any) -> VerifiedRows:
    """Return verified rows whose labels are those of another model where they are referred."""
    assert rows.answers is not None
    pairs = zip(rows.labels, asked.predict(X).tolist(), rows.answers, strict=True)
    labels = [theirs if answer == REFER else own for own, theirs, answer in pairs]
    return replace(rows, labels=labels)
