"""Pictures of two columns: a scatter or a heat map of both classes, with a condition's box."""

from math import log, sqrt
from typing import Any

from markupsafe import Markup

from thresher.figures.bins import (
    BOLD,
    MISSING,
    Bins,
    cut_places,
    cut_words,
    end_label,
    has_missing,
    lay_out,
    level_labels,
    shortened_text,
    title_below,
    words_below,
)
from thresher.figures.svg import element, fitted, letters_in, rectangle, text

EDGE, HEIGHT, LEVEL, LINE = 6.0, 106.0, 19.0, 13.0
"""Margin at the right; height of numbers, of a level, and of a line of text."""
SHADES = 5


def draw_grid(data: dict[str, Any], width: int, top: float) -> tuple[list[Markup], float]:
    """Draw the common class as shades or dots, the rare one as dots above; and the height."""
    across, upward = data["axes"]
    top += LINE + 2
    with_missing = has_missing(data, 1)
    has_levels = "labels" in upward
    left, height = 0.3 * width, HEIGHT
    if has_levels:
        height = LEVEL * (len(upward["labels"]) + with_missing)
    else:
        left = min(left, max(map(letters_in, _tick_words(upward))) * BOLD + 8.0)
    x = lay_out(across, left, width - EDGE, has_missing(data, 0))
    y = lay_out(upward, top + height, top, with_missing)
    boxes = [
        (first, last_y, last - first, first_y - last_y)
        for first, last in x.runs(across["inside"])
        for first_y, last_y in y.runs(upward["inside"])
    ]
    is_scatter = data["kind"] == "scatter"
    parts = [
        *(rectangle(*box, "inside") for box in boxes),
        _dots(data, x, y, 2, "good") if is_scatter else _shades(data, x, y),
        _dots(data, x, y, 3, "bad"),
        rectangle(left, top, width - EDGE - left, height, "frame"),
        *(rectangle(*box, "box") for box in boxes),
        shortened_text(upward["name"], width, x=0.0, y=top - 6, class_="axis-title"),
        level_labels(upward, y, left - 6) if has_levels else _ticks_beside(upward, y, left),
        words_below(across, x, top + height + 14, width),
        title_below(across, left, width, top + height + 29),
    ]
    return parts, top + height + 35


def _ticks_beside(axis: dict[str, Any], bins: Bins, left: float) -> Markup:
    """Write cuts and ends to the left of an upward axis, as far as they do not meet."""
    parts: list[Markup] = []
    taken: list[float] = []
    ends = [bins.places[0][0] - 4, bins.places[-2][1] + 5, bins.middle(-1)]
    wanted = zip(_tick_words(axis), [*cut_places(axis, bins), *ends], strict=False)
    for place, (label, y) in enumerate(wanted):
        is_last = place == len(axis["cuts"]) + 2
        if all(abs(y - other) >= LINE for other in taken) and (bins.has_missing or not is_last):
            taken.append(y)
            class_ = "cut-label" if place < len(axis["cuts"]) else None
            shown = fitted(label, (left - 5) / BOLD)
            parts.append(text(left - 4, y + 4, shown, text_anchor="end", class_=class_))
    return Markup("").join(parts)


def _tick_words(axis: dict[str, Any]) -> list[str]:
    """Return the words beside an upward axis: its cuts, its ends, and that of missing values."""
    edges = axis["edges"]
    return [*cut_words(axis), end_label(edges[0], edges), end_label(edges[-1], edges), MISSING]


def _shades(data: dict[str, Any], x: Bins, y: Bins) -> Markup:
    """Draw the common class, a path for each shade: by the logarithm of rows in a cell."""
    most = max((cell[2] for cell in data["cells"]), default=1)
    paths: list[list[str]] = [[] for _ in range(SHADES)]
    for across, upward, good, _ in data["cells"]:
        if good:
            (first, last), (low, high) = x.places[across], y.places[upward]
            shade = round((SHADES - 1) * log(good) / log(most)) if most > 1 else 0
            paths[shade].append(f"M{first:.1f} {low:.1f}V{high:.1f}H{last:.1f}V{low:.1f}Z")
    return Markup("").join(
        element("path", d="".join(parts), class_=f"shade-{place + 1}")
        for place, parts in enumerate(paths)
        if parts
    )


def _dots(data: dict[str, Any], x: Bins, y: Bins, index: int, kind: str) -> Markup:
    """Draw the rows of a class, a path for each size: strokes of no length have round ends."""
    found = [
        (x.middle(cell[0]), y.middle(cell[1]), cell[index]) for cell in data["cells"] if cell[index]
    ]
    most = max((rows for _, _, rows in found), default=1)
    sizes: dict[int, list[str]] = {}
    for across, upward, rows in found:
        size = 1 + round(3 * (sqrt(rows) - 1) / (max(sqrt(most), 4.0) - 1))
        sizes.setdefault(size, []).append(f"M{across:.1f} {upward:.1f}h0")
    return Markup("").join(
        element("path", d="".join(parts), class_=f"dots {kind} size-{size}")
        for size, parts in sorted(sizes.items())
    )
