"""The check of the built site finds what leads nowhere, and what would come from elsewhere."""

from pathlib import Path

import pytest

from tests.docs.pages import tool

check = tool("site/check.py")
WHOLE = """<h1 id="top">A</h1><a href="b.html#part">b</a><a href="#top">up</a><a href="https://x.org/">x</a>"""


def site(folder: Path, first: str) -> Path:
    (folder / "a.html").write_text(first)
    (folder / "b.html").write_text('<h2 id="part">B</h2>')
    return folder


def test_a_whole_site(tmp_path: Path) -> None:
    assert check.faults(site(tmp_path, WHOLE)) == (2, [])


@pytest.mark.parametrize(
    ("piece", "words"),
    [
        ('<a href="gone.html">', "gone.html is not there"),
        ('<img src="images/gone.svg">', "gone.svg is not there"),
        ('<a href="b.html#nowhere">', "no such anchor"),
        ('<a href="#nowhere">', "no such anchor"),
        ('<script src="https://cdn.org/x.js"></script>', "loads https://cdn.org/x.js"),
        ('<link rel="stylesheet" href="//fonts.org/f.css">', "loads //fonts.org/f.css"),
    ],
)
def test_a_fault(tmp_path: Path, piece: str, words: str) -> None:
    _, found = check.faults(site(tmp_path, WHOLE + piece))
    assert len(found) == 1
    assert words in found[0]
