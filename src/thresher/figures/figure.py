"""Figures outside the report: as a file, and in a notebook on light and on dark pages."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from os import PathLike
from pathlib import Path
from typing import Any

from markupsafe import Markup

from thresher.errors import ParameterError
from thresher.figures.bins import BOLD
from thresher.figures.svg import element, folded, rectangle, text
from thresher.whole_file import whole_file

MARGIN, LINE, LEAST = 16.0, 18.0, 300.0
"""Around a figure in a file; height of a line of its title, and the least room for one."""
COLORS = {
    "ink": "#1b2430",
    "soft": "#56616f",
    "faint": "#d9dee4",
    "paper": "#ffffff",
    "blue": "#1d5fa6",
    "orange": "#b54708",
    "violet": "#6b3fa0",
    "on-color": "#ffffff",
}
"""Of a file: those of the report on a light page."""


@cache
def figure_style() -> str:
    """Return the style of figures, a rule a line; whoever shows them says what its colours are."""
    return (files("thresher.figures") / "figure.css").read_text(encoding="utf-8")


@dataclass(frozen=True, repr=False)
class Figure:
    """A figure as SVG: a notebook shows it, `save` writes it.

    Attributes
    ----------
    title : what stands above it.
    drawn : the figure as an element of a page, which gives it its colours.

    Examples
    --------
    >>> from thresher import ImbalancedTreeClassifier
    >>> X, y = [[1.0], [2.0], [3.0], [4.0], [5.0], [6.0]], ["ok"] * 4 + ["scrap"] * 2
    >>> figure = ImbalancedTreeClassifier("gini").fit(X, y).plot()
    >>> figure
    <Figure: A tree of 2 leaves.>
    >>> figure.save(getfixture("tmp_path") / "tree.svg")
    """

    title: str
    drawn: Markup

    @property
    def svg(self) -> str:
        """The figure with its title, style and light background: all that a file needs."""
        opening, _, inside = self.drawn.removesuffix("</svg>").partition(">")
        width, height = (float(_read(opening, name)) for name in ("width", "height"))
        title = folded(self.title, max(width, LEAST) / BOLD)
        top = LINE * len(title) + 0.5 * MARGIN
        corner = (-MARGIN, -MARGIN - top)
        size = (max(width, LEAST) + 2 * MARGIN, top + height + 2 * MARGIN)
        colored = re.sub(r"var\(--([\w-]+)\)", lambda found: COLORS[found[1]], figure_style())
        return str(
            element(
                "svg",
                element("style", Markup(colored)),
                rectangle(*corner, *size, "paper"),
                *(
                    text(0, LINE * (place + 0.7) - top, words, class_="title")
                    for place, words in enumerate(title)
                ),
                Markup(inside),
                xmlns="http://www.w3.org/2000/svg",
                viewBox=" ".join(f"{number:g}" for number in corner + size),
                width=f"{size[0]:g}",
                height=f"{size[1]:g}",
                class_="picture",
                role="img",
                aria_label=f"{self.title}: {self.label}",
            )
        )

    @property
    def label(self) -> str:
        """What the figure shows, in words."""
        return Markup(_read(self.drawn, "aria-label")).unescape()

    def save(self, path: str | PathLike[str]) -> None:
        """Write the figure to a file of its own, which needs nothing else.

        Parameters
        ----------
        path : path
            Of the file; its name ends in `.svg`.
        """
        path = Path(path)
        if path.suffix.lower() != ".svg":
            raise ParameterError(f"'{path}' does not end in .svg; a figure is saved as SVG alone.")
        with whole_file(path) as temporary:
            temporary.write_text(self.svg, encoding="utf-8")

    def _repr_svg_(self) -> str:
        return self.svg

    def _repr_html_(self) -> str:
        return in_notebook(self.title, self.drawn)

    def __repr__(self) -> str:
        return f"<Figure: {self.label}>"


def _read(opening: str, attribute: str) -> str:
    """Return an attribute of the element with which a text begins."""
    return opening.partition(f'{attribute}="')[2].partition('"')[0]


def in_notebook(heading: Any, *parts: Any) -> str:
    """Return parts under a heading, with a style that reaches nothing else of the page."""
    rules = [f".thresher {rule}" for rule in figure_style().strip().split("\n")]
    own = (files("thresher.figures") / "notebook.css").read_text(encoding="utf-8")
    title = element("p", element("b", heading))
    style = element("style", Markup(own + "\n".join(rules)))
    return str(element("div", style, title, *parts, class_="thresher"))


def html_table(headings: Sequence[str], rows: Sequence[Sequence[Any]]) -> Markup:
    """Return a table; cells from the second on are numbers.

    >>> print(html_table(["name"], [["<b>"]]).partition("</thead>")[2])
    <tbody><tr><td>&lt;b&gt;</td></tr></tbody></table>
    """

    def drawn(tag: str, cells: Sequence[Any]) -> Markup:
        others = (element(tag, cell, class_="number") for cell in cells[1:])
        return element("tr", element(tag, cells[0]), *others)

    body = element("tbody", *(drawn("td", row) for row in rows))
    return element("table", element("thead", drawn("th", headings)), body)
