"""Every page with measured figures has a command that makes them, as CONTRIBUTING.md tells."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
PAGES = sorted(path for path in (ROOT / "docs").glob("*.md"))
MEASURED = re.compile(
    r"(?<![\w.])(?:\d*\.\d{2,}|\d+\.\d+ (?:s|us|ms|%|times)|\d+ (?:s|us|ms|GB|MB)\b)"
)
FEW = 5
"""Figures of settings, limits and examples that a page may have without a command."""


def rows():
    section = CONTRIBUTING.partition("## Which command makes which figures")[2].partition("\n## ")[
        0
    ]
    found = re.findall(r"^\| (?!pages|---)(.+) \| (.+) \|$", section, re.MULTILINE)
    assert len(found) > 10
    return [(re.sub(r" \(.*?\)", "", pages).split(", "), commands) for pages, commands in found]


def figures(page):
    text = re.sub(
        r"```.*?```|`[^`]*`|\(http[^)]*\)", "", page.read_text(encoding="utf-8"), flags=re.S
    )
    return MEASURED.findall(text)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_with_measured_figures_is_in_the_table(page):
    named = {name for pages, _ in rows() for name in pages}
    assert page.stem in named or len(figures(page)) <= FEW, figures(page)


def test_the_table_names_pages_and_targets_that_exist():
    stems = {page.stem for page in PAGES} | {"README"}
    for pages, commands in rows():
        assert {re.sub(r"\W.*", "", name) if "README" in name else name for name in pages} <= stems
        for target in re.findall(r"`make ([\w-]+)`", commands):
            assert re.search(rf"^{target}:", MAKEFILE, re.MULTILINE), target
