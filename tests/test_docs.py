"""The examples of the documentation run as they stand."""

import doctest
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
WORDS_ONLY = {"choosing", "glossary", "guide", "install"}
PAGES = sorted(page for page in (ROOT / "docs").glob("*.md") if page.stem not in WORDS_ONLY)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_examples_of_a_page(page: Path) -> None:
    result = doctest.testfile(
        str(page), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE
    )
    assert result.attempted > 0
    assert result.failed == 0


README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.compile(r"```python\n(.*?)```\s*```text\n(.*?)```", re.DOTALL)


def test_python_of_the_readme_prints_what_it_says(tmp_path: Path) -> None:
    code, expected = map("".join, zip(*BLOCKS.findall(README), strict=True))
    command = [sys.executable, "-W", "error", "-c", code]
    run = subprocess.run(
        command, capture_output=True, text=True, timeout=600, check=False, cwd=tmp_path
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout == expected
    assert (tmp_path / "report.html").stat().st_size > 10_000


def test_the_readme_is_one_screen() -> None:
    assert len(README.split()) <= 700
    assert "make demo" in README
    assert "make test" in README


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md", "SECURITY.md"])
def test_links_into_the_project_lead_somewhere(name: str) -> None:
    links = re.findall(r"\]\(([^)#]+)", (ROOT / name).read_text(encoding="utf-8"))
    inside = [link for link in links if "://" not in link]
    assert not [link for link in inside if not (ROOT / link).exists()]


ROWS = [line for line in README.splitlines() if line.startswith("| ") and "docs/" in line]
NUMBER = re.compile(r"\.?\d+(?:[.,]\d+)*")


def test_every_row_of_the_table_names_its_page() -> None:
    assert len(ROWS) == README.count("\n| ") - 2 >= 5  # without the heading and its line


@pytest.mark.parametrize("row", ROWS)
def test_figures_of_the_readme_are_on_their_pages(row: str) -> None:
    pages = re.findall(r"\((docs/[^)]+)\)", row)
    known = {figure for page in pages for figure in NUMBER.findall((ROOT / page).read_text())}
    told = NUMBER.findall(re.sub(r"\([^)]*\)", "", row))
    assert told
    assert not set(told) - known
