"""A reliability diagram: what was predicted against what came true."""

from math import floor, log10
from typing import Any

from markupsafe import Markup

from thresher.drawing.axes import Plot, percent_tick, round_ticks
from thresher.drawing.svg import line, mark, picture
from thresher.wording import percent

LABEL = "Predicted probability against the real share; the table below has the numbers."
LOWEST = -6
"""Of logarithmic axes, as a power of ten."""


def draw_calibration(data: dict[str, Any], width: int) -> Markup:
    """Draw a mark with its interval for each group; on the diagonal, predictions come true."""
    if is_rare(data):
        return _draw_rare(data, width)
    groups = data["groups"]
    plot = Plot(min(width, 480), 340, right=26, bottom=46)
    top = max(max(group["predicted"], group["high"]) for group in groups)
    ticks = [tick for tick in round_ticks(top) if tick <= 1.0] or [0.0, 1.0]
    high = max(ticks[-1], min(top, 1.0))
    x, y = plot.across(0.0, high), plot.upward(0.0, high)
    parts = [
        plot.grid(y, ticks, percent_tick, "really positive"),
        plot.below(x, ticks, percent_tick),
        plot.title_below("predicted probability"),
        line(x(0.0), y(0.0), x(high), y(high), "diagonal"),
    ]
    parts += [_group(group, x, y, 0.0) for group in groups]
    return picture(plot.width, plot.height, LABEL, *parts)


def is_rare(data: dict[str, Any]) -> bool:
    """Whether groups would crowd in a corner, so that logarithmic axes tell them apart."""
    predicted = [group["predicted"] for group in data["groups"] if group["predicted"] > 0.0]
    return len(predicted) > 1 and min(predicted) < 0.02 * max(predicted)


def _draw_rare(data: dict[str, Any], width: int) -> Markup:
    """Draw the groups on logarithmic axes; what is 0 stands at their lower end."""
    groups = data["groups"]
    seen = [group[key] for group in groups for key in ("predicted", "real") if group[key] > 0.0]
    lowest = max(floor(log10(min(seen, default=0.1))), LOWEST)
    plot = Plot(min(width, 480), 340, left=66, right=30, bottom=46)
    powers = [float(power) for power in range(lowest, 1)]
    across, upward = plot.across(lowest, 0.0), plot.upward(lowest, 0.0)

    def x(share: float) -> float:
        return across(_power(share, lowest))

    def y(share: float) -> float:
        return upward(_power(share, lowest))

    parts = [
        plot.grid(upward, powers, _words, "really positive (log)"),
        plot.below(across, powers, _words),
        plot.title_below("predicted probability (log)"),
        line(across(lowest), upward(lowest), across(0.0), upward(0.0), "diagonal"),
        *(_group(group, x, y, 10.0**lowest) for group in groups),
    ]
    return picture(plot.width, plot.height, LABEL, *parts)


def _power(share: float, lowest: float) -> float:
    return max(log10(share), lowest) if share > 0.0 else lowest


def _words(power: float) -> str:
    """Return a power of ten as a share.

    >>> [_words(power).replace("\u00a0", " ") for power in (0.0, -2.0, -4.0)]
    ['100 %', '1 %', '100 ppm']
    """
    share = 10.0**power
    return f"{1e6 * share:.0f} ppm" if share < 0.00099 else f"{100.0 * share:g} %"


def _group(group: dict[str, Any], x: Any, y: Any, least: float) -> Markup:
    """Draw a group with its interval; hollow where none of it came true and axes have no 0."""
    place = x(group["predicted"])
    words = f"predicted {percent(group['predicted'])}, real {percent(group['real'])}"
    hollow = " hollow" if group["real"] < least else ""
    return line(place, y(group["low"]), place, y(group["high"]), "whisker") + mark(
        "circle", place, y(group["real"]), f"mark series-1{hollow}", words
    )
