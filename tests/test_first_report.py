from pathlib import Path

from benchmarks.first_report import BY_HAND, lines_of_code

PAGE = Path(__file__).parents[1] / "docs" / "install.md"


def test_lines_by_hand_are_as_many_as_the_page_says(tmp_path):
    (tmp_path / "short.py").write_text('"""About."""\n\n# why\nimport os\n\nos.getcwd()\n')
    assert lines_of_code(tmp_path / "short.py") == 2
    assert f"| by hand | {lines_of_code(BY_HAND)} |" in PAGE.read_text(encoding="utf-8")
