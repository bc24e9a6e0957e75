"""A Pareto chart of conditions: scrap under each, and under the first so many together."""

from typing import Any

from markupsafe import Markup

from thresher.report.drawing.axes import Plot, percent_tick, round_ticks
from thresher.report.drawing.svg import element, line, mark, picture, polyline, rectangle, text
from thresher.wording import percent

MAX_BARS = 14
NARROW, WIDE = 32.0, 46.0
"""Bars of fewer pixels have no room for the sign of percent, or for a decimal; the table has it."""


def draw_pareto(data: dict[str, Any], width: int) -> Markup:
    """Draw a bar for each condition and a line for all up to there; the rest is hatched."""
    rows = data["rows"][: MAX_BARS if width > 500 else 8]
    plot = Plot(width, 260, right=20, bottom=46)
    places = plot.places(len(rows) + 1)
    bar = min(0.62 * (places[1] - places[0]), 64.0)
    ticks = round_ticks(1.0)
    y = plot.upward(0.0, 1.0)
    parts = [plot.grid(y, ticks, percent_tick, f"share of all {data['event']}")]
    for x, row in zip(places, rows, strict=False):
        parts.append(_bar(x - bar / 2, y(row["coverage"]), bar, plot.y_end, row))
        parts.append(_number(x, plot.y_end + 16, row["number"], row["is_confirmed"]))
    together = data["rows"][-1]["together"]
    rest = 1.0 - together
    hatched = f"Under none of the conditions: {percent(rest)}"
    title = element("title", hatched)
    parts.append(
        rectangle(places[-1] - bar / 2, y(rest), bar, plot.y_end - y(rest), "bar rest", title)
    )
    parts.append(text(places[-1], plot.y_end + 20, "none", text_anchor="middle"))
    parts.append(text(places[-1], y(rest) - 6, percent(rest), text_anchor="middle"))
    way = [(x, y(row["together"])) for x, row in zip(places, rows, strict=False)]
    parts.append(polyline(way, "line series-2"))
    for (x, height), row in zip(way, rows, strict=True):
        words = f"Conditions 1 to {row['number']} together: {percent(row['together'])}"
        parts.append(mark("square", x, height, "mark series-2", words))
    x, height = way[-1]
    count = len(data["rows"])
    label = "together" if count == len(rows) else f"all {count} together"
    parts.append(
        text(
            x + 10,
            height - 8,
            f"{label} {percent(together)}",
            class_="name series-2",
            text_anchor="middle",
        )
    )
    parts.append(plot.title_below("condition"))
    parts.append(line(plot.left, plot.y_end, plot.x_end, plot.y_end, "axis"))
    return picture(width, plot.height, _label(rows, data["event"]), *parts)


def _bar(x: float, top: float, width: float, bottom: float, row: dict[str, Any]) -> Markup:
    title = element("title", f"{row['text']}: {percent(row['coverage'])}")
    # Inside the bar, where there is room: above it runs the line.
    is_inside = bottom - top > 24
    whole = f"{100.0 * row['coverage']:.0f}"
    share = percent(row["coverage"]) if width >= WIDE else whole + " %" * (width >= NARROW)
    place = text(
        x + width / 2,
        top + 16 if is_inside else top - 6,
        share,
        text_anchor="middle",
        class_="on-bar" if is_inside else None,
    )
    return rectangle(x, top, width, bottom - top, "bar series-1", title) + place


def _number(x: float, y: float, number: int, is_confirmed: bool) -> Markup:
    hollow = "" if is_confirmed else " hollow"
    circle = element("circle", cx=float(x), cy=float(y), r=10.0, class_=f"badge{hollow}")
    class_ = f"badge-text{hollow}"
    return circle + text(x, y + 4, number, class_=class_, text_anchor="middle")


def _label(rows: list[dict[str, Any]], event: str) -> str:
    shares = "; ".join(f"condition {row['number']} {percent(row['coverage'])}" for row in rows)
    return f"Share of all {event}: {shares}; together {percent(rows[-1]['together'])}."
