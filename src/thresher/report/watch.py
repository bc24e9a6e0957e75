"""A watch: e-values after each batch with the line of alarm, above the p-chart of the batches."""

from collections.abc import Callable, Sequence
from math import ceil, floor, log
from typing import Any

from markupsafe import Markup

from thresher.figures.axes import (
    SAMPLE,
    Plot,
    draw_series,
    legend,
    percent_tick,
    round_ticks,
    sample,
)
from thresher.figures.svg import element, line, mark, picture, polyline, rectangle, text
from thresher.wording import percent

TEN = log(10.0)
LOWEST, HIGHEST, MOST_TICKS = -1.0, 12.0, 6
"""Of the axis, in powers of ten: bets not yet made keep e-values from falling far, and beyond a
billion times the line nobody asks how far."""
HEIGHT, LEFT, RIGHT, LABEL = 270, 58, 38, 92
"""Of a chart and its margins; width of the label of a day."""


def draw_watch(data: dict[str, Any], width: int) -> Markup:
    """Draw a line for each question on a logarithmic axis; rates as marks in a band of limits."""
    days, series, chart = data["days"], data["series"], data["chart"]
    powers = [[min(max(e / TEN, LOWEST), HIGHEST) for e in one["values"]] for one in series]
    alarm = data["line"] / TEN
    highest = ceil(max([alarm + 0.5, *(value for values in powers for value in values)]))
    plot = Plot(width, HEIGHT, left=LEFT, right=RIGHT, bottom=34)
    x, y = plot.across(0.0, max(len(days) - 1, 1)), plot.upward(LOWEST, highest)
    step = max(1, ceil((highest - LOWEST) / MOST_TICKS))
    ticks = [float(power) for power in range(floor(LOWEST), highest + 1, step)]
    key = [(sample(f"line series-{i + 1}"), one["name"]) for i, one in enumerate(series)]
    key_drawn, bottom = legend([*key, (sample("center"), "alarm")], LEFT, HEIGHT, width)
    parts = [
        plot.grid(y, ticks, lambda power: f"{10.0**power:g}", "e-value"),
        line(plot.left, y(alarm), plot.x_end, y(alarm), "center"),
        text(plot.x_end + 4, y(alarm) + 4, "alarm"),
        draw_series([[(x(i), y(e)) for i, e in enumerate(values)] for values in powers]),
        _days_below(days, plot, x),
        key_drawn,
    ]
    if chart["rows"]:
        drawn, bottom = _draw_p_chart(chart, width, int(bottom) + 12)
        parts.append(drawn)
    out = sum(row["out"] for row in chart["rows"])
    label = (
        f"E-values after each of {len(days)} looks at a batch, "
        f"{'an alarm' if data['is_alarm'] else 'no alarm'}; "
        f"rates of {len(chart['rows'])} batches, {out} of them out of control."
    )
    return picture(width, bottom, label, *parts)


def _draw_p_chart(data: dict[str, Any], width: int, above: int) -> tuple[Markup, float]:
    """Draw rates as marks, control limits as a band; return them with their lower edge."""
    rows = data["rows"]
    plot = Plot(width, above + HEIGHT, left=LEFT, right=RIGHT, top=above + 28, bottom=34)
    ticks = round_ticks(max(max(row["rate"], row["high"]) for row in rows))
    x, y = plot.across(0.0, max(len(rows) - 1, 1)), plot.upward(0.0, ticks[-1])
    center = y(data["center"])
    upper, lower = ([(x(i), y(row[end])) for i, row in enumerate(rows)] for end in ("high", "low"))
    area = "M" + "L".join(f"{a:.1f} {b:.1f}" for a, b in [*upper, *reversed(lower)]) + "Z"
    limits = rectangle(0, -5, SAMPLE, 10, "band") + element(
        "path", d="M0 -5h22M0 5h22", class_="limit"
    )
    key = [
        (mark("circle", 11, 0, "mark series-1"), "rate of a batch"),
        (limits, "control limits (3 sigma)"),
        (mark("diamond", 11, 0, "mark out"), "out of control"),
    ]
    key_drawn, bottom = legend(key, LEFT, above + HEIGHT, width)
    parts = [
        plot.grid(y, ticks, percent_tick, f"{data['of']}, share of a batch"),
        element("path", d=area, class_="band"),
        polyline(upper, "limit"),
        polyline(lower, "limit"),
        line(plot.left, center, plot.x_end, center, "center"),
    ]
    for i, row in enumerate(rows):
        shape, kind, state = ("circle", "mark series-1", "")
        if row["out"]:
            shape, kind, state = ("diamond", "mark out", ", out of control")
        words = f"{row['day']}: {percent(row['rate'])} of {row['parts']}{state}"
        parts.append(mark(shape, x(i), y(row["rate"]), kind, words))
    parts += [_days_below([row["day"] for row in rows], plot, x), key_drawn]
    return Markup("").join(parts), bottom


def _days_below(days: Sequence[str], plot: Plot, x: Callable[[float], float]) -> Markup:
    """Write some of the days below their positions, the last one always."""
    last = len(days) - 1
    step = max(1, ceil(LABEL * last / (plot.x_end - plot.left)))
    shown = [float(place) for place in range(last, -1, -step)]
    return plot.below(x, shown, lambda place: days[int(place)])
