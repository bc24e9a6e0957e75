"""The data behind a condition: a histogram, rates by level, a scatter or a heat map, and time."""

from typing import Any

from markupsafe import Markup

from thresher.figures.axes import Plot, legend, percent_tick, round_ticks, sample
from thresher.figures.bins import (
    BOLD,
    Bins,
    cut_places,
    has_missing,
    labels_of,
    lay_out,
    level_labels,
    title_below,
    words_below,
)
from thresher.figures.scatter import draw_grid
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
from thresher.wording import number, percent

WIDTH, LEGEND = 300, 34.0
"""Of a picture; the height of the two lines that say what its colours mean."""
EDGE, STRIP, LEVEL = 6.0, 44.0, 19.0
"""Margin at both sides; height of the bars of one class, and of a level."""
KINDS = {"levels": "Rates by level"}
PARTS = {"under": "bad", "others": "good"}


def draw_picture(data: dict[str, Any], class_name: str, width: int = WIDTH) -> Markup:
    """Draw the data behind a condition; what is inside the condition is shaded."""
    draw = {"histogram": draw_histogram, "levels": draw_strips}.get(data["kind"], draw_grid)
    parts, height = draw(data, width, LEGEND)
    # What the colours mean, and how much of each class is inside.
    for y, index, words, kind in ((11.0, 1, class_name, "bad"), (25.0, 0, "other rows", "good")):
        counts = f": {number(data['inside'][index])} of {number(data['all'][index])} inside"
        words = fitted(words, (width - 24) / LETTER - letters_in(counts)) + counts
        if data["kind"] == "levels":
            parts.append(text(0, y, words))
        else:
            parts += [rectangle(0, y - 8, 9, 9, kind), text(14, y, words)]
    return picture(width, height, picture_words(data, class_name), *parts)


def picture_words(data: dict[str, Any], class_name: str) -> str:
    """Say what a picture shows.

    >>> data = {"kind": "histogram", "axes": [{"name": "speed"}], "inside": [2, 5], "all": [90, 6]}
    >>> picture_words({**data, "among": None}, "scrap")
    'Histogram of speed: 5 of 6 scrap and 2 of 90 other rows meet the condition.'
    """
    axes = " and ".join(axis["name"] for axis in data["axes"])
    kind = KINDS.get(data["kind"], data["kind"].capitalize())
    among = f", among rows with {data['among']}" if data["among"] else ""
    (good, bad), (all_good, all_bad) = data["inside"], data["all"]
    return (
        f"{kind} of {axes}: {number(bad)} of {number(all_bad)} {class_name} and {number(good)} of "
        f"{number(all_good)} other rows meet the condition{among}."
    )


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
    parts.append(words_below(axis, bins, bottom + 14, width))
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
    parts = [level_labels(axis, bins, left - 6)]
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


def draw_over_time(data: dict[str, Any], class_name: str, width: int = WIDTH) -> Markup:
    """Draw the rate under a condition as a line with marks, that of all other rows dashed."""
    key = [
        (sample("line bad"), "rate under the condition"),
        (sample("line good"), "rate of all others"),
    ]
    key_drawn, top = legend(key, 0.0, 0.0, width)
    plot = Plot(width, int(top) + 124, left=46, right=10, top=int(top) + 8, bottom=24)
    rates = [[hits / rows if rows else None for rows, hits in data[part]] for part in PARTS]
    highest = max([rate for part in rates for rate in part if rate is not None], default=0.0)
    ticks = round_ticks(max(highest, 1e-6), 3)
    ticks = [tick for tick in ticks if tick <= 1.0] or [0.0, 1.0]
    y = plot.upward(0.0, max(ticks[-1], min(highest, 1.0)))
    middles = plot.middles(len(data["periods"]))
    parts = [plot.grid(y, ticks, percent_tick), key_drawn]
    for part, rate in zip(PARTS, rates, strict=True):
        points = [(x, y(one)) for x, one in zip(middles, rate, strict=True) if one is not None]
        if points:
            parts.append(polyline(points, f"line {PARTS[part]}"))
    for x, one, (rows, hits) in zip(middles, rates[0], data["under"], strict=True):
        if one is not None:
            words = f"{percent(one)}: {number(hits)} of {number(rows)} rows"
            parts.append(mark("circle", x, y(one), "mark bad", words))
    parts += [
        text(plot.left, plot.y_end + 16, data["periods"][0]),
        text(plot.x_end, plot.y_end + 16, data["periods"][-1], text_anchor="end"),
    ]
    label = f"Rate of {class_name} over {len(middles)} periods, under the condition and otherwise."
    return picture(width, plot.height, label, *parts)
