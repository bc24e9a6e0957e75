"""Pictures and tables in the output of a notebook, on light and on dark pages."""

from collections.abc import Sequence
from typing import Any

from markupsafe import Markup, escape

from thresher.drawing.assets import picture_style, read_asset
from thresher.drawing.svg import element


def in_notebook(heading: Any, *parts: Any) -> str:
    """Return parts under a heading, with a style that reaches nothing else of the page."""
    rules = [f".thresher {rule}" for rule in picture_style().strip().split("\n")]
    style = Markup(read_asset("thresher.drawing", "notebook.css") + "\n".join(rules))
    title = element("p", element("b", heading))
    return str(element("div", element("style", style), title, *parts, class_="thresher"))


def html_table(headings: Sequence[str], rows: Sequence[Sequence[Any]]) -> Markup:
    """Return a table; cells from the second on are numbers.

    >>> print(html_table(["name"], [["<b>"]]).partition("</thead>")[2])
    <tbody><tr><td>&lt;b&gt;</td></tr></tbody></table>
    """
    body = [_row("td", row) for row in rows]
    return element("table", element("thead", _row("th", headings)), element("tbody", *body))


def _row(tag: str, cells: Sequence[Any]) -> Markup:
    kinds = (None, *["number"] * len(cells))
    pairs = zip(cells, kinds, strict=False)
    return element("tr", *(element(tag, escape(cell), class_=kind) for cell, kind in pairs))
