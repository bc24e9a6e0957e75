"""The examples of the documentation run as they stand."""

import doctest
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
WORDS_ONLY = {"choosing.md", "glossary.md", "guide.md"}
PAGES = sorted(page for page in (ROOT / "docs").glob("*.md") if page.name not in WORDS_ONLY)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_examples_of_a_page(page: Path) -> None:
    result = doctest.testfile(
        str(page), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE
    )
    assert result.attempted > 0
    assert result.failed == 0


def test_python_of_the_readme(tmp_path: Path) -> None:
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    assert len(blocks) == 4
    command = [sys.executable, "-W", "error", "-c", "\n".join(blocks)]
    run = subprocess.run(
        command, capture_output=True, text=True, timeout=240, check=False, cwd=tmp_path
    )
    assert run.returncode == 0, run.stderr
    assert "alpha*" in run.stdout
