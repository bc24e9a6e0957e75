"""A page that is open in the browser, and all that it said or asked for."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass
class Opened:
    page: Any
    address: str
    complaints: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def check_quiet(self) -> None:
        """Fail unless the page asked for itself only, and the console stayed empty."""
        assert self.complaints == []
        assert set(self.requests) == {self.address}

    def shown(self, name: str) -> str:
        """Return the text that stands in a place that the script writes to."""
        return str(self.page.locator(f'[data-out="{name}"]').first.inner_text())

    def slide_to(self, place: int) -> None:
        """Move the slider as a hand would: its value, then the event of an input."""
        move = "(slider, at) => { slider.value = at; slider.dispatchEvent(new Event('input')); }"
        self.page.locator("#threshold").evaluate(move, place)


@contextmanager
def open_page(browser: Any, path: Path, **options: Any) -> Iterator[Opened]:
    """Open a file; `options` are those of a context, such as viewport and color_scheme."""
    context = browser.new_context(**{"viewport": {"width": 1200, "height": 900}} | options)
    page = context.new_page()
    opened = Opened(page, path.as_uri())
    page.on("console", lambda message: opened.complaints.append(message.text))
    page.on("pageerror", lambda error: opened.complaints.append(str(error)))
    page.on("dialog", lambda dialog: opened.complaints.append(dialog.message))
    page.on("request", lambda request: opened.requests.append(request.url))
    page.goto(opened.address)
    yield opened
    context.close()


def contrast(*colors: list[float]) -> float:
    """Return the contrast of two colours as WCAG 2 defines it."""

    def light(part: float) -> float:
        return part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4

    dark, bright = sorted(
        0.2126 * light(red) + 0.7152 * light(green) + 0.0722 * light(blue)
        for red, green, blue in colors
    )
    return (bright + 0.05) / (dark + 0.05)
