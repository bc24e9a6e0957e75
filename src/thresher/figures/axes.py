"""Axes of a chart: from numbers to positions, with round tick marks, a faint grid and a legend."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10

from markupsafe import Markup

from thresher.figures.svg import LETTER, element, letters_in, line, picture, polyline, text

SAMPLE, ROW = 22.0, 18.0
"""Width of a sample in a legend, and height of a row of it."""


@dataclass(frozen=True)
class Scale:
    """Numbers from `low` to `high` laid out from `start` to `end`."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        """Return the position of a number."""
        share = (value - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)


def round_ticks(high: float, count: int = 5) -> list[float]:
    """Return about so many round numbers from 0 on, the last at or above `high`.

    >>> round_ticks(0.37), round_ticks(240)
    ([0.0, 0.1, 0.2, 0.3, 0.4], [0.0, 50.0, 100.0, 150.0, 200.0, 250.0])
    """
    raw = max(high, 1e-9) / count
    size = 10.0 ** floor(log10(raw))
    step = next(
        size * factor for factor in (1.0, 2.0, 2.5, 5.0, 10.0) if size * factor >= raw * 0.9
    )
    return [float(f"{step * place:.12g}") for place in range(ceil(high / step - 1e-9) + 1)]


@dataclass(frozen=True)
class Plot:
    """The area of a chart inside its margins; its title stands `head` above it."""

    width: int
    height: int
    left: int = 46
    right: int = 14
    top: int = 28
    bottom: int = 40
    head: int = 16

    @property
    def x_end(self) -> float:
        """The right edge."""
        return float(self.width - self.right)

    @property
    def y_end(self) -> float:
        """The lower edge."""
        return float(self.height - self.bottom)

    def across(self, low: float, high: float) -> Scale:
        """Return the scale from left to right."""
        return Scale(low, high, float(self.left), self.x_end)

    def upward(self, low: float, high: float) -> Scale:
        """Return the scale from bottom to top."""
        return Scale(low, high, self.y_end, float(self.top))

    def middles(self, count: int) -> list[float]:
        """Return the middles of so many columns of equal width."""
        step = (self.x_end - self.left) / max(count, 1)
        return [self.left + step * (index + 0.5) for index in range(count)]

    def grid(
        self, scale: Scale, ticks: Sequence[float], words: Callable[[float], str], title: str = ""
    ) -> Markup:
        """Draw lines across at ticks of the upward axis, and its title above it."""
        parts = []
        for tick in ticks:
            y = scale(tick)
            parts.append(line(self.left, y, self.x_end, y, "axis" if tick == 0 else "grid"))
            parts.append(text(self.left - 7, y + 4, words(tick), text_anchor="end"))
        if title:
            parts.append(text(0, self.top - self.head, title, class_="axis-title"))
        return Markup("").join(parts)

    def below(
        self,
        scale: Callable[[float], float],
        ticks: Sequence[float],
        words: Callable[[float], str],
    ) -> Markup:
        """Draw the ticks of the axis below."""
        parts = []
        for tick in ticks:
            x = scale(tick)
            parts.append(line(x, self.y_end, x, self.y_end + 4, "axis"))
            parts.append(text(x, self.y_end + 17, words(tick), text_anchor="middle"))
        return Markup("").join(parts)

    def title_below(self, words: str) -> Markup:
        """Write the title of the axis below."""
        place = {"text_anchor": "middle", "class_": "axis-title"}
        return text((self.left + self.x_end) / 2, self.height - 6, words, **place)

    def picture(self, label: str, *parts: Markup, key: Sequence[tuple[Markup, str]]) -> Markup:
        """Return the chart with its legend below."""
        drawn, bottom = legend(key, self.left, self.height + 4.0, self.width)
        return picture(self.width, bottom, label, *parts, drawn)


def percent_tick(value: float) -> str:
    """Return a tick mark of shares.

    >>> percent_tick(0.25), percent_tick(0.025)
    ('25 %', '2.5 %')
    """
    return f"{100.0 * value:.4g} %"


def sample(class_: str) -> Markup:
    """Return a piece of a line for a legend."""
    return line(0, 0, SAMPLE, 0, class_)


def legend(
    entries: Sequence[tuple[Markup, str]], left: float, top: float, width: float
) -> tuple[Markup, float]:
    """Draw samples with their words from left to right, in as many rows as they need.

    A sample is drawn around the middle of the left edge of its place. Returned are the legend and
    its lower edge.
    """
    parts = []
    x, y = left, top
    for drawn, words in entries:
        room = SAMPLE + 6.0 + LETTER * letters_in(words)
        if x > left and x + room > width:
            x, y = left, y + ROW
        parts.append(element("g", drawn, transform=f"translate({x:.1f} {y + 9.0:.1f})"))
        parts.append(text(x + SAMPLE + 6.0, y + 13.0, words))
        x += room + 16.0
    return Markup("").join(parts), y + ROW


def draw_series(series: Sequence[Sequence[tuple[float, float]]]) -> Markup:
    """Draw measures as lines, each of which has a colour and a dash of its own."""
    return Markup("").join(
        polyline(points, f"line series-{number}")
        for number, points in enumerate(series, start=1)
        if points
    )
