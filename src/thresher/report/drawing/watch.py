"""The evidence of a watch: e-values after each batch, and the line of alarm."""

from math import ceil, floor, log
from typing import Any

from markupsafe import Markup

from thresher.drawing.axes import Plot
from thresher.drawing.svg import line, picture, text
from thresher.report.drawing.daily import days_below
from thresher.report.drawing.series import Series, draw_series

TEN = log(10.0)
LOWEST, HIGHEST, MOST_TICKS = -1.0, 12.0, 6
"""Of the axis, in powers of ten: bets not yet made keep e-values from falling far, and beyond a
billion times the line nobody asks how far."""


def draw_watch(data: dict[str, Any], width: int) -> Markup:
    """Draw a line for each question on a logarithmic axis."""
    powers = [
        [min(max(value / TEN, LOWEST), HIGHEST) for value in one["values"]]
        for one in data["series"]
    ]
    alarm = data["line"] / TEN
    highest = ceil(max([alarm + 0.5, *(max(values) for values in powers)]))
    plot = Plot(width, 270, left=58, right=38, bottom=34)
    x, y = plot.across(0.0, max(len(data["days"]) - 1, 1)), plot.upward(LOWEST, highest)
    step = max(1, ceil((highest - LOWEST) / MOST_TICKS))
    ticks = [float(power) for power in range(floor(LOWEST), highest + 1, step)]
    series = [
        Series(one["name"], [(x(i), y(value)) for i, value in enumerate(values)])
        for one, values in zip(data["series"], powers, strict=True)
    ]
    return picture(
        width,
        plot.height,
        _label(data),
        plot.grid(y, ticks, _power, "e-value"),
        line(plot.left, y(alarm), plot.x_end, y(alarm), "center"),
        text(plot.x_end + 4, y(alarm) + 4, "alarm"),
        draw_series(series, named=False),
        days_below(data["days"], plot, x),
    )


def _power(power: float) -> str:
    """Return a power of ten.

    >>> _power(-1.0), _power(2.0), _power(12.0)
    ('0.1', '100', '1e+12')
    """
    return f"{10.0**power:g}"


def _label(data: dict[str, Any]) -> str:
    state = "an alarm" if data["is_alarm"] else "no alarm"
    return f"E-values after each of {len(data['days'])} looks at a batch, {state}."
