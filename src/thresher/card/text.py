"""A card as text, and for a notebook."""

from html import escape
from typing import Any

from thresher.card.page import Page, Row, read_page


def card_text(card: Any, threshold: float | None = None) -> str:
    """Return the card as text: a line for each question with what its answers lead to."""
    return page_text(read_page(card, threshold))


def page_text(page: Page) -> str:
    """Return a page as text."""
    rows = [row for part in page.parts for row in part]
    widths = [
        max((len(str(row[place])) for row in rows), default=0) for place in range(len(Row._fields))
    ]
    lines = [page.title, page.manual, ""]
    for number, part in enumerate(page.parts, start=1):
        head = f"Part {number} of {len(page.parts)}"
        lines.append(f"{head:<{widths[0] + widths[1] + 2}}  {'yes':<{widths[2]}}  no")
        lines += [_line(row, widths) for row in part]
        lines.append("")
    width = max(len(verdict.answer) for verdict in page.verdicts)
    lines += [f"{verdict.answer:<{width}}  {verdict.sums}" for verdict in page.verdicts]
    return "\n".join(lines) + "\n"


def _line(row: Row, widths: list[int]) -> str:
    number, question, yes, no = map(str, row)
    return f"{number:>{widths[0]}}  {question:<{widths[1]}}  {yes:<{widths[2]}}  {no}"


def card_html(card: Any) -> str:
    """Return the card for a notebook."""
    return f"<pre>{escape(card_text(card))}</pre>"
