"""Pictures of one column: a histogram of both classes, or the rate of each level."""

from typing import Any

from markupsafe import Markup

from thresher.drawing.bins import (
    BOLD,
    Bins,
    cut_places,
    has_missing,
    labels_of,
    lay_out,
    level_labels,
    ticks_below,
    title_below,
)
from thresher.drawing.svg import LETTER, element, letters_in, line, rectangle, text
from thresher.wording import number, percent

EDGE, STRIP, LEVEL = 6.0, 44.0, 19.0
"""Margin at both sides; height of the bars of one class, and of a level."""


def draw_histogram(data: dict[str, Any], width: int, top: float) -> tuple[list[Markup], float]:
    """Draw the rare class upward, the other downward, each to its own scale; and the height."""
    axis = data["axes"][0]
    bins = lay_out(axis, EDGE, width - EDGE, has_missing(data, 0))
    middle, bottom = top + STRIP, top + 2 * STRIP
    parts = [
        rectangle(first, top, last - first, bottom - top, "inside")
        for first, last in bins.runs(axis["inside"])
    ]
    for index, way, kind in ((2, -1.0, "bad"), (1, 1.0, "good")):
        parts.append(_bars(data["cells"], index, bins, middle, way, kind))
    parts.append(line(EDGE, middle, width - EDGE, middle, "axis"))
    parts += [line(x, top, x, bottom, "cut") for x in cut_places(axis, bins)]
    parts.append(ticks_below(axis, bins, bottom + 14, width))
    parts.append(title_below(axis, 0.0, width, bottom + 29))
    return parts, bottom + 35


def _bars(
    cells: list[list[int]], index: int, bins: Bins, middle: float, way: float, kind: str
) -> Markup:
    """Draw the bars of a class as one path: heights are rows by width."""
    bars = [(*bins.places[cell[0]], cell[index]) for cell in cells if cell[index]]
    thick = [rows / max(last - first, 0.1) for first, last, rows in bars]
    highest = max(thick, default=1.0)
    path = "".join(
        f"M{first + 0.3:.1f} {middle:.1f}v{way * max(1.5, share / highest * (STRIP - 3)):.1f}"
        f"H{max(last - 0.3, first + 0.6):.1f}V{middle:.1f}Z"
        for (first, last, _), share in zip(bars, thick, strict=True)
    )
    return element("path", d=path, class_=kind) if path else Markup("")


def draw_strips(data: dict[str, Any], width: int, top: float) -> tuple[list[Markup], float]:
    """Draw the rate of each level as a bar, in another colour inside the condition."""
    axis, rows = data["axes"][0], {cell[0]: cell[1:] for cell in data["cells"]}
    with_missing = has_missing(data, 0)
    bottom = top + LEVEL * (len(axis["labels"]) + with_missing)
    bins = lay_out(axis, top, bottom, with_missing)
    left, right = 0.36 * width, 0.27 * width
    rates = {place: bad / max(good + bad, 1) for place, (good, bad) in rows.items()}
    highest = max(rates.values(), default=0.0) or 1.0
    parts = [level_labels(axis, bins, left - 6, left - 6)]
    for place in range(len(labels_of(axis, bins))):
        good, bad = rows.get(place, (0, 0))
        y, kind = bins.middle(place), "bad" if axis["inside"][place] else "good"
        bar = rates.get(place, 0.0) / highest * (width - left - right)
        parts.append(rectangle(left, y - 6, max(bar, 1.0), 12, kind))
        counts = _short(bad, good + bad, (right - 8) / LETTER)
        parts.append(text(width - 2, y + 4, counts, text_anchor="end"))
    mean = data["all"][1] / max(sum(data["all"]), 1) / highest
    x = left + mean * (width - left - right)
    parts.append(line(x, top, x, bottom, "cut average"))
    words = f"{axis['name']}: rate by level, up to {percent(highest)}"
    short = {"name": words if letters_in(words) * BOLD <= width else axis["name"]}
    parts.append(title_below(short, 0.0, width, bottom + 15))
    return parts, bottom + 21


def _short(bad: int, rows: int, room: float) -> str:
    """Return counts in as many letters as there is room for.

    >>> _short(3, 120, 12), _short(123456, 9876543, 12)
    ('3 / 120', '123k / 9.9M')
    """
    full = f"{number(bad)} / {number(rows)}"
    return full if letters_in(full) <= room else f"{_thousands(bad)} / {_thousands(rows)}"


def _thousands(count: int) -> str:
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if count >= size:
            share = count / size
            return f"{share:.1f}{letter}" if share < 10 else f"{share:.0f}{letter}"
    return str(count)
