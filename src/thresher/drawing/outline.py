"""The lines of a tree as SVG: questions, bars for shares of positives, answers of leaves."""

from collections.abc import Sequence
from typing import Any

from markupsafe import Markup

from thresher.drawing.bins import BOLD
from thresher.drawing.svg import element, letters_in, line, picture, polyline, rectangle, text
from thresher.wording import number, percent, shortened

WIDTH, LINE, INDENT = 760, 22.0, 13.0
COUNTS, BAR, ANSWER = 150.0, 80.0, 62.0
"""Widths of the counts, of a full bar, and of the answer."""
SIGNS = {"alert": ("▲ alert", "bad strong"), "refer": ("? refer", "ask strong")}


def draw_outline(
    lines: Sequence[Any], edges: Sequence[tuple[int, int]], width: int = WIDTH
) -> Markup:
    """Draw the lines that `thresher.tree.outline` made, and their edges."""
    bars = width - ANSWER - COUNTS - BAR
    parts = []
    for parent, child in edges:
        x = INDENT * lines[parent].depth + 4.0
        start, end = LINE * (parent + 0.85), LINE * (child + 0.5)
        parts.append(polyline([(x, start), (x, end), (x + INDENT - 6, end)], "stem"))
    for place, one in enumerate(lines):
        middle, x = LINE * (place + 0.5), INDENT * one.depth
        parts.append(_question(one.text, x, middle + 4, bars - x - 8))
        parts.append(rectangle(bars, middle - 5, BAR, 10, "track"))
        parts.append(rectangle(bars, middle - 5, BAR * one.rate, 10, "bad"))
        counts = f"{number(one.positives)} of {number(one.rows)} ({percent(one.rate)})"
        parts.append(text(bars + BAR + 8, middle + 4, _short(counts)))
        parts.append(_answer(one, width, middle))
    height = LINE * len(lines)
    label = f"A tree of {sum(one.answer is not None for one in lines)} leaves."
    parts.append(line(0, height - 0.5, width, height - 0.5, "grid"))
    return picture(width, height, label, *parts, class_="picture")


def draw_share(share: float) -> Markup:
    """Draw a share as a bar of its own."""
    bar = rectangle(0, 0, BAR, 10, "track") + rectangle(0, 0, BAR * share, 10, "bad")
    return picture(int(BAR), 10, f"{percent(share)}", bar, class_="picture")


def _question(words: str, x: float, y: float, room: float) -> Markup:
    """Write a question without the middle of a long one: its cut stands at the end."""
    shown = shortened(words, max(int(room / letter_width(words)), 8))
    inside = [shown] if shown == words else [shown, element("title", words)]
    return element("text", *inside, x=x, y=y, class_="axis-title")


def letter_width(words: str) -> float:
    """Return the mean width of the letters of a text, in the widest of the usual fonts."""
    return 7.6 * letters_in(words) / max(len(words), 1)


def _short(counts: str) -> str:
    """Return counts, without the rate where there is no room for it."""
    return counts if len(counts) * BOLD * 0.87 <= COUNTS else counts.partition(" (")[0]


def _answer(one: Any, width: float, middle: float) -> Markup:
    words, class_ = SIGNS.get(one.answer, (one.answer or "", None))
    if one.hidden:
        words = f"+{one.hidden}"
    return text(width, middle + 4, words, text_anchor="end", class_=class_)
