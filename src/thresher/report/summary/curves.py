"""The decisions along the threshold, thinned to what a slider can show."""

from collections.abc import Mapping
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.judging.judgement import Judgement
from thresher.judging.verdict import shown_threshold
from thresher.report.summary.case import Scored
from thresher.statistics import wilson
from thresher.threshold.counts import Costs, Vector
from thresher.threshold.search import Cuts
from thresher.wording import threshold as threshold_words

MAX_POINTS, TABLE_ROWS = 240, 24
COUNTS = ("tp", "fp", "fn", "tn")


FLATTERS = (
    "The curve counts all judged rows at one threshold, picked afterwards, so its best points "
    "flatter; the point of the model itself is that of thresholds chosen in each fold without the "
    "rows that judge it, and may lie off the curve: sign for that one."
)


def slider_data(
    scored: Scored,
    threshold: float,
    costs: Costs | None,
    judgement: Judgement | None = None,
    alert: float | None = None,
) -> dict[str, Any]:
    """Return the points of the slider and the places that it can jump to.

    A point is (threshold, tp, fp, fn, tn). Between two neighbouring ones there may be others that
    were left out; the chosen threshold, 0.5, the best F1 and the lowest cost are always there. The
    chosen one has the counts of the judgement.

    With a threshold `alert`, above which rows alert while others are referred, there is a `pair`:
    the places of both handles, and the points of the judgement, which lie beside the others.

    Examples
    --------
    >>> scored = Scored(np.arange(3), np.array([0.2, 0.6, 0.9]), np.array([0, 0, 1], bool), "")
    >>> data = slider_data(scored, threshold=0.7, costs=None)
    >>> data["points"][data["marks"]["chosen"]]
    [0.7, 1, 0, 0, 2]
    """
    cuts = scored.cuts()
    shown = cuts.thresholds.copy()
    marks = {"chosen": place_of(cuts, threshold), "half": place_of(cuts, 0.5)}
    shown[marks["half"]] = 0.5
    if alert is not None:
        marks["alert"] = place_of(cuts, alert)
        shown[marks["alert"]] = alert
    shown[marks["chosen"]] = threshold
    marks["best_f1"] = place_of(cuts, cuts.best_threshold(cuts.counts.fbeta()))
    if costs is not None:
        cost = costs.per_row(cuts.counts)
        marks["lowest_cost"] = place_of(cuts, cuts.best_threshold(-cost))
    kept = _thinned(cuts, sorted(set(marks.values())))
    points = [_point(cuts, shown, place) for place in kept.tolist()]
    places = {name: int(np.searchsorted(kept, place)) for name, place in marks.items()}
    data = {"costs": None if costs is None else costs._asdict(), "source": scored.source}
    if alert is not None:
        return _with_pair(points, places, judgement, (threshold, alert)) | data
    own = None if judgement is None else [getattr(judgement, name) for name in COUNTS]
    is_beside = own is not None and own != points[places["chosen"]][1:]
    if is_beside and own is not None:
        points[places["chosen"]] = [shown_threshold(threshold), *own]
    return {
        "points": points,
        "marks": places,
        **data,
        "flatters": FLATTERS if is_beside else None,
    }


def table_places(slider: Mapping[str, Any]) -> list[int]:
    """Return the points that a table shows: both ends, the model's own, and no threshold twice.

    >>> points = [[0.0, 5, 5, 0, 0], [0.1, 4, 3, 1, 2], [0.1004, 4, 2, 1, 3], [0.7, 0, 0, 5, 5]]
    >>> table_places({"points": points, "marks": {"chosen": 2}})
    [0, 2, 3]
    """
    points, pair = slider["points"], slider.get("pair")
    own = [slider["marks"]["chosen"], *([pair["high"]] if pair else [])]
    always = {0, *own, len(points) - 1}
    step = max(ceil(len(points) / TABLE_ROWS), 1)
    first: dict[str, int] = {}
    for place in [*sorted(always), *range(0, len(points), step)]:
        first.setdefault(threshold_words(points[place][0]), place)
    return sorted({*first.values(), *always})


def _with_pair(
    points: list[list[float]],
    marks: dict[str, int],
    judgement: Judgement | None,
    thresholds: tuple[float, float],
) -> dict[str, Any]:
    """Return the points and marks of a slider of two handles."""
    low, high = marks["chosen"], marks.pop("alert")
    if low == high:
        # No row lies between them: the same decisions, under the upper threshold's name.
        high += 1
        points.insert(high, [shown_threshold(thresholds[1]), *points[low][1:]])
        marks = {name: place + (place > low) for name, place in marks.items()}
    judged = None if judgement is None else _judged_points(judgement, thresholds)
    if judged is not None and judged == [points[low], points[high]]:
        judged = None
    return {
        "points": points,
        "marks": marks,
        "flatters": None if judged is None else FLATTERS,
        "pair": {
            "low": low,
            "high": high,
            "judged": judged,
            "price": None if judgement is None else judgement.price,
        },
    }


def _judged_points(
    judgement: Judgement, thresholds: tuple[float, float]
) -> list[list[float]] | None:
    if judgement.answered is None:
        return None
    return [
        [shown_threshold(one), *(int(getattr(counts, name)[0]) for name in COUNTS)]
        for one, counts in zip(thresholds, judgement.answered, strict=True)
    ]


def place_of(cuts: Cuts, threshold: float) -> int:
    """Return the interval of thresholds in which one lies."""
    place = int(np.searchsorted(cuts.edges, threshold, side="right")) - 1
    return min(max(place, 0), len(cuts.edges) - 2)


def _point(cuts: Cuts, shown: Vector, place: int) -> list[float]:
    counts = [int(getattr(cuts.counts, name)[place]) for name in COUNTS]
    return [shown_threshold(float(shown[place])), *counts]


def _thinned(cuts: Cuts, always: list[int]) -> NDArray[np.intp]:
    """Return places at about equal steps of recall and of alerts together."""
    last = len(cuts.edges) - 2
    step = np.abs(np.diff(cuts.counts.recall)) + np.abs(np.diff(cuts.counts.alerts_per_1000)) / 1e3
    way = np.concatenate([[0.0], np.cumsum(step + 1e-9)])
    stops = np.linspace(0.0, way[-1], MAX_POINTS)
    places = np.searchsorted(way, stops).clip(0, last)
    return np.unique(np.concatenate([places, always, [0, last]])).astype(np.intp)


GROUPS = 8


def calibration_data(scored: Scored) -> dict[str, Any]:
    """Return groups of similar probability, with Wilson's intervals of their real share.

    Above the middle row each group holds about as many expected positives as any other: groups of
    equal size would put most positives of a rare class into one.

    Examples
    --------
    >>> scored = Scored(np.arange(4), np.array([0.1, 0.1, 0.8, 0.8]), np.array([0, 0, 1, 1]), "")
    >>> [(group["predicted"], group["real"]) for group in calibration_data(scored)["groups"]]
    [(0.1, 0.0), (0.8, 1.0)]
    """
    p, negative, positive = scored.rows_by_score
    n, rows = negative + positive, float((negative + positive).sum())
    group = np.searchsorted(group_ends(p, n), p, side="left")
    parts = [group == code for code in np.unique(group)]
    rate = float(positive.sum()) / rows
    return {
        "groups": [_group(p[part], n[part], positive[part]) for part in parts],
        "mean": float((n * p).sum()) / rows,
        "rate": rate,
        "brier": float((negative * p**2 + positive * (1.0 - p) ** 2).sum()) / rows,
        "brier_of_rate": rate * (1.0 - rate),
    }


def group_ends(p: Vector, n: Vector) -> Vector:
    """Return the largest probability of each group but the last; `n` rows have each.

    >>> group_ends(np.array([0.1, 0.4, 0.8]), np.array([4, 2, 1])).round(1)
    array([0.1, 0.4])
    """
    order = np.argsort(p, kind="stable")
    ordered, expected, rows = p[order], (n * p)[order], np.cumsum(n[order])
    reached = np.cumsum(expected) / (expected.sum() or 1.0)
    places = np.searchsorted(reached, np.arange(1, GROUPS) / GROUPS)
    # The middle row as well: below it there may be hardly any positive to expect.
    middle = np.searchsorted(rows, (rows[-1] - 1) // 2, side="right")
    places = np.append(places, middle).clip(max=len(p) - 1)
    ends = np.unique(ordered[places])
    return np.asarray(ends[ends < ordered[-1]])


def _group(p: Vector, rows: Vector, positive: Vector) -> dict[str, float]:
    hits, n = int(positive.sum()), int(rows.sum())
    low, high = wilson(hits, n)
    predicted = float(np.round((rows * p).sum() / n, 6))
    return {
        "predicted": predicted,
        "real": hits / n,
        "low": float(low),
        "high": float(high),
        "n": n,
        "hits": hits,
    }
