"""Short values in tables, which the style sheet keeps on one line."""

from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

# As long as `.813 (.785 to .839)`; `> 365` and `99.0 %` are shorter.
LONGEST = 19


def mark(_app: Sphinx, page: nodes.document, _name: str) -> None:
    """Give each short cell the class `value`."""
    for cell in page.findall(nodes.entry):
        if len(cell.astext()) <= LONGEST:
            cell["classes"].append("value")


def setup(app: Sphinx) -> dict[str, Any]:
    """Tell Sphinx what to call, and when."""
    app.connect("doctree-resolved", mark)  # links have their words by then
    return {"parallel_read_safe": True}
