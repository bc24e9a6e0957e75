"""A tree: questions, bars for shares of positives, answers of leaves."""

from collections.abc import Sequence
from typing import Any

from markupsafe import Markup

from thresher.figures.bins import BOLD
from thresher.figures.svg import element, letters_in, line, picture, polyline, rectangle, text
from thresher.wording import number, percent, shortened

WIDTH, LINE, INDENT = 760, 22.0, 13.0
COUNTS, BAR, ANSWER = 176.0, 80.0, 62.0
"""Widths of the counts, of a full bar, and of the answer."""
LETTER = 7.6
"""Width of a letter of a question, in the widest of the usual fonts."""
SIGNS = {"alert": ("▲ alert", "bad strong"), "refer": ("? refer", "ask strong")}


def draw_tree(lines: Sequence[Any], width: int = WIDTH) -> Markup:
    """Draw the lines that `thresher.tree.outline` made, a node each, in preorder."""
    bars = width - ANSWER - COUNTS - BAR
    parts = []
    above: list[int] = []  # the rows of the nodes from the root down to the parent
    for row, one in enumerate(lines):
        middle, x = LINE * (row + 0.5), INDENT * one.depth
        del above[one.depth :]
        if above:
            stem, start = x - INDENT + 4.0, LINE * (above[-1] + 0.85)
            parts.append(polyline([(stem, start), (stem, middle), (x - 2, middle)], "stem"))
        above.append(row)
        # A long question loses its middle: its cut stands at the end.
        letter = LETTER * letters_in(one.text) / max(len(one.text), 1)
        shown = shortened(one.text, max(int((bars - x - 8) / letter), 8))
        inside = [shown] if shown == one.text else [shown, element("title", one.text)]
        parts.append(element("text", *inside, x=x, y=middle + 4, class_="axis-title"))
        parts.append(rectangle(bars, middle - 5, BAR, 10, "track"))
        parts.append(rectangle(bars, middle - 5, BAR * one.rate, 10, "bad"))
        counts = f"{number(one.positives)} of {number(one.rows)} ({percent(one.rate)})"
        if len(counts) * BOLD * 0.87 > COUNTS:
            counts = counts.partition(" (")[0]
        parts.append(text(bars + BAR + 8, middle + 4, counts))
        words, class_ = SIGNS.get(one.answer, (one.answer or "", None))
        if one.hidden:
            words = f"+{one.hidden}"
        if words:
            parts.append(text(width, middle + 4, words, text_anchor="end", class_=class_))
    height = LINE * len(lines)
    label = f"A tree of {sum(one.answer is not None for one in lines)} leaves."
    parts.append(line(0, height - 0.5, width, height - 0.5, "grid"))
    return picture(width, height, label, *parts)


def draw_share(share: float) -> Markup:
    """Draw a share as a bar of its own."""
    bar = rectangle(0, 0, BAR, 10, "track") + rectangle(0, 0, BAR * share, 10, "bad")
    return picture(int(BAR), 10, percent(share), bar)
