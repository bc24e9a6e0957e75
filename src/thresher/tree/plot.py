"""A tree as a drawing; the only file here that names matplotlib."""

from typing import TYPE_CHECKING, Any

from thresher.answers import ALERT, REFER
from thresher.tree.outline import Line, elbows
from thresher.wording import counted, percent, plain, shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LINE, WIDTH = 0.27, 9.5
"""Inches that a node takes, and the whole drawing."""
LETTERS = 62
"""Of a question at the root; each level of indentation takes some of them."""
INDENT, BAR, FIRST = 1.8, 14.0, 66.0
"""In letters: of a level, the length of a full bar, and where bars begin."""
COLORS = {ALERT: "#b54708", REFER: "#6b3fa0"}
INK, SOFT, TRACK, RARE = "#1b2430", "#777777", "#d6e4f2", "#c2540a"
SIGNS = {ALERT: "▲ alert", REFER: "? refer"}


def plot(lines: list[Line], *, ax: "Axes | None" = None) -> "Figure":
    """Draw the lines of a tree and return the figure: bars are shares of positives.

    Parameters
    ----------
    ax : matplotlib axes, default=None
        Where to draw; a new figure that fits the tree by default.
    """
    if ax is None:
        ax = _new_axes(len(lines))
    ax.set_axis_off()
    for parent, child in elbows(lines):
        x = INDENT * lines[parent].depth + 0.5
        ends = [x, x, x + INDENT - 0.9]
        ax.plot(ends, [-parent - 0.42, -child, -child], color="#aaaaaa", linewidth=0.8)
    for place, line in enumerate(lines):
        _draw_line(ax, place, line)
    ax.set_xlim(-1.0, FIRST + BAR + 42.0)
    ax.set_ylim(-len(lines) + 0.2, 0.8)
    figure: Figure = ax.get_figure(root=True)  # type: ignore[assignment]
    return figure


def _draw_line(ax: "Axes", place: int, line: Line) -> None:
    x = INDENT * line.depth
    font: dict[str, Any] = {"fontsize": 8, "va": "center", "color": INK}
    room = max(int(LETTERS - x), 12)
    ax.text(x, -place, shortened(line.text, room), **font, ha="left")
    ax.barh(-place, BAR, left=FIRST, height=0.5, color=TRACK)
    ax.barh(-place, BAR * line.rate, left=FIRST, height=0.5, color=RARE)
    words = f"{line.positives:,} of {counted(line.rows, 'rows')} ({plain(percent(line.rate))})"
    ax.text(FIRST + BAR + 1.0, -place, words, **font | {"color": SOFT}, ha="left")
    label = f"({line.hidden} nodes below)" if line.hidden else _sign(line)
    color = COLORS.get(str(line.answer), SOFT)
    ax.text(FIRST + BAR + 41.0, -place, label, **font | {"color": color}, ha="right")


def _sign(line: Line) -> str:
    return "" if line.answer is None else SIGNS.get(line.answer, line.answer)


def _new_axes(count: int) -> "Axes":
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError("plot needs matplotlib: pip install 'thresher[plot]'.") from error
    figure = pyplot.figure(figsize=(WIDTH, LINE * (count + 1)))
    return figure.add_axes((0.01, 0.0, 0.98, 1.0))
