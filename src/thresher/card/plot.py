"""A card as a drawing for one page."""

from textwrap import shorten, wrap
from typing import TYPE_CHECKING, Any

from thresher.card.page import Answer, GoTo, Page, Points, Row, read_page

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

A4 = (8.27, 11.69)
"""Inches."""
MARGIN = 0.55
LARGEST_ROW = 0.32
"""Inches from one question to the next, where there is room for it."""
YES, NO, RIGHT = 6.25, 7.25, 7.72
"""Middles of the two columns of answers, and where the page ends, in inches."""
INK, QUIET, RULE = "#1b2733", "#5b6873", "#c9d1d8"
# Points for an alert are warm, points against it cold; light enough for black text.
WARM, COLD, NEUTRAL = "#f9b36b", "#a9cbe8", "#e9edf0"


def plot_card(card: Any, ax: "Axes | None" = None) -> "Figure":
    """Draw a fitted card and return the figure."""
    page = read_page(card)
    if ax is None:
        ax = _new_axes()
    ax.set_axis_off()
    ax.set_xlim(0.0, A4[0])
    ax.set_ylim(A4[1], 0.0)
    _Drawing(ax, page).draw()
    figure: Figure = ax.get_figure(root=True)  # type: ignore[assignment]
    return figure


def _new_axes() -> "Axes":
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError("plot needs matplotlib: pip install 'thresher[plot]'.") from error
    return pyplot.figure(figsize=A4).add_axes((0.0, 0.0, 1.0, 1.0))


class _Drawing:
    """A page in inches, from the top down; rows are as high as there is room for."""

    def __init__(self, ax: "Axes", page: Page) -> None:
        self.ax, self.page = ax, page
        n_rows = page.n_questions + 1.3 * len(page.parts)
        room = A4[1] - 2 * MARGIN - 1.15 - 0.5 * len(page.verdicts) - 0.3
        self.row = min(LARGEST_ROW, room / max(n_rows, 1.0))
        self.size = 72 * self.row * 0.6  # points of type

    def draw(self) -> None:
        y = self._head(MARGIN)
        for number, part in enumerate(self.page.parts, start=1):
            y = self._part_head(y, number)
            for row in part:
                y = self._question(y, row)
            y += 0.2 * self.row
        self._verdicts(y + 0.3)

    def _head(self, y: float) -> float:
        self._text(MARGIN, y + 0.2, self.page.title, size=17, weight="bold")
        for place, line in enumerate(wrap(self.page.manual, 92)):
            self._text(MARGIN, y + 0.52 + 0.2 * place, line, size=10.5, color=QUIET)
        return y + 1.15

    def _part_head(self, y: float, number: int) -> float:
        middle = y + 0.5 * self.row
        self._text(MARGIN, middle, f"Part {number}", size=self.size, weight="bold")
        for x, word in ((YES, "yes"), (NO, "no")):
            self._text(x, middle, word, size=self.size, color=QUIET, ha="center")
        return y + self.row

    def _question(self, y: float, row: Row) -> float:
        self.ax.plot([MARGIN, RIGHT], [y, y], color=RULE, linewidth=0.6, zorder=1)
        middle = y + 0.5 * self.row
        self._text(MARGIN + 0.28, middle, str(row.number), size=self.size, color=QUIET, ha="right")
        # A letter of this font is about 0.55 of its size wide.
        n_letters = int((YES - 0.5 - MARGIN - 0.42) * 72 / (0.55 * self.size))
        question = shorten(row.question, n_letters, placeholder=" ...?")
        self._text(MARGIN + 0.42, middle, question, size=self.size)
        self._answer(YES, middle, row.yes)
        self._answer(NO, middle, row.no)
        return y + self.row

    def _answer(self, x: float, y: float, answer: Answer) -> None:
        if isinstance(answer, GoTo):
            self._text(x, y, f"\N{RIGHTWARDS ARROW} {answer.number}", size=self.size, ha="center")
            return
        height = 0.78 * self.row
        self._box(x, y, 0.62, height, _color(answer))
        self._text(x, y, str(answer), size=self.size, weight="bold", ha="center")

    def _verdicts(self, y: float) -> None:
        colors = {"alert": WARM, "pass": COLD}
        for verdict in self.page.verdicts:
            color = colors.get(verdict.answer, NEUTRAL)
            self._box(0.5 * (MARGIN + RIGHT), y + 0.2, RIGHT - MARGIN, 0.42, color)
            self._text(MARGIN + 0.2, y + 0.2, verdict.answer, size=15, weight="bold")
            self._text(MARGIN + 1.3, y + 0.2, verdict.sums, size=15)
            y += 0.5

    def _box(self, x: float, y: float, width: float, height: float, color: str) -> None:
        from matplotlib.patches import FancyBboxPatch

        corner, rounding = (x - 0.5 * width, y - 0.5 * height), 0.25 * min(height, 0.3)
        shape = f"round,pad=0,rounding_size={rounding}"
        box = FancyBboxPatch(corner, width, height, shape, facecolor=color, linewidth=0, zorder=2)
        self.ax.add_patch(box)

    def _text(self, x: float, y: float, text: str, **how: Any) -> None:
        look: dict[str, Any] = {
            "color": INK,
            "va": "center",
            "zorder": 3,
        } | how
        look["fontsize"] = look.pop("size")
        self.ax.text(x, y, text, parse_math=False, **look)


def _color(points: Points) -> str:
    if points.points == 0.0:
        return NEUTRAL
    return WARM if points.points > 0.0 else COLD
