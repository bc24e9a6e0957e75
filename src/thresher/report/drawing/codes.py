"""A Pareto chart of reason codes: rows found, found under another code, and missed."""

from typing import Any

from markupsafe import Markup

from thresher.drawing.svg import LETTER, element, fitted, line, picture, rectangle, text

MAX_BARS = 20
LABELS = 190
"""Pixels for names beside the bars; where the page is narrow they stand above them."""
SEGMENTS = {
    "found": ("bar series-1", "found under this code"),
    "elsewhere": ("mark series-2", "found under another code"),
    "missed": ("bar rest", "missed"),
}
"""Parts of a bar: the class, and what it means."""


def draw_codes(data: dict[str, Any], width: int) -> Markup:
    """Draw a bar for each code, the ones that cost most first."""
    rows = data["rows"][:MAX_BARS]
    is_narrow = width < 500
    left, step = (0, 50) if is_narrow else (LABELS, 34)
    widest = max(len(_told(row)) for row in rows)
    room = width - left - LETTER * widest - 12
    longest = max(row["rows"] for row in rows) or 1
    parts = [
        _bar(row, place * step, left, room / longest, is_narrow) for place, row in enumerate(rows)
    ]
    height = len(rows) * step + 4
    axis = [] if is_narrow else [line(left, 0, left, height, "axis")]
    return picture(width, height, _label(rows, data["unit"]), *parts, *axis)


def _bar(row: dict[str, Any], top: float, left: float, scale: float, is_narrow: bool) -> Markup:
    name = fitted(row["code"], (LABELS - 12) / LETTER if not is_narrow else 320 / LETTER)
    y = top + 20 if is_narrow else top + 6
    where = {"x": 0, "y": top + 14} if is_narrow else {"x": left - 8, "y": y + 15}
    parts = [text(**where, words=name, text_anchor=None if is_narrow else "end")]
    x = left
    for key, (class_, words) in SEGMENTS.items():
        wide = scale * row[key]
        if row[key]:
            title = element("title", f"{row['code']}: {row[key]:,} {words}")
            parts.append(rectangle(x, y, wide, 22, class_, title))
        x += wide
    parts.append(text(x + 6, y + 15, _told(row)))
    return Markup("").join(parts)


def _told(row: dict[str, Any]) -> str:
    return f"{row['found']:,} of {row['rows']:,}"


def _label(rows: list[dict[str, Any]], unit: str) -> str:
    shares = "; ".join(f"{row['code']} {_told(row)}" for row in rows)
    return f"Unseen {unit} found by code: {shares}."
