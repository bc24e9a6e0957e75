"""Axes of a chart: from numbers to places, with round tick marks and a faint grid."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10
from typing import NamedTuple

from markupsafe import Markup

from thresher.drawing.svg import line, text


class Scale(NamedTuple):
    """Numbers from `low` to `high` laid out from `start` to `end`."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        """Return the place of a number."""
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
    """The area of a chart inside its margins."""

    width: int
    height: int
    left: int = 46
    right: int = 14
    top: int = 28
    bottom: int = 40

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

    def places(self, count: int) -> list[float]:
        """Return the middles of so many columns of equal width."""
        step = (self.x_end - self.left) / max(count, 1)
        return [self.left + step * (place + 0.5) for place in range(count)]

    def grid(
        self, scale: Scale, ticks: Sequence[float], words: Callable[[float], str], title: str
    ) -> Markup:
        """Draw lines across at ticks of the upward axis, and its title above it."""
        parts = []
        for tick in ticks:
            y = scale(tick)
            parts.append(line(self.left, y, self.x_end, y, "axis" if tick == 0 else "grid"))
            parts.append(text(self.left - 7, y + 4, words(tick), text_anchor="end"))
        parts.append(text(0, 12, title, class_="axis-title"))
        return Markup("").join(parts)

    def below(self, scale: Scale, ticks: Sequence[float], words: Callable[[float], str]) -> Markup:
        """Draw the ticks of the axis below."""
        parts = []
        for tick in ticks:
            x = scale(tick)
            parts.append(line(x, self.y_end, x, self.y_end + 4, "axis"))
            parts.append(text(x, self.y_end + 17, words(tick), text_anchor="middle"))
        return Markup("").join(parts)

    def title_below(self, words: str) -> Markup:
        """Write the title of the axis below."""
        return text(
            (self.left + self.x_end) / 2,
            self.height - 6,
            words,
            text_anchor="middle",
            class_="axis-title",
        )


def percent_tick(value: float) -> str:
    """Return a tick mark of shares.

    >>> percent_tick(0.25), percent_tick(0.025)
    ('25 %', '2.5 %')
    """
    return f"{100.0 * value:.4g} %"
