"""Examples end with a blank line, for doctest; on the site they do without it."""

from typing import Any

from docutils import nodes
from sphinx.application import Sphinx


def trim(_app: Sphinx, page: nodes.document) -> None:
    """Take blank lines off the end of each block of code."""
    for block in page.findall(nodes.literal_block):
        text = block.astext().rstrip("\n")
        block.rawsource = text
        block.children = [nodes.Text(text)]


def setup(app: Sphinx) -> dict[str, Any]:
    """Tell Sphinx what to call, and when."""
    app.connect("doctree-read", trim)
    return {"parallel_read_safe": True}
