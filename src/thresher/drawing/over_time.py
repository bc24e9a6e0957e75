"""The rate under a condition and of all other rows, period by period, as SVG."""

from typing import Any

from markupsafe import Markup

from thresher.drawing.axes import Plot, percent_tick, round_ticks
from thresher.drawing.svg import element, line, mark, picture, polyline, text
from thresher.wording import number, percent

WIDTH, HEIGHT = 300, 152


def draw_over_time(data: dict[str, Any], event: str, unit: str, width: int = WIDTH) -> Markup:
    """Draw the rate under a condition as a line with marks, that of the others dashed."""
    plot = Plot(width, HEIGHT, left=46, right=10, top=36, bottom=24)
    rates = [[hits / rows if rows else None for rows, hits in data[part]] for part in PARTS]
    highest = max([rate for part in rates for rate in part if rate is not None], default=0.0)
    ticks = round_ticks(max(highest, 1e-6), 3)
    ticks = [tick for tick in ticks if tick <= 1.0] or [0.0, 1.0]
    y = plot.upward(0.0, max(ticks[-1], min(highest, 1.0)))
    places = plot.places(len(data["periods"]))
    parts = [plot.grid(y, ticks, percent_tick, ""), _legend()]
    for part, rate in zip(PARTS, rates, strict=True):
        points = [(x, y(one)) for x, one in zip(places, rate, strict=True) if one is not None]
        if points:
            parts.append(polyline(points, f"line {PARTS[part]}"))
    for x, one, (rows, hits) in zip(places, rates[0], data["under"], strict=True):
        if one is not None:
            told = f"{percent(one)}: {number(hits)} of {number(rows)} {unit}"
            parts.append(mark("circle", x, y(one), "mark bad", told))
    parts += [
        text(plot.left, plot.y_end + 16, data["periods"][0]),
        text(plot.x_end, plot.y_end + 16, data["periods"][-1], text_anchor="end"),
    ]
    label = f"Rate of {event} over {len(places)} periods, under the condition and otherwise."
    return picture(width, HEIGHT, label, *parts, class_="picture")


PARTS = {"under": "bad", "others": "good"}


def _legend() -> Markup:
    return element(
        "g",
        line(0, 7, 18, 7, "line bad"),
        text(24, 11, "rate under the condition"),
        line(0, 21, 18, 21, "line good"),
        text(24, 25, "rate of all others"),
    )
