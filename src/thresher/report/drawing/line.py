"""The line as a schematic: stations and end-of-line tests in order, conditions where known."""

from typing import Any

from markupsafe import Markup

from thresher.drawing.svg import element, line, picture, rectangle, text, wrapped

WIDE = 980
PER_ROW = 8
BOX, GAP, ROW = 78, 22, 178
BADGE = 24
BOLD_LETTER = 7.4
NARROW_ROW, NARROW_BOX = 74, 168


def draw_line(data: dict[str, Any], width: int) -> Markup:
    """Draw the stations from left to right; on a narrow page from top to bottom."""
    stations = data["stations"]
    if width < 600:
        return _downward(stations, width)
    return _across(stations, width)


def _label(stations: list[dict[str, Any]]) -> str:
    count = sum(bool(station["conditions"]) for station in stations)
    return f"The line: {len(stations)} stations; at {count} of them conditions become known."


def _across(stations: list[dict[str, Any]], width: int) -> Markup:
    per_row = min(PER_ROW, max(len(stations), 1))
    step = (width - 8 + GAP) / per_row
    box = min(step - GAP, 190.0)
    rows = -(-len(stations) // per_row)
    deepest = max((len(station["conditions"]) for station in stations), default=0)
    row_height = ROW + max(0, -(-deepest // _badges_per_row(box)) - 1) * (BADGE + 4)
    parts: list[Markup] = []
    for place, station in enumerate(stations):
        x = 4 + (place % per_row) * step
        y = 10.0 + (place // per_row) * row_height
        is_last = place == len(stations) - 1
        if not is_last:
            end = x + step if place % per_row < per_row - 1 else float(width - 2)
            parts.append(_arrow(x + box, y + BOX / 2, end - 3, y + BOX / 2))
        parts += [_box(station, x, y, box, place + 1), _below(station, x, y + BOX, box)]
    height = 10 + rows * row_height - 20
    return picture(width, height, _label(stations), *parts, class_="line")


def _downward(stations: list[dict[str, Any]], width: int) -> Markup:
    parts: list[Markup] = []
    for place, station in enumerate(stations):
        y = 8.0 + place * (NARROW_ROW + GAP)
        if place < len(stations) - 1:
            x = 4 + NARROW_BOX / 2
            parts.append(_arrow(x, y + NARROW_ROW, x, y + NARROW_ROW + GAP - 3))
        parts.append(_box(station, 4.0, y, float(NARROW_BOX), place + 1, NARROW_ROW))
        room = width - NARROW_BOX - 24
        parts.append(_badges(station, NARROW_BOX + 18.0, y + 8, room))
        caption = _columns(station)
        parts.append(text(NARROW_BOX + 18, y + NARROW_ROW - 6, caption, class_="small"))
    height = 12 + len(stations) * (NARROW_ROW + GAP) - GAP
    return picture(width, height, _label(stations), *parts, class_="line")


def _columns(station: dict[str, Any]) -> str:
    count = len(station["columns"])
    return f"{count} measurement{'' if count == 1 else 's'}"


def _arrow(x1: float, y1: float, x2: float, y2: float) -> Markup:
    is_down = y2 - y1 > x2 - x1
    wings = ((-4, -6), (4, -6)) if is_down else ((-6, -4), (-6, 4))
    head = "M" + "L".join(f"{x2 + dx:.1f} {y2 + dy:.1f}" for dx, dy in (wings[0], (0, 0), wings[1]))
    return line(x1, y1, x2, y2, "belt") + element("path", d=head, class_="belt")


def _box(
    station: dict[str, Any], x: float, y: float, width: float, place: int, height: int = BOX
) -> Markup:
    """Draw a station with round corners, a test with cut ones and a dashed edge."""
    title = element("title", f"{station['name']}: {', '.join(station['columns'])}")
    if station["is_test"]:
        cut = 10
        corners = (
            (x + cut, y),
            (x + width - cut, y),
            (x + width, y + cut),
            (x + width, y + height - cut),
            (x + width - cut, y + height),
            (x + cut, y + height),
            (x, y + height - cut),
            (x, y + cut),
        )
        path = "M" + "L".join(f"{a:.1f} {b:.1f}" for a, b in corners) + "Z"
        shape = element("path", title, d=path, class_="station test")
    else:
        shape = rectangle(x, y, width, height, "station", title, rx=6)
    kind = "test" if station["is_test"] else f"station {place}"
    lines = wrapped(station["name"], (width - 12) / BOLD_LETTER, 3)
    first = y + height / 2 - (len(lines) - 1) * 7.5 + 10
    parts = [shape, text(x + width / 2, y + 16, kind, class_="kind", text_anchor="middle")]
    for number, words in enumerate(lines):
        parts.append(
            text(x + width / 2, first + 15 * number, words, class_="place", text_anchor="middle")
        )
    return Markup("").join(parts)


def _below(station: dict[str, Any], x: float, y: float, width: float) -> Markup:
    caption = text(x + width / 2, y + 17, _columns(station), class_="small", text_anchor="middle")
    if not station["conditions"]:
        return caption
    stem = line(x + width / 2, y + 24, x + width / 2, y + 34, "stem")
    count = min(len(station["conditions"]), _badges_per_row(width))
    start = x + (width - count * (BADGE + 4) + 4) / 2
    return caption + stem + _badges(station, start, y + 36, width)


def _badges_per_row(width: float) -> int:
    return max(1, int((width + 4) / (BADGE + 4)))


def _badges(station: dict[str, Any], x: float, y: float, width: float) -> Markup:
    """Draw the numbers of the conditions, each a link to its row."""
    per_row = _badges_per_row(width)
    parts = []
    for place, number in enumerate(station["conditions"]):
        left = x + (place % per_row) * (BADGE + 4)
        top = y + (place // per_row) * (BADGE + 4)
        hollow = "" if number in station["confirmed"] else " hollow"
        circle = rectangle(left, top, BADGE, BADGE, f"badge{hollow}", rx=12)
        class_ = f"badge-text{hollow}"
        words = text(left + BADGE / 2, top + 16.5, number, class_=class_, text_anchor="middle")
        label = f"Condition {number}"
        parts.append(element("a", circle, words, href=f"#condition-{number}", aria_label=label))
    return Markup("").join(parts)
