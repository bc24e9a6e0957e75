"""Elements of SVG as text; whatever stands in them is escaped."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any
from unicodedata import east_asian_width

from markupsafe import Markup, escape

WIDE, NARROW = 976, 340
LETTER = 6.7
"""About the width of a letter, in units, at the size of a chart's text (12)."""


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
    "diamond": ((0.0, -6.0), (6.0, 0.0), (0.0, 6.0), (-6.0, 0.0)),
}


def mark(shape: str, x: float, y: float, class_: str, title: str | None = None) -> Markup:
    """Return a mark of a series: its shape tells it apart, its colour only helps."""
    inside = [] if title is None else [element("title", title)]
    if shape == "circle":
        return element("circle", *inside, cx=float(x), cy=float(y), r=3.8, class_=class_)
    path = "M" + "L".join(f"{x + dx:.1f} {y + dy:.1f}" for dx, dy in MARKS[shape]) + "Z"
    return element("path", *inside, d=path, class_=class_)


def picture(width: int, height: float, label: str, *children: Any) -> Markup:
    """Return a drawing; `label` says in words what it shows."""
    size = {"viewBox": f"0 0 {width:.0f} {height:.0f}", "width": width, "height": f"{height:.0f}"}
    return element("svg", *children, **size, class_="picture", role="img", aria_label=label)


def for_both(draw: Callable[[int], Markup]) -> Markup:
    """Draw for a wide page and for a phone; the page shows one of them."""
    wide, narrow = draw(WIDE), draw(NARROW)
    return element("div", wide, class_="chart wide") + element("div", narrow, class_="chart narrow")


def fitted(words: str, room: float) -> str:
    """Leave out the end of a text that does not fit."""
    if letters_in(words) <= room:
        return words
    while words and letters_in(words) + 1 > room:
        words = words[:-1]
    return f"{words.rstrip('…')}…"


def folded(words: str, room: float) -> list[str]:
    """Break a text between words into lines of so many letters.

    >>> folded("force > 61.5 and tool_age > 38", 15)
    ['force > 61.5', 'and tool_age >', '38']
    """
    lines: list[str] = []
    for word in words.split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and letters_in(longer) <= room:
            lines[-1] = longer
        else:
            lines.append(fitted(word, room))
    return lines


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
