"""How early scrap is known: measures with all that is measured up to each station."""

from typing import Any

from markupsafe import Markup

from thresher.drawing.axes import Plot, percent_tick
from thresher.drawing.svg import LETTER, picture, text, wrapped
from thresher.report.drawing.series import Series, draw_series
from thresher.wording import percent

MEASURES = {"recall": "recall", "precision": "precision", "f1": "F1"}


def draw_early(data: dict[str, Any], width: int) -> Markup:
    """Draw a line for each measure over the stations."""
    rows = data["rows"]
    plot = Plot(width, 260, right=74, top=12, bottom=46)
    places, y = plot.places(len(rows)), plot.upward(0.0, 1.0)
    drawn = [
        Series(
            name,
            [(x, y(row[key] or 0.0)) for x, row in zip(places, rows, strict=True)],
            [f"{row['station']}: {name} {percent(row[key])}" for row in rows],
        )
        for key, name in MEASURES.items()
    ]
    names = [
        _station(x, row["station"], place, plot, len(rows))
        for place, (x, row) in enumerate(zip(places, rows, strict=True))
    ]
    return picture(
        width,
        plot.height,
        "Recall, precision and F1 by station; the table below has the numbers.",
        plot.grid(y, (0.0, 0.25, 0.5, 0.75, 1.0), percent_tick, ""),
        draw_series(drawn),
        *names,
        plot.title_below("station") if width < 500 else "",
    )


def _station(x: float, name: str, place: int, plot: Plot, count: int) -> Markup:
    """Write a station below its place; where there is no room for names, its number."""
    letters = (plot.x_end - plot.left) / count / LETTER - 1.0
    if letters < 8:
        return text(x, plot.y_end + 17, str(place + 1), text_anchor="middle")
    lines = wrapped(name, letters, 2)
    return Markup("").join(
        text(x, plot.y_end + 17 + 14 * number, words, text_anchor="middle")
        for number, words in enumerate(lines)
    )
