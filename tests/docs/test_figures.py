"""Every page with measured figures has a command that makes them, as CONTRIBUTING.md tells."""

import re
from pathlib import Path

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


def test_pages_with_measured_figures_are_in_the_table():
    named = {name for pages, _ in rows() for name in pages}
    measured = {page.stem for page in PAGES if len(figures(page)) > FEW}
    assert measured <= named


def test_the_table_names_pages_and_targets_that_exist():
    stems = {page.stem for page in PAGES} | {"README"}
    for pages, commands in rows():
        assert {re.sub(r"\W.*", "", name) if "README" in name else name for name in pages} <= stems
        for target, study in re.findall(r"`make ([\w-]+)(?: NAME=(\w+))?`", commands):
            assert re.search(rf"^{target}:", MAKEFILE, re.MULTILINE), target
            assert not study or (ROOT / "studies" / study / "study.py").exists(), study
