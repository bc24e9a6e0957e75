"""From which sum on a card alerts, and between which sums it refers.

The cut is chosen on what the model would decide and on the true labels, each with half of the say:
the model knows more rows, the labels know the truth.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from thresher.card.lesson import Floats, Lesson
from thresher.threshold.search import Cuts, counts_along, outer_edges


class Band(NamedTuple):
    """Sums above `high` alert, sums of at most `low` pass, those between are referred."""

    low: float
    high: float


def decided(lesson: Lesson) -> Floats:
    """Return how positive each row of a lesson is, from 0 to 1.

    A made row is positive where the model would alert, a training row by halves: where the model
    would alert, and where its label says so. The model alerts above the probability with the
    largest F1 against labels that are half the truth and half that probability.
    """
    n, truth = lesson.n_rows, lesson.rows.is_positive.astype(np.float64)
    unseen = lesson.probability[:n]
    cuts = soft_cuts(unseen, 0.5 * (truth + unseen), lesson.weight[:n])
    alerts = (lesson.probability > cuts.best_threshold(cuts.counts.fbeta(1.0))).astype(np.float64)
    alerts[:n] = 0.5 * (alerts[:n] + truth)
    return alerts


def soft_cuts(scores: Floats, positive: Floats, weight: Floats) -> Cuts:
    """Return the decisions along the threshold where rows are positive in part."""
    distinct, place = np.unique(scores, return_inverse=True)
    n = len(distinct)
    counts = counts_along(
        np.bincount(place, weight * (1.0 - positive), n), np.bincount(place, weight * positive, n)
    )
    return Cuts(outer_edges(distinct, is_probability=False), counts, is_probability=False)


def best_cut(sums: Floats, lesson: Lesson, *, whole: bool) -> float:
    """Return the cut with the largest F1; between two whole numbers where sums are whole."""
    cuts = soft_cuts(sums, decided(lesson), lesson.weight)
    cut = cuts.best_threshold(cuts.counts.fbeta(1.0))
    return float(np.floor(cut) + 0.5) if whole else cut


def referred_band(sums: Floats, cut: float, lesson: Lesson, share: float, *, whole: bool) -> Band:
    """Return the band around a cut that refers most doubtful rows, at most a share of all.

    A row is in doubt as far as the card's decision differs from how positive it is. The share is
    that of training rows; of bands with the same doubt the one with fewer rows is taken.
    """
    n = lesson.n_rows
    distinct, place = np.unique(sums, return_inverse=True)
    doubt: Floats = np.abs(decided(lesson) - (sums > cut))
    rows = np.bincount(place[:n], lesson.weight[:n], len(distinct)) / lesson.weight[:n].sum()
    doubts = np.bincount(place, lesson.weight * doubt, len(distinct))
    first, last = _best_run(rows, doubts, int(np.searchsorted(distinct, cut)), share)
    if first == last:
        return Band(cut, cut)
    edges = _between(distinct, cut, whole=whole)
    return Band(edges[first], edges[last])


def _between(distinct: Floats, cut: float, *, whole: bool) -> list[float]:
    """Return cuts before, between and behind the sums; `cut` where it is one of these."""
    reach = 1.0 if whole else float(np.ptp(distinct)) or 1.0
    middles = 0.5 * (distinct[1:] + distinct[:-1])
    edges = np.concatenate([[distinct[0] - reach], middles, [distinct[-1] + reach]])
    if whole:
        edges = np.floor(edges) + 0.5
    edges[np.searchsorted(distinct, cut)] = cut
    return [float(edge) for edge in edges]


def _best_run(rows: NDArray[Any], doubts: NDArray[Any], at: int, share: float) -> tuple[int, int]:
    """Return the run [first, last) of sums with most doubt that touches a place."""
    row_sums, doubt_sums = (np.concatenate([[0.0], np.cumsum(one)]) for one in (rows, doubts))
    best, found = (0.0, 0.0), (at, at)
    for first in range(at + 1):
        for last in range(at, len(rows) + 1):
            size = float(row_sums[last] - row_sums[first])
            if size > share:
                break
            worth = (float(doubt_sums[last] - doubt_sums[first]), -size)
            if worth > best:
                best, found = worth, (first, last)
    return found
