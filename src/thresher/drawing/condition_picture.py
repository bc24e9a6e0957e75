"""The data behind a condition as SVG: a histogram, rates by level, a scatter or a heat map."""

from typing import Any

from markupsafe import Markup

from thresher.drawing.one_column import draw_histogram, draw_strips
from thresher.drawing.svg import LETTER, fitted, letters_in, picture, rectangle, text
from thresher.drawing.two_columns import draw_grid
from thresher.wording import number

WIDTH, LEGEND = 300, 34.0
"""Of a picture; the height of the two lines that say what its colours mean."""
DRAWN = {"histogram": draw_histogram, "levels": draw_strips}
KINDS = {"levels": "Rates by level"}


def draw_picture(data: dict[str, Any], event: str, unit: str, width: int = WIDTH) -> Markup:
    """Draw the data behind a condition; what is inside the condition is shaded."""
    parts, height = DRAWN.get(data["kind"], draw_grid)(data, width, LEGEND)
    label = picture_words(data, event, unit)
    legend = _legend(data, event, unit, width)
    return picture(width, height, label, legend, *parts, class_="picture")


def picture_words(data: dict[str, Any], event: str, unit: str) -> str:
    """Say what a picture shows.

    >>> data = {"kind": "histogram", "axes": [{"name": "speed"}], "inside": [2, 5], "all": [90, 6]}
    >>> picture_words({**data, "among": None}, "scrap", "parts")
    'Histogram of speed: 5 of 6 scrap and 2 of 90 other parts meet the condition.'
    """
    axes = " and ".join(axis["name"] for axis in data["axes"])
    kind = KINDS.get(data["kind"], data["kind"].capitalize())
    among = f", among {unit} with {data['among']}" if data["among"] else ""
    (good, bad), (all_good, all_bad) = data["inside"], data["all"]
    return (
        f"{kind} of {axes}: {number(bad)} of {number(all_bad)} {event} and {number(good)} of "
        f"{number(all_good)} other {unit} meet the condition{among}."
    )


def _legend(data: dict[str, Any], event: str, unit: str, width: int) -> Markup:
    """Say what the colours mean, and how much of each class is inside."""
    rows = []
    for place, (index, words, kind) in enumerate(((1, event, "bad"), (0, f"other {unit}", "good"))):
        counts = f": {number(data['inside'][index])} of {number(data['all'][index])} inside"
        room = (width - 24) / LETTER - letters_in(counts)
        y = 11.0 + 14.0 * place
        is_split = data["kind"] != "levels"
        shape = rectangle(0, y - 8, 9, 9, kind) if is_split else Markup("")
        rows.append(shape + text(14 if is_split else 0, y, fitted(words, room) + counts))
    return Markup("").join(rows)
