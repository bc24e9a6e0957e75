"""A reliability diagram: what was predicted against what came true."""

from typing import Any

from markupsafe import Markup

from thresher.drawing.axes import Plot, percent_tick, round_ticks
from thresher.drawing.svg import line, mark, picture, text
from thresher.wording import percent


def draw_calibration(data: dict[str, Any], width: int) -> Markup:
    """Draw a mark with its interval for each group; on the diagonal, predictions come true."""
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
        text(x(0.56 * high), y(0.5 * high), "line of true predictions", class_="small"),
    ]
    for group in groups:
        place = x(group["predicted"])
        parts.append(line(place, y(group["low"]), place, y(group["high"]), "whisker"))
        words = f"predicted {percent(group['predicted'])}, real {percent(group['real'])}"
        parts.append(mark("circle", place, y(group["real"]), "mark series-1", words))
    label = "Predicted probability against the real share; the table below has the numbers."
    return picture(plot.width, plot.height, label, *parts)
