"""Every page can be reached from the guide, and the guide names no page that is not there."""

import re

from tests.docs.pages import DOCS

TOCTREE = re.compile(r"^```\{toctree\}\n(.*?)^```", re.MULTILINE | re.DOTALL)
MADE_WITH_THE_SITE = {"gallery/index", "reference/index"}


def test_every_page_is_in_a_group() -> None:
    named = [name for page in ("index.md", "guide.md") for name in _entries(page)]
    assert len(named) == len(set(named))
    pages = {path.stem for path in DOCS.glob("*.md")} - {"index"}
    assert set(named) - MADE_WITH_THE_SITE == pages


def _entries(page: str) -> list[str]:
    lines = [
        line
        for block in TOCTREE.findall((DOCS / page).read_text(encoding="utf-8"))
        for line in block.splitlines()
        if line and not line.startswith(":")
    ]
    return [re.sub(r".*<(.*)>", r"\1", line) for line in lines]
