"""Measures along the threshold: by its value, and by the positions of a report's slider."""

from collections.abc import Callable, Iterable, Mapping
from itertools import pairwise
from math import ceil, floor, log
from typing import Any

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from thresher.figures.axes import (
    SAMPLE,
    Plot,
    draw_series,
    percent_tick,
    round_ticks,
    sample,
)
from thresher.figures.svg import line, mark, rectangle
from thresher.wording import digits, percent

Vector = NDArray[np.float64]
MEASURES = {"recall": "recall", "precision": "precision", "f1": "F1"}
SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)
OWN = {"circle": "mark series-1", "square": "mark series-2"}
"""Marks of the model's own recall and precision."""
LEFT, RIGHT, HEIGHT = 46, 14, 190
"""Margins, at which the page's style puts the ends of the slider."""
WIDTH, OUTERMOST, GAP = 640, 1e-4, 42.0
"""Of a curve by value: it ends at this probability and at 1 minus it; least gap of two ticks."""
ODDS = (0.5, 0.1, 0.9, 0.01, 0.99, 0.001, 0.999, OUTERMOST, 1.0 - OUTERMOST)
BETWEEN = (0.2, 0.8, 0.3, 0.7, 0.4, 0.6, 0.05, 0.95, 0.02, 0.98)
"""Ticks of log odds, the most wanted first."""


def draw_curve(
    columns: Mapping[str, Vector],
    threshold: float,
    interval: tuple[float, float] | None,
    *,
    is_probability: bool,
) -> Markup:
    """Draw recall, precision and F1 along the threshold, the chosen one and its interval.

    Probabilities are drawn on the scale of their log odds, where those of a rare class have room.
    """
    thresholds = columns["threshold"].tolist()
    ends = _ends(thresholds, is_probability)
    plot = Plot(WIDTH, 300, right=24, top=12)

    def moved(value: float) -> float:
        inside = min(max(value, ends[0]), ends[1])
        return log(inside / (1.0 - inside)) if is_probability else inside

    across, y = plot.across(*map(moved, ends)), plot.upward(0.0, 1.0)

    def x(value: float) -> float:
        return across(moved(value))

    at = np.array([x(value) for value in thresholds])
    # Of thresholds in the same half of a pixel one is drawn, and always the chosen one.
    is_drawn = np.append(np.diff(np.round(2.0 * at)) > 0.0, True)
    is_drawn[np.abs(columns["threshold"] - threshold).argmin()] = True
    # Where there is no alert, there is no precision.
    is_known = {"precision": is_drawn & (columns["alerts_per_1000"] > 0.0)}
    series = [
        _steps(zip(at[shown].tolist(), map(y, columns[name][shown].tolist()), strict=True))
        for name in MEASURES
        for shown in [is_known.get(name, is_drawn)]
    ]
    words = digits(float(f"{threshold:.3g}"))
    key = [(sample(f"line series-{i + 1}"), name) for i, name in enumerate(MEASURES.values())]
    key.append((sample("marker"), f"threshold {words}"))
    band = Markup("")
    if interval is not None and np.isfinite(interval).all():
        low, high = map(x, interval)
        band = rectangle(low, plot.top, max(high - low, 1.0), plot.y_end - plot.top, "interval")
        key.append((rectangle(0, -6, SAMPLE, 12, "interval"), "its 95 % interval"))
    return plot.picture(
        f"Recall, precision and F1 along the threshold; {words} is chosen.",
        plot.grid(y, SHARES, percent_tick),
        band,
        draw_series(series),
        line(x(threshold), plot.top, x(threshold), plot.y_end, "marker"),
        plot.below(x, _ticks(ends, x, is_probability), digits),
        plot.title_below("threshold" + " (scale of log odds)" * is_probability),
        key=key,
    )


def _ends(thresholds: list[float], is_probability: bool) -> tuple[float, float]:
    """Return what is drawn of an axis: probabilities of 0 and 1 lie just outside the others."""
    if not is_probability:
        return thresholds[0], max(thresholds[-1], thresholds[0] + 1e-9)
    inside = [value for value in thresholds if 0.0 < value < 1.0] or [0.02, 0.98]
    low, high = 0.5 * inside[0], 1.0 - 0.5 * (1.0 - inside[-1])
    return max(low, OUTERMOST), min(high, 1.0 - OUTERMOST)


def _steps(points: Iterable[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return a line through points that changes its height half way between two of them."""
    given = list(points)
    path = given[:1]
    for (x0, y0), (x1, y1) in pairwise(given):
        path += [((x0 + x1) / 2.0, y0), ((x0 + x1) / 2.0, y1)]
    return [*path, *given[-1:]]


def _ticks(
    ends: tuple[float, float], x: Callable[[float], float], is_probability: bool
) -> list[float]:
    """Return ticks along thresholds, no two of them too near each other."""
    low, high = ends
    if not is_probability:
        step = round_ticks(high - low)[1]
        return [step * place for place in range(ceil(low / step), floor(high / step) + 1)]
    ticks: list[float] = []
    for value in ODDS + BETWEEN:
        if low <= value <= high and all(abs(x(value) - x(other)) >= GAP for other in ticks):
            ticks.append(value)
    return ticks


def draw_slider(data: dict[str, Any], width: int) -> Markup:
    """Draw recall and precision over the positions of the slider: from many alerts to few."""
    points, pair = data["points"], data.get("pair")
    plot = Plot(width, HEIGHT, left=LEFT, right=RIGHT, top=10, bottom=26)
    x, y = plot.across(0.0, max(len(points) - 1, 1)), plot.upward(0.0, 1.0)
    handles = {"low": data["marks"]["chosen"]} | ({"high": pair["high"]} if pair else {})
    # What was judged on other rows than the curve was seen on: points of their own beside it.
    own = {handles["low"]: points[handles["low"]]} if data["flatters"] and not pair else {}
    judged = dict(zip(handles.values(), pair["judged"] or (), strict=False)) if pair else own
    curve = [(x(place), point) for place, point in enumerate(points) if place not in own]
    recall = [(at, y(tp / (tp + fn))) for at, (_, tp, _, fn, _) in curve]
    precision = [(at, y(tp / (tp + fp))) for at, (_, tp, fp, _, _) in curve if tp + fp]
    marks = []
    for place, (_, tp, fp, fn, _) in judged.items():
        shares = {"recall": tp / (tp + fn), "precision": tp / (tp + fp) if tp + fp else 0.0}
        for shape, (name, share) in zip(OWN, shares.items(), strict=True):
            words = f"{name} as judged: {percent(share)}"
            marks.append(mark(shape, x(place), y(share), OWN[shape], words))
    # The page's script moves a marker with its handle.
    ends = {"data_start": f"{plot.left}", "data_end": f"{plot.x_end:.0f}"}
    key = [(sample("line series-1"), "recall"), (sample("line series-2"), "precision")]
    if marks:
        both = [mark(shape, 5 + 12 * i, 0, kind) for i, (shape, kind) in enumerate(OWN.items())]
        key.append((Markup("").join(both), "the model's own, as judged"))
    return plot.picture(
        "Precision and recall along the threshold; the table below has the numbers.",
        plot.grid(y, SHARES, percent_tick),
        draw_series([recall, precision]),
        *(
            line(x(place), plot.top, x(place), plot.y_end, "marker", **ends, data_handle=handle)
            for handle, place in handles.items()
        ),
        *marks,
        plot.title_below("more alerts  ←  threshold  →  fewer alerts"),
        key=key,
    )
