"""Draws the charts of docs/choosing.md from its tables: python docs/make_choosing_charts.py."""

import re
import textwrap
from html import escape
from pathlib import Path

DOCS = Path(__file__).parent
PAGE = DOCS / "choosing.md"
CHART = re.compile(r"<!-- chart: (\w+): (.*?) -->\n(.*?)<!-- end -->", re.DOTALL)

# Pixels: the three columns (question, what is known, what to take), and a row.
WIDTH, ROW, GAP = 900, 46, 12
QUESTION, KNOWN, TAKE = (10, 150), (220, 300), (580, 310)
# Characters that fit into a box of the second and third column.
LETTERS = {"known": 40, "take": 36}


def tables(page: str) -> dict[str, tuple[str, list[tuple[str, str]]]]:
    """Return the question and the rows (known, take) of each chart."""
    found = {}
    for name, question, table in CHART.findall(page):
        lines = table.strip().splitlines()[2:]
        cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
        found[name] = question, [(row[0], row[1].replace("`", "")) for row in cells]
    return found


def drawing(question: str, rows: list[tuple[str, str]]) -> str:
    """Return a chart as SVG."""
    height = len(rows) * (ROW + GAP) + GAP
    middle = height / 2
    parts = [box(QUESTION, middle - ROW / 2, textwrap.wrap(question, 16), "question")]
    for at, (known, take) in enumerate(rows):
        top = GAP + at * (ROW + GAP)
        parts.append(branch(middle, top + ROW / 2))
        parts.append(box(KNOWN, top, textwrap.wrap(known, LETTERS["known"]), "known"))
        parts.append(box(TAKE, top, textwrap.wrap(take, LETTERS["take"]), "take"))
    return HEAD.format(width=WIDTH, height=height) + "\n".join(parts) + "\n</svg>\n"


def box(place: tuple[int, int], top: float, lines: list[str], kind: str) -> str:
    """Return a rounded box with its lines of text in the middle."""
    left, width = place
    first = top + ROW / 2 + 5 - 8.5 * (len(lines) - 1)
    texts = "".join(
        f'<text x="{left + 12}" y="{first + 17 * at:g}">{escape(line)}</text>'
        for at, line in enumerate(lines)
    )
    frame = f'<rect x="{left}" y="{top:g}" width="{width}" height="{ROW}" rx="7"/>'
    return f'<g class="{kind}">{frame}{texts}</g>'


def branch(start: float, end: float) -> str:
    """Return the way from the question to a row, and from there to the answer."""
    left, right = sum(QUESTION), KNOWN[0]
    bend = (left + right) / 2
    curve = f"M{left} {start:g}C{bend:g} {start:g} {bend:g} {end:g} {right} {end:g}"
    arrow = f"M{sum(KNOWN)} {end:g}H{TAKE[0] - 8}l-6 -5m6 5l-6 5"
    return f'<path class="way" d="{curve}{arrow}"/>'


HEAD = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}">
<style>
text {{ font: 14px system-ui, "Segoe UI", "DejaVu Sans", sans-serif; fill: #1b2430; }}
.take text {{ font: 13.5px ui-monospace, "DejaVu Sans Mono", monospace; fill: #10406f; }}
.question text {{ font-weight: 600; fill: #ffffff; }}
.known rect {{ fill: #f3f5f8; stroke: #c3ccd6; }}
.take rect {{ fill: #e8f0f9; stroke: #1d5fa6; }}
.question rect {{ fill: #1d5fa6; }}
.way {{ fill: none; stroke: #56616f; stroke-width: 1.5; }}
</style>
<rect width="100%" height="100%" fill="#ffffff"/>
"""


def main() -> None:
    """Write the pictures."""
    for name, (question, rows) in tables(PAGE.read_text(encoding="utf-8")).items():
        path = DOCS / "images" / f"choosing-{name}.svg"
        path.write_text(drawing(question, rows), encoding="utf-8")


if __name__ == "__main__":
    main()
