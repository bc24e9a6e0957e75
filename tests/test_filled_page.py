"""Pages whose tables are filled in by a study."""

from importlib import import_module
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"


def test_lines_between_marks_are_replaced_and_all_else_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(BENCHMARKS)
    page = tmp_path / "page.md"
    page.write_text("one\n<!-- a -->\nold\n<!-- end -->\n<!-- b -->\nkept\n<!-- end -->\n")
    import_module("filled_page").fill(page, {"a": ["| new |", r"| \1 |"]})
    assert page.read_text() == (
        "one\n<!-- a -->\n| new |\n| \\1 |\n<!-- end -->\n<!-- b -->\nkept\n<!-- end -->\n"
    )
