"""Thresholds of all codes together, chosen on unseen scores, judged on the rows of outer folds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from math import floor
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from thresher.judging.judgement import judged_by
from thresher.judging.nested_training import NestedJudgement
from thresher.plant.table_training import JudgedRows
from thresher.tables.codes import ReasonCodes
from thresher.threshold.counts import Vector
from thresher.threshold.shared_budget import deal_budget
from thresher.threshold.unseen import Rows, Unseen

FoldKey: TypeAlias = tuple[int, int]
SLACK = 1e-9
"""Of a share of rows, so that 20 of every 1000 are 2 of 100 in spite of rounding."""


@dataclass(frozen=True)
class Budget:
    """Alerts for all codes together.

    Attributes
    ----------
    per_1000 : rows of every 1000 that may alert, however many codes alert on each.
    values : of finding a row, by code in the order of the codes.
    """

    per_1000: float
    values: tuple[float, ...]

    def thresholds(self, scores: Vector, codes: NDArray[np.intp]) -> Vector:
        """Return a threshold for each code, chosen on unseen scores (rows by codes)."""
        most = floor(len(scores) * self.per_1000 / 1000.0 + SLACK)
        return deal_budget(scores, codes, np.array(self.values), most)


class Dealt(NamedTuple):
    """The thresholds of the codes, and what they decide about the rows of outer folds.

    Attributes
    ----------
    thresholds : of the shipped models.
    alerts_per_1000 : that each raises on the rows that chose.
    by_fold : in each outer fold, chosen without its judged rows.
    rows : that were judged.
    is_alert : of judged rows (first axis) by code.
    """

    thresholds: Vector
    alerts_per_1000: Vector
    by_fold: dict[FoldKey, Vector]
    rows: Rows
    is_alert: NDArray[np.bool_]


def deal(found: Sequence[JudgedRows], codes: ReasonCodes, budget: Budget | None) -> Dealt:
    """Choose the thresholds of all codes, and decide about judged rows.

    Without a budget each code keeps the thresholds that its own rule chose.
    """
    places = _places(codes)

    def chosen(scored: Scores, own: Vector) -> Vector:
        return own if budget is None else budget.thresholds(scored.scores, places[scored.rows])

    folds = outer_folds([one.judged for one in found])
    by_fold = {key: chosen(fold.inner, fold.own) for key, fold in folds.items()}
    rows = np.concatenate([fold.outer.rows for fold in folds.values()])
    alerts = [fold.outer.scores > by_fold[key] for key, fold in folds.items()]
    whole = side_by_side([one.trained.chosen.unseen for one in found])
    thresholds = chosen(whole, np.array([one.trained.chosen.threshold for one in found]))
    share = 1000.0 * (whole.scores > thresholds).mean(axis=0)
    return Dealt(thresholds, share, by_fold, rows, np.concatenate(alerts))


def with_thresholds(
    found: JudgedRows, threshold: float, by_fold: Mapping[FoldKey, float]
) -> JudgedRows:
    """Return what was judged, with the thresholds that were dealt to it."""
    judged, recipe = found.judged, found.training.recipe
    found.trained.estimator.threshold_ = threshold
    keys = [key_of(part) for part in judged.outer]
    folds = [
        replace(fold, threshold=by_fold[key]) for fold, key in zip(judged.folds, keys, strict=True)
    ]
    never = judged.judgement.never_judged
    judgement = judged_by(folds, judged.judgement.how, never_judged=never, costs=recipe.costs)
    return found._replace(judged=judged._replace(judgement=judgement, folds=folds))


def _places(codes: ReasonCodes) -> NDArray[np.intp]:
    """Return the place of each row's code among those to find, -1 for other rows."""
    place = {code: number for number, code in enumerate(codes.codes)}
    return np.array([place.get(label, -1) for label in codes.labels.tolist()], dtype=np.intp)


# ------------------------------------------------------------------------ scores of several models


class Scores(NamedTuple):
    """Rows that all codes have scored, and the scores (rows by codes)."""

    rows: Rows
    scores: Vector


class OuterFold(NamedTuple):
    """An outer fold of all codes: the scores that choose, those that judge, each rule's choice."""

    inner: Scores
    outer: Scores
    own: Vector


def key_of(outer: Unseen) -> FoldKey:
    """Return what tells an outer fold from others: its first row, and how many it has."""
    return int(outer.rows.min()), len(outer.rows)


def outer_folds(parts: Sequence[NestedJudgement]) -> dict[FoldKey, OuterFold]:
    """Return the outer folds of all codes; one with nothing to learn for a code never alerts."""
    known = [{key_of(outer): at for at, outer in enumerate(part.outer)} for part in parts]
    found = {}
    for key in dict.fromkeys(key for one in known for key in one):
        places = [one.get(key) for one in known]
        pairs = list(zip(parts, places, strict=True))
        found[key] = OuterFold(
            side_by_side([None if at is None else part.inner[at] for part, at in pairs]),
            side_by_side([None if at is None else part.outer[at] for part, at in pairs]),
            np.array([1.0 if at is None else part.folds[at].threshold for part, at in pairs]),
        )
    return found


def side_by_side(parts: Sequence[Unseen | None]) -> Scores:
    """Put the scores of several codes side by side; a code without a model scores 0.

    >>> side_by_side([Unseen(np.array([2, 0]), np.array([0.2, 0.1])), None]).scores.tolist()
    [[0.1, 0.0], [0.2, 0.0]]
    """
    known = [part for part in parts if part is not None]
    rows = reduce(np.intersect1d, [part.rows for part in known[1:]], np.unique(known[0].rows))
    return Scores(rows, np.column_stack([_scores_of(part, rows) for part in parts]))


def _scores_of(part: Unseen | None, rows: Rows) -> Vector:
    if part is None:
        return np.zeros(len(rows))
    order = np.argsort(part.rows, kind="stable")
    return part.scores[order][np.searchsorted(part.rows[order], rows)]
