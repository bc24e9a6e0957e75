"""What the score depends on: a bar for each column, and the curve of one."""

from typing import Any

from markupsafe import Markup

from thresher.drawing.bins import (
    labels_of,
    lay_out,
    shortened_text,
    ticks_below,
    title_below,
)
from thresher.drawing.svg import element, line, picture, polyline, rectangle, text
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
    return picture(WIDTH, ROW * len(data["columns"]) + 4, label, *parts, class_="picture")


def draw_curve(data: dict[str, Any]) -> Markup:
    """Draw the mean contribution along a column, with its range in each bin."""
    axis, points = data["axis"], data["points"]
    has_missing = any(point[0] == len(axis["inside"]) - 1 for point in points)
    bins = lay_out(axis, EDGE, WIDTH - EDGE, has_missing)
    low, high = min(0.0, *(one[3] for one in points)), max(0.0, *(one[4] for one in points))
    bottom = TOP + HEIGHT

    def y(value: float) -> float:
        return float(bottom - (value - low) / ((high - low) or 1.0) * HEIGHT)

    parts = [
        text(0, 11, f"adds {low:+.2g} to {high:+.2g} to the score"),
        *(_band(bins.places[at], y(least), y(most)) for at, _, _, least, most in points),
        line(EDGE, y(0.0), WIDTH - EDGE, y(0.0), "axis"),
        *_means(axis, points, bins, y),
    ]
    if "labels" in axis:
        for place, words in enumerate(labels_of(axis, bins)):
            first, last = bins.places[place]
            at = {"x": (first + last) / 2, "y": bottom + 14, "text_anchor": "middle"}
            parts.append(shortened_text(words, last - first - 5, **at))
    else:
        parts.append(ticks_below(axis, bins, bottom + 14, WIDTH))
    parts.append(title_below(axis, 0.0, WIDTH, bottom + 29))
    label = f"What {axis['name']} adds to the score."
    return picture(WIDTH, bottom + 35, label, *parts, class_="picture")


def _means(axis: dict[str, Any], points: list[Any], bins: Any, y: Any) -> list[Markup]:
    """Draw means as a line through the bins of numbers, as marks of levels and missing values."""
    last = len(axis["inside"]) - 1
    apart = [one for one in points if "labels" in axis or one[0] == last]
    joined = [one for one in points if one not in apart]
    path = [(bins.middle(at), y(mean)) for at, _, mean, _, _ in joined]
    marks = [
        element("circle", cx=bins.middle(at), cy=y(mean), r=3.6, class_="bad")
        for at, _, mean, _, _ in apart
    ]
    return [*([polyline(path, "line bad")] if path else []), *marks]


def _band(place: tuple[float, float], low: float, high: float) -> Markup:
    return rectangle(place[0], high, place[1] - place[0], low - high, "track")
