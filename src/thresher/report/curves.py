"""Charts of a report: a Pareto chart of conditions, and a reliability diagram."""

from math import floor, log10
from typing import Any

from markupsafe import Markup

from thresher.figures.axes import Plot, percent_tick, round_ticks, sample
from thresher.figures.svg import (
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

TOGETHER = "under any condition up to this one"
MAX_BARS = 14
NARROW, WIDE = 32.0, 46.0
"""Bars of fewer pixels have no room for the sign of percent, or for a decimal; the table has it."""
LOWEST = -6
"""Of logarithmic axes, as a power of ten."""


def draw_pareto(data: dict[str, Any], width: int) -> Markup:
    """Draw a bar for each condition, a dashed one for the rest, and a line for all up to there."""
    rows = data["rows"][: MAX_BARS if width > 500 else 8]
    count, together = len(data["rows"]), data["rows"][-1]["together"]
    plot = Plot(width, 276, right=20, top=44, bottom=46, head=32)
    middles = plot.middles(len(rows) + 1)
    bar = min(0.62 * (middles[1] - middles[0]), 64.0)
    y = plot.upward(0.0, 1.0)
    title = f"{data.get('where_shares', 'in training')}: share of all {data['class_name']}"
    parts = [plot.grid(y, round_ticks(1.0), percent_tick, fitted(title, width / LETTER))]
    # Bars with their shares: inside a tall one, for the line runs above it.
    low = []
    for x, row in zip(middles, rows, strict=False):
        share, top = row["coverage"], y(row["coverage"])
        is_inside = plot.y_end - top > 24
        if not is_inside:
            low.append(top - 20)
        parts.append(_bar(x, top, bar, plot, "series-1", f"{row['text']}: {percent(share)}"))
        place = {"text_anchor": "middle", "class_": "on-bar" if is_inside else None}
        parts.append(text(x, top + 16 if is_inside else top - 6, _share(share, bar), **place))
        hollow = "" if row["is_confirmed"] else " hollow"
        parts.append(element("circle", cx=x, cy=plot.y_end + 16, r=10.0, class_=f"badge{hollow}"))
        place = {"text_anchor": "middle", "class_": f"badge-text{hollow}"}
        parts.append(text(x, plot.y_end + 20, row["number"], **place))
    x, rest = middles[-1], 1.0 - together
    words = f"Under none of the conditions: {percent(rest)}"
    parts.append(_bar(x, y(rest), bar, plot, "rest", words))
    parts.append(text(x, plot.y_end + 20, "none", text_anchor="middle"))
    parts.append(text(x, y(rest) - 6, _share(rest, bar), text_anchor="middle"))
    # The line; to the left of its end it is nowhere higher, so only shares above low bars are in
    # the way of its label.
    line_of_all = [(x, y(row["together"])) for x, row in zip(middles, rows, strict=False)]
    parts.append(polyline(line_of_all, "line series-2"))
    for (x, height), row in zip(line_of_all, rows, strict=True):
        words = f"Conditions 1 to {row['number']} together: {percent(row['together'])}"
        parts.append(mark("square", x, height, "mark series-2", words))
    x, height = line_of_all[-1]
    label = f"together {percent(rows[-1]['together'])}"
    end = max(x + bar / 2, plot.left + 1.1 * LETTER * letters_in(label))
    parts.append(text(end, min([height - 8, *low]), label, text_anchor="end", class_="name"))
    shown = f" ({len(rows)} of {count} shown; all together {percent(together)})"
    parts.append(plot.title_below("condition" + shown * (len(rows) < count)))
    parts.append(line(plot.left, plot.y_end, plot.x_end, plot.y_end, "axis"))
    key = [
        (rectangle(1, -5, 20, 10, "bar series-1"), "under this condition"),
        (sample("line series-2") + mark("square", 11, 0, "mark series-2"), TOGETHER),
        (rectangle(1, -5, 20, 10, "bar rest"), "under none of them"),
    ]
    shares = "; ".join(f"condition {row['number']} {percent(row['coverage'])}" for row in rows)
    words = f"Share of all {data['class_name']}: {shares}; {label}."
    return plot.picture(words, *parts, key=key)


def _bar(x: float, top: float, width: float, plot: Plot, kind: str, words: str) -> Markup:
    title = element("title", words)
    return rectangle(x - width / 2, top, width, plot.y_end - top, f"bar {kind}", title)


def _share(share: float, width: float) -> str:
    """Return a share in as many letters as a bar has room for."""
    whole = f"{100.0 * share:.0f}"
    return percent(share) if width >= WIDE else whole + " %" * (width >= NARROW)


def draw_calibration(data: dict[str, Any], width: int) -> Markup:
    """Draw a mark with its interval for each group; on the diagonal, predictions come true.

    Where groups would crowd in a corner, axes are logarithmic: what is 0 stands at their lower
    end, hollow where none of a group came true.
    """
    groups = data["groups"]
    predicted = [group["predicted"] for group in groups if group["predicted"] > 0.0]
    is_log = len(predicted) > 1 and min(predicted) < 0.02 * max(predicted)
    plot = Plot(min(width, 480), 340, left=66 if is_log else 46, right=30, bottom=46)
    if is_log:
        real = [group["real"] for group in groups if group["real"] > 0.0]
        low, high = float(max(floor(log10(min(predicted + real))), LOWEST)), 0.0
        ticks = [float(power) for power in range(int(low), 1)]
    else:
        top = max(max(group["predicted"], group["high"]) for group in groups)
        ticks = [tick for tick in round_ticks(top) if tick <= 1.0] or [0.0, 1.0]
        low, high = 0.0, max(ticks[-1], min(top, 1.0))
    across, upward = plot.across(low, high), plot.upward(low, high)

    def moved(share: float) -> float:
        if not is_log:
            return share
        return max(log10(share), low) if share > 0.0 else low

    kind, tick_words = (" (log)", _power_words) if is_log else ("", percent_tick)
    parts = [
        plot.grid(upward, ticks, tick_words, f"really positive{kind}"),
        plot.below(across, ticks, tick_words),
        plot.title_below(f"predicted probability{kind}"),
        line(across(low), upward(low), across(high), upward(high), "diagonal"),
    ]
    for group in groups:
        x, y = across(moved(group["predicted"])), upward(moved(group["real"]))
        low_end, high_end = (upward(moved(group[end])) for end in ("low", "high"))
        parts.append(line(x, low_end, x, high_end, "whisker"))
        words = f"predicted {percent(group['predicted'])}, real {percent(group['real'])}"
        hollow = " hollow" * (is_log and group["real"] < 10.0**low)
        parts.append(mark("circle", x, y, f"mark series-1{hollow}", words))
    label = "Predicted probability against the real share; the table below has the numbers."
    return picture(plot.width, plot.height, label, *parts)


def _power_words(power: float) -> str:
    """Return a power of ten as a share.

    >>> [_power_words(power).replace("\u00a0", " ") for power in (0.0, -2.0, -4.0)]
    ['100 %', '1 %', '100 ppm']
    """
    share = 10.0**power
    return f"{1e6 * share:.0f} ppm" if share < 0.00099 else f"{100.0 * share:g} %"
