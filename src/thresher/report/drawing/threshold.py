"""Precision and recall along the slider, with a marker that the page's script moves."""

from typing import Any

from markupsafe import Markup

from thresher.drawing.axes import Plot, Scale, percent_tick
from thresher.drawing.svg import line, mark, picture
from thresher.report.drawing.series import Series, draw_series
from thresher.wording import percent

LEFT, RIGHT, HEIGHT = 46, 14, 190
"""Margins, at which the page's style puts the ends of the slider."""


def draw_threshold(data: dict[str, Any], width: int) -> Markup:
    """Draw both measures over the places of the slider: from many alerts to few."""
    points = data["points"]
    plot = Plot(width, HEIGHT, left=LEFT, right=RIGHT, top=10, bottom=26)
    x, y = plot.across(0.0, max(len(points) - 1, 1)), plot.upward(0.0, 1.0)
    precision, recall = [], []
    pair = data.get("pair")
    own = data["marks"]["chosen"] if data["flatters"] and pair is None else None
    marks = []
    for place, (_, tp, fp, fn, _tn) in enumerate(points):
        if place == own:
            # Judged on other rows than the curve was seen on: a point of its own beside it.
            marks += _own_point(x(place), y, tp, fp, fn)
            continue
        if tp + fp:
            precision.append((x(place), y(tp / (tp + fp))))
        recall.append((x(place), y(tp / (tp + fn))))
    drawn = [Series("recall", recall), Series("precision", precision)]
    handles = {"low": data["marks"]["chosen"]} | ({} if pair is None else {"high": pair["high"]})
    markers = [_marker(plot, x(place), handle) for handle, place in handles.items()]
    if pair is not None and pair["judged"] is not None:
        for place, (_, tp, fp, fn, _tn) in zip(handles.values(), pair["judged"], strict=True):
            marks += _own_point(x(place), y, tp, fp, fn)
    return picture(
        width,
        plot.height,
        "Precision and recall along the threshold; the table below has the numbers.",
        plot.grid(y, (0.0, 0.25, 0.5, 0.75, 1.0), percent_tick, ""),
        draw_series(drawn, named=False),
        *markers,
        *marks,
        plot.title_below("more alerts  ←  threshold  →  fewer alerts"),
    )


def _marker(plot: Plot, at: float, handle: str) -> Markup:
    """Draw the line that follows a handle of the slider."""
    ends = {"data_start": f"{plot.left}", "data_end": f"{plot.x_end:.0f}"}
    which = {} if handle == "low" else {"data_handle": handle}
    return line(at, plot.top, at, plot.y_end, "marker", **ends, **which)


def _own_point(x: float, y: Scale, tp: int, fp: int, fn: int) -> list[Markup]:
    """Mark recall and precision of the model as they were judged."""
    shares = {"recall": tp / (tp + fn), "precision": tp / (tp + fp) if tp + fp else 0.0}
    shapes = (("circle", "mark series-1"), ("square", "mark series-2"))
    return [
        mark(shape, x, y(share), class_, f"{name} as judged: {percent(share)}")
        for (name, share), (shape, class_) in zip(shares.items(), shapes, strict=True)
    ]
