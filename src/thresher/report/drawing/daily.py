"""A p-chart: the scrap rate of each day between its control limits, and what was predicted."""

from collections.abc import Sequence
from typing import Any

from markupsafe import Markup

from thresher.drawing.axes import Plot, percent_tick, round_ticks
from thresher.drawing.svg import element, line, mark, picture, polyline, text
from thresher.wording import percent


def draw_daily(data: dict[str, Any], width: int) -> Markup:
    """Draw real rates as marks, predicted ones as a dashed line, control limits as a band."""
    rows = data["rows"]
    plot = Plot(width, 270, right=38, bottom=34)
    highest = max(max(row["rate"], row["high"], row["predicted"] or 0.0) for row in rows)
    ticks = round_ticks(highest)
    x, y = plot.across(0.0, max(len(rows) - 1, 1)), plot.upward(0.0, ticks[-1])
    center = y(data["center"])
    parts = [
        plot.grid(y, ticks, percent_tick, "rate of the day"),
        _band(rows, x, y),
        line(plot.left, center, plot.x_end, center, "center"),
        _predicted(rows, x, y),
        *(_day(row, x(place), y(row["rate"])) for place, row in enumerate(rows)),
        days_below([row["day"] for row in rows], plot, x),
    ]
    return picture(width, plot.height, _label(data), *parts)


def _band(rows: list[dict[str, Any]], x: Any, y: Any) -> Markup:
    upper = [(x(place), y(row["high"])) for place, row in enumerate(rows)]
    lower = [(x(place), y(row["low"])) for place, row in enumerate(rows)]
    path = "M" + "L".join(f"{a:.1f} {b:.1f}" for a, b in [*upper, *reversed(lower)]) + "Z"
    area = element("path", d=path, class_="band")
    return area + polyline(upper, "limit") + polyline(lower, "limit")


def _day(row: dict[str, Any], x: float, y: float) -> Markup:
    state = ", out of control" if row["out"] else ""
    words = f"{row['day']}: {percent(row['rate'])} of {row['parts']}{state}"
    if row["out"]:
        return mark("diamond", x, y, "mark out", words)
    return mark("circle", x, y, "mark series-1 day", words)


def _predicted(rows: list[dict[str, Any]], x: Any, y: Any) -> Markup:
    """Draw what was predicted, where anything was."""
    if all(row["predicted"] is None for row in rows):
        return Markup("")
    points = [(x(place), y(row["predicted"] or 0.0)) for place, row in enumerate(rows)]
    return polyline(points, "line series-2")


def days_below(days: Sequence[str], plot: Plot, x: Any) -> Markup:
    """Write some of the days below their places."""
    count = max(2, int((plot.x_end - plot.left) / 92))
    last = len(days) - 1
    places = sorted({round(last * place / (count - 1)) for place in range(count)})
    parts = []
    for place in places:
        parts.append(line(x(place), plot.y_end, x(place), plot.y_end + 4, "axis"))
        parts.append(text(x(place), plot.y_end + 18, days[place], text_anchor="middle"))
    return Markup("").join(parts)


def _label(data: dict[str, Any]) -> str:
    out = sum(row["out"] for row in data["rows"])
    return f"Rate of {len(data['rows'])} days, {out} of them out of control."
