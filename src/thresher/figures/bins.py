"""Bins of a picture's axis on paper: where each begins and ends, and the words beside them."""

from itertools import pairwise
from math import log
from typing import Any, NamedTuple

from markupsafe import Markup

from thresher.figures.svg import element, fitted, letters_in, text
from thresher.wording import digits

MISSING = "missing"
BOLD = 8.4
"""Width of a bold digit, or of a bold letter, in the widest of the usual fonts."""
GAP = 8.0
"""Between the numbers and the bin of missing values."""


class Bins(NamedTuple):
    """Where bins lie along an axis, from `start` to `end` (which may be above it).

    Attributes
    ----------
    places : first and last place of each bin; the last bin is that of missing values.
    has_missing : whether that one is shown.
    """

    places: list[tuple[float, float]]
    has_missing: bool

    def middle(self, place: int) -> float:
        """Return the middle of a bin."""
        return sum(self.places[place]) / 2.0

    def runs(self, flags: list[bool]) -> list[tuple[float, float]]:
        """Return the stretches of bins that are flagged, neighbours as one."""
        found: list[tuple[float, float]] = []
        shown = self.places if self.has_missing else self.places[:-1]
        for (first, last), flag in zip(shown, flags, strict=False):
            if flag and found and abs(found[-1][1] - first) < 0.01:
                found[-1] = (found[-1][0], last)
            elif flag:
                found.append((first, last))
        return found


def lay_out(axis: dict[str, Any], start: float, end: float, has_missing: bool) -> Bins:
    """Return where the bins of an axis lie; missing values have one of their own at its end."""
    count = len(axis["inside"]) - 1
    way = 1.0 if end > start else -1.0
    room = min(0.09 * abs(end - start), 20.0)
    numbers_end = end - way * (room + GAP) if has_missing and "edges" in axis else end
    if "edges" in axis:
        edges = [log(edge) if axis["log"] else edge for edge in axis["edges"]]
        low, span = edges[0], edges[-1] - edges[0] or 1.0
        marks = [start + (edge - low) / span * (numbers_end - start) for edge in edges]
        last = (end - way * room, end)
    else:
        step = (end - start) / (count + has_missing)
        marks = [start + step * place for place in range(count + 1)]
        last = (marks[-1], end)
    return Bins([*pairwise(marks), last], has_missing)


def has_missing(data: dict[str, Any], axis: int) -> bool:
    """Whether some rows of a picture have no value on an axis."""
    last = len(data["axes"][axis]["inside"]) - 1
    return any(cell[axis] == last for cell in data["cells"])


def title_below(axis: dict[str, Any], left: float, right: float, y: float) -> Markup:
    """Write the name of an axis below it."""
    words = axis["name"] + (" (log)" if axis.get("log") else "")
    place = {"x": (left + right) / 2.0, "y": y, "text_anchor": "middle", "class_": "axis-title"}
    return shortened_text(words, right - left, **place)


def words_below(axis: dict[str, Any], bins: Bins, y: float, width: float) -> Markup:
    """Write levels below an axis, or its cuts and, where there is room beside them, its ends."""
    if "labels" in axis:
        levels = zip(labels_of(axis, bins), bins.places, strict=False)
        return Markup("").join(
            shortened_text(label, last - first - 5, x=(first + last) / 2, y=y, text_anchor="middle")
            for label, (first, last) in levels
        )
    shown = _cut_labels(axis, bins, width)
    edges, ends = axis["edges"], (bins.places[0][0], bins.places[-2][1])
    wanted = [
        (at, end_label(edges[side], edges), 8) for at, side in zip(ends, (0, -1), strict=True)
    ]
    if bins.has_missing:
        wanted.append((bins.middle(-1), MISSING, 6))
    for place, label, gap in wanted:
        box = _box(place, label, width)
        if all(box[1] + gap < other[1][0] or other[1][1] + gap < box[0] for other in shown):
            shown.append((label, box, ""))
    parts = [
        text((box[0] + box[1]) / 2.0, y, label, text_anchor="middle", class_=class_ or None)
        for label, box, class_ in shown
    ]
    return Markup("").join(parts)


Label = tuple[str, tuple[float, float], str]


def _cut_labels(axis: dict[str, Any], bins: Bins, width: float) -> list[Label]:
    """Return the labels of the cuts; two that would touch are one."""
    places = cut_places(axis, bins)
    labels = [
        (cut, _box(place, cut, width), "cut-label")
        for cut, place in zip(cut_words(axis), places, strict=True)
    ]
    if len(labels) == 2 and labels[0][1][1] + 8 > labels[1][1][0]:
        both = f"{labels[0][0]} to {labels[1][0]}"
        return [(both, _box(sum(places) / 2.0, both, width), "cut-label")]
    return labels


def cut_places(axis: dict[str, Any], bins: Bins) -> list[float]:
    """Return where the cuts of an axis lie."""
    places = [first for first, _ in bins.places[:-1]] + [bins.places[-2][1]]
    edges = axis["edges"]
    # A cut is one of the edges, up to rounding.
    return [
        places[min(range(len(edges)), key=lambda i: abs(edges[i] - cut))] for cut in axis["cuts"]
    ]


def cut_words(axis: dict[str, Any]) -> list[str]:
    """Return the cuts of an axis with as many digits as a picture shows."""
    return [end_label(cut, axis["edges"], 0.002) for cut in axis["cuts"]]


def _box(place: float, label: str, width: float) -> tuple[float, float]:
    """Return where a label stands that is centred at a place, inside the drawing."""
    half = 0.5 * BOLD * letters_in(label) + 1.0
    middle = min(max(place, half), max(width - half, half))
    return middle - half, middle + half


def end_label(edge: float, edges: list[float], error: float = 0.02) -> str:
    """Return a number with so many digits that its place is wrong by a small share of the axis.

    >>> end_label(3.14159, [3.14159, 9.8]), end_label(20061.3, [20000.2, 20061.3])
    ('3.1', '20061')
    """
    span = edges[-1] - edges[0]
    for precision in range(2, 7):
        if abs(float(f"{edge:.{precision}g}") - edge) < error * span:
            return digits(float(f"{edge:.{precision}g}"))
    return digits(edge)


def labels_of(axis: dict[str, Any], bins: Bins) -> list[str]:
    """Return the words of the bins of an axis of levels."""
    return [*axis["labels"], MISSING][: len(axis["labels"]) + bins.has_missing]


def shortened_text(words: str, room: float, **attributes: Any) -> Markup:
    """Return a text without the end for which there is no room; its title has all of it."""
    shown = fitted(words, room / BOLD)
    inside = [shown] if shown == words else [shown, element("title", words)]
    return element("text", *inside, **attributes)


def level_labels(axis: dict[str, Any], bins: Bins, x: float) -> Markup:
    """Write the levels to the left of an upward axis, their ends left out where they are long."""
    parts = []
    for place, label in enumerate(labels_of(axis, bins)):
        class_ = "cut-label" if axis["inside"][place] else None
        at = {"x": x, "y": bins.middle(place) + 4, "text_anchor": "end", "class_": class_}
        parts.append(shortened_text(label, x, **at))
    return Markup("").join(parts)
