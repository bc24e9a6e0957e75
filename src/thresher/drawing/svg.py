"""Elements of SVG as text; whatever stands in them is escaped."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any
from unicodedata import east_asian_width

from markupsafe import Markup, escape

WIDE, NARROW = 976, 340
LETTER = 6.7
"""About the width of a letter, in units, at the size of a chart's text (12)."""

Draw = Callable[[int], Markup]


def element(tag: str, *children: Any, **attributes: Any) -> Markup:
    """Return an element; `class_` and `text_anchor` mean `class` and `text-anchor`.

    >>> element("text", "a < b", x=1.25, text_anchor="end")
    Markup('<text x="1.2" text-anchor="end">a &lt; b</text>')
    """
    given = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{_value(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    inside = "".join(str(escape(child)) for child in children)
    return Markup(f"<{tag}{given}>{inside}</{tag}>")


def _value(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.1f}".removesuffix(".0")
    return str(escape(value))


def text(x: float, y: float, words: Any, **attributes: Any) -> Markup:
    """Return a line of text."""
    return element("text", words, x=float(x), y=float(y), **attributes)


def line(x1: float, y1: float, x2: float, y2: float, class_: str, **attributes: Any) -> Markup:
    """Return a straight line."""
    ends = {"x1": float(x1), "y1": float(y1), "x2": float(x2), "y2": float(y2)}
    return element("line", **ends, class_=class_, **attributes)


def rectangle(
    x: float, y: float, width: float, height: float, class_: str, *inside: Any, **attributes: Any
) -> Markup:
    """Return a rectangle; `inside` it a title."""
    box = {"x": float(x), "y": float(y), "width": max(float(width), 0.0), "height": float(height)}
    return element("rect", *inside, **box, class_=class_, **attributes)


def polyline(points: Iterable[tuple[float, float]], class_: str) -> Markup:
    """Return a line through points."""
    path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
    return element("path", d=path, class_=class_)


MARKS: dict[str, Sequence[tuple[float, float]]] = {
    "square": ((-3.6, -3.6), (3.6, -3.6), (3.6, 3.6), (-3.6, 3.6)),
    "triangle": ((0.0, -4.8), (4.6, 3.6), (-4.6, 3.6)),
    "diamond": ((0.0, -6.0), (6.0, 0.0), (0.0, 6.0), (-6.0, 0.0)),
}


def mark(shape: str, x: float, y: float, class_: str, title: str | None = None) -> Markup:
    """Return a mark of a series: its shape tells it apart, its colour only helps."""
    inside = [] if title is None else [element("title", title)]
    if shape == "circle":
        return element("circle", *inside, cx=float(x), cy=float(y), r=3.8, class_=class_)
    path = "M" + "L".join(f"{x + dx:.1f} {y + dy:.1f}" for dx, dy in MARKS[shape]) + "Z"
    return element("path", *inside, d=path, class_=class_)


def picture(width: int, height: float, label: str, *children: Any, class_: str = "") -> Markup:
    """Return a drawing; `label` says in words what it shows."""
    size = {"viewBox": f"0 0 {width} {height:.0f}", "width": width, "height": f"{height:.0f}"}
    return element("svg", *children, **size, role="img", aria_label=label, class_=class_ or None)


def for_both(draw: Draw, wide: int = WIDE, narrow: int = NARROW) -> Markup:
    """Draw for a wide page and for a phone; the page shows one of them."""
    parts = [("wide", draw(wide)), ("narrow", draw(narrow))]
    return Markup("").join(element("div", drawn, class_=f"chart {kind}") for kind, drawn in parts)


def wrapped(words: str, room: float, lines: int) -> list[str]:
    """Break a text into lines that fit into so many letters; what does not fit ends in "…".

    >>> wrapped("S2 bearing press", 11, 2), wrapped("abcdefgh", 4, 1)
    (['S2 bearing', 'press'], ['abc…'])
    """
    result = [""]
    for word in words.split():
        joined = f"{result[-1]} {word}".strip()
        if letters_in(joined) <= room or not result[-1]:
            result[-1] = joined
        else:
            result.append(word)
    kept = result[:lines]
    if len(result) > lines:
        kept[-1] = f"{kept[-1]}…"
    return [fitted(row, room) for row in kept]


def fitted(words: str, room: float) -> str:
    """Leave out the end of a text that does not fit."""
    if letters_in(words) <= room:
        return words
    while words and letters_in(words) + 1 > room:
        words = words[:-1]
    return f"{words.rstrip('…')}…"


def letters_in(words: str) -> float:
    """Return the width of a text in letters of usual width.

    >>> letters_in("leak"), letters_in("流量")
    (4.0, 3.8)
    """
    return sum(map(_letter, words), 0.0)


def _letter(letter: str) -> float:
    if east_asian_width(letter) in "WF":
        return 1.9
    return 1.35 if letter.isupper() or letter in "mw%&=<>@#+~" else 1.0
