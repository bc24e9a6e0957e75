"""A page of HTML in one file: tables and figures inside, nothing from outside, light and dark."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from thresher.benchmark.output.figures import FAINT, INK, OURS, PAPER, PRINTED
from thresher.text_table import TextTable

THEME = {INK: "ink", PAPER: "paper", FAINT: "line", OURS: "ours", PRINTED: "printed"}
"""Colours of the figures that follow the reader's choice of light or dark."""


@dataclass(frozen=True)
class Picture:
    """A figure as SVG, with what it shows in a sentence."""

    name: str
    svg: bytes
    caption: str


@dataclass(frozen=True)
class Section:
    """A heading, sentences, a figure, and tables, which are folded where a figure says it all."""

    heading: str
    sentences: Sequence[str] = ()
    picture: Picture | None = None
    tables: Sequence[TextTable] = ()


@dataclass(frozen=True)
class Page:
    """A title, sentences that introduce the study, and sections."""

    title: str
    sentences: Sequence[str]
    sections: Sequence[Section]


def render_page(page: Page) -> str:
    """Return the page as HTML; every name is escaped.

    >>> text = render_page(Page("Trees & <others>", ["Two methods."], []))
    >>> "<h1>Trees &amp; &lt;others&gt;</h1>" in text
    True
    """
    environment = Environment(
        loader=PackageLoader("thresher.benchmark.output", "template"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=True,
    )
    environment.filters["inline"] = inline_svg
    return environment.get_template("index.html.j2").render(page=page)


def inline_svg(picture: Picture) -> Markup:
    """Return a figure to stand inside a page.

    Its ids do not meet those of other figures, its colours are the page's, and it names no
    address: the declarations of an SVG file, which a page does not need, are left out.
    """
    svg = picture.svg.decode()
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r'\sxmlns(:\w+)?="[^"]*"', "", svg)
    svg = svg.replace("xlink:href", "href")
    svg = re.sub(r'(\bid="|"#|url\(#)', rf"\1{picture.name}-", svg)
    svg = re.sub(r"<style[^>]*>\*\{", rf"<style>.{picture.name} *{{", svg)
    for color, name in THEME.items():
        svg = svg.replace(color, f"var(--{name})")
    opening = Markup('<svg class="{}" role="img" aria-label="{}"').format(
        picture.name, picture.caption
    )
    return Markup(opening + Markup(svg.removeprefix("<svg")))
