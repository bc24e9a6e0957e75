"""Lines of measures over an axis: each has a colour, a dash, a mark and its name at its end."""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from markupsafe import Markup

from thresher.drawing.svg import mark, polyline, text

SHAPES = ("circle", "square", "triangle")
GAP = 14.0
"""Least distance of two names at the end of lines."""


class Series(NamedTuple):
    """A measure: its name and its points on the drawing."""

    name: str
    points: Sequence[tuple[float, float]]
    titles: Sequence[str] = ()


def draw_series(series: Sequence[Series], *, named: bool = True) -> Markup:
    """Draw lines; with `named`, marks on them and their names to the right of their ends."""
    parts = []
    heights = apart([item.points[-1][1] for item in series], GAP)
    for place, (item, height) in enumerate(zip(series, heights, strict=True)):
        kind = f"series-{place + 1}"
        parts.append(polyline(item.points, f"line {kind}"))
        if not named:
            continue
        titles = item.titles or [item.name] * len(item.points)
        for (x, y), title in zip(item.points, titles, strict=True):
            parts.append(mark(SHAPES[place], x, y, f"mark {kind}", title))
        end = item.points[-1][0]
        parts.append(text(end + 10, height + 4, item.name, class_=f"name {kind}"))
    return Markup("").join(parts)


def apart(places: Sequence[float], gap: float) -> list[float]:
    """Move places along a line until neighbours are at least `gap` apart.

    >>> apart([10.0, 12.0, 50.0], 14.0)
    [4.0, 18.0, 50.0]
    """
    order = sorted(range(len(places)), key=lambda index: places[index])
    result = [float(place) for place in places]
    for _ in range(50):
        for lower, upper in pairwise(order):
            short = gap - (result[upper] - result[lower])
            if short > 1e-9:
                result[lower] -= short / 2.0
                result[upper] += short / 2.0
    return [round(place, 3) for place in result]
