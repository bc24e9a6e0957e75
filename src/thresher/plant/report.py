"""A report to look at in a notebook and to save as one file."""

from html import escape
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar

from jinja2 import TemplateError

from thresher.errors import DamagedModelError
from thresher.report import render
from thresher.whole_file import new_file


class Report:
    """The report of a model: one page of HTML that needs nothing from outside.

    Attributes
    ----------
    summary : all that the page shows, as plain data.
    """

    def __init__(self, summary: dict[str, Any]) -> None:
        self.summary = summary

    @property
    def html(self) -> str:
        """The page."""
        return render(self.summary)

    def with_watch(self, section: dict[str, Any]) -> "Report":
        """Return the report with the section of a watch."""
        return Report(self.summary | {"watch": section})

    def save(self, path: str | PathLike[str]) -> None:
        """Write the page to a file, as a whole or not at all."""
        with new_file(Path(path)) as temporary:
            temporary.write_text(self.html, encoding="utf-8", newline="\n")

    def _repr_html_(self) -> str:
        # A frame of its own: the page's style must not reach the notebook, nor the other way.
        return (
            f'<iframe srcdoc="{escape(self.html, quote=True)}" width="100%" height="820" '
            'style="border: 1px solid #ccc"></iframe>'
        )

    def __repr__(self) -> str:
        return f"<Report: {self.summary['verdict']['heading']}>"


ReportKind = TypeVar("ReportKind", bound=Report)


def readable(found: ReportKind) -> ReportKind:
    """Return the report in a model's file, of which a page can be made."""
    try:
        _ = repr(found), found.html
    except (ArithmeticError, AttributeError, LookupError, TemplateError, TypeError, ValueError):
        raise DamagedModelError(
            "The report in the model's file is damaged; take another copy of the file, or give "
            "rows that the model has not seen: report(table)."
        ) from None
    return found
