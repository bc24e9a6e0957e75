"""Ways to treat a rare class side by side: a row for each, a mark for each measure."""

from typing import Any

from markupsafe import Markup

from thresher.drawing.axes import Plot, percent_tick
from thresher.drawing.svg import element, line, mark, picture, rectangle, text
from thresher.report.drawing.series import SHAPES
from thresher.wording import percent

MEASURES = {"recall": "recall", "precision": "precision", "f1": "F1"}
ROW = 46


def draw_comparison(data: dict[str, Any], width: int) -> Markup:
    """Draw the measures of each way on a common scale."""
    ways, is_narrow = data["ways"], width < 500
    left = 14 if is_narrow else 250
    row_height = ROW + (14 if is_narrow else 0)
    plot = Plot(width, 34 + len(ways) * row_height + 26, left=left, right=22, top=34, bottom=26)
    x = plot.across(0.0, 1.0)
    ticks = (0.0, 0.25, 0.5, 0.75, 1.0)
    parts = [line(x(tick), plot.top, x(tick), plot.y_end, "grid") for tick in ticks]
    parts += [plot.below(x, ticks, percent_tick), _legend(plot)]
    for place, way in enumerate(ways):
        middle = plot.top + row_height * (place + 0.5)
        if way["key"] == "rule":
            parts.insert(0, rectangle(0, middle - row_height / 2, width, row_height, "ours"))
        parts += _row(way, plot, x, middle, is_narrow)
    label = "Recall, precision and F1 of each way; the table below has the numbers."
    return picture(width, plot.height, label, *parts)


def _row(way: dict[str, Any], plot: Plot, x: Any, middle: float, is_narrow: bool) -> list[Markup]:
    class_ = "place" if way["key"] == "rule" else None
    if is_narrow:
        words = text(plot.left, middle - 14, way["words"], class_=class_)
        middle += 8
    else:
        words = text(8, middle + 4, way["words"], class_=class_)
    values = [way[key] for key in MEASURES]
    parts = [words, line(x(min(values)), middle, x(max(values)), middle, "whisker")]
    for place, (key, name) in enumerate(MEASURES.items()):
        title = f"{way['words']}: {name} {percent(way[key])}"
        parts.append(mark(SHAPES[place], x(way[key]), middle, f"mark series-{place + 1}", title))
    return parts


def _legend(plot: Plot) -> Markup:
    parts, left = [], float(plot.left)
    for place, name in enumerate(MEASURES.values()):
        parts.append(mark(SHAPES[place], left + 6, 14, f"mark series-{place + 1}"))
        parts.append(text(left + 16, 18, name, class_=f"name series-{place + 1}"))
        left += 30 + 7.2 * len(name)
    return element("g", *parts)
