"""A Pareto chart of conditions: scrap under each, and under the first so many together."""

from typing import Any

from markupsafe import Markup

from thresher.drawing.axes import Plot, percent_tick, round_ticks
from thresher.drawing.svg import (
    LETTER,
    element,
    fitted,
    letters_in,
    line,
    mark,
    picture,
    polyline,
    rectangle,
    text,
)
from thresher.wording import percent

MAX_BARS = 14
NARROW, WIDE = 32.0, 46.0
"""Bars of fewer pixels have no room for the sign of percent, or for a decimal; the table has it."""


def draw_pareto(data: dict[str, Any], width: int) -> Markup:
    """Draw a bar for each condition and a line for all up to there; the rest is hatched."""
    rows = data["rows"][: MAX_BARS if width > 500 else 8]
    plot = Plot(width, 276, right=20, top=44, bottom=46)
    places = plot.places(len(rows) + 1)
    bar = min(0.62 * (places[1] - places[0]), 64.0)
    ticks = round_ticks(1.0)
    y = plot.upward(0.0, 1.0)
    title = f"{data.get('where_shares', 'in training')}: share of all {data['event']}"
    parts = [plot.grid(y, ticks, percent_tick, fitted(title, width / LETTER))]
    for x, row in zip(places, rows, strict=False):
        parts.append(_bar(x - bar / 2, y(row["coverage"]), bar, plot.y_end, row))
        parts.append(_number(x, plot.y_end + 16, row["number"], row["is_confirmed"]))
    together = data["rows"][-1]["together"]
    rest = 1.0 - together
    hatched = f"Under none of the conditions: {percent(rest)}"
    words = element("title", hatched)
    parts.append(
        rectangle(places[-1] - bar / 2, y(rest), bar, plot.y_end - y(rest), "bar rest", words)
    )
    parts.append(text(places[-1], plot.y_end + 20, "none", text_anchor="middle"))
    parts.append(text(places[-1], y(rest) - 6, _share(rest, bar), text_anchor="middle"))
    way = [(x, y(row["together"])) for x, row in zip(places, rows, strict=False)]
    parts.append(polyline(way, "line series-2"))
    for (x, height), row in zip(way, rows, strict=True):
        told = f"Conditions 1 to {row['number']} together: {percent(row['together'])}"
        parts.append(mark("square", x, height, "mark series-2", told))
    x, height = way[-1]
    # To the left of its end the line is nowhere higher; only shares above low bars are in the way.
    tops = [y(row["coverage"]) for row in rows]
    above = min([height - 8, *(top - 20 for top in tops if not _has_room(top, plot.y_end))])
    place = {"text_anchor": "end", "class_": "name series-2"}
    label = f"together {percent(rows[-1]['together'])}"
    end = max(x + bar / 2, plot.left + 1.1 * LETTER * letters_in(label))
    parts.append(text(end, above, label, **place))
    parts.append(plot.title_below(_below(len(rows), len(data["rows"]), together)))
    parts.append(line(plot.left, plot.y_end, plot.x_end, plot.y_end, "axis"))
    return picture(width, plot.height, _label(rows, data["event"]), *parts)


def _bar(x: float, top: float, width: float, bottom: float, row: dict[str, Any]) -> Markup:
    title = element("title", f"{row['text']}: {percent(row['coverage'])}")
    is_inside = _has_room(top, bottom)
    share = _share(row["coverage"], width)
    place = text(
        x + width / 2,
        top + 16 if is_inside else top - 6,
        share,
        text_anchor="middle",
        class_="on-bar" if is_inside else None,
    )
    return rectangle(x, top, width, bottom - top, "bar series-1", title) + place


def _has_room(top: float, bottom: float) -> bool:
    """Whether the share stands inside a bar: above it runs the line."""
    return bottom - top > 24


def _share(share: float, width: float) -> str:
    """Return a share in as many letters as a bar has room for."""
    whole = f"{100.0 * share:.0f}"
    return percent(share) if width >= WIDE else whole + " %" * (width >= NARROW)


def _below(shown: int, count: int, together: float) -> str:
    if shown == count:
        return "condition"
    return f"condition ({shown} of {count} shown; all together {percent(together)})"


def _number(x: float, y: float, number: int, is_confirmed: bool) -> Markup:
    hollow = "" if is_confirmed else " hollow"
    circle = element("circle", cx=float(x), cy=float(y), r=10.0, class_=f"badge{hollow}")
    class_ = f"badge-text{hollow}"
    return circle + text(x, y + 4, number, class_=class_, text_anchor="middle")


def _label(rows: list[dict[str, Any]], event: str) -> str:
    shares = "; ".join(f"condition {row['number']} {percent(row['coverage'])}" for row in rows)
    return f"Share of all {event}: {shares}; together {percent(rows[-1]['together'])}."
