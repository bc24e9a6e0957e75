"""What the score depends on: a bar for each column, and the curve of one."""

from typing import Any

from markupsafe import Markup

from thresher.figures.axes import Scale
from thresher.figures.bins import (
    lay_out,
    shortened_text,
    title_below,
    words_below,
)
from thresher.figures.svg import element, line, picture, polyline, rectangle, text
from thresher.wording import percent

WIDTH, EDGE, ROW, TOP, HEIGHT = 300, 6.0, 31.0, 24.0, 96.0


def draw_importance(data: dict[str, Any]) -> Markup:
    """Draw the share of each column in the absolute contributions, its name above its bar."""
    parts = []
    highest = max((one["share"] for one in data["columns"]), default=1.0)
    for place, one in enumerate(data["columns"]):
        y = ROW * place
        parts.append(shortened_text(one["name"], WIDTH - 2.0, x=0.0, y=y + 12, class_="axis-title"))
        parts.append(rectangle(0, y + 17, (WIDTH - 64) * one["share"] / highest, 8, "good"))
        parts.append(text(WIDTH, y + 25, percent(one["share"]), text_anchor="end"))
    label = "Share of each column in what moves the score."
    return picture(WIDTH, ROW * len(data["columns"]) + 4, label, *parts)


def draw_curve(data: dict[str, Any]) -> Markup:
    """Draw the mean contribution along a column, with its range in each bin.

    Means are a line through the bins of numbers, marks of levels and of missing values.
    """
    axis, points = data["axis"], data["points"]
    missing = len(axis["inside"]) - 1
    bins = lay_out(axis, EDGE, WIDTH - EDGE, any(point[0] == missing for point in points))
    low, high = min(0.0, *(one[3] for one in points)), max(0.0, *(one[4] for one in points))
    y = Scale(low, high if high > low else low + 1.0, TOP + HEIGHT, TOP)
    bands: list[Markup] = []
    path: list[tuple[float, float]] = []
    marks: list[Markup] = []
    for at, _, mean, least, most in points:
        first, last = bins.places[at]
        bands.append(rectangle(first, y(most), last - first, y(least) - y(most), "track"))
        if "labels" in axis or at == missing:
            place = {"cx": bins.middle(at), "cy": y(mean), "r": 3.6}
            marks.append(element("circle", **place, class_="bad"))
        else:
            path.append((bins.middle(at), y(mean)))
    return picture(
        WIDTH,
        TOP + HEIGHT + 35,
        f"What {axis['name']} adds to the score.",
        text(0, 11, f"adds {low:+.2g} to {high:+.2g} to the score"),
        *bands,
        line(EDGE, y(0.0), WIDTH - EDGE, y(0.0), "axis"),
        polyline(path, "line bad") if path else "",
        *marks,
        words_below(axis, bins, TOP + HEIGHT + 14, WIDTH),
        title_below(axis, 0.0, WIDTH, TOP + HEIGHT + 29),
    )
